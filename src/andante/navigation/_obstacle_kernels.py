"""Compiled kernels of the obstacle layer: marking and clearing by rays, forgetting, and joining with the map."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def trace_scan(
    evidence: np.ndarray,
    seen: np.ndarray,
    base: np.ndarray,
    stamp: np.ndarray,
    mark: int,
    sensor: Array,
    ends: Array,
    is_hit: np.ndarray,
    now: float,
    gain: int,
    most: int,
) -> None:
    """Add one scan: cells with an echo gain evidence, cells that a beam crosses lose one, each once per scan.

    sensor (2,) and ends (m, 2) are told in cells of the grid. evidence (rows, cols) uint8 above 0 is an obstacle;
    seen float32 is when it was last seen; base uint8 is the map, whose unknown cells (2) become free (0) where a beam
    passes, not where it ends: an obstacle that is forgotten leaves a place that nobody has looked through; stamp int32
    remembers the scan that touched a cell (2 mark: crossed, 2 mark + 1: echo).
    Cells are walked by the traversal of Amanatides and Woo (1987).
    """
    rows, cols = evidence.shape
    for k in range(len(ends)):
        if is_hit[k]:
            c, r = math.floor(ends[k, 0]), math.floor(ends[k, 1])
            if 0 <= c < cols and 0 <= r < rows and stamp[r, c] != 2 * mark + 1:
                stamp[r, c] = 2 * mark + 1
                evidence[r, c] = min(most, evidence[r, c] + gain)
                seen[r, c] = now
    for k in range(len(ends)):
        dc, dr = ends[k, 0] - sensor[0], ends[k, 1] - sensor[1]
        c, r = math.floor(sensor[0]), math.floor(sensor[1])
        steps = abs(math.floor(ends[k, 0]) - c) + abs(math.floor(ends[k, 1]) - r)
        step_c, step_r = (1 if dc > 0 else -1), (1 if dr > 0 else -1)
        wide_c = abs(1.0 / dc) if dc != 0.0 else math.inf
        wide_r = abs(1.0 / dr) if dr != 0.0 else math.inf
        next_c = ((c + 1 - sensor[0]) if dc > 0 else (sensor[0] - c)) * wide_c if dc != 0.0 else math.inf
        next_r = ((r + 1 - sensor[1]) if dr > 0 else (sensor[1] - r)) * wide_r if dr != 0.0 else math.inf
        for _ in range(steps):
            if 0 <= c < cols and 0 <= r < rows and stamp[r, c] < 2 * mark:
                stamp[r, c] = 2 * mark
                if evidence[r, c] > 0:
                    evidence[r, c] -= 1
                if base[r, c] == 2:
                    base[r, c] = 0
            if next_c < next_r:
                next_c += wide_c
                c += step_c
            else:
                next_r += wide_r
                r += step_r


@njit(cache=True)
def join_layers(
    base: np.ndarray,
    evidence: np.ndarray,
    seen: np.ndarray,
    oldest: float,
    top: int,
    bottom: int,
    left: int,
    right: int,
    state: np.ndarray,
) -> tuple[int, int, int, int]:
    """Write map and obstacles into `state` and drop obstacles last seen before `oldest`, in a window.

    Returns the rows and columns (first, end, first, end) outside which nothing became or ceased to be occupied; an
    empty span says that nothing did.
    """
    first_r, end_r, first_c, end_c = bottom, top, right, left
    for r in range(top, bottom):
        for c in range(left, right):
            if evidence[r, c] > 0 and seen[r, c] < oldest:
                evidence[r, c] = 0
            new = 1 if (base[r, c] == 1 or evidence[r, c] > 0) else base[r, c]
            if new != state[r, c]:
                state[r, c] = new
                first_r, end_r = min(first_r, r), max(end_r, r + 1)
                first_c, end_c = min(first_c, c), max(end_c, c + 1)
    return first_r, end_r, first_c, end_c
