"""Profiles, synchronized moves and path timing: limits hold everywhere, and known cases are met in their least time."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.motion import Fading, Nurbs, s_curve, synchronized, time_path, trapezoid
from andante.motion.joint_motion import fading_time

numbers = st.floats(-5, 5)
positive = st.floats(0.1, 5)


def times_of(motion) -> np.ndarray:
    return np.linspace(0, motion.duration, 801)


@given(numbers, numbers, positive, positive, st.floats(-1, 1), st.floats(-1, 1))
@settings(max_examples=150, deadline=None)
def test_trapezoid_arrives_within_limits_from_and_to_any_velocity(start, goal, velocity, acceleration, first, last):
    profile = trapezoid(start, goal, velocity, acceleration, first * velocity, last * velocity)
    t = times_of(profile)
    position, speed = profile.evaluate(t), profile.evaluate(t, 1)
    assert position[0] == pytest.approx(start)
    assert position[-1] == pytest.approx(goal, abs=1e-9)
    if profile.duration > 0:
        assert speed[0] == pytest.approx(first * velocity, abs=1e-9)
        assert speed[-1] == pytest.approx(last * velocity, abs=1e-6)
    assert np.abs(speed).max() <= velocity * (1 + 1e-9)
    assert np.abs(profile.evaluate(t, 2)).max() <= acceleration * (1 + 1e-12)
    assert np.abs(np.diff(position)).max(initial=0) <= velocity * profile.duration / 800 * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize(
    ("distance", "velocity", "acceleration", "time"),
    [(2, 1, 1, 3), (1, 1, 1, 2), (0.25, 10, 1, 1), (-2, 1, 1, 3), (0, 1, 1, 0)],
)
def test_trapezoid_takes_the_least_time(distance, velocity, acceleration, time):
    assert trapezoid(0, distance, velocity, acceleration).duration == pytest.approx(time)


def test_a_start_that_is_too_fast_brakes_first():
    profile = trapezoid(0, 10, 1.0, 2.0, start_velocity=3.0)
    assert profile.evaluate(0.0, 1) == 3.0
    assert profile.evaluate(1.0, 1) == pytest.approx(1.0)
    assert profile.evaluate(profile.duration) == pytest.approx(10)


@given(numbers, numbers, positive, positive, st.floats(0.1, 50))
@settings(max_examples=150, deadline=None)
def test_s_curve_bounds_jerk_too(start, goal, velocity, acceleration, jerk):
    assume(abs(goal - start) > 1e-6)
    profile = s_curve(start, goal, velocity, acceleration, jerk)
    t = times_of(profile)
    assert profile.evaluate(t[-1]) == pytest.approx(goal, abs=1e-8)
    assert np.abs(profile.evaluate(t, 1)).max() <= velocity * (1 + 1e-9)
    assert np.abs(profile.evaluate(t, 2)).max() <= acceleration * (1 + 1e-9)
    assert np.abs(profile.evaluate(t, 3)).max() <= jerk * (1 + 1e-9)
    step = np.abs(np.diff(profile.evaluate(t, 2))).max()
    assert step <= jerk * profile.duration / 800 * 1.01  # no jump of the acceleration
    assert profile.duration >= trapezoid(start, goal, velocity, acceleration).duration - 1e-9


def test_s_curve_least_times():
    assert s_curve(0, 10, 1, 1, 1).duration == pytest.approx(12)  # d/v + v/a + a/j
    assert s_curve(0, 2, 1, 1, 1e9).duration == pytest.approx(3, abs=1e-6)
    assert s_curve(0, 2e-3, 1, 1, 1).duration == pytest.approx(4 * (1e-3) ** (1 / 3))  # jerk alone: 4 (d/2j)^(1/3)


def test_synchronized_joints_arrive_together_and_the_tightest_is_at_its_limit():
    limits = np.array([1.0, 2.0, 0.5]), np.array([4.0, 4.0, 4.0])
    move = synchronized("abc", [0, 0, 0], [1, -3, 0.1], *limits)
    t = times_of(move)
    speed = np.abs(move.evaluate(t, 1)).max(axis=0)
    assert move.evaluate(move.duration) == pytest.approx([1, -3, 0.1])
    assert (speed <= limits[0] + 1e-9).all()
    assert speed[1] == pytest.approx(2.0)  # 3 rad at 2 rad/s is the slowest
    assert (np.abs(move.evaluate(t, 2)) <= limits[1] + 1e-9).all()
    assert move.duration == pytest.approx(3 / 2 + 2 / 4)
    still = synchronized("ab", [1, 2], [1, 2], 1.0, 1.0, 1.0)
    assert still.duration == 0
    assert still.evaluate(0.5) == pytest.approx([1, 2])


def test_fading_begins_as_told_and_ends_at_rest():
    fading = Fading([0.1, 0], [2.0, -1.0], [5.0, 0.0], 0.4)
    assert fading.evaluate(0.0) == pytest.approx([0.1, 0])
    assert fading.evaluate(0.0, 1) == pytest.approx([2, -1])
    assert fading.evaluate(0.0, 2) == pytest.approx([5, 0])
    for order in range(3):
        assert fading.evaluate(0.4 - 1e-9, order) == pytest.approx([0, 0], abs=1e-4)
        assert fading.evaluate(3.0, order) == pytest.approx([0, 0])
    h, t = 1e-6, 0.13
    assert (fading.evaluate(t + h) - fading.evaluate(t - h)) / (2 * h) == pytest.approx(fading.evaluate(t, 1), abs=1e-6)


@given(st.floats(-2, 2), st.floats(-4, 4))
@settings(max_examples=60, deadline=None)
def test_fading_time_keeps_the_limits(offset, velocity):
    limit_v, limit_a = 6.0, 40.0
    fading = Fading([offset], [velocity], [0.0], fading_time([offset], [velocity], limit_v, limit_a))
    t = np.linspace(0, fading.duration, 300, endpoint=False)
    assert max(abs(fading.evaluate(x, 1)[0]) for x in t) <= limit_v + abs(velocity)
    assert max(abs(fading.evaluate(x, 2)[0]) for x in t) <= limit_a * (1 + 1e-6)


# ---- paths ------------------------------------------------------------------------------------------------------
def straight(ways):
    way = np.asarray(ways, dtype=float)

    def path(s, order):
        if order == 0:
            return s[:, None] * way
        return np.broadcast_to(way if order == 1 else 0 * way, (len(s), len(way)))

    return path


def check_limits(timed, velocity, acceleration):
    t = np.linspace(0, timed.duration, 5003)
    assert (np.abs(timed.evaluate(t, 1)) <= np.asarray(velocity) * (1 + 1e-6)).all()
    assert (np.abs(timed.evaluate(t, 2)) <= np.asarray(acceleration) * (1 + 1e-6)).all()
    assert timed.evaluate(0.0, 1) == pytest.approx(np.zeros(len(velocity)), abs=1e-9)
    assert timed.evaluate(timed.duration, 1) == pytest.approx(np.zeros(len(velocity)), abs=1e-6)


@pytest.mark.parametrize(
    ("ways", "v", "a"), [([2.0], [1], [1]), ([0.2], [9], [1]), ([1, -3, 0.1], [1, 2, 3], [2, 4, 1])]
)
def test_straight_paths_are_as_quick_as_trapezoids(ways, v, a):
    v, a = np.array(v, float), np.array(a, float)
    timed = time_path(tuple("abc"[: len(ways)]), straight(ways), (0, 1), v, a)
    best = synchronized("abc"[: len(ways)], np.zeros(len(ways)), ways, v, a).duration
    check_limits(timed, v, a)
    assert best * (1 - 1e-9) <= timed.duration <= best * 1.01


@pytest.mark.parametrize("seed", range(8))
def test_curved_paths_keep_every_limit_and_no_uniform_pace_beats_them(seed):
    rng = np.random.default_rng(seed)
    curve = Nurbs.through(rng.normal(size=(6, 4)), 3)
    v, a = rng.uniform(0.5, 3, 4), rng.uniform(1, 6, 4)
    timed = time_path(("a", "b", "c", "d"), curve.evaluate, curve.domain, v, a, 300)
    check_limits(timed, v, a)
    assert timed.evaluate(0.0) == pytest.approx(curve.evaluate(0.0))
    assert timed.evaluate(timed.duration) == pytest.approx(curve.evaluate(1.0), abs=1e-6)
    # somewhere in every part of the way a limit is nearly reached: otherwise it could be quicker
    t = np.linspace(0, timed.duration, 4000)
    use = np.maximum((np.abs(timed.evaluate(t, 1)) / v).max(axis=1), (np.abs(timed.evaluate(t, 2)) / a).max(axis=1))
    assert np.quantile(use, 0.1) > 0.9


def test_known_optimum_a_circle_at_constant_speed_limit():
    # on a long circle the middle is run at the speed where the centripetal acceleration is the limit of a joint
    def path(s, order):
        turn = 6 * np.pi * s + order * np.pi / 2
        return (6 * np.pi) ** order * np.stack([np.cos(turn), np.sin(turn)], axis=-1)

    timed = time_path(("x", "y"), path, (0, 1), np.array([100.0, 100]), np.array([1.0, 1]), 1500)
    check_limits(timed, [100, 100], [1, 1])
    middle = timed.parameter(timed.duration / 2, 1)
    assert 0.95 <= float(middle) * 6 * np.pi <= 1.2  # between |a| = 1 in one joint and sqrt(2) along the diagonal


def test_refined_grids_agree():
    curve = Nurbs.through(np.random.default_rng(5).normal(size=(5, 3)), 3)
    limits = np.array([1.0, 1, 1]), np.array([2.0, 2, 2])
    coarse = time_path(("a", "b", "c"), curve.evaluate, curve.domain, *limits, 150).duration
    fine = time_path(("a", "b", "c"), curve.evaluate, curve.domain, *limits, 900).duration
    assert coarse == pytest.approx(fine, rel=0.03)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: trapezoid(0, 1, 0, 1), "velocity must be a positive"),
        (lambda: trapezoid(0, np.nan, 1, 1), "goal must be a finite"),
        (lambda: trapezoid(0, 1, 1, 1, 0, 3), "the last within 1"),
        (lambda: s_curve(0, 1, 1, 1, -1), "jerk must be a positive"),
        (lambda: synchronized("ab", [0], [1], 1, 1), "2 joints need as many"),
        (lambda: synchronized("a", [np.nan], [1], 1, 1), "finite"),
        (lambda: Fading([0], [0], [0], 0), "> 0 s"),
        (lambda: time_path(("a",), straight([1]), (0, 1), np.array([0.0]), np.array([1.0])), "positive"),
        (lambda: time_path(("a",), straight([1]), (1, 1), np.array([1.0]), np.array([1.0])), "grows"),
        (lambda: time_path(("a",), straight([np.nan]), (0, 1), np.array([1.0]), np.array([1.0])), "not finite"),
    ],
)
def test_bad_timing(make, words):
    with pytest.raises(BadInput, match=words):
        make()
