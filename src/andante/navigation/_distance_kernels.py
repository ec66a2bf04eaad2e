"""Compiled kernels: exact Euclidean distances to the nearest obstacle and the costs that follow from them."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

FREE, OCCUPIED, UNKNOWN = 0, 1, 2  # states of cells
LETHAL, INSCRIBED, NO_INFORMATION = 254, 253, 255  # costs, as costmap_2d names them


@njit(cache=True)
def distance_window(
    state: np.ndarray, top: int, bottom: int, left: int, right: int, reach: int, resolution: float, out: np.ndarray
) -> None:
    """Distance [m] from the middle of each cell in rows top..bottom, columns left..right to the nearest occupied one.

    state (rows, cols) uint8 holds 1 where it is occupied. Distances above `reach` cells are told as `reach`, so only
    obstacles within `reach` of the window matter and a changed part of a map can be done alone. Two passes: distances
    along columns, then the lower envelope of parabolas along rows (Felzenszwalb and Huttenlocher 2012).
    """
    rows, cols = state.shape
    first, last = max(0, left - reach), min(cols, right + reach)
    above, below = max(0, top - reach), min(rows, bottom + reach)
    width, height = last - first, bottom - top
    far = reach + 1
    column = np.empty((height, width), dtype=np.int32)
    run = np.full(width, far, dtype=np.int32)
    for r in range(above, bottom):
        for k in range(width):
            run[k] = 0 if state[r, first + k] == 1 else min(run[k] + 1, far)
        if r >= top:
            for k in range(width):
                column[r - top, k] = run[k]
    run[:] = far
    for r in range(below - 1, top - 1, -1):
        for k in range(width):
            run[k] = 0 if state[r, first + k] == 1 else min(run[k] + 1, far)
        if r < bottom:
            for k in range(width):
                if run[k] < column[r - top, k]:
                    column[r - top, k] = run[k]
    place = np.empty(width, dtype=np.int64)  # apexes of the parabolas of the envelope
    start = np.empty(width + 1, dtype=np.float64)  # where each becomes the lowest
    most = np.float32(reach * resolution)
    for r in range(height):
        count = 0
        for k in range(width):
            g = column[r, k]
            if g > reach:
                continue
            value = float(g * g + k * k)
            while count > 0:
                q = place[count - 1]
                cross = (value - float(column[r, q] * column[r, q] + q * q)) / (2.0 * (k - q))
                if cross > start[count - 1]:
                    break
                count -= 1
            if count == 0:
                start[0] = -1e18
            else:
                start[count] = cross
            place[count] = k
            count += 1
        if count == 0:
            for c in range(left, right):
                out[top + r, c] = most
            continue
        i = 0
        for c in range(left, right):
            k = c - first
            while i + 1 < count and start[i + 1] < k:
                i += 1
            q = place[i]
            squared = column[r, q] * column[r, q] + (k - q) * (k - q)
            out[top + r, c] = min(most, np.float32(math.sqrt(squared) * resolution))


@njit(cache=True)
def cost_window(
    state: np.ndarray,
    distance: np.ndarray,
    top: int,
    bottom: int,
    left: int,
    right: int,
    inscribed: float,
    radius: float,
    decline: float,
    out: np.ndarray,
) -> None:
    """Costs of cells: 254 occupied, 253 within `inscribed` of an obstacle, then falling to 0 at `radius`.

    In between 252 exp(-decline (d - inscribed)); unknown cells that no obstacle makes lethal are 255.
    """
    for r in range(top, bottom):
        for c in range(left, right):
            d = distance[r, c]
            if state[r, c] == 1:
                out[r, c] = 254
            elif d <= inscribed:
                out[r, c] = 253
            elif state[r, c] == 2:
                out[r, c] = 255
            elif d < radius:
                out[r, c] = max(1, int(252.0 * math.exp(-decline * (d - inscribed))))
            else:
                out[r, c] = 0
