"""Compiled pyramid of upper bounds that searches of a scan's pose share (after Hess et al., 2016).

Level 0 holds a score 0 to 255 per cell. Cell (R, C) of level k holds the greatest score of the cells
[R 2^k, (R + 2) 2^k) x [C 2^k, (C + 2) 2^k) of level 0, so that one look bounds the score of a point under all
2^k x 2^k shifts that begin there.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def pool(fine: np.ndarray, coarse: np.ndarray, first: bool, r0: int, r1: int, c0: int, c1: int) -> None:
    """Rows r0 to r1 and columns c0 to c1 of the next level; `first`: `fine` is level 0."""
    rows, cols = fine.shape
    for r in range(r0, r1):
        for c in range(c0, c1):
            best = 0
            for i in range(2 * r, min(2 * r + 4, rows), 1 if first else 2):
                for j in range(2 * c, min(2 * c + 4, cols), 1 if first else 2):
                    best = max(best, fine[i, j])
            coarse[r, c] = best


@njit(cache=True)
def score_under(level: np.ndarray, k: int, at: np.ndarray, dx: int, dy: int) -> int:
    """Sum of level k under cells (m, 2), column and row, shifted by dx, dy; cells outside of the table score 0.

    A block that begins less than its width below the table (column or row -1 of its level) still reaches into it:
    the first column or row, which holds all that it can reach, bounds it.
    """
    rows, cols = level.shape
    low = -1 if k > 0 else 0
    total = 0
    for p in range(len(at)):
        c, r = (at[p, 0] + dx) >> k, (at[p, 1] + dy) >> k
        if low <= c < cols and low <= r < rows:
            total += level[max(r, 0), max(c, 0)]
    return total
