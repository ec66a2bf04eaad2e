"""The compiled control step of the ball against the plain one."""

import numpy as np
import pytest

from andante.description import load_robot
from andante.geometry import so3
from andante.locomotion import Command, Readings
from andante.robots.shell.roller import BallRoller, strokes_of

from .reference import PlainRoller

DT = 0.01


@pytest.fixture(scope="module")
def shell():
    return load_robot("shell")


@pytest.fixture(scope="module")
def strokes(shell):
    return strokes_of(shell)


def tumbling(shell, seed, count=300):
    """Readings of a ball that rolls this way and that, with noise, blows and an axis that fails."""
    rng = np.random.default_rng(seed)
    rotation, rate = so3.exp(rng.normal(size=3)), np.zeros(3)
    q = np.zeros(len(shell.joint_names))
    for i in range(count):
        rate = 0.97 * rate + 0.5 * rng.normal(size=3) if i > 100 else 0.9 * rate
        rotation = so3.exp(DT * rate) @ rotation
        gyro, force = rotation.T @ rate, rotation.T @ np.array([0.0, 0.0, 9.81]) + 0.3 * rng.normal(size=3)
        if i % 40 == 11:
            force = 2.0 * force
        if i % 60 == 13:
            gyro = gyro.copy()
            gyro[1] = np.nan
        yield Readings(i * DT, q, q, gyro=gyro, acceleration=force)


@pytest.mark.parametrize("seed", range(6))
def test_compiled_step_is_the_plain_step(shell, strokes, seed):
    fast, slow = BallRoller(shell, strokes=strokes), PlainRoller(shell, strokes=strokes)
    rng = np.random.default_rng(seed)
    command, opened, righted = Command(), 0, 0
    for i, readings in enumerate(tumbling(shell, seed)):
        if i % 50 == 0:
            command = Command(*rng.normal(size=3)) if i % 100 else Command()
        np.testing.assert_allclose(fast.update(readings, command, DT), slow.update(readings, command, DT), atol=1e-9)
        np.testing.assert_allclose(fast.velocity, slow.velocity, atol=1e-12)
        assert fast.course == pytest.approx(slow.course, abs=1e-12)
        assert fast.settled == slow.settled
        assert fast.attitude.lean == pytest.approx(slow.attitude.lean, abs=1e-9)
        opened += bool(fast.opening.any())
        righted += bool(fast.opening.any() and not command.moving)
    assert opened > 100
    assert righted > 10
