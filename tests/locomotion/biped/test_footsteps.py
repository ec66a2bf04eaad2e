"""The pendulum in closed form against its differential equation, and the choice of the next step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.locomotion.biped.footsteps import (
    LEFT,
    RIGHT,
    Swing,
    advance,
    ahead,
    choose_step,
    coming_offset,
    first_offset,
    glide,
    next_step,
    pendulum_rate,
    plan_step,
    shift_fraction,
    starting_offset,
    steady_offset,
)

W = pendulum_rate(0.265)


def test_advance_solves_the_pendulum() -> None:
    c, v, p = 0.02, -0.1, 0.01
    x, y = c, v
    for _ in range(20000):
        y += W * W * (x - p) * 1e-5
        x += y * 1e-5
    assert advance(c, v, p, W, 0.2) == pytest.approx((x, y), rel=1e-3)
    got = advance(c, v, p, W, 0.2)
    assert got[0] + got[1] / W == pytest.approx(ahead(c + v / W, p, math.exp(W * 0.2)))


@given(st.floats(0.001, 0.3), st.floats(-0.1, 0.1), st.floats(-0.1, 0.1), st.floats(-0.1, 0.1))
def test_shift_fraction_replaces_a_moving_pressure_point(time: float, x: float, p0: float, p1: float) -> None:
    n = 2000
    now = x
    for i in range(n):
        p = p0 + (p1 - p0) * (i + 0.5) / n
        now = ahead(now, p, math.exp(W * time / n))
    guess = ahead(x - shift_fraction(W, time) * (p0 - p1), p1, math.exp(W * time))
    assert guess == pytest.approx(now, abs=1e-6)


def test_steady_offset_repeats() -> None:
    velocity, width, time = (0.2, 0.05, 0.0), 0.1, 0.28
    growth = math.exp(W * time)
    b, c = (steady_offset(velocity, stance, width, time, growth) for stance in (LEFT, RIGHT))
    u = next_step(velocity, LEFT, width, time)
    assert (b[0] * growth - u[0], b[1] * growth - u[1]) == pytest.approx(c)
    assert starting_offset(velocity, LEFT, width, time, growth) == pytest.approx(b)
    assert coming_offset(velocity, LEFT, width, time, growth, 0.0)[1:] == pytest.approx(c)


def test_first_offset_walks_the_steps_with_turns_and_double_support() -> None:
    """Integrate the pendulum over the steps: it must end at the offset that was asked for."""
    time, double = 0.28, 0.06
    steps = [(0.05, -0.1, 0.2), (0.04, 0.12, 0.1), (0.06, -0.1, 0.0)]
    before, end = (-0.03, 0.1), (0.01, 0.02)
    x, y = first_offset(np.array(steps), before, end, math.exp(W * time), shift_fraction(W, double))
    n = 4000
    for ux, uy, turn in steps:
        for i in range(n):
            t = (i + 0.5) * time / n
            fraction = max(0.0, 1.0 - t / double)
            x = ahead(x, fraction * before[0], math.exp(W * time / n))
            y = ahead(y, fraction * before[1], math.exp(W * time / n))
        c, s = math.cos(turn), math.sin(turn)
        x, y = c * (x - ux) + s * (y - uy), c * (y - uy) - s * (x - ux)
        before = (-(c * ux + s * uy), -(c * uy - s * ux))
    assert (x, y) == pytest.approx(end, abs=1e-5)


def test_feet_open_to_the_outside_only() -> None:
    assert next_step((0.0, 0.0, 0.5), RIGHT, 0.1, 0.3)[2] == pytest.approx(0.3)
    assert next_step((0.0, 0.0, 0.5), LEFT, 0.1, 0.3)[2] == 0.0
    assert next_step((0.0, -0.1, 0.0), LEFT, 0.1, 0.3)[1] == pytest.approx(-0.16)
    assert next_step((0.0, -0.1, 0.0), RIGHT, 0.1, 0.3)[1] == pytest.approx(0.1)


def choice(x: tuple[float, float], wanted: float = 0.2, free: bool = True) -> tuple[float, np.ndarray]:
    """choose_step for a left foot that stands, next foot 0.05 ahead and 0.1 to the right."""
    out = np.zeros(6)
    span = (0.05, 0.5) if free else (wanted, wanted)
    time = choose_step(
        np.array(x), np.array([0.015, 0.0]), np.array([-0.04, -0.03]), np.array([0.09, 0.04]), np.zeros(2),
        np.array([0.05, -0.1]), np.array([-0.11, -0.2]), np.array([0.12, -0.09]), np.array([0.012, 0.02]),
        np.array([0.0, -0.1]), 0.9, W, wanted, *span, 0.01, 0.12, np.array([1.0, 0.02, 100.0]), out,
    )  # fmt: skip
    return time, out


def usual(left: float) -> tuple[float, float]:
    """Where the divergent component is when all goes as planned."""
    return 0.015 + 0.062 / math.exp(W * left), -0.08 / math.exp(W * left)


def test_an_undisturbed_step_is_left_as_it_is() -> None:
    time, out = choice(usual(0.2))
    assert time == pytest.approx(0.2)
    assert out == pytest.approx([0.05, -0.1, 0.015, 0.0, 0.0, 0.0], abs=1e-9)


def test_small_errors_are_pressed_away_and_large_ones_stepped_out() -> None:
    x, y = usual(0.2)
    _, small = choice((x + 0.01, y), free=False)
    assert small[0] == pytest.approx(0.05, abs=1e-9)
    assert small[2] > 0.025
    _, large = choice((x + 0.06, y), free=False)
    assert large[2] == pytest.approx(0.09)
    assert large[0] > 0.06


def test_what_can_be_caught_is_caught() -> None:
    """End of the step by the pendulum itself: foot and offset explain where it ends."""
    x, y = usual(0.2)
    time, out = choice((x + 0.03, y - 0.02))
    growth = math.exp(W * time)
    assert ahead(x + 0.03, out[2], growth) == pytest.approx(0.015 + out[0] + 0.012 + out[4])
    assert ahead(y - 0.02, out[3], growth) == pytest.approx(out[1] + 0.02 + out[5])
    assert np.abs(out[4:]).max() < 1e-9


NUMBERS = np.array([0.1, 0.28, math.exp(W * 0.28), shift_fraction(W, 0.04), W, 0.04, 0.015, 0.9, 0.12])
BOUNDS = np.array(
    [
        [[-0.04, -0.03], [0.09, 0.04], [-0.11, -0.2], [0.12, -0.09]],
        [[-0.04, -0.04], [0.09, 0.03], [-0.11, 0.09], [0.12, 0.2]],
    ]
)


@pytest.mark.parametrize("stance", [LEFT, RIGHT])
@pytest.mark.parametrize("remain", [-0.1, 0.02])
def test_a_plan_is_the_coming_offset_and_the_choice(stance: int, remain: float) -> None:
    """`plan_step` joins `coming_offset` and `choose_step`; a disturbed walk's body goes on as planned."""
    velocity, weights, tick = (0.15, 0.03, 0.2), np.array([1.0, 0.02, 100.0]), 0.01
    here, off, before, swing = (0.02, -0.05), (0.02, 0.01), (-0.04, 0.1), (0.01, -0.1)
    times = (0.2, 0.1, 0.4, tick)
    args = (velocity, stance, here, off, before, swing, remain, times)
    left, x, y, yaw, px, py = plan_step(*args, True, NUMBERS, BOUNDS, weights)
    wanted, bx, by = coming_offset(velocity, stance, 0.1, 0.28, NUMBERS[2], NUMBERS[3])
    part = shift_fraction(W, remain) * remain / 0.04 if remain > 0.0 else 0.0
    low, high, near, far = BOUNDS[stance]
    found = np.zeros(6)
    given_ = (
        np.array([0.015, 0.0]), low, high, part * np.array(before), np.array(wanted[:2]), near, far,
        np.array([bx, by]), np.array(swing), 0.9, W,
    )  # fmt: skip
    time = choose_step(np.array([0.04, -0.04]), *given_, 0.2, 0.1, 0.4, tick, 0.12, weights, found)
    assert (left, x, y, yaw) == pytest.approx((time, found[0], found[1], wanted[2]), abs=1e-12)
    choose_step(np.array(here), *given_, time, time, time, tick, 0.12, weights, found)
    assert (px, py) == pytest.approx((found[2], found[3]), abs=1e-12)


@given(st.floats(-0.1, 0.1), st.floats(-0.5, 0.5), st.floats(-0.1, 0.1), st.floats(0.02, 0.3))
def test_glide_arrives_at_rest(x: float, v: float, goal: float, left: float) -> None:
    while left > 0:
        x, v = glide(x, v, goal, left, 0.01)
        left -= 0.01
    assert (x, v) == (goal, 0.0)


def test_a_swing_lifts_and_lands() -> None:
    swing, heights = Swing((-0.05, -0.1, 0.0, 0.0, 0.0, 0.0)), []
    for i in range(24):
        swing.advance((0.05, -0.1, 0.0, 0.2, 0.0, 0.0), (i + 1) * 0.01, 0.23 - i * 0.01, 0.015, 0.01)
        heights.append(swing.pose[2])
    assert swing.step == pytest.approx((0.05, -0.1, 0.2))
    assert max(heights) == pytest.approx(0.015, abs=1e-4)
    assert heights[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_foot_that_hangs_back_is_told_from_one_that_lags() -> None:
    swing = Swing((0.0, 0.1, 0.0, 0.0, 0.0, 0.0))
    places = []
    for n in range(20):
        swing.advance((0.08, 0.1, 0.0, 0.0, 0.0, 0.0), 0.01 * n, 0.23 - 0.01 * n, 0.016, 0.01)
        places.append(swing.pose[0])
        if n > 4:
            assert abs(swing.behind(places[-3], 0.1, 0.02)) < 0.003  # where it was 0.02 s ago
    assert swing.behind(0.0, 0.1, 0.02) > 0.05
    swing.catch(0.0, 0.1)
    assert swing.behind(0.0, 0.1, 0.02) == 0.0
    assert swing.pose[0] == 0.0


def test_a_foot_that_is_lifted_sooner_is_as_high_and_comes_down_slower() -> None:
    heights = {}
    for early in (1.0, 0.75):
        swing = Swing((0.0, 0.1, 0.0, 0.0, 0.0, 0.0))
        heights[early] = []
        for n in range(1, 101):
            swing.advance((0.08, 0.1, 0.0, 0.0, 0.0, 0.0), 0.0024 * n, 0.24 - 0.0024 * n, 0.016, 0.0024, early)
            heights[early].append(swing.pose[2])
    usual, sooner = np.array(heights[1.0]), np.array(heights[0.75])
    assert sooner.max() == pytest.approx(0.016, rel=1e-3)
    assert sooner[-1] == pytest.approx(0.0, abs=1e-9)
    assert sooner[20] > 1.5 * usual[20]
    assert np.diff(sooner).min() > np.diff(usual).min()  # slower down
