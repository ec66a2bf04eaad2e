"""Rows of `andante bench nav` for mapping: scans per second, beside the same sums in plain numpy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from andante.geometry import Array
from andante.mapping.mapper import Mapper
from andante.mapping.records import Log, odometry_at_scans
from andante.mapping.scan import Scan
from andante.tasks.map_log import warm

from .mapping_baseline import PlainMapper
from .rows import Row

DATA = "slam/intel-dense.clf.gz"


def datasets() -> Path:
    """Folder of the real data sets."""
    return Path(os.environ.get("ANDANTE_DATASETS", "../shared/datasets"))


def mapping_rows(seconds: float) -> Iterator[Row]:
    """Matching with and without odometry, on the Intel log where it is there, else on a made-up drive.

    Without odometry the plain mapper tries every pose around its guess for each scan; ours searches where
    Gauss-Newton alone is not sure.
    """
    log, name = bench_log()
    warm()
    scans, wheels = log.scans, odometry_at_scans(log)
    for odometry, words in ((True, "with odometry"), (False, "without odometry")):
        mapper, plain = Mapper(keep_keys=False), PlainMapper(search=not odometry)
        ours = _rate(mapper.update, scans, wheels, odometry, seconds)
        theirs = _rate(plain.update, scans, wheels, odometry, seconds)
        yield Row(f"map {words}, {name}", ours, theirs, "scans/s")


def bench_log() -> tuple[Log, str]:
    """The log to measure on and its name."""
    path = datasets() / DATA
    if path.is_file():
        from andante.mapping.io.logs import read_log

        return read_log(path), "intel-dense"
    from andante.mapping.synthetic import drive, rooms, smooth_path

    walls = rooms([(0, 0), (12, 0), (12, 9), (0, 9)], (3, 3, 6, 3), (5, 0, 0.4, 1.2), (8, 7.5, 0.5, 1.5))
    way = [(1.5, 1.6), (10.3, 1.6), (10.5, 7), (1.8, 7.4)] * 3
    return drive(walls, smooth_path(way, 0.08)).log, "made-up drive"


def _rate(
    update: Callable[[Scan, Array | None], object],
    scans: Sequence[Scan],
    wheels: Array,
    odometry: bool,
    seconds: float,
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
