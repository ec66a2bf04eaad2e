"""Rows of `andante bench nav` for localisation: full updates per second, beside the same sums in plain numpy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.geometry import Array, se2
from andante.localization import LikelihoodField, MclParameters, MonteCarloLocalizer
from andante.mapping import OccupancyGrid, Scan
from andante.mapping.planar import between
from andante.mapping.records import Log, odometry_at_scans

from .rows import Row

BEAMS = 60
SIZES = (2000, 5000)


def localization_rows(seconds: float) -> Iterator[Row]:
    """Monte Carlo updates with a fixed number of particles, each with motion, weights, estimate and resampling.

    Both sides take turns on the same scans, in CPU time; about `seconds` for each size.
    """
    grid, scans, wheels, start, name = bench_drive()
    for count in SIZES:
        p = MclParameters(
            particles_min=count, particles_max=count, beams=BEAMS, update_min_d=0.0, update_min_a=0.0,
            resample_below=1.0, recovery=False,
        )  # fmt: skip
        field = LikelihoodField(grid, p)
        ours = MonteCarloLocalizer(field, p)
        ours.start_at(start, (0.1, 0.1, 0.05))
        ours.update(scans[0], wheels[0])
        ours.update(scans[1], wheels[1])
        plain = PlainLocalizer(grid, p, ours.estimate.pose, count)
        yield _measure(f"mcl {count} x {BEAMS}, {name}", ours, plain, scans, wheels, seconds)


def _measure(
    case: str, ours: MonteCarloLocalizer, plain: PlainLocalizer, scans: tuple[Scan, ...], wheels: Array, seconds: float
) -> Row:
    spent, done = [0.0, 0.0], [0, 0]
    k = 2
    while sum(spent) < seconds and k + 10 < len(scans):
        for _ in range(10):
            spent[0] += _timed(lambda k=k: ours.update(scans[k], wheels[k]))  # type: ignore[misc]
            k += 1
        done[0] += 10
        step = between(wheels[k - 2], wheels[k - 1])
        points = _points(scans[k - 1])
        spent[1] += _timed(lambda step=step, points=points: plain.update(step, points))  # type: ignore[misc]
        done[1] += 1
    return Row(case, done[0] / spent[0], done[1] / spent[1], "updates/s")


def _timed(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _points(scan: Scan) -> Array:
    points = scan.points()
    return points[np.linspace(0, len(points) - 1, BEAMS).round().astype(np.int64)]


def bench_drive() -> tuple[OccupancyGrid, tuple[Scan, ...], Array, Array, str]:
    """Map, scans, odometry (n, 3), first pose and name: the Intel log where it is there, else a made-up drive."""
    folder = Path(os.environ.get("ANDANTE_DATASETS", "../shared/datasets")) / "slam"
    if (folder / "intel.ref.txt").is_file():
        from andante.mapping.io.logs import read_log
        from andante.mapping.io.map_files import load_map
        from andante.mapping.io.trajectories import read_trajectory

        log: Log = read_log(folder / "intel.clf.gz")
        start = read_trajectory(folder / "intel.ref.txt").poses[0]
        return load_map(folder / "intel-map.yaml"), log.scans, odometry_at_scans(log), start, "intel"
    from andante.localization.synthetic import map_of_walls
    from andante.mapping.synthetic import drive, rooms, smooth_path

    walls = rooms([(0, 0), (12, 0), (12, 9), (0, 9)], (3, 3, 6, 3), (5, 0, 0.4, 1.2), (8, 7.5, 0.5, 1.5))
    made = drive(walls, smooth_path([(1.5, 1.6), (10.3, 1.6), (10.5, 7), (1.8, 7.4)] * 3, 0.1))
    return map_of_walls(walls), made.log.scans, odometry_at_scans(made.log), made.truth.poses[0], "made-up drive"


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
    weighted: Array = values.sum(axis=1) * min(1.0, p.effective_beams / len(points))
    return weighted


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
