"""Logs written as CARMEN text, for tools that read that."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from andante.files import write_bytes
from andante.geometry import se2
from andante.mapping.records import Log, Odometry
from andante.mapping.scan import Scan


def write_carmen(log: Log, path: Path | str) -> None:
    """ODOM and ROBOTLASER1 lines of a log, gzipped where the name ends in .gz; whole or not at all.

    Beams without an echo are written as range_max, IMU readings are left out.
    """
    path = Path(path)
    data = carmen_log(log).encode()
    write_bytes(gzip.compress(data, mtime=0) if path.name.lower().endswith(".gz") else data, path)


def carmen_log(log: Log) -> str:
    """The text of such a log."""
    lines, last = [], (0.0, 0.0, 0.0)
    for record, following in zip(log.records, (*log.records[1:], None), strict=True):
        stamp = f"{record.time:.6f} andante {record.time:.6f}"
        if isinstance(record, Odometry):
            last = record.pose
            if not (isinstance(following, Scan) and following.time == record.time):  # else the scan's line tells it
                lines.append(f"ODOM {_numbers(last)} 0 0 0 {stamp}")
        elif isinstance(record, Scan):
            top = record.range_max if np.isfinite(record.range_max) else 80.0
            ranges = np.where(np.isnan(record.ranges) | (record.ranges < record.range_min), 0.0, record.ranges)
            span = record.angle_increment * max(len(ranges) - 1, 0)
            laser = se2.compose(last, record.sensor)
            head = f"{record.angle_min:.9f} {span:.9f} {record.angle_increment:.9f} {top:.4f} 0.01 0 {len(ranges)}"
            body = " ".join(f"{value:.4f}" for value in np.minimum(ranges, top))
            lines.append(f"ROBOTLASER1 0 {head} {body} 0 {_numbers(laser)} {_numbers(last)} 0 0 0 0 0 {stamp}")
    return "\n".join(lines) + "\n"


def _numbers(values: object) -> str:
    return " ".join(f"{float(value):.6f}" for value in np.asarray(values, dtype=float))
