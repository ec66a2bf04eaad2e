"""Monte Carlo localisation in plain numpy: what the compiled filter is compared with, in results and in speed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.geometry import Array, se2
from andante.localization.parameters import MclParameters
from andante.mapping import OccupancyGrid


def field_log(grid: OccupancyGrid, p: MclParameters) -> NDArray[np.float32]:
    """Log-likelihood (rows, cols) of the end of a beam: log(z_hit exp(-d² / 2 sigma²) + z_rand)."""
    from scipy.ndimage import distance_transform_edt

    d = distance_transform_edt(~grid.occupied()) * grid.resolution
    near = np.where(d < p.field_distance, np.exp(-0.5 * (d / p.sigma_hit) ** 2), 0.0)
    return np.log(p.z_hit * near + p.z_rand).astype(np.float32)


def moved(particles: Array, step: Array, alphas: tuple[float, ...], noise: Array) -> Array:
    """Particles (n, 3) after a step (3,) of a differential robot, with the corrected deviations."""
    drive = np.hypot(step[0], step[1])
    turn1 = np.arctan2(step[1], step[0]) if drive > 1e-3 else 0.0
    turn2 = se2.wrap(step[2] - turn1)
    size1, size2 = (min(abs(turn), abs(np.pi - abs(turn))) for turn in (turn1, turn2))
    a1, a2, a3, a4 = alphas[:4]
    heading = particles[:, 2] + turn1 + np.sqrt(a1 * size1**2 + a2 * drive**2) * noise[:, 0]
    way = drive + np.sqrt(a3 * drive**2 + a4 * (size1**2 + size2**2)) * noise[:, 1]
    yaw = heading + turn2 + np.sqrt(a1 * size2**2 + a2 * drive**2) * noise[:, 2]
    x, y = particles[:, 0] + way * np.cos(heading), particles[:, 1] + way * np.sin(heading)
    return np.stack([x, y, se2.wrap(yaw)], axis=1)


def log_product(
    table: NDArray[np.float32], grid: OccupancyGrid, p: MclParameters, poses: Array, points: Array
) -> Array:
    """Tempered sum (n,) of the table under points (m, 2) of the robot's frame seen from poses (n, 3)."""
    cells = grid.cell_of(se2.transform(poses[:, None], points[None]))
    inside = grid.inside(cells)
    row, col = np.where(inside, cells[..., 0], 0), np.where(inside, cells[..., 1], 0)
    values = np.where(inside, table[row, col], np.log(p.z_rand))
    return values.sum(axis=1) * min(1.0, p.effective_beams / len(points))


class PlainLocalizer:
    """A fixed number of particles: move, weigh by the log-product, mean, systematic resampling at every update."""

    def __init__(self, grid: OccupancyGrid, parameters: MclParameters, pose: Array, count: int, seed: int = 0) -> None:
        self.grid, self.parameters = grid, parameters
        self.rng = np.random.default_rng(seed)
        self.table = field_log(grid, parameters)
        self.particles = np.asarray(pose) + self.rng.standard_normal((count, 3)) * 0.1

    def update(self, step: Array, points: Array) -> tuple[Array, Array]:
        """Mean pose (3,) and covariance (3, 3) after a step (3,) and the ends (m, 2) of a scan."""
        n = len(self.particles)
        noise = self.rng.standard_normal((n, 3))
        self.particles = moved(self.particles, step, self.parameters.alphas, noise)
        weight = log_product(self.table, self.grid, self.parameters, self.particles, points)
        weight = np.exp(weight - weight.max())
        weight /= weight.sum()
        x, y = weight @ self.particles[:, :2]
        c, s = weight @ np.cos(self.particles[:, 2]), weight @ np.sin(self.particles[:, 2])
        mean = np.array([x, y, np.arctan2(s, c)])
        gap = self.particles - mean
        gap[:, 2] = se2.wrap(gap[:, 2])
        covariance = (gap * weight[:, None]).T @ gap
        at = (self.rng.random() + np.arange(n)) / n
        self.particles = self.particles[np.minimum(np.searchsorted(np.cumsum(weight), at), n - 1)]
        return mean, covariance
