"""Stacked wheels: forward and inverse, the five types of bases, centers of rotation, nearest feasible twists."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.geometry import se2
from andante.kinematics.wheels.base import WheelBase
from andante.kinematics.wheels.wheel import (
    CasterWheel,
    FixedWheel,
    SphericalWheel,
    SteeredWheel,
    SwedishWheel,
    instantaneous_center,
    integrate,
    integrate_path,
    twist_between,
)

rng = np.random.default_rng(3)
signed = st.floats(-2.0, 2.0)
twists = st.tuples(signed, signed, signed)


def caster(x, y):
    return CasterWheel.at(x, y, 0.0, 0.03, lead=-0.04)


def omni(bearing, gamma=0.0):
    return SwedishWheel(0.2, bearing, 0.0, 0.05, roller_angle=gamma)


DIFFERENTIAL = WheelBase([FixedWheel.at(0, 0.15, 0, 0.03), FixedWheel.at(0, -0.15, 0, 0.03), caster(-0.2, 0)])
CAR = WheelBase(
    [FixedWheel.at(0, y, 0, 0.05) for y in (0.1, -0.1)] + [SteeredWheel.at(0.3, y, 0, 0.05) for y in (0.1, -0.1)]
)
CROSSED = CAR.rest + np.array([0.3, -0.3])
THREE_OMNI = WheelBase([omni(math.pi / 3 + i * 2 * math.pi / 3) for i in range(3)])
MECANUM = WheelBase(
    [
        SwedishWheel.at(x, y, 0.0, 0.05, roller_angle=-math.copysign(math.pi / 4, x * y))
        for x in (0.2, -0.2)
        for y in (0.15, -0.15)
    ]
)
SWERVE = WheelBase([SteeredWheel.at(x, y, 0, 0.05) for x in (0.2, -0.2) for y in (0.15, -0.15)])


# ---- the five types (Campion, Bastin, D'Andréa-Novel; Siegwart table 3.x) --------------------------
@pytest.mark.parametrize(
    ("wheels", "mobility", "steerability"),
    [
        (THREE_OMNI.wheels, 3, 0),
        (MECANUM.wheels, 3, 0),
        ([caster(0.2, 0), caster(-0.1, 0.2), caster(-0.1, -0.2)], 3, 0),  # omnidirectional on casters
        ([SphericalWheel(0.2, i * 2.0, 0.0, 0.03) for i in range(3)], 3, 0),
        (DIFFERENTIAL.wheels, 2, 0),
        ([SteeredWheel.at(0.2, 0, 0, 0.05), omni(2.0), omni(-2.0)], 2, 1),  # omni-steer
        ([FixedWheel.at(0, 0.1, 0, 0.05), FixedWheel.at(0, -0.1, 0, 0.05), SteeredWheel.at(0.3, 0, 0, 0.05)], 1, 1),
        ([FixedWheel.at(0, 0, 0, 0.3), SteeredWheel.at(1.0, 0, 0, 0.3)], 1, 1),  # bicycle
        (CAR.wheels, 1, 1),
        ([SteeredWheel.at(0.2, 0, 0, 0.05), SteeredWheel.at(-0.2, 0, 0, 0.05), caster(0, 0.2)], 1, 2),  # two-steer
        (SWERVE.wheels, 1, 2),
        ([FixedWheel.at(x, y, 0, 0.1) for x in (0.2, -0.2) for y in (0.2, -0.2)], 1, 0),  # skids when it turns
        ([FixedWheel(0.2, i * 2 * math.pi / 3, 0.1, 0.1) for i in range(3)], 0, 0),  # blocked
    ],
)
def test_degrees_of_the_standard_bases(wheels, mobility, steerability):
    degrees = WheelBase(wheels).degrees
    assert (degrees.mobility, degrees.steerability) == (mobility, steerability)
    assert degrees.maneuverability == mobility + steerability


def test_degrees_do_not_depend_on_steering_limits():
    limited = [SteeredWheel.at(0.3, y, 0, 0.05, lower=-0.3, upper=0.3) for y in (0.1, -0.1)]
    base = WheelBase([*CAR.wheels[:2], *limited])
    assert (base.degrees.mobility, base.degrees.steerability) == (1, 1)


def test_mobility_of_wheels_as_they_stand():
    assert CAR.mobility() == 1  # straight ahead
    assert CAR.mobility(CROSSED) == 0  # toed in: blocked
    assert CAR.mobility(np.stack([CAR.rest, CROSSED])).tolist() == [1, 0]


# ---- matrices and forward / inverse ----------------------------------------------------------------
def test_differential_drive_of_the_lecture():
    track, radius = 0.3, 0.03
    right, left = 4.0, 2.5  # f1 on the right side turns the base left
    motion = DIFFERENTIAL.forward([left, right, np.nan])
    expected = [radius * (right + left) / 2, 0, radius * (right - left) / track]
    assert np.allclose(motion.twist, expected, atol=1e-12)
    assert motion.slip == pytest.approx(0, abs=1e-12)
    assert motion.determined
    speeds = DIFFERENTIAL.inverse(expected).speeds
    assert np.allclose(speeds[:2], [left, right], atol=1e-12)


def test_mecanum_matrix():
    reach, radius = 0.2 + 0.15, 0.05
    matrix = np.linalg.solve(MECANUM.spin_matrix, MECANUM.rolling_matrix())
    expected = np.array([[1, -1, -reach], [1, 1, reach], [1, 1, -reach], [1, -1, reach]]) / radius
    assert np.allclose(matrix, expected, atol=1e-12)


def test_three_omni_matrix():
    """Wheels at 60, 180, 300 degrees: r phi' = sin(a) vx - cos(a) vy - l w."""
    bearings = math.pi / 3 + np.arange(3) * 2 * math.pi / 3
    expected = np.stack([np.sin(bearings), -np.cos(bearings), np.full(3, -0.2)], axis=-1)
    assert np.allclose(THREE_OMNI.rolling_matrix(), expected, atol=1e-12)


@pytest.mark.parametrize(
    "base", [DIFFERENTIAL, CAR, THREE_OMNI, MECANUM, SWERVE], ids=["diff", "car", "omni", "mecanum", "swerve"]
)
@given(twist=twists)
@settings(max_examples=60, deadline=None)
def test_forward_undoes_inverse_on_feasible_twists(base, twist):
    feasible = base.nearest(twist)
    motion = base.inverse(feasible)
    assert motion.feasible
    back = base.forward(motion.speeds, motion.angles, motion.rates)
    assert back.determined
    assert np.allclose(back.twist, feasible, atol=1e-7)
    assert back.slip < 1e-7


@given(twist=twists)
@settings(max_examples=100, deadline=None)
def test_car_steers_all_wheels_to_one_center(twist):
    wanted = CAR.nearest(twist)
    assert wanted[1] == pytest.approx(0, abs=1e-12)
    motion = CAR.inverse(wanted)
    center = instantaneous_center(wanted)
    if not center.finite or abs(wanted[0]) < 1e-3 or abs(wanted[2]) < 1e-3:
        return
    for wheel, beta in zip(CAR.wheels[2:], motion.angles, strict=True):
        gap = center.point - wheel.position
        assert math.tan(beta - wheel.angle) == pytest.approx(0.3 / gap[1], rel=1e-6)


def test_caster_follows_its_base():
    twist = np.array([0.3, 0.0, 0.4])
    beta, dt = DIFFERENTIAL.rest + 0.9, 0.002
    for _ in range(4000):
        beta = beta + DIFFERENTIAL.inverse(twist, beta).rates * dt
    motion = DIFFERENTIAL.inverse(twist, beta)
    assert motion.rates == pytest.approx(0, abs=1e-6)  # it has settled on its circle
    wheel = DIFFERENTIAL.wheels[2]
    behind = wheel.position + wheel.lead * np.array(
        [math.sin(wheel.bearing + beta[0]), -math.cos(wheel.bearing + beta[0])]
    )
    spoke = behind - instantaneous_center(twist).point
    axle = np.array([math.cos(wheel.bearing + beta[0]), math.sin(wheel.bearing + beta[0])])
    assert abs(spoke @ axle) == pytest.approx(np.linalg.norm(spoke), rel=1e-6)  # the axle points at the center
    assert motion.speeds[2] > 0


@given(twists, twists)
@settings(max_examples=60, deadline=None)
def test_steering_rates_against_finite_differences(twist, change):
    v, dv, h = np.array(twist), np.array(change), 1e-6
    motion = SWERVE.inverse(v, acceleration=dv)
    pivots = np.array([[v[0] - v[2] * y, v[1] + v[2] * x] for x, y in (w.position for w in SWERVE.wheels)])
    if np.min(np.linalg.norm(pivots, axis=1)) < 0.05:
        return
    ahead = SWERVE.steering_angles(v + h * dv, motion.angles)
    behind = SWERVE.steering_angles(v - h * dv, motion.angles)
    assert np.allclose(motion.rates, (ahead - behind) / (2 * h), atol=1e-4, rtol=1e-4)


def test_steering_stays_near_and_inside_limits():
    wheel = SteeredWheel.at(0.2, 0, 0, 0.05, lower=-0.5, upper=0.5)
    base = WheelBase([wheel, *THREE_OMNI.wheels])
    backward = base.inverse([-1.0, 0.0, 0.0])
    assert backward.angles[0] == pytest.approx(wheel.angle)  # spins backward instead of turning round
    assert backward.speeds[0] == pytest.approx(-20)
    sideways = base.inverse([0.0, 1.0, 0.0])
    assert abs(sideways.angles[0] - wheel.angle) == pytest.approx(0.5)
    assert not sideways.feasible
    assert base.inverse([0.0, 0.0, 0.0], near=[wheel.angle + 0.2]).angles[0] == pytest.approx(wheel.angle + 0.2)
    free = WheelBase([SteeredWheel.at(0.2, 0, 0, 0.05)])
    turned = free.inverse([-1.0, 0.1, 0.0], near=free.rest + 3.0)
    assert abs(turned.angles[0] - free.rest[0] - 3.0) < 0.3


def test_steered_wheel_with_a_lead_and_scrub_still_rolls():
    base = WheelBase([SteeredWheel.at(0.4, 0.1, 0, 0.05, lead=-0.03, scrub=0.02), *THREE_OMNI.wheels])
    for twist in rng.normal(size=(20, 3)):
        motion = base.inverse(twist)
        assert motion.feasible
        assert np.allclose(base.forward(motion.speeds, motion.angles).twist, twist, atol=1e-9)


def test_spherical_wheel_turns_along_the_motion():
    base = WheelBase([SphericalWheel(0.2, 0.5, 0.0, 0.04)])
    twist = np.array([0.3, -0.2, 0.7])
    motion = base.inverse(twist)
    x, y = base.wheels[0].position
    assert motion.speeds[0] == pytest.approx(np.hypot(0.3 - 0.7 * y, -0.2 + 0.7 * x) / 0.04)
    assert base.sliding_matrix(motion.angles) @ twist == pytest.approx(0, abs=1e-12)


def test_wheels_that_disagree_show_as_slip():
    good = MECANUM.inverse([0.4, 0.1, 0.3]).speeds
    assert MECANUM.forward(good).slip < 1e-12
    bad = good + np.array([0, 0, 2.0, 0])
    motion = MECANUM.forward(bad)
    # One redundant wheel: a quarter of the error 2 rad/s * r cos 45 is left on each of the four.
    assert motion.slip == pytest.approx(2.0 * 0.05 * math.cos(math.pi / 4) / 2)
    two = MECANUM.forward([good[0], good[1], np.nan, np.nan])
    assert not two.determined
    three = MECANUM.forward([*good[:3], np.nan])
    assert np.allclose(three.twist, [0.4, 0.1, 0.3])


def test_batches_of_twists_and_speeds():
    batch = rng.normal(size=(4, 5, 3))
    feasible = CAR.nearest(batch)
    motion = CAR.inverse(feasible)
    assert motion.speeds.shape == (4, 5, 4)
    assert motion.angles.shape == motion.rates.shape == (4, 5, 2)
    back = CAR.forward(motion.speeds, motion.angles)
    assert back.twist.shape == (4, 5, 3)
    assert np.allclose(back.twist, feasible, atol=1e-9)
    assert back.determined.shape == back.slip.shape == (4, 5)
    one = CAR.inverse(feasible[2, 3])
    assert np.allclose(one.speeds, motion.speeds[2, 3])
    assert CAR.feasible(feasible).all()
    assert not CAR.feasible(batch).any()


# ---- feasibility and centers -----------------------------------------------------------------------
def test_nearest_twist_is_the_projection():
    base = WheelBase([FixedWheel.at(0.1, y, 0, 0.05) for y in (0.2, -0.2)])  # axle ahead of P
    twist = np.array([0.5, 0.3, 0.2])
    best = base.nearest(twist)
    assert base.feasible(best)
    scale = np.array([1, 1, base.length])
    gap = np.linalg.norm((best - twist) * scale)
    for other in rng.normal(size=(200, 2)) @ base.motions().T:
        assert np.linalg.norm((other - twist) * scale) >= gap - 1e-12
    assert np.allclose(base.nearest(best), best, atol=1e-12)
    assert np.allclose(CAR.nearest(twist, CROSSED), 0)


def test_center_of_standing_wheels():
    motion = CAR.inverse([0.5, 0.0, 0.5])
    center = CAR.center(motion.angles)
    assert center.finite
    assert np.allclose(center.point, [0, 1.0], atol=1e-9)
    straight = CAR.center()
    assert not straight.finite
    assert np.isinf(straight.radius)
    assert np.allclose(np.abs(straight.direction), [0, 1], atol=1e-9)
    with pytest.raises(BadInput, match="mobility 0, the wheels block"):
        CAR.center(CROSSED)
    with pytest.raises(BadInput, match="mobility 2"):
        DIFFERENTIAL.center()


def test_center_of_twists():
    center = instantaneous_center([[0.5, 0, 0.25], [0.5, 0, -0.25], [0.5, 0, 0], [0, 0, 1], [0, -1, 0], [0, 0, 0]])
    assert np.allclose(center.point[:2], [[0, 2], [0, -2]])
    assert center.finite.tolist() == [True, True, False, True, False, False]
    assert center.point[2].tolist() == [0, np.inf]
    assert np.allclose(center.point[3], 0)
    assert center.point[4].tolist() == [np.inf, 0]
    assert np.allclose(center.direction[:3], [[0, 1], [0, -1], [0, 1]])
    assert np.isnan(center.point[5]).all()


@given(twists)
@settings(max_examples=100, deadline=None)
def test_the_center_stands_still(twist):
    center = instantaneous_center(twist)
    if center.finite:
        vx, vy, w = twist
        x, y = center.point
        assert (vx - w * y, vy + w * x) == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: WheelBase(["wheel"]), "takes wheels, got 'wheel'"),
        (lambda: CAR.inverse([1.0, 0.0]), r"vx, vy, w; got shape \(2,\)"),
        (lambda: CAR.inverse([np.nan, 0.0, 0.0]), "finite numbers"),
        (lambda: CAR.forward([1.0, 2.0]), "has 4 wheels"),
        (lambda: CAR.forward([np.inf] * 4), "speeds must be finite or NaN"),
        (lambda: CAR.forward([1.0] * 4, [0.0]), r"2 turning wheels \(indices \[2, 3\]\)"),
        (lambda: instantaneous_center([1.0]), r"got shape \(1,\)"),
        (lambda: integrate_path([0, 0, 0], [1.0, 0, 0], 0.1), r"\(..., T, 3\)"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(BadInput, match=words):
        call()


# ---- odometry --------------------------------------------------------------------------------------
@given(twists, st.floats(0.01, 3.0), twists)
@settings(max_examples=100, deadline=None)
def test_arc_against_many_small_steps(twist, dt, start):
    pose = np.array(start)
    count = 2000
    steps = np.broadcast_to(np.array(twist), (count, 3))
    yaw = pose[2] + twist[2] * dt * (np.arange(count) + 0.5) / count  # midpoint rule
    way = np.stack([np.cos(yaw) * twist[0] - np.sin(yaw) * twist[1], np.sin(yaw) * twist[0] + np.cos(yaw) * twist[1]])
    expected = pose[:2] + way.mean(axis=1) * dt
    end = integrate(pose, twist, dt)
    assert np.allclose(end[:2], expected, atol=1e-5)
    assert float(se2.wrap(end[2] - pose[2] - twist[2] * dt)) == pytest.approx(0, abs=1e-9)
    path = integrate_path(pose, steps[:50], dt / 50)
    assert path.shape == (51, 3)
    assert np.allclose(path[-1, :2], end[:2], atol=1e-9)


def test_paths_take_batches_and_uneven_steps():
    many = rng.normal(size=(3, 7, 3))
    dt = rng.uniform(0.1, 0.5, size=7)
    path = integrate_path([1.0, 2.0, 0.5], many, dt)
    assert path.shape == (3, 8, 3)
    pose = np.array([1.0, 2.0, 0.5])
    for i in range(7):
        pose = integrate(pose, many[1, i], dt[i])
        assert np.allclose(path[1, i + 1], pose, atol=1e-12)
    assert np.allclose(twist_between(path[1, 2], path[1, 3], dt[2]), many[1, 2], atol=1e-9)


@pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-6, 1.0, -3.0])
def test_exponential_and_logarithm(turn):
    twist = np.array([0.7, -0.3, turn])
    assert np.allclose(se2.log(se2.exp(twist)), twist, atol=1e-12)
    quarter = se2.exp([math.pi / 2, 0, math.pi / 2])  # a quarter of a unit circle
    assert np.allclose(quarter, [1, 1, math.pi / 2], atol=1e-12)
