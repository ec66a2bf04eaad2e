"""The attitude filter of a rolling body: the gyro turns it, the accelerometer keeps its vertical."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.description import Robot, load_robot
from andante.errors import BadInput
from andante.geometry import so3
from andante.gravity import GRAVITY
from andante.robots.shell.kernels import turned
from andante.robots.shell.roller import Attitude

UP = np.array([0.0, 0.0, GRAVITY])
number = st.floats(-3.0, 3.0)


@settings(max_examples=40, deadline=None)
@given(number, number, number)
def test_turned_is_the_exponential_map(x: float, y: float, z: float) -> None:
    start = so3.from_rpy((0.3, -0.2, 1.0))
    np.testing.assert_allclose(turned(start, x, y, z), so3.exp((x, y, z)) @ start, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(number, number, number)
def test_starts_from_any_attitude_by_the_accelerometer(roll: float, pitch: float, yaw: float) -> None:
    truth = so3.from_rpy((roll, pitch, yaw))
    filter_ = Attitude()
    filter_.update(np.zeros(3), truth.T @ UP, 0.01)
    np.testing.assert_allclose(filter_.rotation[2], truth[2], atol=1e-6)
    np.testing.assert_allclose(filter_.rotation @ filter_.rotation.T, np.eye(3), atol=1e-9)
    assert filter_.lean == pytest.approx(math.acos(np.clip(truth[2, 2], -1, 1)), abs=1e-5)


def test_follows_five_turns_end_over_end() -> None:
    filter_, truth, dt = Attitude(), np.eye(3), 0.01
    gyro = np.array([0.0, 4.0, 0.0])
    filter_.update(np.zeros(3), UP, dt)
    for _ in range(round(5 * 2 * math.pi / 4.0 / dt)):
        truth = truth @ so3.exp(gyro * dt)
        filter_.update(gyro, truth.T @ UP, dt)
    np.testing.assert_allclose(filter_.rotation, truth, atol=1e-6)
    np.testing.assert_allclose(filter_.spin, gyro, atol=1e-9)


def test_a_biased_gyro_does_not_carry_the_vertical_away() -> None:
    filter_ = Attitude()
    for _ in range(3000):
        filter_.update(np.array([0.02, 0.0, 0.0]), UP, 0.01)
    assert filter_.lean < 0.04  # bias times time constant


def test_a_bad_first_reading_is_forgotten_within_half_a_second() -> None:
    filter_ = Attitude()
    filter_.update(np.zeros(3), np.array([GRAVITY, 0.0, 0.0]), 0.01)
    assert filter_.lean > 1.5
    for _ in range(50):
        filter_.update(np.zeros(3), UP, 0.01)
    assert filter_.lean < 0.1


def test_pushes_are_not_taken_for_the_vertical() -> None:
    filter_ = Attitude()
    filter_.update(np.zeros(3), UP, 0.01)
    for _ in range(100):
        filter_.update(np.zeros(3), UP + np.array([20.0, 0.0, 0.0]), 0.01)
    assert filter_.lean < 1e-9


def test_missing_axes_count_as_still_and_facing_is_the_x_axis() -> None:
    filter_ = Attitude()
    filter_.update(np.array([np.nan, 0.0, 0.0]), UP, 0.01)
    for _ in range(100):
        filter_.update(np.array([np.nan, 0.0, 0.5]), UP, 0.01)
    assert filter_.facing == pytest.approx(0.5, abs=1e-6)


def test_needs_an_imu_and_minds_how_it_is_mounted() -> None:
    shell = load_robot("shell")
    np.testing.assert_allclose(Attitude.of(shell).mount, np.eye(3), atol=1e-12)
    with pytest.raises(BadInput, match="no IMU"):
        Attitude.of(Robot("blind", links=shell.links, joints=shell.joints))
