"""Small rotations as numbers: heading, roll and pitch of feet and body."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array


def turned(yaw: float) -> Array:
    """(3, 3) rotation about z."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def leaning(roll: float, pitch: float) -> Array:
    """(3, 3) rotation about x, then y."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    return np.array([[cp, sp * sr, sp * cr], [0.0, cr, -sr], [-sp, cp * sr, cp * cr]])


def angles_of(rotation: Array) -> tuple[float, float, float]:
    """yaw, roll, pitch [rad] with rotation = turned(yaw) leaning(roll, pitch)."""
    low = max(-1.0, min(1.0, float(rotation[2, 0])))
    return (
        math.atan2(rotation[1, 0], rotation[0, 0]),
        math.atan2(rotation[2, 1], rotation[2, 2]),
        -math.asin(low),
    )


def seen_from(frame: tuple[float, float, float], x: float, y: float) -> tuple[float, float]:
    """A point of the plane, seen from a frame at x, y [m] and yaw [rad]."""
    c, s = math.cos(frame[2]), math.sin(frame[2])
    dx, dy = x - frame[0], y - frame[1]
    return c * dx + s * dy, c * dy - s * dx


def placed(frame: tuple[float, float, float], step: tuple[float, float, float]) -> tuple[float, float, float]:
    """A pose of the plane that is told in a frame, x, y [m] and yaw [rad]."""
    c, s = math.cos(frame[2]), math.sin(frame[2])
    return frame[0] + c * step[0] - s * step[1], frame[1] + s * step[0] + c * step[1], frame[2] + step[2]


def reversed_step(step: tuple[float, float, float]) -> tuple[float, float, float]:
    """The first frame seen from the second."""
    x, y = seen_from(step, 0.0, 0.0)
    return x, y, -step[2]


def beyond(x: float, y: float, usual: float) -> tuple[float, float]:
    """What of a vector is longer than usual."""
    size = math.hypot(x, y)
    if size <= usual:
        return 0.0, 0.0
    share = (size - usual) / size
    return share * x, share * y
