"""`LikelihoodField`: how well the end of a beam fits at each place of a map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping import OccupancyGrid

from .parameters import MclParameters


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
            raise BadInput("the map has no occupied cell to localize by")
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


@njit()
def sum_over_beams(
    table: np.ndarray, origin: Array, resolution: float, particles: Array, points: Array, out: Array
) -> None:
    """out (n,) = sum over points (m, 2) of the robot's frame of a table under each particle (n, 3).

    table (rows + 2, cols + 2) has a border of one cell, which answers for all that lies outside; the origin (3,) is the
    pose of the inner corner. Cells are found in one loop without branches and looked up in another.
    """
    rows, cols = table.shape
    flat = table.ravel()
    scale = 1.0 / resolution
    c0, s0 = math.cos(origin[2]), math.sin(origin[2])
    last_col, last_row, zero = np.float32(cols - 1), np.float32(rows - 1), np.float32(0.0)
    m = len(points)
    xs, ys = points[:, 0].astype(np.float32), points[:, 1].astype(np.float32)
    at = np.empty(m, dtype=np.int32)
    for i in range(len(particles)):
        dx, dy = particles[i, 0] - origin[0], particles[i, 1] - origin[1]
        px, py = np.float32(scale * (c0 * dx + s0 * dy) + 1.0), np.float32(scale * (c0 * dy - s0 * dx) + 1.0)
        yaw = particles[i, 2] - origin[2]
        c, s = np.float32(scale * math.cos(yaw)), np.float32(scale * math.sin(yaw))
        for k in range(m):
            x = min(max(px + c * xs[k] - s * ys[k], zero), last_col)
            y = min(max(py + s * xs[k] + c * ys[k], zero), last_row)
            at[k] = np.int32(y) * np.int32(cols) + np.int32(x)
        total = 0.0
        for k in range(m):
            total += flat[at[k]]
        out[i] = total


@njit()
def cast_ray(
    distance: np.ndarray, resolution: float, x: float, y: float, cosine: float, sine: float, longest: float
) -> float:
    """Way [m] from (x, y) [m, in the frame of the table] to the first obstacle along a direction; `longest` if none.

    distance (rows, cols): from each cell's middle to the nearest obstacle [m]. The ray advances by the free distance
    less a cell's diagonal (sphere tracing), at least by half a cell.
    """
    rows, cols = distance.shape
    way = 0.0
    while way < longest:
        column, row = (x + way * cosine) / resolution, (y + way * sine) / resolution
        if column < 0.0 or row < 0.0 or column >= cols or row >= rows:
            return longest
        free = distance[int(row), int(column)]
        if free <= 0.0:
            return way
        way += max(0.5 * resolution, free - 1.5 * resolution)
    return longest


@njit()
def beam_log_likelihood(
    distance: np.ndarray, origin: Array, resolution: float, particles: Array, sensor: Array, angles: Array,
    ranges: Array, longest: float, mixture: Array, out: Array,
) -> None:  # fmt: skip
    """out (n,) = sum over beams (m,) of log p(range | pose): hit, short, no echo and random parts.

    mixture: z_hit, z_short, z_max, z_rand, sigma_hit [m], lambda_short [1/m]. Thrun, Burgard and Fox (2005), eq. 6.12.
    Ranges of at least `longest` are beams without an echo.
    """
    z_hit, z_short, z_max, z_rand, sigma, rate = mixture
    peak = z_hit / (math.sqrt(2.0 * math.pi) * sigma)
    c0, s0 = math.cos(origin[2]), math.sin(origin[2])
    for i in range(len(particles)):
        c, s = math.cos(particles[i, 2]), math.sin(particles[i, 2])
        wx = particles[i, 0] + c * sensor[0] - s * sensor[1] - origin[0]
        wy = particles[i, 1] + s * sensor[0] + c * sensor[1] - origin[1]
        x, y = c0 * wx + s0 * wy, c0 * wy - s0 * wx
        yaw = particles[i, 2] + sensor[2] - origin[2]
        total = 0.0
        for k in range(len(ranges)):
            direction = yaw + angles[k]
            expected = cast_ray(distance, resolution, x, y, math.cos(direction), math.sin(direction), longest)
            seen = ranges[k]
            if seen >= longest:
                p = z_max + 1e-9
                if expected >= longest:
                    p += z_hit
            else:
                gap = (seen - expected) / sigma
                p = peak * math.exp(-0.5 * gap * gap) + z_rand / longest
                if seen < expected:
                    p += z_short * rate * math.exp(-rate * seen) / max(1e-6, 1.0 - math.exp(-rate * expected))
            total += math.log(p)
        out[i] = total
