"""Static stability: the polygon that standing feet span, and how far inside it a point lies."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

ROUNDS = 40  # of projections before the middle is taken
LEAST_AREA = 1e-12  # twice the area of a corner that counts [m²]
CLOSE = 1e-6  # a point this near to its wish is there [m]


@njit(cache=True)
def hull(points: Array) -> Array:
    """Corners (m, 2) of the convex hull of points (n, 2) counter-clockwise (Andrew's monotone chain)."""
    n = points.shape[0]
    ordered = np.empty((n, 2))
    count = 0
    for i in range(n):  # sorted by x, then y, each once
        x, y = points[i, 0], points[i, 1]
        at, twin = count, False
        for k in range(count):
            if ordered[k, 0] == x and ordered[k, 1] == y:
                twin = True
                break
            if x < ordered[k, 0] or (x == ordered[k, 0] and y < ordered[k, 1]):
                at = k
                break
        if twin:
            continue
        for k in range(count, at, -1):
            ordered[k, 0], ordered[k, 1] = ordered[k - 1, 0], ordered[k - 1, 1]
        ordered[at, 0], ordered[at, 1] = x, y
        count += 1
    if count <= 2:
        return ordered[:count].copy()
    out = np.empty((2 * count, 2))
    size = 0
    for way in range(2):  # the lower half from left to right, the upper half back
        floor = size
        for step in range(count):
            k = step if way == 0 else count - 1 - step
            x, y = ordered[k, 0], ordered[k, 1]
            while size - floor >= 2:
                ax, ay, bx, by = out[size - 2, 0], out[size - 2, 1], out[size - 1, 0], out[size - 1, 1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > LEAST_AREA:
                    break
                size -= 1
            out[size, 0], out[size, 1] = x, y
            size += 1
        size -= 1  # the last corner begins the other half
    return out[:size].copy()


@njit(cache=True)
def edges(points: Array) -> Array:
    """Lines (m, 3) of the hull as nx, ny, d with n·p - d >= 0 inside, |n| = 1; none when the hull has no area."""
    corners = hull(points)
    m = corners.shape[0]
    if m < 3:
        return np.empty((0, 3))
    out = np.empty((m, 3))
    for i in range(m):
        ax, ay = corners[i, 0], corners[i, 1]
        dx, dy = corners[(i + 1) % m, 0] - ax, corners[(i + 1) % m, 1] - ay
        length = math.sqrt(dx * dx + dy * dy)
        out[i, 0], out[i, 1] = -dy / length, dx / length
        out[i, 2] = out[i, 0] * ax + out[i, 1] * ay
    return out


@njit(cache=True)
def margin(points: Array, where: Array) -> float:
    """Distance of a point from the border of the hull of points (n, 2), positive inside [m]; -inf without a polygon."""
    lines = edges(points)
    if lines.shape[0] == 0:
        return -math.inf
    least = math.inf
    for i in range(lines.shape[0]):
        least = min(least, lines[i, 0] * where[0] + lines[i, 1] * where[1] - lines[i, 2])
    return least


@njit(cache=True)
def inside(points: Array, where: Array, wanted: float) -> Array:
    """The point nearest to `where` that lies at least `wanted` inside the hull [m]; its middle where that is too much.

    Alternating projections onto the half planes of the shrunken polygon, which end near the nearest point.
    """
    lines = edges(points)
    n, m = points.shape[0], lines.shape[0]
    p = np.array([where[0], where[1]])
    if m:
        for _ in range(ROUNDS):
            worst, least = 0, math.inf
            for i in range(m):
                here = lines[i, 0] * p[0] + lines[i, 1] * p[1] - lines[i, 2]
                if here < least:
                    worst, least = i, here
            if wanted - least <= CLOSE:
                return p
            p[0] += (wanted - least) * lines[worst, 0]
            p[1] += (wanted - least) * lines[worst, 1]
    p[0] = p[1] = 0.0
    for i in range(n):
        p[0] += points[i, 0] / n
        p[1] += points[i, 1] / n
    return p
