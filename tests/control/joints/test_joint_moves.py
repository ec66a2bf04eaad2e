import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.joints.joint_moves import JointMoves
from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.motion.joint_motion import MotionLimits

DT = 0.01


def run(moves: JointMoves, seconds: float) -> np.ndarray:
    return np.array([moves.advance(DT) for _ in range(round(seconds / DT))])


@settings(max_examples=25, deadline=None)
@given(goals=st.lists(st.tuples(st.floats(-3, 3), st.floats(0.05, 1.0)), min_size=1, max_size=4))
def test_never_faster_than_the_fraction_nor_harder_than_the_acceleration(nao: Robot, goals) -> None:
    limits = MotionLimits.of(nao)
    k = nao.joint_names.index("HeadYaw")
    moves = JointMoves(nao, np.zeros(len(nao.joint_names)))
    track = [np.zeros(len(nao.joint_names))]
    top = 0.0
    for goal, fraction in goals:  # each takes over while the one before is on its way
        moves.send(["HeadYaw"], [goal], fraction)
        top = max(top, fraction)
        track += list(run(moves, 0.2))
    speed = np.diff(np.array(track)[:, k]) / DT
    assert np.abs(speed).max() <= top * limits.velocity[k] + 1e-9
    # the last step of a move is a part of one, which may double the change of speed at most
    assert np.abs(np.diff(speed, prepend=0.0)).max() <= 2.0 * limits.acceleration[k] * DT + 1e-6
    run(moves, 8.0 / min(fraction for _, fraction in goals))
    wanted = np.clip(goals[-1][0], limits.lower[k], limits.upper[k])
    assert moves.targets[k] == pytest.approx(wanted, abs=1e-6)
    assert moves.resting


def test_relative_moves_add_up_and_stop_brakes(nao: Robot) -> None:
    moves = JointMoves(nao, np.zeros(len(nao.joint_names)))
    k = nao.joint_names.index("HeadYaw")
    moves.send(["HeadYaw"], [0.2], 0.2, relative=True)
    moves.send(["HeadYaw"], [0.2], 0.2, relative=True)
    assert moves.goals[k] == pytest.approx(0.4)
    run(moves, 0.1)
    before = moves.targets[k]
    moves.stop()
    run(moves, 1.0)
    assert moves.resting
    assert before < moves.targets[k] < 0.4


@pytest.mark.parametrize(
    ("names", "values", "fraction", "fragment"),
    [
        (["HeadYaw"], [0.1, 0.2], 0.5, "1 joints need as many positions, got 2"),
        (["HeadYaw"], [float("nan")], 0.5, "joint 'HeadYaw' needs a finite position"),
        (["HeadYaw"], [0.1], 0.0, "speed is a fraction"),
        (["Tail"], [0.1], 0.5, "no joint 'Tail'"),
    ],
)
def test_refuses(nao: Robot, names, values, fraction, fragment) -> None:
    moves = JointMoves(nao, np.zeros(len(nao.joint_names)))
    with pytest.raises((BadInput, UnknownName), match=fragment):
        moves.send(names, values, fraction)
