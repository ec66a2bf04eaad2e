"""Attitude and heading."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import so3
from andante.localization.filters import Ahrs

G = 9.80665


def run(ahrs, rpy_of, seconds, *, dt=0.01, bias=(0, 0, 0), noise=0.0, tags=(-0.3, 0.0, 0.0), tag_noise=0.0, seed=0):
    """Feed a motion given by its angles over time; return the angle between estimate and truth at the end."""
    rng = np.random.default_rng(seed)
    for k in range(int(seconds / dt)):
        t = k * dt
        R, after = so3.from_rpy(rpy_of(t)), so3.from_rpy(rpy_of(t + dt))
        rate = so3.log(R.T @ after) / dt
        force = R.T @ [0, 0, G]
        ahrs.imu(t, rate + bias + noise * rng.standard_normal(3), force + noise * rng.standard_normal(3))
        if k % 10 == 0:
            ahrs.tags(t, R @ np.array(tags) + tag_noise * rng.standard_normal(3))
    return np.linalg.norm(so3.log(so3.from_quaternion(ahrs.quaternion).T @ so3.from_rpy(rpy_of(seconds - dt))))


def test_follows_a_motion():
    def motion(t):
        return [0.2 * math.sin(t), 0.15 * math.sin(1.3 * t), 0.4 * t]

    assert run(Ahrs((-0.3, 0, 0)), motion, 10) < 0.02


def test_finds_heading_bias_and_level_from_a_wrong_start():
    ahrs = Ahrs((-0.3, 0, 0), learn=0.1)
    bias = np.array([0.02, -0.03, 0.04])
    assert run(ahrs, lambda t: [0.1, -0.2, 2.0], 120, dt=0.04, bias=bias, noise=0.02, tag_noise=0.05) < 0.1
    np.testing.assert_allclose(ahrs.gyro_bias[:2], bias[:2], atol=0.01)
    assert ahrs.heading_known


def test_without_tags_the_heading_drifts_and_with_them_it_does_not():
    bias = (0, 0, 0.03)
    alone, tagged = Ahrs(), Ahrs((-0.3, 0, 0))
    for k in range(6000):
        alone.imu(0.01 * k, bias, (0, 0, G))
    assert abs(alone.rpy[2]) == pytest.approx(1.8, abs=0.01)
    run(tagged, lambda t: [0, 0, 0], 60, dt=0.02, bias=bias)
    assert abs(tagged.rpy[2]) < 0.1


def test_accelerations_that_are_not_gravity_do_not_tilt_it():
    ahrs = Ahrs()
    ahrs.imu(0, (0, 0, 0), (0, 0, G))
    for k in range(1, 200):
        ahrs.imu(0.01 * k, (0, 0, 0), (6.0, 0, G))
    np.testing.assert_allclose(ahrs.rpy, 0, atol=1e-9)


def test_z_down_angles():
    ahrs = Ahrs((-0.3, 0, 0))
    run(ahrs, lambda t: [0.1, 0.2, 0.3], 0.5)
    flip = np.diag([1.0, -1.0, -1.0])
    want = so3.to_rpy(flip @ so3.from_rpy(ahrs.rpy) @ flip)
    np.testing.assert_allclose(ahrs.z_down, want, atol=1e-12)


def test_bad_readings():
    ahrs = Ahrs()
    ahrs.imu(0.0, (0, 0, 0), (0, 0, G))
    ahrs.imu(0.0, (9, 9, 9), (0, 0, G))  # time stands
    ahrs.imu(-1.0, (9, 9, 9), (0, 0, G))  # and goes back
    ahrs.imu(0.1, (math.nan, 0, 0), (0, 0, G))
    assert ahrs.stale == 3
    ahrs.tags(0.2, (math.nan, 0, 0))
    ahrs.tags(0.2, (0, 0, 1.0))  # tags above each other tell nothing
    assert not ahrs.heading_known
    np.testing.assert_allclose(ahrs.rpy, 0, atol=1e-12)
    with pytest.raises(BadInput, match="stand apart"):
        Ahrs((0, 0, 1))
    with pytest.raises(BadInput, match="three rates"):
        ahrs.imu(1.0, (0, 0), (0, 0, G))
    with pytest.raises(BadInput, match="x, y, z"):
        ahrs.tags(0.0, (1, 2))
    with pytest.raises(BadInput, match="settle"):
        Ahrs(settle=0)
    with pytest.raises(BadInput, match="finite numbers"):
        Ahrs((math.nan, 0, 0))
