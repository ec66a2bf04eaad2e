"""How joints are moved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.experiments.identification import excitation
from andante.physics.commands import default_gains, outboard_inertia


@pytest.fixture(scope="module")
def moved(arms):
    robot = arms.arm(1)
    return robot, excitation(robot, np.array([0.6]), (), 12.0, 100.0)


def test_the_quick_sweep_reaches_the_bandwidth_and_comes_back(moved):
    robot, motion = moved
    inertia = float(outboard_inertia(robot)[0]) + 0.004
    bandwidth = math.sqrt(60.0 / inertia) / (2 * math.pi)
    first = 150 + round(0.45 * 10.3 * 100)
    quick = motion.rows[first : first + round(0.35 * 10.3 * 100), 0] - 0.6
    turns = np.flatnonzero(np.diff(np.sign(np.diff(quick))))
    fastest = 0.5 / (np.diff(turns).min() * motion.period)
    assert fastest > bandwidth
    half = len(quick) // 2
    assert np.abs(quick[half:]).max() == pytest.approx(0.35 * np.abs(quick[:half]).max(), rel=0.3)


def test_steps_do_not_take_the_servo_to_its_effort_limit(moved):
    robot, motion = moved
    gains = default_gains(robot)
    steps = motion.rows[-200:, 0] - 0.6
    assert 0 < gains.kp[0] * np.abs(steps).max() <= 0.4 * gains.effort[0] + 1e-9
