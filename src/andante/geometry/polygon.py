"""Points inside polygons of the plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def inside(points: ArrayLike, outline: ArrayLike) -> np.ndarray:
    """Which points (n, 2) lie inside an outline (m, 2), (n,) of bool: by the number of edges that a ray to +x crosses.

    The outline may be concave and go either way round.
    """
    x, y = np.asarray(points, dtype=float).reshape(-1, 2).T
    corners = np.asarray(outline, dtype=float)
    odd = np.zeros(len(x), dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        crosses = (y0 > y) != (y1 > y)
        if crosses.any():
            odd ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / ((y1 - y0) or 1.0))
    return odd
