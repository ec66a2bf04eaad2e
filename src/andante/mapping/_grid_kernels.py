"""Compiled kernels that draw scans into log-odds grids."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def draw_scan(
    log_odds: np.ndarray,
    stamp: np.ndarray,
    mark: int,
    ox: float,
    oy: float,
    resolution: float,
    sx: float,
    sy: float,
    ends: Array,
    is_hit: np.ndarray,
    hit: int,
    miss: int,
    low: int,
    high: int,
) -> None:
    """Add one scan, taken at (sx, sy), with beams that end at `ends` (m, 2), all in the frame of the grid [m].

    `log_odds` (rows, cols) int16 counts thousandths. Every cell changes once per scan: cells with the end of an echo
    by `hit` (> 0), others that a beam crosses by `miss` (< 0), clamped to [low, high]. `stamp` (rows, cols) remembers
    the scan that touched a cell: 2·mark for a miss, 2·mark + 1 for a hit. Everything outside the grid is left out.
    Cells are walked by the traversal of Amanatides and Woo (1987), which visits every cell that a beam crosses.
    """
    rows, cols = log_odds.shape
    sc, sr = (sx - ox) / resolution, (sy - oy) / resolution
    for k in range(len(ends)):
        if is_hit[k]:
            c, r = math.floor((ends[k, 0] - ox) / resolution), math.floor((ends[k, 1] - oy) / resolution)
            if 0 <= c < cols and 0 <= r < rows and stamp[r, c] != 2 * mark + 1:
                stamp[r, c] = 2 * mark + 1
                log_odds[r, c] = min(high, log_odds[r, c] + hit)
    for k in range(len(ends)):
        ec, er = (ends[k, 0] - ox) / resolution, (ends[k, 1] - oy) / resolution
        c, r = math.floor(sc), math.floor(sr)
        last_c, last_r = math.floor(ec), math.floor(er)
        dc, dr = ec - sc, er - sr
        step_c, step_r = (1 if dc > 0 else -1), (1 if dr > 0 else -1)
        wide_c = abs(1.0 / dc) if dc != 0.0 else math.inf
        wide_r = abs(1.0 / dr) if dr != 0.0 else math.inf
        next_c = ((c + 1 - sc) if dc > 0 else (sc - c)) * wide_c if dc != 0.0 else math.inf
        next_r = ((r + 1 - sr) if dr > 0 else (sr - r)) * wide_r if dr != 0.0 else math.inf
        for _ in range(abs(last_c - c) + abs(last_r - r)):
            if 0 <= c < cols and 0 <= r < rows and stamp[r, c] < 2 * mark:
                stamp[r, c] = 2 * mark
                log_odds[r, c] = max(low, log_odds[r, c] + miss)
            if next_c < next_r:
                next_c += wide_c
                c += step_c
            else:
                next_r += wide_r
                r += step_r
