"""Rows of `andante bench nav` for mapping (scans/s) and localization (updates/s), beside the same sums in plain numpy.

Both run on the Intel log where it is there, else on a made-up drive.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import distance_transform_edt

from andante.geometry import Array, se2
from andante.localization import LikelihoodField, MclParameters, MonteCarloLocalizer
from andante.localization.synthetic import map_of_walls
from andante.mapping import OccupancyGrid, Scan
from andante.mapping.io.logs import read_log
from andante.mapping.io.map_files import load_map
from andante.mapping.io.trajectories import read_trajectory
from andante.mapping.mapper import Mapper
from andante.mapping.planar import between
from andante.mapping.records import Log, odometry_at_scans
from andante.mapping.synthetic import drive, rooms, smooth_path

from .rows import Row, cpu_time
from .warm_up import warm_mapping

DATA, MADE_UP = "slam/intel-dense.clf.gz", "made-up drive"
EXTENT = 400  # cells of the coarsest map along each edge
LEVELS = 3
BEAMS = 60
SIZES = (2000, 5000)  # particles
WALLS = rooms([(0, 0), (12, 0), (12, 9), (0, 9)], (3, 3, 6, 3), (5, 0, 0.4, 1.2), (8, 7.5, 0.5, 1.5))
WAY = [(1.5, 1.6), (10.3, 1.6), (10.5, 7), (1.8, 7.4)] * 3


def datasets() -> Path:
    """Folder of the real data sets."""
    return Path(os.environ.get("ANDANTE_DATASETS", "../shared/datasets"))


def mapping_rows(seconds: float) -> Iterator[Row]:
    """Matching with and without odometry, on the Intel log where it is there, else on a made-up drive.

    Without odometry the plain mapper tries every pose around its guess for each scan; ours searches where
    Gauss-Newton alone is not sure.
    """
    log, name = bench_log()
    warm_mapping()
    scans, wheels = log.scans, odometry_at_scans(log)
    for odometry, words in ((True, "with odometry"), (False, "without odometry")):
        mapper, plain = Mapper(keep_keys=False), PlainMapper(search=not odometry)
        ours = _rate(mapper.update, scans, wheels, odometry, seconds)
        theirs = _rate(plain.update, scans, wheels, odometry, seconds)
        yield Row(f"map {words}, {name}", ours, theirs, "scans/s")


def bench_log() -> tuple[Log, str]:
    """The log to map and its name."""
    path = datasets() / DATA
    return (read_log(path), "intel-dense") if path.is_file() else (drive(WALLS, smooth_path(WAY, 0.08)).log, MADE_UP)


def _rate(
    update: Callable[[Scan, Array | None], object], scans: Sequence[Scan], wheels: Array, odometry: bool, seconds: float
) -> float:
    """Scans per second of processor time, over as many scans as the time allows."""
    began, count, last = time.process_time(), 0, 0.0
    for scan, pose in zip(scans, wheels, strict=True):
        update(scan, pose if odometry else None)
        count += 1
        last = time.process_time() - began
        if last > seconds:
            break
    return count / last if last > 0 else float("nan")


# ---- the mapper in plain numpy ---------------------------------------------------------------------
def probability_at(log_odds: Array, origin: Array, resolution: float, points: Array) -> tuple[Array, Array]:
    """Occupancy (n,) under points (n, 2), bilinear between the middles of cells, and its slope (n, 2) [1/m].

    Zero slope and value outside the map, as the compiled matcher leaves such points out.
    """
    at = (points - origin) / resolution - 0.5
    low = np.floor(at).astype(int)
    rows, cols = log_odds.shape
    inside = np.asarray(((low >= 0) & (low < [cols - 1, rows - 1])).all(axis=1))
    i, j = np.where(inside, low[:, 0], 0), np.where(inside, low[:, 1], 0)
    u, v = (at - low).T
    m = 1 / (1 + np.exp(-np.stack([log_odds[j, i], log_odds[j, i + 1], log_odds[j + 1, i], log_odds[j + 1, i + 1]])))
    value = (1 - v) * ((1 - u) * m[0] + u * m[1]) + v * ((1 - u) * m[2] + u * m[3])
    slope = np.stack([(1 - v) * (m[1] - m[0]) + v * (m[3] - m[2]), (1 - u) * (m[2] - m[0]) + u * (m[3] - m[1])], axis=1)
    return np.where(inside, value, 0.0), np.where(inside[:, None], slope / resolution, 0.0)


def gauss_newton(
    log_odds: Array, origin: Array, resolution: float, points: Array, guess: ArrayLike, iterations: int
) -> Array:
    """Pose (3,) that lays points on the map, from a guess."""
    pose = np.array(guess, dtype=float)
    for _ in range(iterations):
        turned = se2.transform([0.0, 0.0, pose[2]], points)
        value, slope = probability_at(log_odds, origin, resolution, turned + pose[:2])
        J = np.concatenate([slope, (slope[:, 1] * turned[:, 0] - slope[:, 0] * turned[:, 1])[:, None]], axis=1)
        used = (value > 0).astype(float)
        H, b = J.T @ J, J.T @ ((1 - value) * used)
        if np.linalg.det(H) < 1e-9:
            break
        step = np.linalg.solve(H, b)
        size = np.hypot(step[0], step[1])
        step[:2] *= min(1.0, 4 * resolution / size) if size > 0 else 1.0
        pose += [step[0], step[1], np.clip(step[2], -0.2, 0.2)]
    return pose


def draw(log_odds: Array, origin: Array, resolution: float, start: Array, ends: Array, hit: float, miss: float) -> None:
    """Add one scan: hits at the ends, misses at samples a third of a cell apart along the beams, once per cell."""
    length = np.linalg.norm(ends - start, axis=1)
    count = max(2, int(3 * length.max(initial=0.0) / resolution))
    fraction = np.linspace(0, 1, count)[None, :, None]
    along = start + fraction * (ends - start)[:, None]
    crossed = _cells(along.reshape(-1, 2), origin, resolution, log_odds.shape)
    full = _cells(ends, origin, resolution, log_odds.shape)
    flat = log_odds.ravel()
    flat[np.setdiff1d(crossed, full)] += miss
    flat[np.unique(full)] += hit
    np.clip(log_odds, -6.2, 6.2, out=log_odds)


def search(
    log_odds: Array,
    origin: Array,
    resolution: float,
    points: Array,
    guess: Array,
    reach: float,
    turn: float,
    step: float,
) -> Array:
    """Best pose on the lattice around a guess, every one of them tried."""
    scores = np.maximum(0.0, np.tanh(0.5 * log_odds)).ravel()
    span = np.arange(-int(np.ceil(reach / resolution)), int(np.ceil(reach / resolution)) + 1) * resolution
    dx, dy = np.meshgrid(span, span, indexing="ij")
    shifts = np.stack([dx.ravel(), dy.ravel()], axis=1)
    best, pose = -np.inf, np.array(guess)
    for off in np.arange(-turn, turn + step / 2, step):
        placed = se2.transform([guess[0], guess[1], guess[2] + off], points)
        where = np.floor((placed[None] + shifts[:, None] - origin) / resolution).astype(int)
        good = ((where >= 0) & (where < [log_odds.shape[1], log_odds.shape[0]])).all(axis=-1)
        flat = np.where(good, where[..., 1] * log_odds.shape[1] + where[..., 0], 0)
        score = np.where(good, scores[flat], 0.0).mean(axis=1) - (shifts**2).sum(axis=1) - 0.3 * off**2
        k = int(np.argmax(score))
        if score[k] > best:
            best, pose = float(score[k]), np.array([guess[0] + shifts[k, 0], guess[1] + shifts[k, 1], guess[2] + off])
    return pose


def _cells(points: Array, origin: Array, resolution: float, shape: tuple[int, ...]) -> np.ndarray:
    at = np.floor((points - origin) / resolution).astype(int)
    good = ((at >= 0) & (at < [shape[1], shape[0]])).all(axis=1)
    cells: np.ndarray = at[good, 1] * shape[1] + at[good, 0]
    return cells


class PlainMapper:
    """The tracking part of `Mapper` with the functions above, on maps of a fixed extent."""

    def __init__(self, resolution: float = 0.05, search: bool = False) -> None:
        self._resolutions = [resolution * 2**k for k in range(LEVELS)]
        half = EXTENT * self._resolutions[-1] / 2
        self._origin = np.full(2, -half)
        self._maps = [np.zeros((round(2 * half / r),) * 2) for r in self._resolutions]
        self._searches = search
        self.pose = np.zeros(3)
        self._odometry: Array | None = None
        self._step = np.zeros(3)
        self._key: Array | None = None

    def update(self, scan: Scan, odometry: ArrayLike | None = None) -> Array:
        """Pose (3,) of the next scan."""
        step = self._step
        if odometry is not None:
            now = np.asarray(odometry, dtype=float)
            step = np.zeros(3) if self._odometry is None else se2.between(self._odometry, now)
            self._odometry = now
        guess, points = se2.compose(self.pose, step), scan.points()
        points = points[np.hypot(points[:, 0], points[:, 1]) < 30.0]
        pose = guess
        if self._key is not None:
            if self._searches:
                pose = search(self._maps[1], self._origin, self._resolutions[1], points, pose, 0.6, 0.5, 0.01)
            for k in reversed(range(LEVELS)):
                pose = gauss_newton(self._maps[k], self._origin, self._resolutions[k], points, pose, 5 if k == 0 else 4)
        self._step, self.pose = se2.between(self.pose, pose), pose
        moved = None if self._key is None else se2.between(self._key, pose)
        if moved is None or np.hypot(moved[0], moved[1]) > 0.4 or abs(moved[2]) > 0.5:
            for cells, resolution in zip(self._maps, self._resolutions, strict=True):
                draw(cells, self._origin, resolution, pose[:2], se2.transform(pose, points), 2.197, -0.405)
            self._key = pose
        return pose


# ---- localization ----------------------------------------------------------------------------------
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
            spent[0] += cpu_time(lambda k=k: ours.update(scans[k], wheels[k]))  # type: ignore[misc]
            k += 1
        done[0] += 10
        step = between(wheels[k - 2], wheels[k - 1])
        points = _points(scans[k - 1])
        spent[1] += cpu_time(lambda step=step, points=points: plain.update(step, points))  # type: ignore[misc]
        done[1] += 1
    return Row(case, done[0] / spent[0], done[1] / spent[1], "updates/s")


def _points(scan: Scan) -> Array:
    points = scan.points()
    return points[np.linspace(0, len(points) - 1, BEAMS).round().astype(np.int64)]


def bench_drive() -> tuple[OccupancyGrid, tuple[Scan, ...], Array, Array, str]:
    """Map, scans, odometry (n, 3), first pose and name of the log to localize on."""
    folder = datasets() / "slam"
    if (folder / "intel.ref.txt").is_file():
        log: Log = read_log(folder / "intel.clf.gz")
        start = read_trajectory(folder / "intel.ref.txt").poses[0]
        return load_map(folder / "intel-map.yaml"), log.scans, odometry_at_scans(log), start, "intel"
    made = drive(WALLS, smooth_path(WAY, 0.1))
    return map_of_walls(WALLS), made.log.scans, odometry_at_scans(made.log), made.truth.poses[0], MADE_UP


def field_log(grid: OccupancyGrid, p: MclParameters) -> NDArray[np.float32]:
    """Log-likelihood (rows, cols) of the end of a beam: log(z_hit exp(-d² / 2 sigma²) + z_rand)."""
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
