"""The angle that makes one wheel roll along a twist."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array, se2

from .wheels import SphericalWheel, SteeredWheel

_STILL = 1e-9  # a pivot slower than this stands still [m/s]


def steer(wheel: SteeredWheel | SphericalWheel, twist: Array, near: Array) -> Array:
    """beta (...,) with sliding(beta) @ twist = 0, the solution inside the limits nearest to `near` [rad].

    The pivot moves with v = (vx - w y, vy + w x); |v| cos(alpha + beta - arg v) = -d w has two solutions.
    """
    x, y = wheel.position
    vx, vy = twist[..., 0] - twist[..., 2] * y, twist[..., 1] + twist[..., 2] * x
    speed, course = np.hypot(vx, vy), np.arctan2(vy, vx)
    lead = wheel.lead if isinstance(wheel, SteeredWheel) else 0.0
    moving = (speed > _STILL) | (np.abs(lead * twist[..., 2]) > _STILL)
    half = np.arccos(np.clip(-lead * twist[..., 2] / np.where(speed > _STILL, speed, 1.0), -1.0, 1.0))
    ahead, behind = (near + se2.wrap(course + side * half - wheel.bearing - near) for side in (1, -1))
    if isinstance(wheel, SphericalWheel):
        return np.where(moving, ahead, near)
    lower, upper = wheel.angle + wheel.lower, wheel.angle + wheel.upper
    best, cost = near, np.full(np.shape(ahead), np.inf)
    bounded = np.isfinite(lower) or np.isfinite(upper)
    for turn in (0.0, -2 * np.pi, 2 * np.pi) if bounded else (0.0,):  # limits may hold the same direction a turn on
        for candidate in (ahead + turn, behind + turn):
            allowed = np.clip(candidate, lower, upper)
            price = np.abs(candidate - near) + 1e3 * np.abs(allowed - candidate)
            best, cost = np.where(price < cost - 1e-9, allowed, best), np.minimum(price, cost)
    return np.where(moving, best, near)
