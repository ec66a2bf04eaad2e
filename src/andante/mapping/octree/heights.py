"""`HeightMap`: the ground that feet can stand on, column by column, from an octree or as it is felt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.errors import BadInput
from andante.geometry import Array

from .octree import OcTree, log_odds


@dataclass(frozen=True)
class HeightMap:
    """Height of the ground in square cells; NaN where it is not known or nothing fits above it."""

    resolution: float  # edge of a cell [m]
    origin: tuple[float, float]  # x, y of the outer corner of cell (0, 0) [m]
    heights: Array  # (rows, cols) [m], row 0 at the bottom (-y)
    blocked: NDArray[np.bool_]  # (rows, cols): something stands there that is no ground

    def __post_init__(self) -> None:
        if not (math.isfinite(self.resolution) and self.resolution > 0):
            raise BadInput(f"the resolution of a height map must be a positive number of meters, got {self.resolution}")
        if self.heights.ndim != 2 or self.heights.shape != self.blocked.shape:
            raise BadInput(
                f"heights and blocked cells have one shape, got {self.heights.shape} and {self.blocked.shape}"
            )
        for array in (self.heights, self.blocked):
            array.setflags(write=False)

    def at(self, points: ArrayLike) -> Array:
        """Heights (n,) [m] at points (n, 2) [m]; NaN outside and where nothing is known."""
        asked = np.asarray(points, dtype=float).reshape(-1, 2)
        cells = np.floor((asked - self.origin) / self.resolution).astype(np.int64)
        rows, cols = self.heights.shape
        inside = (cells[:, 0] >= 0) & (cells[:, 0] < cols) & (cells[:, 1] >= 0) & (cells[:, 1] < rows)
        out = np.full(len(asked), np.nan)
        out[inside] = self.heights[cells[inside, 1], cells[inside, 0]]
        return out

    def slopes(self) -> Array:
        """Steepness (rows, cols) [rad] of the plane through each cell's neighbors; NaN where one is not known."""
        dy, dx = np.gradient(self.heights, self.resolution)
        steep: Array = np.arctan(np.hypot(dx, dy))
        return steep

    def steps(self, reach: int = 1) -> Array:
        """Largest difference of height (rows, cols) [m] to a known cell at most `reach` cells away."""
        from scipy.ndimage import maximum_filter, minimum_filter

        known = ~np.isnan(self.heights)
        high = maximum_filter(np.where(known, self.heights, -np.inf), 2 * reach + 1, mode="nearest")
        low = minimum_filter(np.where(known, self.heights, np.inf), 2 * reach + 1, mode="nearest")
        found: Array = np.where(known, np.maximum(high - self.heights, self.heights - low), np.nan)
        return found

    def traversable(self, max_step: float, max_slope: float, reach: int = 1) -> NDArray[np.bool_]:
        """Cells (rows, cols) with ground, no step above `max_step` [m] near, and no slope above `max_slope` [rad].

        A step between two cells is not taken for a slope: the plane is looked at only where steps are no step.
        """
        ground = ~np.isnan(self.heights) & ~self.blocked
        low = self.steps(reach)
        fine = ground & (low <= max_step)
        steep = np.nan_to_num(self.slopes(), nan=0.0)
        rise = low > 1.5 * self.resolution  # one voxel up is the rounding of the map
        found: NDArray[np.bool_] = fine & ((steep <= max_slope) | ~rise)
        return found


def height_map(tree: OcTree, clearance: float, *, low: float = -math.inf, high: float = math.inf) -> HeightMap:
    """The lowest ground of every column with free or unknown space of `clearance` [m] above it.

    A cell is blocked where there is something solid between `low` and `high` [m] but no ground to stand on: walls,
    furniture, and tables too low to walk under.
    """
    if not clearance > 0.0:
        raise BadInput(f"the clearance above ground must be positive, got {clearance}")
    least, most = tree.bounds
    least[2], most[2] = max(least[2], low), min(most[2], high)
    cells = tree.box(least, most)
    solid = cells >= log_odds(tree.model.occupied)
    need = max(1, math.ceil(clearance / tree.resolution - 1e-9))
    layers = solid.shape[2]
    first_key = math.floor(least[2] / tree.resolution + 1e-9)
    height = np.full(solid.shape[:2], np.nan)
    room = np.full(solid.shape[:2], layers + need, dtype=np.int64)  # free layers above the one that is looked at
    for layer in range(layers - 1, -1, -1):  # from the top down: the lowest that fits wins
        fits = solid[:, :, layer] & (room >= need)
        height[fits] = (first_key + layer + 1) * tree.resolution
        room = np.where(solid[:, :, layer], 0, room + 1)
    blocked = solid.any(axis=2) & np.isnan(height)
    return HeightMap(tree.resolution, (float(least[0]), float(least[1])), height.T.copy(), blocked.T.copy())
