"""`SpaceField`: how well the end of a beam fits at each place of a map of three dimensions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping.octree.heights import height_map
from andante.mapping.octree.octree import OcTree, log_odds

from .kernels import sum_over_points
from .settings import SpaceSettings

MOST_VOXELS = 100_000_000


class SpaceField:
    """Distances to the nearest surface of an octree, and the likelihoods that they give.

    p(end) = z_hit exp(-d² / 2 sigma²) + z_rand, d the distance from the middle of a voxel to the nearest face between
    an occupied and another one, at most `field_distance`; ends outside of the map count by z_rand alone. Hornung, Wurm
    and Bennewitz, "Humanoid robot localization in complex indoor environments", IROS 2010, with the end point model in
    place of ray casting.
    """

    def __init__(self, tree: OcTree, settings: SpaceSettings | None = None) -> None:
        from scipy.ndimage import distance_transform_edt

        s = self.settings = settings or SpaceSettings()
        low, high = tree.bounds
        shape = np.ceil((high - low) / tree.resolution)
        if not len(shape) or float(np.prod(shape)) > MOST_VOXELS:
            raise BadInput(f"a map of {shape} voxels is too large to localize in; use a coarser resolution")
        occupied = tree.box(low, high) >= log_odds(tree.model.occupied)
        if not occupied.any():
            raise BadInput("the map has no occupied voxel to localize by")
        inside, outside = distance_transform_edt(occupied), distance_transform_edt(~occupied)
        away = (np.where(occupied, inside, outside) - 0.5) * tree.resolution
        near = np.where(away < s.field_distance, np.exp(-0.5 * (away / s.sigma_hit) ** 2), 0.0)
        near = np.pad(near, 1)
        self.resolution, self.origin = tree.resolution, np.asarray(low, dtype=float)
        self.fit: NDArray[np.float32] = near.astype(np.float32)  # 0 to 1
        self._log: NDArray[np.float32] = np.log(s.z_hit * near + s.z_rand).astype(np.float32)
        self._heights = ground = height_map(tree, s.clearance)
        rows, columns = np.nonzero(~np.isnan(ground.heights) & ~ground.blocked)
        if len(rows) == 0:
            raise BadInput("the map has no ground that a robot could stand on")
        middle = (np.stack([columns, rows], axis=-1) + 0.5) * ground.resolution + np.asarray(ground.origin)
        self.ground: Array = np.column_stack([middle, ground.heights[rows, columns]])  # (n, 3) x, y, height [m]

    def fits(self, poses: Array, points: NDArray[np.float32]) -> Array:
        """Mean fit (n,), 0 to 1, of points (m, 3) of the robot's frame under poses (n, 6)."""
        out = np.zeros(len(poses))
        if len(points):
            sum_over_points(self.fit, self.origin, self.resolution, poses, points, out)
            out /= len(points)
        return out

    def ground_at(self, points: Array) -> Array:
        """Height (n,) [m] of the ground at points (n, 2) of the map; NaN where there is none."""
        return self._heights.at(points)

    def fits_at(self, points: Array) -> NDArray[np.float32]:
        """Fit (n,), 0 to 1, of points (n, 3) of the map's frame [m]; 0 outside."""
        cells = np.floor((points - self.origin) / self.resolution).astype(np.int64) + 1
        cells = np.clip(cells, 0, np.array(self.fit.shape) - 1)
        found: NDArray[np.float32] = self.fit[cells[:, 0], cells[:, 1], cells[:, 2]]
        return found

    def log_likelihood(self, poses: Array, points: NDArray[np.float32]) -> Array:
        """Sum over the points of log p (n,), tempered to `effective_beams` independent ones."""
        out = np.zeros(len(poses))
        if len(points):
            sum_over_points(self._log, self.origin, self.resolution, poses, points, out)
            out *= min(1.0, self.settings.effective_beams / len(points))
        return out

    def random_poses(self, count: int, height: float, tilt: Array, rng: np.random.Generator) -> Array:
        """Poses (count, 6) anywhere on the ground, a height [m] above it, with tilts (2,) and any heading."""
        chosen = self.ground[rng.integers(0, len(self.ground), count)]
        out = np.empty((count, 6))
        out[:, :3] = chosen + np.array([0.0, 0.0, height])
        out[:, :2] += rng.uniform(-0.5, 0.5, (count, 2)) * self.resolution
        out[:, 3:5] = tilt
        out[:, 5] = rng.uniform(-math.pi, math.pi, count)
        return out
