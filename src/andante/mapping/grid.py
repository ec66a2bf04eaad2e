"""`OccupancyGrid`: a map of square cells that are free, occupied or unknown, as in ROS."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.errors import BadInput
from andante.geometry import Array, se2

UNKNOWN = -1
MOST_CELLS = 100_000_000
OCCUPIED_PERCENT = 65  # the usual thresholds of map files
FREE_PERCENT = 25

Cells = NDArray[np.int8]


@dataclass(frozen=True)
class OccupancyGrid:
    """Occupancy in percent, 0 (free) to 100 (occupied), -1 unknown: the meaning of nav_msgs/OccupancyGrid.

    Row r, column c covers [c, c + 1) x [r, r + 1) times the resolution in the grid's frame, whose pose in the
    world is `origin`: row 0 lies at the bottom (-y), as in the ROS message and unlike in pictures.
    """

    resolution: float  # edge of a cell [m]
    origin: tuple[float, float, float]  # x, y, yaw of the outer corner of cell (0, 0) [m, m, rad]
    cells: Cells  # (rows, cols), read-only

    def __post_init__(self) -> None:
        cells = np.array(self.cells, dtype=np.int8)
        if cells.ndim != 2 or cells.size == 0 or cells.size > MOST_CELLS:
            raise BadInput(f"a map has rows and columns and up to {MOST_CELLS} cells, got shape {cells.shape}")
        if not (math.isfinite(self.resolution) and self.resolution > 0):
            raise BadInput(f"map resolution must be a positive number of meters, got {self.resolution}")
        origin = tuple(float(value) for value in self.origin)
        if len(origin) != 3 or not all(map(math.isfinite, origin)):
            raise BadInput(f"map origin must be x, y, yaw as finite numbers, got {self.origin}")
        if cells.min() < UNKNOWN or cells.max() > 100:
            raise BadInput(f"map cells lie within -1 to 100, got {cells.min()} to {cells.max()}")
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "origin", origin)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.cells.shape

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [m]."""
        return self.cells.shape[1] * self.resolution, self.cells.shape[0] * self.resolution

    @property
    def known(self) -> NDArray[np.bool_]:
        """Cells that were ever seen (rows, cols)."""
        known: NDArray[np.bool_] = self.cells != UNKNOWN
        return known

    def occupied(self, percent: float = OCCUPIED_PERCENT) -> NDArray[np.bool_]:
        """Cells (rows, cols) with at least that much occupancy."""
        return self.cells >= percent

    def free(self, percent: float = FREE_PERCENT) -> NDArray[np.bool_]:
        """Known cells (rows, cols) with at most that much occupancy."""
        return (self.cells >= 0) & (self.cells <= percent)

    def to_grid(self, points: ArrayLike) -> Array:
        """World points (..., 2) [m] as fractions of columns and rows (..., 2): (0.5, 0.5) is the middle of cell (0, 0).

        The order is x, y: column first.
        """
        return se2.transform(se2.inverse(self.origin), points) / self.resolution

    def cell_of(self, points: ArrayLike) -> NDArray[np.int64]:
        """Row and column (..., 2) of the cells that hold world points (..., 2); they may lie outside the map.

        Points that are not finite get the cell (-1, -1), which is outside.
        """
        at = self.to_grid(points)[..., ::-1]
        good = np.isfinite(at).all(axis=-1, keepdims=True)
        return np.where(good, np.floor(np.clip(np.where(good, at, -1.0), -1e15, 1e15)), -1.0).astype(np.int64)

    def point_of(self, cells: ArrayLike) -> Array:
        """World points (..., 2) [m] of the middles of cells (..., 2) given as row and column."""
        at = (np.asarray(cells, dtype=float)[..., ::-1] + 0.5) * self.resolution
        return se2.transform(self.origin, at)

    def inside(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Which cells (..., 2), row and column, lie on the map."""
        c = np.asarray(cells)
        return np.asarray((c >= 0).all(axis=-1) & (c < self.cells.shape).all(axis=-1))

    def at(self, points: ArrayLike) -> NDArray[np.int8]:
        """Occupancy (...,) in percent under world points (..., 2); unknown (-1) outside the map."""
        cells = self.cell_of(points)
        inside = self.inside(cells)
        row, col = np.where(inside, cells[..., 0], 0), np.where(inside, cells[..., 1], 0)
        return np.where(inside, self.cells[row, col], UNKNOWN).astype(np.int8)
