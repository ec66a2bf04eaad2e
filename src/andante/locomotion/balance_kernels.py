"""Forward kinematics of a whole tree, compiled: centre of mass and the places of some points."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def tree_frames(
    parent: Array, joint: Array, slides: Array, rotation: Array, offset: Array, axis: Array, q: Array
) -> tuple[Array, Array]:
    """Rotations (bodies, 3, 3) and origins (bodies, 3) of all bodies in the root frame; parents come first."""
    count = len(parent)
    turns, places = np.empty((count, 3, 3)), np.empty((count, 3))
    turns[0], places[0] = np.eye(3), np.zeros(3)
    for k in range(1, count):
        before = turns[parent[k]]
        turn = before @ rotation[k]
        place = places[parent[k]] + before @ offset[k]
        value = q[joint[k]]
        x, y, z = axis[k]
        if slides[k]:
            places[k] = place + turn @ axis[k] * value
            turns[k] = turn
            continue
        c, s = math.cos(value), math.sin(value)
        v = 1.0 - c
        local = np.array(
            [
                [c + x * x * v, x * y * v - z * s, x * z * v + y * s],
                [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
                [z * x * v - y * s, z * y * v + x * s, c + z * z * v],
            ]
        )
        places[k], turns[k] = place, turn @ local
    return turns, places


@njit(cache=True)
def centre_of(turns: Array, places: Array, mass: Array, centre: Array) -> Array:
    """Centre of mass in the root frame (3,)."""
    out, total = np.zeros(3), 0.0
    for k in range(len(mass)):
        out += mass[k] * (places[k] + turns[k] @ centre[k])
        total += mass[k]
    return out / total


@njit(cache=True)
def points_of(turns: Array, places: Array, body: Array, points: Array) -> Array:
    """Points fixed to bodies, in the root frame (n, 3)."""
    out = np.empty_like(points)
    for k in range(len(body)):
        out[k] = places[body[k]] + turns[body[k]] @ points[k]
    return out
