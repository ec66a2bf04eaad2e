"""Rows of `andante bench nav` for localisation: full updates per second, beside the same sums in plain numpy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from andante.geometry import Array
from andante.localization import LikelihoodField, MclParameters, MonteCarloLocalizer
from andante.mapping import OccupancyGrid, Scan
from andante.mapping.planar import between
from andante.mapping.records import Log, odometry_at_scans

from .localization_baseline import PlainLocalizer
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
