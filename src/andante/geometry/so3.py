"""Rotations SO(3) as (..., 3, 3) matrices, with any leading batch axes.

Conventions: quaternions are x y z w; roll-pitch-yaw means R = Rz(yaw) Ry(pitch) Rx(roll) (URDF, SDF);
a rotation vector w is the axis times the angle, R = exp([w]x).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ._types import Array

SMALL_ANGLE = 1e-4  # below this the closed forms lose digits and the series takes over [rad]


def hat(w: ArrayLike) -> Array:
    """Skew matrix [w]x with [w]x v = w × v; (..., 3) -> (..., 3, 3)."""
    w = np.asarray(w, dtype=float)
    out = np.zeros((*w.shape, 3))
    out[..., 0, 1], out[..., 0, 2] = -w[..., 2], w[..., 1]
    out[..., 1, 0], out[..., 1, 2] = w[..., 2], -w[..., 0]
    out[..., 2, 0], out[..., 2, 1] = -w[..., 1], w[..., 0]
    return out


def vee(m: ArrayLike) -> Array:
    """Inverse of `hat`; (..., 3, 3) -> (..., 3)."""
    m = np.asarray(m, dtype=float)
    return np.stack([m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]], axis=-1)


def exp(w: ArrayLike) -> Array:
    """Rotation of a rotation vector [rad], Rodrigues: I + sin(a)/a [w] + (1 - cos(a))/a² [w]²."""
    w = np.asarray(w, dtype=float)
    angle_squared = np.sum(w * w, axis=-1)
    angle = np.sqrt(angle_squared)
    small = angle < SMALL_ANGLE
    safe = np.where(small, 1.0, angle)
    a = np.where(small, 1 - angle_squared / 6, np.sin(safe) / safe)
    b = np.where(small, 0.5 - angle_squared / 24, (1 - np.cos(safe)) / (safe * safe))
    skew = hat(w)
    rotation: Array = np.eye(3) + a[..., None, None] * skew + b[..., None, None] * (skew @ skew)
    return rotation


def log(R: ArrayLike) -> Array:
    """Rotation vector [rad] of a rotation matrix, angle in [0, pi]; exact near 0 and near pi."""
    x, y, z, w = np.moveaxis(to_quaternion(R), -1, 0)
    sign = np.where(w < 0, -1.0, 1.0)
    vector = np.stack([x, y, z], axis=-1) * sign[..., None]
    w = w * sign
    s = np.linalg.norm(vector, axis=-1)
    small = s < SMALL_ANGLE / 2
    safe = np.where(small, 1.0, s)
    # angle / sin(angle/2), with its series 2/w (1 - s²/(3 w²)) for small angles
    scale = np.where(small, 2 / np.maximum(w, 0.5) * (1 - s * s / 3), 2 * np.arctan2(s, w) / safe)
    rotation_vector: Array = vector * scale[..., None]
    return rotation_vector


def from_rpy(rpy: ArrayLike) -> Array:
    """Rotation of roll, pitch, yaw [rad]: Rz(yaw) Ry(pitch) Rx(roll); (..., 3) -> (..., 3, 3)."""
    rpy = np.asarray(rpy, dtype=float)
    (cr, cp, cy), (sr, sp, sy) = np.moveaxis(np.cos(rpy), -1, 0), np.moveaxis(np.sin(rpy), -1, 0)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return _assembled(rows)


def to_rpy(R: ArrayLike) -> Array:
    """Roll, pitch, yaw [rad] of a rotation; pitch in [-pi/2, pi/2], roll = 0 at the singularity."""
    R = np.asarray(R, dtype=float)
    pitch = np.arctan2(-R[..., 2, 0], np.hypot(R[..., 0, 0], R[..., 1, 0]))
    locked = np.hypot(R[..., 0, 0], R[..., 1, 0]) < 1e-9
    roll = np.where(locked, 0.0, np.arctan2(R[..., 2, 1], R[..., 2, 2]))
    yaw = np.where(locked, np.arctan2(-R[..., 0, 1], R[..., 1, 1]), np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    return np.stack([roll, pitch, yaw], axis=-1)


def from_quaternion(q: ArrayLike) -> Array:
    """Rotation of a quaternion x y z w (normalized here); (..., 4) -> (..., 3, 3)."""
    q = np.asarray(q, dtype=float)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    x, y, z, w = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return _assembled(rows)


def to_quaternion(R: ArrayLike) -> Array:
    """Quaternion x y z w of a rotation, w >= 0 (Shepperd: the largest of the four is the pivot)."""
    R = np.asarray(R, dtype=float)
    d0, d1, d2 = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    trace = d0 + d1 + d2
    a, b, c = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    e, f, g = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    candidates = _assembled(
        [
            [1 + d0 - d1 - d2, e, f, a],
            [e, 1 - d0 + d1 - d2, g, b],
            [f, g, 1 - d0 - d1 + d2, c],
            [a, b, c, 1 + trace],
        ]
    )
    pivot = np.argmax(np.stack([d0, d1, d2, trace], axis=-1), axis=-1)
    q = np.take_along_axis(candidates, pivot[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    canonical: Array = np.where(q[..., 3:] < 0, -q, q)
    return canonical


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation by an angle [rad] about an axis (normalized here)."""
    axis = np.asarray(axis, dtype=float)
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return exp(unit * np.asarray(angle, dtype=float)[..., None])


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """The shortest rotation that turns direction a into direction b; R a/|a| = b/|b|."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    cross = np.cross(a, b)
    sine = np.linalg.norm(cross, axis=-1)
    angle = np.arctan2(sine, np.sum(a * b, axis=-1))
    # opposite directions: any axis orthogonal to a will do
    helper = np.where(np.abs(a[..., :1]) < 0.9, [1.0, 0, 0], [0, 1.0, 0])
    fallback = np.cross(a, helper)
    axis = np.where(sine[..., None] > 1e-12, cross, fallback)
    return from_axis_angle(axis, angle)


def _assembled(rows: Sequence[Sequence[Array]]) -> Array:
    """Matrices (..., n, m) from n rows of m entries (...) of one shape; several times as fast as nested stacks."""
    out = np.empty((*np.shape(rows[0][0]), len(rows), len(rows[0])))
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            out[..., i, j] = entry
    return out
