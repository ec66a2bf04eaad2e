"""Maps mended by hand: areas set free, occupied or unknown, and specks taken out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import ndimage

from andante.errors import BadInput, UnknownName
from andante.geometry import se2
from andante.geometry.polygon import inside

from .grid import UNKNOWN, OccupancyGrid

VALUES = {"free": 0, "occupied": 100, "unknown": UNKNOWN}


def repaint(grid: OccupancyGrid, outline: ArrayLike, to: str = "free") -> OccupancyGrid:
    """The map with an area, corners (n, 2) x, y on it [m], set to free, occupied or unknown."""
    UnknownName.check("state", [to], tuple(VALUES))
    corners = np.asarray(outline, dtype=float)
    if corners.ndim != 2 or corners.shape[1:] != (2,) or len(corners) < 3 or not np.isfinite(corners).all():
        raise BadInput(f"an area has three finite corners x, y or more, got shape {corners.shape}")
    inner = np.asarray(se2.transform(se2.inverse(grid.origin), corners), dtype=float) / grid.resolution
    rows, cols = np.indices(grid.cells.shape)
    middles = np.stack([cols.ravel() + 0.5, rows.ravel() + 0.5], axis=1)
    cells = np.array(grid.cells)
    cells[inside(middles, inner).reshape(cells.shape)] = VALUES[to]
    return replace(grid, cells=cells)


def without_specks(grid: OccupancyGrid, cells: int = 3) -> OccupancyGrid:
    """The map without occupied spots of up to so many cells that touch nothing else: people who walked by, noise."""
    if cells < 1:
        raise BadInput(f"specks have one cell or more, got {cells}")
    parts, count = ndimage.label(grid.occupied(), structure=np.ones((3, 3)))
    sizes = ndimage.sum_labels(np.ones_like(parts), parts, np.arange(1, count + 1))
    small = np.isin(parts, 1 + np.flatnonzero(sizes <= cells))
    made = np.array(grid.cells)
    made[small] = VALUES["free"]
    return replace(grid, cells=made)
