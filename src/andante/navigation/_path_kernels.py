"""Compiled kernels that shorten and smooth paths on a costmap."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

from ._theta_kernels import line_price


@njit(cache=True)
def shortcut_points(cost: np.ndarray, factor: np.ndarray, points: Array) -> np.ndarray:
    """Which points (n,) of a way, told in cells, are needed when lines that cost no more replace what lies between."""
    n = len(points)
    rows, cols = cost.shape
    cell = np.empty((n, 2), dtype=np.int64)
    for i in range(n):
        cell[i, 0] = min(max(math.floor(points[i, 1]), 0), rows - 1)
        cell[i, 1] = min(max(math.floor(points[i, 0]), 0), cols - 1)
    so_far = np.zeros(n)
    for i in range(1, n):
        step = line_price(cost, factor, cell[i - 1, 0], cell[i - 1, 1], cell[i, 0], cell[i, 1])
        so_far[i] = so_far[i - 1] + step
    keep = np.zeros(n, dtype=np.bool_)
    keep[0] = keep[n - 1] = True
    i = 0
    while i < n - 1:
        j, reach = i + 1, 2
        while i + reach < n:  # doubling, then stepping back, finds a far end in few tries
            k = i + reach
            line = line_price(cost, factor, cell[i, 0], cell[i, 1], cell[k, 0], cell[k, 1])
            if not line <= (so_far[k] - so_far[i]) * 1.001 + 1e-9:
                break
            j = k
            reach *= 2
        low, high = j, min(n - 1, i + reach)
        while low + 1 < high or (high == n - 1 and low < high):
            k = (low + high + 1) // 2
            line = line_price(cost, factor, cell[i, 0], cell[i, 1], cell[k, 0], cell[k, 1])
            if line <= (so_far[k] - so_far[i]) * 1.001 + 1e-9:
                low = k
            else:
                high = k - 1
        keep[low] = True
        i = low
    return keep


@njit(cache=True)
def smooth_points(
    points: Array,
    cost: np.ndarray,
    factor: np.ndarray,
    distance: np.ndarray,
    resolution: float,
    clearance: float,
    rounds: int,
    pull: float,
    stay: float,
) -> None:
    """Smooth points (n, 2), told in metres from the corner of the grid, in place; the ends stay."""
    rows, cols = distance.shape
    n = len(points)
    at_first = points.copy()
    for _ in range(rounds):
        for i in range(1, n - 1):
            x, y = points[i, 0], points[i, 1]
            nx = x + pull * (points[i - 1, 0] + points[i + 1, 0] - 2 * x) + stay * (at_first[i, 0] - x)
            ny = y + pull * (points[i - 1, 1] + points[i + 1, 1] - 2 * y) + stay * (at_first[i, 1] - y)
            c, r = int(x / resolution), int(y / resolution)
            if not (1 <= c < cols - 1 and 1 <= r < rows - 1):
                continue
            d = distance[r, c]
            if d < clearance:
                gx = float(distance[r, c + 1] - distance[r, c - 1])
                gy = float(distance[r + 1, c] - distance[r - 1, c])
                size = math.sqrt(gx * gx + gy * gy)
                if size > 0.5 * resolution:
                    push = 0.2 * (clearance - d) / size
                    nx += push * gx
                    ny += push * gy
            nc, nr = int(nx / resolution), int(ny / resolution)
            if 0 <= nc < cols and 0 <= nr < rows:
                free = factor[cost[nr, nc]] != 0 or factor[cost[r, c]] == 0
                if free and (distance[nr, nc] >= clearance / 2 or distance[nr, nc] >= d):
                    points[i, 0], points[i, 1] = nx, ny
