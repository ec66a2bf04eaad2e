"""`LikelihoodField`: how well the end of a beam fits at each place of a map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping import OccupancyGrid

from ._field_kernels import beam_log_likelihood, sum_over_beams
from .mcl_parameters import MclParameters


class LikelihoodField:
    """Distances of a map to its nearest walls, and the sensor models that look them up.

    p(end) = z_hit exp(-d² / 2 sigma²) + z_rand, with d the distance to the nearest occupied cell, at most
    `field_distance`; ends outside of the map and in cells that nobody has seen count by z_rand alone.
    """

    def __init__(self, grid: OccupancyGrid, parameters: MclParameters | None = None) -> None:
        from scipy.ndimage import distance_transform_edt

        p = parameters or MclParameters()
        occupied = grid.occupied()
        if not occupied.any():
            raise BadInput("the map has no occupied cell to localise by")
        if not grid.free().any():
            raise BadInput("the map has no free cell that a robot could stand in")
        self.grid, self.parameters = grid, p
        away = distance_transform_edt(~occupied) * grid.resolution
        self.distance: NDArray[np.float32] = away.astype(np.float32)
        near = np.where((away < p.field_distance), np.exp(-0.5 * (away / p.sigma_hit) ** 2), 0.0)
        near = np.pad(near, 1)  # the border answers for all that lies outside
        likelihood = p.z_hit * near + p.z_rand
        self._fit: NDArray[np.float32] = near.astype(np.float32)  # 0 to 1
        self._log: NDArray[np.float32] = np.log(likelihood).astype(np.float32)
        self._cube: NDArray[np.float32] = (likelihood**3).astype(np.float32)
        free = np.argwhere(grid.free())
        self.free_cells: NDArray[np.int64] = free
        self._origin = np.array(grid.origin)

    def fits(self, poses: Array, points: Array) -> Array:
        """Mean fit (n,), 0 to 1, of points (m, 2) of the robot's frame under poses (n, 3); 1: every end on a wall."""
        out = np.zeros(len(poses))
        if len(points):
            sum_over_beams(self._fit, self._origin, self.grid.resolution, poses, points, out)
            out /= len(points)
        return out

    def log_product(self, poses: Array, points: Array, effective: float) -> Array:
        """Log-likelihood (n,): sum over the points of log p, tempered to `effective` independent beams.

        Beams that hit one wall err together. So m beams weigh as min(1, effective / m) m: the sum is scaled.
        """
        out = np.zeros(len(poses))
        if len(points):
            sum_over_beams(self._log, self._origin, self.grid.resolution, poses, points, out)
            out *= min(1.0, effective / len(points))
        return out

    def log_cubes(self, poses: Array, points: Array) -> Array:
        """Log-likelihood (n,) of the older form: log(1 + sum of p³), which is flat and forgiving."""
        out = np.zeros(len(poses))
        if len(points):
            sum_over_beams(self._cube, self._origin, self.grid.resolution, poses, points, out)
        return np.log1p(out)

    def log_beams(
        self, poses: Array, sensor: Array, angles: Array, ranges: Array, longest: float, effective: float
    ) -> Array:
        """Log-likelihood (n,) of the beam model: expected ranges are cast through the map, tempered as above."""
        p = self.parameters
        out = np.zeros(len(poses))
        if len(ranges):
            mixture = np.array([p.z_hit, p.z_short, p.z_max, p.z_rand, p.sigma_hit, p.lambda_short])
            beam_log_likelihood(
                self.distance, self._origin, self.grid.resolution, poses, sensor, angles, ranges, longest, mixture, out
            )
            out *= min(1.0, effective / len(ranges))
        return out

    def random_poses(self, count: int, rng: np.random.Generator) -> Array:
        """Poses (count, 3) anywhere on free cells, with any heading."""
        cells = self.free_cells[rng.integers(0, len(self.free_cells), count)] + rng.uniform(-0.5, 0.5, (count, 2))
        return np.column_stack([self.grid.point_of(cells), rng.uniform(-math.pi, math.pi, count)])
