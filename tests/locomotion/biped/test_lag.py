"""The lag of joints behind their targets: found on motions whose lag is known, and the kernel against plain numpy."""

import numpy as np
import pytest

from andante.locomotion.biped.lag import LEARNED, LONGEST, MOST, Lag, compare

DT, USUAL = 0.01, 0.025


def motion(t):
    """Four joints that move as in a walk [rad]."""
    return 0.3 * np.sin(2 * np.pi * np.array([1.8, 1.8, 3.6, 0.9]) * t + np.arange(4.0))


def learned(late, count=200, noise=0.0):
    lag, rng = Lag(4, USUAL), np.random.default_rng(1)
    for k in range(count):
        lag.feel(motion(k * DT - USUAL - late) + rng.normal(0.0, noise, 4), DT)
        lag.told(motion(k * DT))
    return lag


@pytest.mark.parametrize("late", [0.015, 0.03, 0.047, 0.07])
def test_a_line_is_found(late):
    lag = learned(late, noise=0.002)
    assert lag.late
    assert lag.seconds == pytest.approx(USUAL + late, abs=0.002)


@pytest.mark.parametrize("late", [-0.01, 0.0, 0.008])
def test_less_than_a_period_is_no_line(late):
    lag = learned(late, noise=0.002)
    assert not lag.late
    assert lag.seconds == USUAL


def test_it_is_believed_after_a_while_and_bounded():
    assert not learned(0.04, LONGEST + LEARNED - 1).late
    assert learned(0.04, LONGEST + LEARNED + 1).late
    assert learned(0.12).seconds <= USUAL + MOST


def test_misfits_against_numpy():
    rng = np.random.default_rng(2)
    told, joints, misfits = rng.normal(size=(LONGEST, 5)), rng.normal(size=5), rng.uniform(size=LONGEST)
    newest, part = 6, 0.3
    shifted = told[(newest - np.arange(LONGEST)) % LONGEST]
    wanted = misfits + part * (((joints - shifted) ** 2).sum(axis=1) - misfits)
    best, rest = compare(told, newest, joints, misfits, part)
    np.testing.assert_allclose(misfits, wanted)
    assert best == wanted.argmin()
    assert abs(rest) <= 0.5
