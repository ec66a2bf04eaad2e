"""`read_uwb_log`: ranges and IMU readings of a CSV file or a bag."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from andante.errors import BadInput, MissingFile
from andante.gravity import STANDARD_GRAVITY
from andante.localization.anchors import UwbSetup
from andante.localization.uwb_log import UwbLog
from andante.mapping.io.logs import BAGS
from andante.mapping.records import LARGEST, ImuReading

TABLES = (".csv", ".txt", ".csv.gz", ".txt.gz")


def read_uwb_log(path: Path | str, setup: UwbSetup) -> UwbLog:
    """Ranges between the tags and anchors of a setup, and IMU readings where the log has them."""
    path = Path(path)
    name = path.name.lower()
    if not path.exists():
        raise MissingFile(f"{path}: no such log")
    if name.endswith(TABLES):
        from .uwb_tables import read_table

        return checked(read_table(path, setup), path)
    if name.endswith(BAGS) or path.is_dir():
        from .uwb_bags import read_range_bag

        return checked(read_range_bag(path, setup), path)
    raise BadInput(f"{path}: UWB logs are tables (.csv, .txt, also .gz) or bags (.bag, .db3, folder, .mcap)")


def checked(log: UwbLog, path: Path) -> UwbLog:
    """The log with wild readings left out and counted; units that cannot be metres are told."""
    notes = list(log.notes)
    good = np.isfinite(log.times) & (log.ranges > 0) & (log.ranges <= LARGEST)
    if not good.any():
        raise BadInput(f"{path}: holds no usable range")
    if (~good).any():
        notes.append(f"{path.name}: {int((~good).sum())} ranges that are no positive numbers left out")
    if np.median(log.ranges[good]) > 200:
        raise BadInput(f"{path}: ranges of {np.median(log.ranges[good]):.0f} look like millimetres; metres are needed")
    imu = log.imu
    if imu:
        size = float(np.median([np.linalg.norm(reading.acceleration) for reading in imu]))
        if 0.5 < size < 2.0:
            notes.append(f"{path.name}: accelerations of about {size:.2f} look like g; taken as such")
            imu = tuple(_scaled(reading) for reading in imu)
    else:
        notes.append(f"{path.name}: has no IMU readings; positions come from the ranges alone")
    return UwbLog(log.name, log.times[good], log.tags[good], log.anchors[good], log.ranges[good], imu, tuple(notes))


def _scaled(reading: ImuReading) -> ImuReading:
    x, y, z = (STANDARD_GRAVITY * value for value in reading.acceleration)
    return ImuReading(reading.time, reading.gyro, (x, y, z), reading.orientation)
