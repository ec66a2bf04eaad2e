"""Forward kinematics of a whole tree, compiled: centre of mass and the places of some points."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def _product(a: Array, b: Array, out: Array) -> None:
    """out = a b of matrices (3, 3)."""
    for i in range(3):
        for j in range(3):
            out[i, j] = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]


@njit(cache=True)
def tree_frames(
    parent: Array, joint: Array, slides: Array, rotation: Array, offset: Array, axis: Array, q: Array
) -> tuple[Array, Array]:
    """Rotations (bodies, 3, 3) and origins (bodies, 3) of all bodies in the root frame; parents come first."""
    count = len(parent)
    turns, places = np.empty((count, 3, 3)), np.empty((count, 3))
    turns[0], places[0] = np.eye(3), np.zeros(3)
    turn, local = np.empty((3, 3)), np.empty((3, 3))
    for k in range(1, count):
        p, value = parent[k], q[joint[k]]
        x, y, z = axis[k, 0], axis[k, 1], axis[k, 2]
        _product(turns[p], rotation[k], turn)
        slide = value if slides[k] else 0.0
        for i in range(3):
            carried = turns[p, i, 0] * offset[k, 0] + turns[p, i, 1] * offset[k, 1] + turns[p, i, 2] * offset[k, 2]
            along = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z
            places[k, i] = places[p, i] + carried + slide * along
        angle = 0.0 if slides[k] else value
        c, s = math.cos(angle), math.sin(angle)
        v = 1.0 - c
        local[0, 0], local[0, 1], local[0, 2] = c + x * x * v, x * y * v - z * s, x * z * v + y * s
        local[1, 0], local[1, 1], local[1, 2] = y * x * v + z * s, c + y * y * v, y * z * v - x * s
        local[2, 0], local[2, 1], local[2, 2] = z * x * v - y * s, z * y * v + x * s, c + z * z * v
        _product(turn, local, turns[k])
    return turns, places


@njit(cache=True)
def centre_of(turns: Array, places: Array, mass: Array, centre: Array) -> Array:
    """Centre of mass in the root frame (3,)."""
    out, total = np.zeros(3), 0.0
    for k in range(len(mass)):
        for i in range(3):
            local = turns[k, i, 0] * centre[k, 0] + turns[k, i, 1] * centre[k, 1] + turns[k, i, 2] * centre[k, 2]
            out[i] += mass[k] * (places[k, i] + local)
        total += mass[k]
    return out / total


@njit(cache=True)
def points_of(turns: Array, places: Array, body: Array, points: Array) -> Array:
    """Points fixed to bodies, in the root frame (n, 3)."""
    out = np.empty_like(points)
    for k in range(len(body)):
        b = body[k]
        for i in range(3):
            local = turns[b, i, 0] * points[k, 0] + turns[b, i, 1] * points[k, 1] + turns[b, i, 2] * points[k, 2]
            out[k, i] = places[b, i] + local
    return out
