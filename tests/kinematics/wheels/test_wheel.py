"""Rows of the wheel kinds: hand-made cases, and finite differences of contact points that move with the chassis."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.geometry import se2
from andante.kinematics.wheels.wheel import CasterWheel, FixedWheel, SphericalWheel, SteeredWheel, SwedishWheel

angles = st.floats(-3.1, 3.1)
lengths = st.floats(0.05, 2.0)
signed = st.floats(-2.0, 2.0)
twists = st.tuples(signed, signed, signed)


def contact(wheel, pose, beta, lead=0.0, scrub=0.0):
    """Contact point in the world of a wheel at angle beta on a chassis at a pose."""
    axle = wheel.bearing + beta
    along, across = np.array([math.sin(axle), -math.cos(axle)]), np.array([math.cos(axle), math.sin(axle)])
    return se2.transform(pose, wheel.position + lead * along + scrub * across)


def contact_velocity(wheel, twist, beta, rate=0.0, lead=0.0, scrub=0.0, h=1e-6):
    """Its velocity in chassis axes by central differences."""
    ahead = contact(wheel, se2.exp(np.array(twist) * h), beta + rate * h, lead, scrub)
    behind = contact(wheel, se2.exp(-np.array(twist) * h), beta - rate * h, lead, scrub)
    return (ahead - behind) / (2 * h)


def axes(wheel, beta):
    axle = wheel.bearing + beta
    return np.array([math.sin(axle), -math.cos(axle)]), np.array([math.cos(axle), math.sin(axle)])


@given(lengths, angles, angles, twists)
@settings(max_examples=100, deadline=None)
def test_standard_rows_are_the_speed_of_the_contact_along_and_across(length, alpha, beta, twist):
    for wheel in (FixedWheel(length, alpha, beta, 0.1), SteeredWheel(length, alpha, 0.0, 0.1)):
        rows, velocity = wheel.rows(beta), contact_velocity(wheel, twist, beta)
        along, across = axes(wheel, beta)
        assert rows.rolling @ twist == pytest.approx(velocity @ along, abs=1e-8)
        assert rows.sliding @ twist == pytest.approx(velocity @ across, abs=1e-8)
        assert rows.rolling_spin == 0.1


@given(lengths, angles, angles, twists, signed, st.floats(0.01, 0.3), st.floats(-0.2, 0.2))
@settings(max_examples=100, deadline=None)
def test_caster_rows_with_a_turning_fork(length, alpha, beta, twist, rate, lead, scrub):
    wheel = CasterWheel(length, alpha, 0.0, 0.1, lead=lead, scrub=scrub)
    rows, velocity = wheel.rows(beta), contact_velocity(wheel, twist, beta, rate, lead, scrub)
    along, across = axes(wheel, beta)
    # The rim moves with the contact minus the spin: rolling means that both agree along the wheel.
    assert rows.rolling @ twist - rows.rolling_turn * rate == pytest.approx(velocity @ along, abs=1e-8)
    assert rows.sliding @ twist + rows.sliding_turn * rate == pytest.approx(velocity @ across, abs=1e-8)


@given(lengths, angles, angles, twists, st.floats(-1.2, 1.2))
@settings(max_examples=100, deadline=None)
def test_swedish_rows_close_the_velocity_of_the_contact(length, alpha, beta, twist, gamma):
    """Wheel center = spin of the wheel along u + what the roller adds across its own axis: nothing slides."""
    wheel = SwedishWheel(length, alpha, beta, 0.1, roller_angle=gamma, roller_radius=0.02)
    rows, velocity = wheel.rows(), contact_velocity(wheel, twist, beta)
    along, across = axes(wheel, beta)
    roller_axis = math.cos(gamma) * along + math.sin(gamma) * across
    roller_way = math.cos(gamma) * across - math.sin(gamma) * along
    speed = rows.rolling @ twist / rows.rolling_spin
    rolled = 0.1 * speed * along + 0.02 * wheel.roller_speed(twist) * roller_way
    assert np.allclose(velocity, rolled, atol=1e-7)
    assert rows.rolling @ twist == pytest.approx(velocity @ roller_axis, abs=1e-8)
    assert rows.sliding @ twist == pytest.approx(velocity @ roller_way, abs=1e-8)


def test_rollers_rest_while_the_wheel_rolls_straight():
    wheel = SwedishWheel.at(0.2, 0.1, 0.0, 0.05, roller_angle=math.pi / 4)
    assert wheel.roller_speed([1.0, 0.0, 0.0]) == pytest.approx(0, abs=1e-12)
    assert wheel.roller_speed([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]).shape == (2,)


def test_rows_as_the_lecture_writes_them():
    length, a, b, d, g = 0.4, 0.7, -0.3, 0.05, 0.6
    fixed = FixedWheel(length, a, b, 0.1).rows()
    assert np.allclose(fixed.rolling, [math.sin(a + b), -math.cos(a + b), -length * math.cos(b)], atol=1e-15)
    assert np.allclose(fixed.sliding, [math.cos(a + b), math.sin(a + b), length * math.sin(b)], atol=1e-15)
    caster = CasterWheel(length, a, b, 0.1, lead=d).rows()
    assert np.allclose(caster.rolling, fixed.rolling, atol=1e-15)
    assert np.allclose(caster.sliding, [math.cos(a + b), math.sin(a + b), d + length * math.sin(b)], atol=1e-15)
    assert caster.sliding_turn == d
    swedish = SwedishWheel(length, a, b, 0.1, roller_angle=g, roller_radius=0.02).rows()
    assert np.allclose(
        swedish.rolling, [math.sin(a + b + g), -math.cos(a + b + g), -length * math.cos(b + g)], atol=1e-15
    )
    assert np.allclose(
        swedish.sliding, [math.cos(a + b + g), math.sin(a + b + g), length * math.sin(b + g)], atol=1e-15
    )
    assert (swedish.rolling_spin, swedish.sliding_spin) == pytest.approx((0.1 * math.cos(g), 0.1 * math.sin(g)))
    ball = SphericalWheel(length, a, b, 0.1).rows()
    assert np.allclose(ball.rolling, fixed.rolling)
    assert np.allclose(ball.sliding, fixed.sliding)
    assert [w.binds for w in (FixedWheel, SteeredWheel, CasterWheel, SwedishWheel, SphericalWheel)] == [1, 1, 0, 0, 0]


def test_left_wheel_of_a_differential_base():
    rows = FixedWheel(0.15, math.pi / 2, 0.0, 0.03).rows()  # at (0, 0.15), axle to the left
    assert np.allclose(rows.rolling, [1, 0, -0.15], atol=1e-15)
    assert np.allclose(rows.sliding, [0, 1, 0], atol=1e-15)


@given(signed, signed, angles, signed, signed, angles, twists)
@settings(max_examples=100, deadline=None)
def test_place_heading_and_a_moved_frame(x, y, heading, px, py, yaw, twist):
    wheel = SteeredWheel.at(x, y, heading, 0.1, lower=-0.4, upper=0.5)
    assert np.allclose(wheel.position, [x, y], atol=1e-12)
    assert float(se2.wrap(wheel.heading - heading)) == pytest.approx(0, abs=1e-12)
    moved = wheel.moved(px, py, yaw)
    # The same motion told from the new frame turns the wheel just as fast.
    vx, vy, w = twist
    there = np.array([vx - w * py, vy + w * px])
    c, s = math.cos(yaw), math.sin(yaw)
    told = np.array([c * there[0] + s * there[1], c * there[1] - s * there[0], w])
    assert moved.rows().rolling @ told == pytest.approx(wheel.rows().rolling @ np.array(twist), abs=1e-9)
    assert moved.rows().sliding @ told == pytest.approx(wheel.rows().sliding @ np.array(twist), abs=1e-9)
    assert (moved.lower, moved.upper) == (-0.4, 0.5)


def test_rows_take_batches_of_angles():
    wheel = SteeredWheel(0.3, 0.2, 0.0, 0.1)
    beta = np.linspace(-1, 1, 6).reshape(2, 3)
    rows = wheel.rows(beta)
    assert rows.rolling.shape == rows.sliding.shape == (2, 3, 3)
    assert np.allclose(rows.rolling[1, 2], wheel.rows(beta[1, 2]).rolling)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FixedWheel(0.1, 0, 0, 0.0), "radius > 0"),
        (lambda: FixedWheel(-0.1, 0, 0, 0.1), "turn its bearing"),
        (lambda: FixedWheel(math.nan, 0, 0, 0.1), "finite"),
        (lambda: CasterWheel(0.1, 0, 0, 0.1), "steered wheel"),
        (lambda: SwedishWheel(0.1, 0, 0, 0.1, roller_angle=math.pi / 2), "drives nothing"),
        (lambda: SwedishWheel(0.1, 0, 0, 0.1, roller_radius=0.0), "roller_radius"),
        (lambda: SteeredWheel(0.1, 0, 0, 0.1, lower=1.0, upper=0.0), "lower <= upper"),
    ],
)
def test_wheels_that_cannot_be(make, words):
    with pytest.raises(BadInput, match=words):
        make()
