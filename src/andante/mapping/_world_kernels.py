"""Compiled kernels between maps and worlds: cuts through solids drawn into cells, cells merged into rectangles."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

INWARD = 1e-4  # [m]
SHORT = 0.01  # outlines end so much earlier, so that a corner on the border of two cells fills one of them [cells]


@njit(cache=True)
def cut_triangles(corners: Array, height: float, segments: Array) -> int:
    """Where triangles (n, 3, 3) meet the plane z = height: fills segments (n, 4) x1, y1, x2, y2; returns how many.

    Segments lie INWARD of the surface by a hair, against the normal of the triangle's winding, so that a face on the
    border of two cells belongs to the one that the solid fills.
    """
    count = 0
    for t in range(len(corners)):
        found = 0
        for a in range(3):
            b = (a + 1) % 3
            za, zb = corners[t, a, 2] - height, corners[t, b, 2] - height
            if (za < 0.0) != (zb < 0.0) and found < 2:
                share = za / (za - zb)
                for k in range(2):
                    segments[count, 2 * found + k] = corners[t, a, k] + share * (corners[t, b, k] - corners[t, a, k])
                found += 1
        if found == 2:
            ux, uy, uz = corners[t, 1] - corners[t, 0]
            vx, vy, vz = corners[t, 2] - corners[t, 0]
            nx, ny = uy * vz - uz * vy, uz * vx - ux * vz
            size = math.hypot(nx, ny)
            if size > 0.0:
                for k in range(2):
                    segments[count, 2 * k] -= INWARD * nx / size
                    segments[count, 2 * k + 1] -= INWARD * ny / size
            count += 1
    return count


@njit(cache=True)
def draw_cut(cells: np.ndarray, segments: Array, full: int) -> None:
    """Set the cells that segments (n, 4), in cells, run through, and those inside by the even-odd rule per row."""
    rows, cols = cells.shape
    for k in range(len(segments)):
        x1, y1, x2, y2 = segments[k, 0], segments[k, 1], segments[k, 2], segments[k, 3]
        length = math.hypot(x2 - x1, y2 - y1)
        steps = max(1, math.ceil(4.0 * length))
        for i in range(steps + 1):
            share = i / steps if length <= 4.0 * SHORT else (SHORT + (length - 2.0 * SHORT) * i / steps) / length
            c, r = math.floor(x1 + (x2 - x1) * share), math.floor(y1 + (y2 - y1) * share)
            if 0 <= c < cols and 0 <= r < rows:
                cells[r, c] = full
    crossings = np.empty(len(segments))
    low, high = rows, 0
    for k in range(len(segments)):
        low = min(low, math.floor(min(segments[k, 1], segments[k, 3])))
        high = max(high, math.ceil(max(segments[k, 1], segments[k, 3])))
    for r in range(max(0, low), min(rows, high)):
        y = r + 0.5
        count = 0
        for k in range(len(segments)):
            y1, y2 = segments[k, 1], segments[k, 3]
            if (y1 < y) != (y2 < y):
                crossings[count] = segments[k, 0] + (y - y1) / (y2 - y1) * (segments[k, 2] - segments[k, 0])
                count += 1
        if count % 2:
            continue  # the surface does not close: its outline is all that is known
        order = np.sort(crossings[:count])
        for i in range(0, count, 2):
            first, last = max(0, math.ceil(order[i] - 0.5)), min(cols, math.floor(order[i + 1] - 0.5) + 1)
            for c in range(first, last):
                cells[r, c] = full


@njit(cache=True)
def merge_cells(occupied: np.ndarray, rectangles: np.ndarray) -> int:
    """Cover the True cells by rectangles without overlap; each grows as far as it can along its row, then up.

    Fills rectangles (n, 4) first row, first column, rows, columns; returns how many, or -1 when they are too few.
    """
    left = occupied.copy()
    rows, cols = left.shape
    count = 0
    for r in range(rows):
        for c in range(cols):
            if not left[r, c]:
                continue
            if count == len(rectangles):
                return -1
            width = 1
            while c + width < cols and left[r, c + width]:
                width += 1
            height = 1
            grows = True
            while grows and r + height < rows:
                for k in range(c, c + width):
                    if not left[r + height, k]:
                        grows = False
                        break
                height += grows
            left[r : r + height, c : c + width] = False
            rectangles[count, 0], rectangles[count, 1], rectangles[count, 2], rectangles[count, 3] = r, c, height, width
            count += 1
    return count
