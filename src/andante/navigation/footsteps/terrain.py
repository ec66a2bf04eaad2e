"""`Terrain`: what feet stand on and what bodies must not touch, in square cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.description.shapes import Plane
from andante.description.world import World
from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping.grid import OccupancyGrid
from andante.mapping.octree.heights import HeightMap
from andante.mapping.worlds import corners_of, map_of_world

MOST_CELLS = 25_000_000
FAR = 1e3  # of a body from the next thing, where there is none [m]


@dataclass(frozen=True)
class Terrain:
    """Heights of the ground (NaN: unknown or none) and how far away the next thing is that a body would touch."""

    resolution: float  # edge of a cell [m]
    origin: tuple[float, float]  # x, y of the outer corner of cell (0, 0) [m]
    heights: NDArray[np.float32]  # (rows, cols) [m]
    clearance: NDArray[np.float32]  # (rows, cols) [m]

    def __post_init__(self) -> None:
        if self.heights.ndim != 2 or self.heights.shape != self.clearance.shape or not self.heights.size:
            raise BadInput(f"a terrain has rows and columns of heights and clearances, got {self.heights.shape}")
        if not (math.isfinite(self.resolution) and self.resolution > 0):
            raise BadInput(f"the resolution of a terrain must be a positive number of meters, got {self.resolution}")

    @classmethod
    def of(
        cls, resolution: float, origin: tuple[float, float], heights: NDArray[Any], blocked: NDArray[np.bool_]
    ) -> Terrain:
        """From heights (rows, cols) [m] and the cells that a body must not touch."""
        return cls(resolution, origin, np.ascontiguousarray(heights, dtype=np.float32), _distances(blocked, resolution))

    @classmethod
    def of_grid(cls, grid: OccupancyGrid) -> Terrain:
        """A flat floor with the occupied cells of a map in the way; unknown cells have no floor."""
        if abs(grid.origin[2]) > 1e-9:
            raise BadInput("a map of footsteps must not be turned; its origin has a yaw")
        occupied = grid.occupied()
        heights = np.where(occupied | ~grid.known, np.nan, 0.0)
        return cls.of(grid.resolution, (grid.origin[0], grid.origin[1]), heights, occupied)

    @classmethod
    def of_heights(cls, ground: HeightMap, max_step: float) -> Terrain:
        """From a map of heights: what rises more than `max_step` [m] beside a cell is in the way of a body."""
        known = ~np.isnan(ground.heights)
        lowest = float(np.nanmin(ground.heights)) if known.any() else 0.0
        high = ground.blocked | (known & (np.nan_to_num(ground.heights, nan=lowest) > lowest + max_step))
        wall = high & (np.nan_to_num(ground.steps(1), nan=0.0) > max_step)
        return cls.of(ground.resolution, ground.origin, ground.heights, wall | ground.blocked)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Row and column of a point [m]."""
        return (
            math.floor((y - self.origin[1]) / self.resolution),
            math.floor((x - self.origin[0]) / self.resolution),
        )

    def height(self, x: float, y: float) -> float:
        """Of the ground at a point [m]; NaN where there is none."""
        row, col = self.cell(x, y)
        rows, cols = self.heights.shape
        return float(self.heights[row, col]) if 0 <= row < rows and 0 <= col < cols else math.nan

    def evenness(self, limit: float) -> NDArray[np.float32]:
        """Distance (rows, cols) to the next cell that differs by more than `limit` from a neighbor [m]."""
        from scipy.ndimage import maximum_filter, minimum_filter

        known = ~np.isnan(self.heights)
        high = maximum_filter(np.where(known, self.heights, -np.inf), 3, mode="nearest")
        low = minimum_filter(np.where(known, self.heights, np.inf), 3, mode="nearest")
        return _distances(known & (high - low > limit), self.resolution)

    def changed(self, other: Terrain) -> NDArray[np.bool_]:
        """Cells (rows, cols) in which another terrain of the same shape differs."""
        if (self.heights.shape, self.resolution, self.origin) != (other.heights.shape, other.resolution, other.origin):
            raise BadInput("two terrains are compared that do not lie on each other cell by cell")
        same = (self.heights == other.heights) | (np.isnan(self.heights) & np.isnan(other.heights))
        differs: NDArray[np.bool_] = ~same | (self.clearance != other.clearance)
        return differs


def ground_of_world(
    world: World, *, resolution: float = 0.01, step: float = 0.1, top: float = 0.6, margin: float = 0.5
) -> Terrain:
    """The terrain of a world as its collision shapes have it, exact in height.

    Args:
        world: the world.
        resolution: edge of a cell [m].
        step: surfaces up to this height above the ground plane can be ground [m].
        top: of the robot; what stands between `step` and there is in the way [m].
        margin: border around the outermost shape [m].
    """
    base = 0.0
    faces = []
    for model in world.models:
        poses = model.robot.link_poses()
        for link in model.robot.links:
            for shape in link.collisions:
                pose = model.pose @ poses[link.name] @ shape.pose
                if isinstance(shape.geometry, Plane):
                    base = max(base, float(pose.translation[2]))
                else:
                    faces.append(corners_of(shape.geometry, pose))
    points = np.concatenate(faces).reshape(-1, 3) if faces else np.zeros((1, 3))
    low = np.floor((points[:, :2].min(axis=0) - margin) / resolution)
    cols, rows = (int(n) for n in np.ceil((points[:, :2].max(axis=0) + margin) / resolution) - low)
    if cols * rows > MOST_CELLS:
        raise BadInput(f"world {world.name!r}: {cols} x {rows} cells of ground are too many; use a coarser resolution")
    heights = np.full((rows, cols), base, dtype=np.float32)
    for corners in faces:
        draw_tops(heights, corners, low, resolution, base + step)
    origin = (float(low[0] * resolution), float(low[1] * resolution))
    blocked = np.zeros((rows, cols), dtype=np.bool_)
    if any((corners[:, :, 2].max() > base + step) for corners in faces):
        plan = map_of_world(world, height=base + step + 1e-3, top=base + top, resolution=resolution, margin=margin)
        row, col = round((plan.origin[1] - origin[1]) / resolution), round((plan.origin[0] - origin[0]) / resolution)
        r, c = plan.shape
        inside = np.zeros_like(blocked)
        inside[row : row + r, col : col + c] = plan.occupied()[: rows - row, : cols - col]
        heights[row : row + r, col : col + c][~plan.known[: rows - row, : cols - col]] = np.nan
        blocked |= inside
    heights[blocked] = np.nan
    return Terrain.of(resolution, origin, heights, blocked)


@njit()
def draw_tops(heights: NDArray[np.float32], corners: Array, low: Array, resolution: float, highest: float) -> None:
    """Raise cells to the triangles (n, 3, 3) above their middle, where these are not higher than `highest` [m]."""
    rows, cols = heights.shape
    for n in range(corners.shape[0]):
        x0, y0, z0 = corners[n, 0, 0], corners[n, 0, 1], corners[n, 0, 2]
        ux, uy, uz = corners[n, 1, 0] - x0, corners[n, 1, 1] - y0, corners[n, 1, 2] - z0
        vx, vy, vz = corners[n, 2, 0] - x0, corners[n, 2, 1] - y0, corners[n, 2, 2] - z0
        area = ux * vy - uy * vx
        if abs(area) < 1e-14:
            continue
        left = min(x0, corners[n, 1, 0], corners[n, 2, 0]) / resolution - low[0]
        right = max(x0, corners[n, 1, 0], corners[n, 2, 0]) / resolution - low[0]
        bottom = min(y0, corners[n, 1, 1], corners[n, 2, 1]) / resolution - low[1]
        upper = max(y0, corners[n, 1, 1], corners[n, 2, 1]) / resolution - low[1]
        for row in range(max(0, math.floor(bottom - 0.5)), min(rows, math.ceil(upper + 0.5))):
            for col in range(max(0, math.floor(left - 0.5)), min(cols, math.ceil(right + 0.5))):
                px, py = (col + 0.5 + low[0]) * resolution - x0, (row + 0.5 + low[1]) * resolution - y0
                s, t = (px * vy - py * vx) / area, (ux * py - uy * px) / area
                if s < -1e-9 or t < -1e-9 or s + t > 1.0 + 1e-9:
                    continue
                z = z0 + s * uz + t * vz
                if heights[row, col] < z <= highest:
                    heights[row, col] = z


def _distances(blocked: NDArray[np.bool_], resolution: float) -> NDArray[np.float32]:
    """From every cell to the next blocked one [m]."""
    from scipy.ndimage import distance_transform_edt

    if not blocked.any():
        return np.full(blocked.shape, FAR, dtype=np.float32)
    return np.asarray(distance_transform_edt(~blocked) * resolution, dtype=np.float32)
