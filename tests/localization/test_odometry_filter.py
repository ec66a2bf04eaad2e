"""The Kalman filter over wheels, IMU and absolute poses, and its consistency."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.localization.evaluation import consistency, nees
from andante.localization.odometry_filter import OdometryFilter, OdometryNoise, kalman_update, predict_twist
from andante.localization.range_filter import predict_inertial

NOISE = OdometryNoise(
    along=0.4,
    across=0.05,
    turn=0.5,
    wheel_speed=0.05,
    wheel_across=0.03,
    wheel_turn=0.1,
    gyro=0.02,
    gyro_walk=1e-3,
    gyro_bias=0.02,
)
POSE_DEVIATION = np.array([0.1, 0.1, 0.05])


def simulate(seed, seconds=8.0, dt=0.02):
    """Errors (k, 7), covariances (k, 7, 7) and NIS lists of a run of the very model that the filter assumes."""
    rng = np.random.default_rng(seed)
    deviation = np.array([0.05, 0.05, 0.03])
    start = np.array([1.0, 2.0, 0.5])
    filter_ = OdometryFilter(start, NOISE, deviation)
    x = np.concatenate([start + deviation * rng.standard_normal(3), rng.standard_normal(4) * [0.5, 0.1, 0.5, 0.02]])
    q = np.array([NOISE.along, NOISE.across, NOISE.turn, NOISE.gyro_walk]) * math.sqrt(dt)
    errors, covariances, wheels, gyros, fixes = [], [], [], [], []
    filter_.gyro(0.0, x[5] + x[6] + NOISE.gyro * rng.standard_normal())
    for k in range(1, int(seconds / dt)):
        middle = x[2] + 0.5 * dt * x[5]
        c, s = math.cos(middle), math.sin(middle)
        x[:3] += dt * np.array([c * x[3] - s * x[4], s * x[3] + c * x[4], x[5]])
        x[3:] += q * rng.standard_normal(4)
        t = k * dt
        gyros.append(filter_.gyro(t, x[5] + x[6] + NOISE.gyro * rng.standard_normal()))
        if k % 2 == 0:
            told = x[3:6] + [NOISE.wheel_speed, NOISE.wheel_across, NOISE.wheel_turn] * rng.standard_normal(3)
            wheels.append(filter_.wheel_twist(t, told))
        if k % 50 == 0:
            told = x[:3] + POSE_DEVIATION * rng.standard_normal(3)
            fixes.append(filter_.absolute_pose(t, told, np.diag(POSE_DEVIATION**2)))
        if k % 100 == 0:
            state = filter_.state
            error = np.concatenate([state.pose, state.twist, [state.gyro_bias]]) - x
            error[2] = se2.wrap(error[2])
            errors.append(error)
            covariances.append(state.covariance)
    return np.array(errors), np.array(covariances), wheels, gyros, fixes


def test_filter_is_consistent_over_seeded_runs():
    """NEES of the whole state and NIS of every sensor lie in their chi-square intervals."""
    runs = [simulate(seed) for seed in range(20)]
    last = np.array([nees(errors[-1], covariances[-1]) for errors, covariances, *_ in runs])
    assert consistency(last, 7, 0.999).ok
    every = np.array([nees(errors, covariances).mean() for errors, covariances, *_ in runs])
    assert every.mean() == pytest.approx(7, rel=0.2)
    for index, dimension in ((2, 3), (3, 1), (4, 3)):
        values = np.concatenate([run[index] for run in runs])
        test = consistency(values, dimension, 0.999)
        assert test.ok, (index, test)


def test_a_filter_that_is_too_sure_is_found_out():
    errors = np.random.default_rng(0).standard_normal((200, 3)) * 0.2
    assert consistency(nees(errors, np.broadcast_to(np.eye(3) * 0.04, (200, 3, 3))), 3).ok
    assert not consistency(nees(errors, np.broadcast_to(np.eye(3) * 0.02, (200, 3, 3))), 3).ok
    with pytest.raises(BadInput):
        consistency([], 3)


def numeric_jacobian(step, x, eps=1e-6):
    out = np.empty((len(x), len(x)))
    for k in range(len(x)):
        up, down = x.copy(), x.copy()
        up[k] += eps
        down[k] -= eps
        out[:, k] = (step(up) - step(down)) / (2 * eps)
    return out


@pytest.mark.parametrize("known", [True, False])
def test_jacobians_of_both_models(known):
    rng = np.random.default_rng(0)

    def twist(x):
        x = x.copy()
        predict_twist(x, np.zeros((7, 7)), 0.05, np.zeros(4))
        return x

    def inertial(x):
        x = x.copy()
        predict_inertial(x, np.zeros((10, 10)), 0.05, 0.7, 0.8, -0.3, known, np.zeros(6))
        return x

    for size, step, predict in (
        (7, twist, lambda x, P: predict_twist(x, P, 0.05, np.zeros(4))),
        (10, inertial, lambda x, P: predict_inertial(x, P, 0.05, 0.7, 0.8, -0.3, known, np.zeros(6))),
    ):
        x = rng.standard_normal(size)
        F = numeric_jacobian(step, x)
        root = rng.standard_normal((size, size))
        P = root @ root.T
        want = F @ P @ F.T
        predict(x.copy(), P)
        np.testing.assert_allclose(P, want, atol=2e-3 * np.abs(want).max() if size == 10 else 1e-6)


def test_update_is_that_of_least_squares():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((4, 4))
    P, H, R = root @ root.T, rng.standard_normal((2, 4)), np.diag([0.3, 0.5])
    x, gap = rng.standard_normal(4), rng.standard_normal(2)
    information = np.linalg.inv(P) + H.T @ np.linalg.inv(R) @ H
    want = x + np.linalg.inv(information) @ H.T @ np.linalg.inv(R) @ gap
    nis = gap @ np.linalg.inv(H @ P @ H.T + R) @ gap
    assert kalman_update(x, P, gap, H, R) == pytest.approx(nis)
    np.testing.assert_allclose(x, want, atol=1e-9)
    np.testing.assert_allclose(P, np.linalg.inv(information), atol=1e-9)


def test_gyro_mends_wheels_that_slip_and_poses_tie_it_down():
    """Wheels that turn 20 % too far: the gyro keeps the heading, absolute poses keep the place."""
    truth = np.zeros(3)
    with_gyro, with_poses, alone = OdometryFilter(), OdometryFilter(), OdometryFilter()
    rng = np.random.default_rng(0)
    wheels = np.zeros(3)
    for k in range(1, 1500):
        t, twist = 0.02 * k, np.array([0.5, 0.0, 0.6 * math.sin(0.01 * k)]) * (k > 100)  # it stands for 2 s
        truth = se2.compose(truth, se2.exp(0.02 * twist))
        wheels = se2.compose(wheels, se2.exp(0.02 * twist * [1, 1, 1.2]))
        for each in (with_gyro, with_poses, alone):
            each.wheel_pose(t, wheels)
            if each is not alone:
                each.gyro(t, twist[2] + 0.008 + 0.005 * rng.standard_normal())
        if k % 50 == 0:
            with_poses.absolute_pose(t, truth + 0.03 * rng.standard_normal(3), np.eye(3) * 0.03**2)
            with_poses.heading(t, truth[2], 0.05)
    off = [np.hypot(*(each.state.pose - truth)[:2]) for each in (alone, with_gyro, with_poses)]
    assert off[1] < 0.3 * off[0]
    assert off[2] < 0.05
    assert with_gyro.state.gyro_bias == pytest.approx(0.008, abs=0.003)


def test_late_readings_clock_resets_and_wild_poses():
    filter_ = OdometryFilter()
    filter_.wheel_twist(10.0, (0.5, 0, 0))
    filter_.wheel_twist(11.0, (0.5, 0, 0))
    x = filter_.state.pose[0]
    filter_.gyro(10.9, 0.0)
    assert (filter_.late, filter_.time) == (1, 11.0)
    filter_.gyro(2.0, 0.0)
    assert (filter_.resets, filter_.time) == (1, 2.0)
    assert filter_.state.pose[0] == pytest.approx(x, abs=1e-6)
    before = filter_.state.pose
    assert filter_.absolute_pose(2.0, (50, 50, 1), np.eye(3) * 0.01) > 25
    np.testing.assert_array_equal(filter_.state.pose, before)
    assert filter_.refused == 1
    assert math.isnan(OdometryFilter().wheel_pose(0.0, (0, 0, 0)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda f: f.wheel_twist(0.0, (1, 2)), "wheel twist must be 3 finite"),
        (lambda f: f.gyro(0.0, math.nan), "turn rate must be 1 finite"),
        (lambda f: f.gyro(math.nan, 0.0), "time of a reading"),
        (lambda f: f.absolute_pose(0.0, (0, 0, 0), np.eye(2)), "3 x 3"),
        (lambda f: OdometryFilter((0, 0)), "starts at x, y, yaw"),
    ],
)
def test_bad_readings(call, said):
    with pytest.raises(BadInput, match=said):
        call(OdometryFilter())
