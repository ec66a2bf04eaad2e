"""Joints along curves in time: through their points, within their limits, taken over by later commands."""

import numpy as np
import pytest

import andante as an
from andante.control.joints.joint_moves import JointMoves
from andante.control.joints.timed_moves import JointCurve, JointPoints, TimedMove
from andante.errors import BadInput


@pytest.fixture(scope="module")
def nao():
    return an.robot("nao")


def moves_of(nao):
    return JointMoves(nao, np.zeros(len(nao.joint_names)))


def at(moves, nao, name):
    return moves.targets[nao.joint_names.index(name)]


def test_a_curve_passes_its_points_and_never_overshoots():
    curve = JointCurve(0.0, [0.5, 1.0, 2.0], [1.0, 1.0, -0.5])
    values = [curve.at(t) for t in np.linspace(0, 2.2, 400)]
    assert [curve.at(t) for t in (0.0, 0.5, 1.0, 2.0, 9.0)] == pytest.approx([0.0, 1.0, 1.0, -0.5, -0.5])
    assert max(values) <= 1.0 + 1e-12
    assert min(values) >= -0.5 - 1e-12


def test_a_curve_keeps_given_slopes():
    curve = JointCurve(0.0, [1.0, 2.0], [1.0, 2.0], [1.0, 0.0])
    assert (curve.at(1.001) - curve.at(0.999)) / 0.002 == pytest.approx(1.0, abs=1e-2)


def test_joints_follow_their_own_times(nao):
    moves = moves_of(nao)
    move = TimedMove({"HeadYaw": JointPoints((0.5, 1.0), (0.4, -0.2)), "HeadPitch": JointPoints((0.3,), (0.1,))})
    moves.follow(move)
    for _ in range(31):
        moves.advance(0.01)
    assert at(moves, nao, "HeadPitch") == pytest.approx(0.1)
    assert move.left == {"HeadYaw"}
    for _ in range(75):
        moves.advance(0.01)
    assert move.done
    assert not move.interrupted
    assert moves.resting
    assert at(moves, nao, "HeadYaw") == pytest.approx(-0.2)


def test_limits_of_place_and_speed_hold(nao):
    moves = moves_of(nao)
    moves.follow(TimedMove({"HeadYaw": JointPoints((0.02,), (9.0,))}))
    before, fastest = 0.0, 0.0
    for _ in range(100):
        moves.advance(0.01)
        fastest = max(fastest, abs(at(moves, nao, "HeadYaw") - before) / 0.01)
        before = at(moves, nao, "HeadYaw")
    limits = nao.joint("HeadYaw").limits
    assert before == pytest.approx(limits.upper)
    assert fastest <= limits.velocity + 1e-9


def test_relative_points_count_from_the_command(nao):
    moves = moves_of(nao)
    moves.follow(TimedMove({"HeadYaw": JointPoints((0.2,), (0.3,))}))
    for _ in range(30):
        moves.advance(0.01)
    moves.follow(TimedMove({"HeadYaw": JointPoints((0.2,), (0.3,))}, relative=True))
    for _ in range(30):
        moves.advance(0.01)
    assert at(moves, nao, "HeadYaw") == pytest.approx(0.6)


@pytest.mark.parametrize("take", ["send", "follow", "stop", "cancel"])
def test_a_later_command_takes_the_joint(nao, take):
    moves = moves_of(nao)
    move = TimedMove({"HeadYaw": JointPoints((2.0,), (1.0,))})
    moves.follow(move)
    for _ in range(50):
        moves.advance(0.01)
    if take == "send":
        moves.send(["HeadYaw"], [0.0])
    elif take == "follow":
        moves.follow(TimedMove({"HeadYaw": JointPoints((0.5,), (0.0,))}))
    elif take == "stop":
        moves.stop()
    else:
        moves.cancel(move)
    assert move.done
    assert move.interrupted
    for _ in range(200):
        moves.advance(0.01)
    assert moves.resting
    assert abs(at(moves, nao, "HeadYaw")) < 0.4


@pytest.mark.parametrize(
    ("times", "places", "words"),
    [
        ((), (), "1 to"),
        ((1.0, 0.5), (0.1, 0.2), "increase"),
        ((1.0,), (float("nan"),), "finite"),
        ((1.0,), (0.1, 0.2), "positions"),
        ((-1.0,), (0.1,), "increase"),
    ],
)
def test_bad_points(times, places, words):
    with pytest.raises(BadInput, match=words):
        JointPoints(times, places)
