"""Losses of DART's servos: what is lost, and when DART must hear of it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("dartpy")

from andante.physics.dart import servos as kernels

DT = 0.002
NONE = np.zeros(0, dtype=np.int64)


def losses(speed: float, pull: float, told: float, effort: float = 5.0) -> tuple[float, float]:
    """Effort lost by one servo with dry friction 1, and how far DART's knowledge of it is off."""
    out = np.zeros(1)
    off = kernels.losses(
        np.array([speed]), np.array([pull * DT]), np.ones(1), np.array([effort]),
        NONE, NONE, np.zeros(0), np.zeros(0, dtype=bool), DT, np.zeros(0), np.array([told]), out,
    )  # fmt: skip
    return float(out[0]), off


@pytest.mark.parametrize(("speed", "lost"), [(0.0, 0.0), (0.005, 0.5), (3.0, 1.0), (-3.0, -1.0)])
def test_dry_friction_is_lost(speed: float, lost: float) -> None:
    assert losses(speed, 0.0, 0.0)[0] == pytest.approx(lost)


@pytest.mark.parametrize(
    ("pull", "told", "off"),
    [
        (2.0, 0.0, 0.0),  # far from the limit
        (5.0, 0.0, 0.2),  # with the loss it pulls more than it may
        (4.0, 0.0, 0.2),  # and here just as much
        (4.0, 1.0, 0.0),  # DART knows
        (6.0, -1.0, 0.4),  # at a limit that was told while moving the other way
    ],
)
def test_only_servos_at_their_limit_are_off(pull: float, told: float, off: float) -> None:
    assert losses(1.0, pull, told)[1] == pytest.approx(off)


@pytest.mark.parametrize("effort", [0.0, np.inf])
def test_servos_without_power_or_limit_are_never_off(effort: float) -> None:
    assert losses(1.0, 3.0, 0.0, effort)[1] == 0.0
