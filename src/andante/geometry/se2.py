"""Planar poses SE(2) as (..., 3) arrays x, y, yaw [m, m, rad], with any leading batch axes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ._types import Array

_ONE = (3,)  # shape of a single pose: control loops compose them by the thousand, and plain numbers are quicker then


def wrap(angle: ArrayLike) -> Array:
    """Angle brought into [-pi, pi) [rad]."""
    return (np.asarray(angle, dtype=float) + np.pi) % (2 * np.pi) - np.pi


def compose(a: ArrayLike, b: ArrayLike) -> Array:
    """Pose a ∘ b: b given in the frame of a, told in the frame that a is told in."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape == b.shape == _ONE:
        (x, y, yaw), (bx, by, turn) = a.tolist(), b.tolist()
        if math.isfinite(yaw):
            c, s = math.cos(yaw), math.sin(yaw)
            return np.array([x + c * bx - s * by, y + s * bx + c * by, wrap_angle(yaw + turn)])
    c, s = np.cos(a[..., 2]), np.sin(a[..., 2])
    x = a[..., 0] + c * b[..., 0] - s * b[..., 1]
    y = a[..., 1] + s * b[..., 0] + c * b[..., 1]
    return np.stack([x, y, wrap(a[..., 2] + b[..., 2])], axis=-1)


def inverse(a: ArrayLike) -> Array:
    """The pose that undoes a: compose(a, inverse(a)) = 0."""
    a = np.asarray(a, dtype=float)
    if a.shape == _ONE:
        x, y, yaw = a.tolist()
        if math.isfinite(yaw):
            c, s = math.cos(yaw), math.sin(yaw)
            return np.array([-c * x - s * y, s * x - c * y, wrap_angle(-yaw)])
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


def exp(twist: ArrayLike) -> Array:
    """Pose reached from 0 by a constant twist (..., 3) vx, vy, w over unit time: a straight line or an exact arc.

    x = (sin w vx - (1 - cos w) vy) / w, y = ((1 - cos w) vx + sin w vy) / w, with the limits at w = 0.
    """
    v = np.asarray(twist, dtype=float)
    if v.shape == _ONE:
        vx, vy, turn = v.tolist()
        if math.isfinite(turn):
            half = turn / 2
            chord = math.sin(half) / half if half else 1.0
            c, s = math.cos(half), math.sin(half)
            return np.array([chord * (c * vx - s * vy), chord * (s * vx + c * vy), wrap_angle(turn)])
    half = v[..., 2] / 2
    chord = np.sinc(half / np.pi)  # sin(w/2) / (w/2)
    c, s = np.cos(half), np.sin(half)
    x = chord * (c * v[..., 0] - s * v[..., 1])
    y = chord * (s * v[..., 0] + c * v[..., 1])
    return np.stack([x, y, wrap(v[..., 2])], axis=-1)


def log(pose: ArrayLike) -> Array:
    """Constant twist (..., 3) that reaches a pose in unit time with a turn within a half circle: exp(log(a)) = a."""
    a = np.asarray(pose, dtype=float)
    if a.shape == _ONE:
        x, y, turn = a.tolist()
        if math.isfinite(turn):
            half = wrap_angle(turn) / 2
            chord = math.sin(half) / half if half else 1.0
            c, s = math.cos(half), math.sin(half)
            return np.array([(c * x + s * y) / chord, (c * y - s * x) / chord, 2 * half])
    yaw = wrap(a[..., 2])
    half = yaw / 2
    chord = np.sinc(half / np.pi)  # at least 2 / pi within a half turn
    c, s = np.cos(half), np.sin(half)
    return np.stack([(c * a[..., 0] + s * a[..., 1]) / chord, (c * a[..., 1] - s * a[..., 0]) / chord, yaw], axis=-1)


def wrap_angle(angle: float) -> float:
    """`wrap` of one number, quicker: the same angle in [-pi, pi) [rad]."""
    return (angle + math.pi) % (2 * math.pi) - math.pi
