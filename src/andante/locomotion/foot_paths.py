"""Paths of feet in walking axes: standing feet move against the body's twist, swinging ones on smooth arcs."""

from __future__ import annotations

import math

from numba import njit

from andante.geometry import Array


@njit(cache=True)
def moved(x: float, y: float, twist: Array, seconds: float) -> tuple[float, float]:
    """A point fixed on the ground as the body sees it after moving by a constant twist (vx, vy, wz) for a time.

    p' = exp(twist t)⁻¹ p: the exact arc, [m, m/s, rad/s]; a negative time looks back.
    """
    w = twist[2] * seconds
    half = 0.5 * w
    chord = math.sin(half) / half if abs(half) > 1e-9 else 1.0
    c, s = math.cos(half), math.sin(half)
    dx = x - chord * (c * twist[0] - s * twist[1]) * seconds
    dy = y - chord * (s * twist[0] + c * twist[1]) * seconds
    cw, sw = math.cos(w), math.sin(w)
    return cw * dx + sw * dy, cw * dy - sw * dx


@njit(cache=True)
def smooth(share: float) -> float:
    """0 to 1 with zero velocity and acceleration at both ends: 10 s³ - 15 s⁴ + 6 s⁵."""
    s = min(1.0, max(0.0, share))
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))


@njit(cache=True)
def lift(share: float) -> float:
    """Height of a swinging foot, 0 to 1 and back, with zero velocity at both ends: 16 s² (1 - s)²."""
    s = min(1.0, max(0.0, share))
    return 16.0 * (s * (1.0 - s)) ** 2


@njit(cache=True)
def forward_share(share: float) -> float:
    """How far a swinging foot has come along the ground: it rises first, and stands above its place before it sinks.

    It is there after three quarters of the swing, so that a foot whose servos lag, or that meets the ground early, does
    not push the body back as it lands.
    """
    return smooth((share - 0.1) / 0.65)


@njit(cache=True)
def swing(start: Array, end: tuple[float, float, float], share: float, height: float) -> tuple[float, float, float]:
    """A foot between its lift-off and touchdown points, at a share of the swing, lifted by a height [m]."""
    along, up = forward_share(share), smooth(share)
    return (
        start[0] + along * (end[0] - start[0]),
        start[1] + along * (end[1] - start[1]),
        start[2] + up * (end[2] - start[2]) + height * lift(share),
    )
