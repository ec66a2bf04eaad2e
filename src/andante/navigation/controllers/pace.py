"""How fast a way may be driven: what the base strays aside, and its braking distance, stay within the free room."""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.navigation.costmap import clearance_at

SLOWEST = 0.3  # a narrow place is passed at this speed, or at half of the top speed of a slower robot [m/s]


@njit()
def pace_along(
    path: Array, distance: np.ndarray, resolution: float, discs: Array, enough: float, top: float, stray: float,
    braking: float,
) -> float:  # fmt: skip
    """The greatest speed now [m/s] for a path (p, 4) x, y, yaw, distance along, in the frame of a distance field.

    A base that gets aside of its way by `stray` per speed may pass a place with the room g at g / stray, and must have
    slowed down to that by then: v = min_i sqrt((g_i / stray)² + 2 a s_i) over all places at a distance s_i ahead.
    """
    slowest = min(SLOWEST, 0.5 * top)
    pace = top
    for i in range(len(path)):
        reach = 2.0 * braking * path[i, 3]
        if slowest * slowest + reach > pace * pace:
            break
        c, s = math.cos(path[i, 2]), math.sin(path[i, 2])
        room = clearance_at(path[i, 0], path[i, 1], c, s, distance, resolution, discs, enough, -1e9)
        there = max(slowest, min(top, max(room, 0.0) / max(stray, 1e-6)))
        pace = min(pace, math.sqrt(there * there + reach))
    return pace
