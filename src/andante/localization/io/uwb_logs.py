"""`read_uwb_log`: ranges and IMU readings of a CSV file or a bag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from andante.bags import messages, open_bag
from andante.bags.reader import SUFFIXES
from andante.errors import AndanteError, BadInput
from andante.gravity import STANDARD_GRAVITY
from andante.localization.anchors import UwbSetup
from andante.localization.uwb_log import UwbLog
from andante.mapping.records import LARGEST, ImuReading, believable

from .uwb_tables import read_table

TABLES = (".csv", ".txt", ".csv.gz", ".txt.gz")
RANGE, IMU = "sensor_msgs/msg/Range", "sensor_msgs/msg/Imu"
USUAL_IMU = ("/imu/data", "/imu")


def read_uwb_log(path: Path | str, setup: UwbSetup) -> UwbLog:
    """Ranges between the tags and anchors of a setup, and IMU readings where the log has them."""
    path = Path(path)
    name = path.name.lower()
    if not path.exists():
        raise BadInput(f"{path}: no such log")
    if name.endswith(TABLES):
        return checked(read_table(path, setup), path)
    if name.endswith(SUFFIXES) or path.is_dir():
        return checked(_read_bag(path, setup), path)
    raise BadInput(f"{path}: UWB logs are tables (.csv, .txt, also .gz) or bags (.bag, .db3, folder, .mcap)")


def _read_bag(path: Path, setup: UwbSetup) -> UwbLog:
    """Ranges and IMU readings of a bag.

    A Range topic belongs to the anchor that its name ends with (/uwb/0x6902, /uwb/tag1/0x6902); the tag is told by the
    part in front of it or by the frame_id of the message, else it is the first one.
    """
    rows: list[tuple[float, int, int, float]] = []
    imu: list[ImuReading] = []
    broken = 0
    with open_bag(path) as bag:
        owners = {topic.name: _owner(topic.name, setup) for topic in bag.topics if topic.type == RANGE}
        inertial = _imu_topic([topic.name for topic in bag.topics if topic.type == IMU])
        wanted = [name for name, owner in owners.items() if owner is not None] + [inertial] * bool(inertial)
        for topic, _, message in bag.decoded(wanted) if wanted else ():
            try:
                time, owner = messages.seconds(message.header.stamp), owners.get(topic.name)
                if owner is not None:
                    tag = owner[0] if owner[0] is not None else _tag(message.header.frame_id, setup)
                    rows.append((time, tag, owner[1], float(message.range)))
                else:
                    imu.append(_imu(message, time))
            except Exception:  # a message of other fields, or of numbers that are none, is left out and counted
                broken += 1
        broken += bag.broken
        notes = [*bag.notes]
    if not rows:
        raise BadInput(
            f"{path}: holds no UWB ranges; they are sensor_msgs/Range messages on topics that end with the name of an "
            f"anchor ({', '.join(setup.anchors)})"
        )
    if broken:
        notes.append(f"{path.name}: {broken} broken messages left out")
    table = np.array(rows)
    tags, anchors = table[:, 1].astype(np.int64), table[:, 2].astype(np.int64)
    return UwbLog(path.name, table[:, 0], tags, anchors, table[:, 3], tuple(imu), tuple(notes))


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


def _owner(topic: str, setup: UwbSetup) -> tuple[int | None, int] | None:
    """Tag (None: by the frame of the message) and anchor of a topic; None: no topic of an anchor."""
    parts = topic.strip("/").split("/")
    try:
        anchor = setup.anchor_index(parts[-1])
    except AndanteError:
        return None
    for part in parts[-2:-1]:
        try:
            return setup.tag_index(part), anchor
        except AndanteError:
            pass
    return None, anchor


def _tag(frame: str, setup: UwbSetup) -> int:
    try:
        return setup.tag_index(frame)
    except AndanteError:
        return 0


def _imu_topic(topics: list[str]) -> str:
    return next((topic for topic in USUAL_IMU if topic in topics), topics[0] if topics else "")


def _imu(message: Any, time: float) -> ImuReading:
    w, a = message.angular_velocity, message.linear_acceleration
    values = np.array([w.x, w.y, w.z, a.x, a.y, a.z], dtype=float)
    if not believable(values):
        raise ValueError("not finite")
    gx, gy, gz, ax, ay, az = (float(value) for value in values)
    return ImuReading(time, (gx, gy, gz), (ax, ay, az))
