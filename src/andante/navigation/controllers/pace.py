"""How fast a way may be driven: what the base strays aside, and its braking distance, stay within the free room."""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.navigation.costmap import clearance_at

SLOWEST = 0.3  # a narrow place is passed at this speed, or at half of the top speed of a slower robot [m/s]
BESIDE = 0.15  # people are passed at this speed at least, or at half of the top speed of a slower robot [m/s]
NOTICED = 0.25  # until it is told that somebody has turned [s]
TURNING = 0.7  # cosine of the angle from the way ahead within which somebody is before the robot


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


@njit()
def pace_beside(
    pose: Array, movers: Array, discs: Array, way: float, top: float, latency: float, braking: float
) -> float:
    """The greatest speed now [m/s] from which a robot stands before somebody reaches it who turns back at once.

    Of moving discs (m, 5) x, y, vx, vy, radius that are ahead of a robot at x, y, yaw. At a gap g between the outlines,
    with a person's own speed u, until it is noticed and answered after t = t_n + latency, and braked with a:

        (v + u) t + v² / 2a + u v / a <= g
    """
    slowest, pace = min(BESIDE, 0.5 * top), top
    c, s = way * math.cos(pose[2]), way * math.sin(pose[2])
    answer = NOTICED + latency
    for m in range(len(movers)):
        gap = math.inf
        for k in range(len(discs)):
            x = movers[m, 0] - pose[0] - way * (c * discs[k, 0] - s * discs[k, 1])
            y = movers[m, 1] - pose[1] - way * (s * discs[k, 0] + c * discs[k, 1])
            gap = min(gap, math.hypot(x, y) - movers[m, 4] - discs[k, 2])
        x, y = movers[m, 0] - pose[0], movers[m, 1] - pose[1]
        if c * x + s * y < TURNING * math.hypot(x, y):
            continue
        u = math.hypot(movers[m, 2], movers[m, 3])
        half = answer * braking + u
        left = max(0.0, gap - u * answer)
        pace = min(pace, max(slowest, math.sqrt(half * half + 2.0 * braking * left) - half))
    return pace
