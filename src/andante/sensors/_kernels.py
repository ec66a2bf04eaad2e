"""Compiled parts of sensors that are sampled hundreds of times per second: a few contacts, one body."""

from __future__ import annotations

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True, nogil=True)
def _matrix(q: Array) -> Array:
    """(3, 3) rotation of a quaternion x y z w."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    s = 2.0 / (x * x + y * y + z * z + w * w)
    out = np.empty((3, 3))
    out[0, 0], out[0, 1], out[0, 2] = 1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)
    out[1, 0], out[1, 1], out[1, 2] = s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)
    out[2, 0], out[2, 1], out[2, 2] = s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)
    return out


@njit(cache=True, nogil=True)
def point_motion(pose: Array, velocity: Array, body_from_frame: Array) -> tuple[Array, Array]:
    """World rotation (3, 3) and velocity (3,) [m/s] of a frame (4, 4) on a body with pose (7,) and velocity (6,)."""
    body = _matrix(pose[3:7])
    arm, rotation = np.zeros(3), np.zeros((3, 3))
    for i in range(3):
        for k in range(3):
            arm[i] += body[i, k] * body_from_frame[k, 3]
            for j in range(3):
                rotation[i, j] += body[i, k] * body_from_frame[k, j]
    out = np.empty(3)
    out[0] = velocity[0] + velocity[4] * arm[2] - velocity[5] * arm[1]
    out[1] = velocity[1] + velocity[5] * arm[0] - velocity[3] * arm[2]
    out[2] = velocity[2] + velocity[3] * arm[1] - velocity[4] * arm[0]
    return rotation, out


@njit(cache=True, nogil=True)
def pressed(
    links: np.ndarray, points: Array, forces: Array, mine: np.ndarray, pose: Array, body_from_frame: Array
) -> tuple[float, float, float]:
    """Sum of the contact forces along a frame's z axis [N], pulls left out, and where they act in it, x y [m].

    links (n,), points and forces (n, 3): contacts; mine (links,): which links feel them; pose (7,) of their body.
    """
    body = _matrix(pose[3:7])
    total, cx, cy = 0.0, 0.0, 0.0
    f, p, r = np.empty(3), np.empty(3), np.empty(3)
    for c in range(links.shape[0]):
        link = links[c]
        if link < 0 or not mine[link]:
            continue
        for i in range(3):
            f[i] = body[0, i] * forces[c, 0] + body[1, i] * forces[c, 1] + body[2, i] * forces[c, 2]
            r[i] = 0.0
            for k in range(3):
                r[i] += body[k, i] * (points[c, k] - pose[k])
            r[i] -= body_from_frame[i, 3]
        normal = 0.0
        for i in range(3):
            normal += body_from_frame[i, 2] * f[i]
        if normal <= 0.0:
            continue
        for j in range(2):
            p[j] = 0.0
            for i in range(3):
                p[j] += body_from_frame[i, j] * r[i]
        total += normal
        cx += normal * p[0]
        cy += normal * p[1]
    if total > 0.0:
        cx /= total
        cy /= total
    return total, cx, cy


@njit(cache=True, nogil=True)
def mean_rate(now: Array, before: Array, seconds: float, present: Array) -> Array:
    """Angular velocity (3,) that turns one rotation (3, 3) into another in a time [rad/s], world axes.

    Where the turn is too large to tell (beyond a sixth of a circle) the present angular velocity (3,) is returned.
    """
    m = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                m[i, j] += now[i, k] * before[j, k]
    if m[0, 0] + m[1, 1] + m[2, 2] < 2.0:
        return present.copy()
    v = np.array([0.5 * (m[2, 1] - m[1, 2]), 0.5 * (m[0, 2] - m[2, 0]), 0.5 * (m[1, 0] - m[0, 1])])
    sine = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    scale = np.arcsin(min(1.0, sine)) / sine if sine > 1e-9 else 1.0
    return v * (scale / seconds)
