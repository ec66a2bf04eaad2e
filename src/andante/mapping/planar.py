"""Single planar poses as plain numbers, for loops over scans where arrays would cost more than the sums."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array


def compose(a: Array, b: Array) -> Array:
    """Pose a ∘ b of two poses (3,)."""
    c, s = math.cos(a[2]), math.sin(a[2])
    return np.array([a[0] + c * b[0] - s * b[1], a[1] + s * b[0] + c * b[1], wrap(a[2] + b[2])])


def between(a: Array, b: Array) -> Array:
    """Pose of b seen from a, both (3,)."""
    c, s = math.cos(a[2]), math.sin(a[2])
    x, y = b[0] - a[0], b[1] - a[1]
    return np.array([c * x + s * y, c * y - s * x, wrap(b[2] - a[2])])


def wrap(angle: float) -> float:
    """Angle in [-pi, pi) [rad]."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def place(pose: Array, points: Array) -> Array:
    """Points (n, 2) of a frame at a pose (3,), in the frame that the pose is given in."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    placed: Array = points @ np.array([[c, s], [-s, c]]) + pose[:2]
    return placed
