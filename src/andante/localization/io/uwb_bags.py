"""UWB ranges in ROS bags: sensor_msgs/Range topics whose name ends with the anchor, and an IMU topic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import AndanteError, BadInput
from andante.localization.uwb import UwbLog, UwbSetup
from andante.mapping.records import ImuReading, believable

RANGE, IMU = "sensor_msgs/msg/Range", "sensor_msgs/msg/Imu"
USUAL_IMU = ("/imu/data", "/imu")
MOST_MESSAGES = 5_000_000


def read_range_bag(path: Path, setup: UwbSetup) -> UwbLog:
    """Ranges and IMU readings of a bag.

    A Range topic belongs to the anchor that its name ends with (/uwb/0x6902, /uwb/tag1/0x6902); the tag is told by the
    part in front of it or by the frame_id of the message, else it is the first one.
    """
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    rows: list[tuple[float, int, int, float]] = []
    imu: list[ImuReading] = []
    broken = 0
    try:
        with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
            owners = {c.topic: _owner(c.topic, setup) for c in reader.connections if c.msgtype == RANGE}
            inertial = _imu_topic([c.topic for c in reader.connections if c.msgtype == IMU])
            wanted = [c for c in reader.connections if owners.get(c.topic) is not None or c.topic == inertial]
            for count, (connection, _, raw) in enumerate(reader.messages(connections=wanted)):
                if count > MOST_MESSAGES:
                    raise BadInput(f"{path}: more than {MOST_MESSAGES} messages; cut the bag")
                try:
                    message: Any = reader.deserialize(raw, connection.msgtype)
                    time = float(message.header.stamp.sec) + 1e-9 * float(message.header.stamp.nanosec)
                    owner = owners.get(connection.topic)
                    if owner is not None:
                        tag = owner[0] if owner[0] is not None else _tag(message.header.frame_id, setup)
                        rows.append((time, tag, owner[1], float(message.range)))
                    else:
                        imu.append(_imu(message, time))
                except Exception:  # a broken message is left out and counted
                    broken += 1
    except BadInput:
        raise
    except Exception as error:  # the reader raises what its parsers raise
        told = " ".join(str(error).split())[:160] or type(error).__name__
        raise BadInput(f"{path}: cannot be read as a bag, it may be cut off or damaged ({told})") from None
    if not rows:
        raise BadInput(
            f"{path}: holds no UWB ranges; they are sensor_msgs/Range messages on topics that end with the name of an "
            f"anchor ({', '.join(setup.anchors)})"
        )
    table = np.array(rows)
    notes = (f"{path.name}: {broken} broken messages left out",) if broken else ()
    tags, anchors = table[:, 1].astype(np.int64), table[:, 2].astype(np.int64)
    return UwbLog(path.name, table[:, 0], tags, anchors, table[:, 3], tuple(imu), notes)


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
