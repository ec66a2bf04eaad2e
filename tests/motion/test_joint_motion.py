"""Moves from pose to pose."""

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.motion import MotionLimits, transition
from andante.motion.joint_motion import positions_of, vector_of, within_limits


@pytest.mark.parametrize("jerk", [True, False])
@pytest.mark.parametrize("speed", [0.1, 0.5, 1.0])
def test_transition_keeps_limits_and_arrives(nao, speed, jerk):
    move = transition(nao, nao.pose("StandInit"), "crouch", speed, jerk)
    limits = MotionLimits.of(nao, move.names, speed)
    t = np.linspace(0, move.duration, 600)
    assert "RHipYawPitch" not in move.names  # follows the left one
    assert (np.abs(move.evaluate(t, 1)) <= limits.velocity * (1 + 1e-9)).all()
    assert (np.abs(move.evaluate(t, 2)) <= limits.acceleration * (1 + 1e-9)).all()
    positions = move.evaluate(t)
    assert (positions >= limits.lower - 1e-9).all()
    assert (positions <= limits.upper + 1e-9).all()
    goal = nao.pose("Crouch")
    assert move.evaluate(move.duration) == pytest.approx([goal[name] for name in move.names])
    assert move.evaluate(0.0, 1) == pytest.approx(np.zeros(len(move.names)))
    assert move.evaluate(move.duration + 5) == pytest.approx(positions[-1])


def test_faster_is_shorter_and_acceleration_is_continuous(nao):
    slow, fast = (transition(nao, nao.pose("Stand"), "Sit", s) for s in (0.2, 0.8))
    assert fast.duration < slow.duration
    t = np.linspace(-0.01, fast.duration + 0.01, 4000)
    jump = np.abs(np.diff(fast.evaluate(t, 2), axis=0)).max(axis=0)
    assert (jump <= MotionLimits.of(nao, fast.names).jerk * (t[1] - t[0]) * 1.5).all()


def test_poses_outside_the_limits_are_clipped(nao):
    inside, told = within_limits(nao, nao.pose("ros_zero"))
    assert inside["LElbowRoll"] == pytest.approx(-0.0349066)
    assert len(told) == 2
    assert "LElbowRoll" in str(told[0])
    move = transition(nao, nao.pose("StandInit"), "zero")
    assert move.goal[move.names.index("RElbowRoll")] == pytest.approx(0.0349066)


def test_part_of_the_joints_and_vectors(nao):
    vector = vector_of(nao, nao.pose("StandInit"))
    move = transition(nao, vector, {"HeadYaw": 1.0})
    assert move.names == ("HeadYaw",)
    assert positions_of(nao, vector)["LKneePitch"] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("start", "pose", "error", "words"),
    [
        ({"HeadYaw": 0}, "StandInit", BadInput, "lacks the position of joint"),
        ({"HeadYaw": 0}, "nopose", UnknownName, "StandInit"),
        ({"HeadYaw": 0}, {"Tail": 1}, UnknownName, "Tail"),
        ({"HeadYaw": 0}, {"HeadYaw": np.nan}, BadInput, "finite"),
        ([0.0, 1.0], {"HeadYaw": 0}, BadInput, "26 joints"),
        ({"HeadYaw": 0}, {}, BadInput, "no joint"),
    ],
)
def test_bad_transitions(nao, start, pose, error, words):
    with pytest.raises(error, match=words):
        transition(nao, start, pose)


@pytest.mark.parametrize("speed", [0, -1, 1.5, np.nan])
def test_bad_speed(nao, speed):
    with pytest.raises(BadInput, match="speed"):
        transition(nao, nao.pose("Stand"), "Sit", speed)
