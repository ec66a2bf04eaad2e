"""Targets that somebody else sends: limits, late targets, stop plans and the end of a stream."""

import math

import numpy as np
import pytest

from andante.control.body import StopPlan
from andante.control.joints.following import Following, FollowSettings
from andante.locomotion import Command, Readings
from andante.motion.joint_motion import MotionLimits

DT = 0.01
NAMES = ("a", "b")
NOTHING = Readings(0.0, np.zeros(2), np.zeros(2))


def limits(velocity: float = 10.0) -> MotionLimits:
    one = np.ones(2)
    return MotionLimits(NAMES, lower=-one, upper=one, velocity=velocity * one, acceleration=100.0 * one, jerk=1e4 * one)


def step(following: Following, seconds: float = DT) -> np.ndarray:
    for _ in range(round(seconds / DT)):
        targets = following.update(NOTHING, Command(), DT)
    return targets


def falling_plan(time: float) -> StopPlan:
    """From 0.5 to 0 within 0.2 s."""
    return StopPlan(time, 0.1, np.array([[0.5, 0.5], [0.25, 0.25], [0.0, 0.0]]))


def test_targets_of_some_joints_are_followed_and_the_others_stay() -> None:
    following = Following(limits(), np.array([0.0, 0.2]))
    assert following.take({"a": 0.05}, 0.0)
    np.testing.assert_allclose(step(following), [0.05, 0.2])
    assert following.detail == "targets"
    assert not following.resting


def test_positions_and_speeds_stay_within_their_limits() -> None:
    following = Following(limits(velocity=2.0), np.zeros(2))
    following.take({"a": 5.0, "b": -5.0}, 0.0)
    np.testing.assert_allclose(step(following), [0.02, -0.02])
    for _ in range(200):
        following.take({"a": 5.0, "b": -5.0}, 0.0)
        last = step(following)
    np.testing.assert_allclose(last, [1.0, -1.0])


def test_a_stiffness_is_handed_on() -> None:
    following = Following(limits(), np.zeros(2))
    following.take({"a": 0.1}, 0.0, np.array([0.5, 1.0]))
    np.testing.assert_array_equal(following.stiffness, [0.5, 1.0])


def test_without_a_plan_joints_are_held_and_the_stream_ends() -> None:
    following = Following(limits(), np.zeros(2))
    following.take({"a": 0.1}, 0.0)
    held = step(following, FollowSettings.timeout + 2 * DT)
    np.testing.assert_allclose(held, [0.1, 0.0])
    assert following.ceased
    assert following.resting
    assert not following.stands
    assert following.detail == "stopping"
    assert not following.take({"a": 0.3}, 0.4)
    np.testing.assert_allclose(step(following), held)


def test_late_targets_are_replaced_by_the_plan_without_a_jump() -> None:
    following = Following(limits(), np.full(2, 0.5))
    following.take_plan(falling_plan(0.0))
    following.take({"a": 0.5, "b": 0.5}, 0.0)
    rows = [step(following)[0] for _ in range(60)]
    assert np.abs(np.diff(rows)).max() < 0.1  # of 0.5 in 0.2 s: never a jump
    assert rows[-1] == pytest.approx(0.0, abs=0.01)
    assert following.stands
    assert following.resting


def test_a_plan_is_played_from_the_instant_of_the_last_targets() -> None:
    following = Following(limits(), np.full(2, 0.25))
    following.take_plan(falling_plan(1.0))
    following.take({"a": 0.25, "b": 0.25}, 1.1)  # the middle of the plan
    step(following, 0.06)
    assert not following.ceased
    left = 0.05 * math.exp(-(0.06 - FollowSettings.late) / FollowSettings.fade)  # of the gap when the plan took over
    assert step(following)[0] == pytest.approx(0.25 - 0.06 * 2.5 + left)


def test_targets_that_come_again_in_time_lead_again() -> None:
    following = Following(limits(), np.full(2, 0.5))
    following.take_plan(falling_plan(0.0))
    following.take({"a": 0.5, "b": 0.5}, 0.0)
    step(following, 0.1)
    for k in range(5):
        assert following.take({"a": 0.6, "b": 0.6}, 0.1 + k * DT)
        last = step(following)
    np.testing.assert_allclose(last, 0.6)


def test_a_newer_plan_is_not_heeded_while_one_is_played_out() -> None:
    following = Following(limits(), np.full(2, 0.5))
    following.take_plan(falling_plan(0.0))
    following.take({"a": 0.5, "b": 0.5}, 0.0)
    following.stop()
    following.take_plan(StopPlan(0.0, 0.1, np.full((2, 2), 0.9)))
    assert step(following, 0.5)[0] == pytest.approx(0.0, abs=0.02)


def test_settings_say_when_a_stream_is_over() -> None:
    following = Following(limits(), np.zeros(2), FollowSettings(timeout=0.05))
    following.take({"a": 0.1}, 0.0)
    step(following, 0.04)
    assert not following.ceased
    step(following, 0.03)
    assert following.ceased
