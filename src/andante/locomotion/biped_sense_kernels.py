"""What encoders, tilt and accelerometer say about a standing body, in one compiled pass."""

from __future__ import annotations

import numpy as np
from numba import njit

from andante.geometry import Array

from .biped_kernels import centre_of_mass


@njit(cache=True, nogil=True)
def _sole(
    foot: int, body: int, turns: Array, at: Array, sole_turn: Array, sole_at: Array, turn: Array, out: Array
) -> None:
    """Rotation `turn` (3, 3) and place `out` (3,) of a sole in the root frame."""
    for i in range(3):
        out[i] = at[body, i]
        for k in range(3):
            out[i] += turns[body, i, k] * sole_at[foot, k]
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += turns[body, i, k] * sole_turn[foot, k, j]
            turn[i, j] = total


@njit(cache=True, nogil=True)
def feel(
    q: Array,
    parent: np.ndarray,
    joint: np.ndarray,
    rotation: Array,
    offset: Array,
    axis: Array,
    weight: Array,
    centre: Array,
    feet: np.ndarray,
    sole_turn: Array,
    sole_at: Array,
    stance: int,
    upright: Array,
    shift: Array,
    up: Array,
    force: Array,
    turns: Array,
    at: Array,
    out: Array,
) -> None:
    """Fill out (9,): the other sole's x, y, yaw from the standing one; its roll, pitch; centre x, y; force x, y.

    up (3,): the vertical seen from the upright body's axes, force (3,): the accelerometer in them; shift (3,) is taken
    off the centre of mass, root frame. Roll and pitch are those of the standing sole; centre [m] and force [m/s²] are
    told in level axes along it. turns and at: work space for the frames of all bodies.
    """
    com = np.empty(3)
    centre_of_mass(q, parent, joint, rotation, offset, axis, weight, centre, turns, at, com)
    r0, p0, r1, p1 = np.empty((3, 3)), np.empty(3), np.empty((3, 3)), np.empty(3)
    _sole(stance, feet[stance], turns, at, sole_turn, sole_at, r0, p0)
    _sole(1 - stance, feet[1 - stance], turns, at, sole_turn, sole_at, r1, p1)
    x, y, z = up[0], up[1], up[2]
    k = 1.0 / max(1.0 + z, 1e-6)
    level = np.empty((3, 3))  # shortest rotation that brings the vertical upright
    level[0, 0], level[0, 1], level[0, 2] = 1.0 - k * x * x, -k * x * y, -x
    level[1, 0], level[1, 1], level[1, 2] = -k * x * y, 1.0 - k * y * y, -y
    level[2, 0], level[2, 1], level[2, 2] = x, y, z
    root, foot = np.zeros((3, 3)), np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for n in range(3):
                root[i, j] += level[i, n] * upright[n, j]
    for i in range(3):
        for j in range(3):
            for n in range(3):
                foot[i, j] += root[i, n] * r0[n, j]
    out[0] = out[1] = 0.0
    c, s = 0.0, 0.0
    for i in range(3):
        out[0] += r0[i, 0] * (p1[i] - p0[i])
        out[1] += r0[i, 1] * (p1[i] - p0[i])
        c += r0[i, 0] * r1[i, 0]
        s += r0[i, 1] * r1[i, 0]
    out[2] = np.arctan2(s, c)
    out[3] = np.arctan2(foot[2, 1], foot[2, 2])
    out[4] = -np.arcsin(min(1.0, max(-1.0, foot[2, 0])))
    heading = np.arctan2(foot[1, 0], foot[0, 0])
    c, s = np.cos(heading), np.sin(heading)
    cx, cy, fx, fy = 0.0, 0.0, 0.0, 0.0
    for n in range(3):
        arm = com[n] - shift[n] - p0[n]
        cx += root[0, n] * arm
        cy += root[1, n] * arm
        fx += level[0, n] * force[n]
        fy += level[1, n] * force[n]
    out[5], out[6] = c * cx + s * cy, c * cy - s * cx
    out[7], out[8] = c * fx + s * fy, c * fy - s * fx
