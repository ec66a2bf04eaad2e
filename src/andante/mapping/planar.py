"""Single planar poses as plain numbers, for loops over scans where arrays would cost more than the sums."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array


def three_numbers(what: str, values: ArrayLike, axes: str = "x, y, yaw") -> Array:
    """The values (3,) as an array of their own; BadInput says what must be three finite numbers."""
    numbers = np.array(values, dtype=float)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise BadInput(f"{what} must be {axes} as finite numbers, got {values!r}")
    return numbers


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


@njit()
def solve3(
    h00: float, h01: float, h02: float, h11: float, h12: float, h22: float,
    b0: float, b1: float, b2: float, least: float,
) -> tuple[bool, float, float, float]:  # fmt: skip
    """Whether the determinant of a symmetric H (3, 3) is above `least`, and x of H x = b by its adjugate."""
    k00, k01, k02 = h11 * h22 - h12 * h12, h02 * h12 - h01 * h22, h01 * h12 - h02 * h11
    det = h00 * k00 + h01 * k01 + h02 * k02
    if not det > least:
        return False, 0.0, 0.0, 0.0
    k11, k12, k22 = h00 * h22 - h02 * h02, h01 * h02 - h00 * h12, h00 * h11 - h01 * h01
    x, y = (k00 * b0 + k01 * b1 + k02 * b2) / det, (k01 * b0 + k11 * b1 + k12 * b2) / det
    return True, x, y, (k02 * b0 + k12 * b1 + k22 * b2) / det
