"""Systematic errors of wheel odometry, told by the scans: scale of the way, scale of turns, drift per metre."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.geometry import Array, se2

FEWEST = 30  # steps to tell anything from
SHORTEST = 0.1  # steps that go less far [m] ...
LEAST_TURN = 0.1  # ... and turn less [rad] tell nothing


@dataclass(frozen=True)
class OdometryFit:
    """True step of an odometry step (x, y, yaw): (way · x, way · y, turn · yaw + drift · x)."""

    way: float = 1.0
    turn: float = 1.0
    drift: float = 0.0  # [rad/m]

    def apply(self, steps: Array) -> Array:
        """Odometry steps (..., 3) with the systematic errors taken out."""
        yaw = self.turn * steps[..., 2] + self.drift * steps[..., 0]
        return np.stack([self.way * steps[..., 0], self.way * steps[..., 1], se2.wrap(yaw)], axis=-1)


def fit_odometry(odometry: Array, matched: Array) -> OdometryFit:
    """The errors by which odometry (n, 3) differs from matched poses (n, 3) of the same scans, step by step.

    Least squares with Cauchy weights; no correction where there are too few steps or it would be beyond 20 %.
    """
    good = np.asarray(np.isfinite(odometry).all(axis=1))
    pair = np.logical_and(good[:-1], good[1:])
    told = se2.between(odometry[:-1][pair], odometry[1:][pair])
    true = se2.between(matched[:-1][pair], matched[1:][pair])
    way = np.hypot(told[:, 0], told[:, 1])
    far = (way > SHORTEST) | (np.abs(told[:, 2]) > LEAST_TURN)
    told, true, way = told[far], true[far], way[far]
    if len(told) < FEWEST:
        return OdometryFit()
    turn, drift = _robust(np.stack([told[:, 2], told[:, 0]], axis=1), true[:, 2])
    long = way > SHORTEST
    share = np.hypot(true[long, 0], true[long, 1]) / way[long]
    scale = float(np.median(share)) if long.sum() >= FEWEST else 1.0
    if abs(turn - 1) > 0.2 or abs(drift) > 0.2 or abs(scale - 1) > 0.2:
        return OdometryFit()
    return OdometryFit(scale, turn, drift)


def _robust(columns: Array, values: Array) -> tuple[float, float]:
    """Coefficients of two columns (n, 2) that explain values (n,), outliers weighed down."""
    weight = np.ones(len(values))
    found = np.array([1.0, 0.0])
    for _ in range(20):
        found = np.linalg.lstsq(columns * weight[:, None], values * weight, rcond=None)[0]
        left = values - columns @ found
        spread = 1.4826 * float(np.median(np.abs(left))) + 1e-9
        weight = 1 / np.sqrt(1 + (left / (2 * spread)) ** 2)
    return float(found[0]), float(found[1])
