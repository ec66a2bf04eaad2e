"""Paths of feet in walking axes: standing feet move against the body's twist, swinging ones on smooth arcs."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array


def moved(points: Array, twist: Array, seconds: float) -> Array:
    """Points fixed on the ground (n, 2) as the body sees them after moving by a constant twist (vx, vy, wz) for a time.

    p' = exp(twist t)⁻¹ p: the exact arc, [m, m/s, rad/s]; a negative time looks back.
    """
    w = twist[2] * seconds
    half = 0.5 * w
    chord = math.sin(half) / half if abs(half) > 1e-9 else 1.0
    c, s = math.cos(half), math.sin(half)
    x = chord * (c * twist[0] - s * twist[1]) * seconds
    y = chord * (s * twist[0] + c * twist[1]) * seconds
    cw, sw = math.cos(w), math.sin(w)
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return np.stack([cw * dx + sw * dy, cw * dy - sw * dx], axis=1)


def smooth(share: Array) -> Array:
    """0 to 1 with zero velocity and acceleration at both ends: 10 s³ - 15 s⁴ + 6 s⁵."""
    s = np.clip(share, 0.0, 1.0)
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


def lift(share: Array) -> Array:
    """Height of a swinging foot, 0 to 1 and back, with zero velocity at both ends: 16 s² (1 - s)²."""
    s = np.clip(share, 0.0, 1.0)
    return 16.0 * (s * (1.0 - s)) ** 2


def forward_share(share: Array) -> Array:
    """How far a swinging foot has come along the ground: it rises first, and stands above its place before it sinks."""
    return smooth((share - 0.1) / 0.75)


def swing(start: Array, end: Array, share: Array, height: Array | float) -> Array:
    """Feet (n, 3) between lift-off and touchdown points (n, 3), at shares (n,) of the swing, lifted by a height [m]."""
    out = start + forward_share(share)[:, None] * (end - start)
    out[:, 2] = start[:, 2] + smooth(share) * (end[:, 2] - start[:, 2]) + height * lift(share)
    return out
