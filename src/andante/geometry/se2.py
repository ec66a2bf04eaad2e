"""Planar poses SE(2) as (..., 3) arrays x, y, yaw [m, m, rad], with any leading batch axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ._types import Array


def wrap(angle: ArrayLike) -> Array:
    """Angle brought into [-pi, pi) [rad]."""
    return (np.asarray(angle, dtype=float) + np.pi) % (2 * np.pi) - np.pi


def compose(a: ArrayLike, b: ArrayLike) -> Array:
    """Pose a ∘ b: b given in the frame of a, told in the frame that a is told in."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    c, s = np.cos(a[..., 2]), np.sin(a[..., 2])
    x = a[..., 0] + c * b[..., 0] - s * b[..., 1]
    y = a[..., 1] + s * b[..., 0] + c * b[..., 1]
    return np.stack([x, y, wrap(a[..., 2] + b[..., 2])], axis=-1)


def inverse(a: ArrayLike) -> Array:
    """The pose that undoes a: compose(a, inverse(a)) = 0."""
    a = np.asarray(a, dtype=float)
    c, s = np.cos(a[..., 2]), np.sin(a[..., 2])
    return np.stack([-c * a[..., 0] - s * a[..., 1], s * a[..., 0] - c * a[..., 1], wrap(-a[..., 2])], axis=-1)


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """Pose of b seen from a: compose(a, between(a, b)) = b."""
    return compose(inverse(a), b)


def transform(a: ArrayLike, points: ArrayLike) -> Array:
    """Points (..., 2) of the frame a, told in the frame that a is told in."""
    a, p = np.asarray(a, dtype=float), np.asarray(points, dtype=float)
    c, s = np.cos(a[..., 2]), np.sin(a[..., 2])
    x = a[..., 0] + c * p[..., 0] - s * p[..., 1]
    y = a[..., 1] + s * p[..., 0] + c * p[..., 1]
    return np.stack([x, y], axis=-1)
