"""The one table from a sensor to its topic: name, message type, frame and rate, whoever publishes or records it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from andante.description.link import SensorSpec
from andante.description.robot import Robot

from .camera import CameraSensor
from .channel import Channel
from .contact import FootForce
from .lidar import Lidar
from .proprioception import Imu, WheelEncoders
from .sonar import Sonar
from .uwb import UwbTag


@dataclass(frozen=True)
class SensorTopic:
    """Where the readings of one sensor go."""

    topic: str
    type: str  # of the message
    frame: str  # in which it tells them
    rate: float | None  # at most [Hz]; None: every reading


@dataclass(frozen=True)
class Row:
    """A kind of sensor: the topic of the first one, of the others ({} is the sensor's name), type and rate [Hz]."""

    kind: type
    first: str
    others: str
    type: str
    rate: float | None = None


# UWB tags tell one range per anchor: the anchor's name follows the topic. All load cells of a robot are one message.
TABLE = (
    Row(Imu, "/imu/data", "/imu/{}", "sensor_msgs/msg/Imu", 100.0),
    Row(Lidar, "/scan", "/scan_{}", "sensor_msgs/msg/LaserScan", 40.0),
    Row(Sonar, "/sonar", "/sonar", "sensor_msgs/msg/Range"),
    Row(UwbTag, "/uwb/{}", "/uwb/{}", "sensor_msgs/msg/Range"),
    Row(WheelEncoders, "/wheel_encoders", "/{}", "sensor_msgs/msg/JointState", 50.0),
    Row(FootForce, "/{robot}/foot_force", "/{robot}/foot_force", "andante_msgs/msg/FootForces", 50.0),
    Row(CameraSensor, "/{}/image_raw", "/{}/image_raw", "sensor_msgs/msg/Image"),
)


def sensor_topics(robot: Robot, channels: Iterable[Channel]) -> dict[str, SensorTopic]:
    """The topic of every channel that has one, by its name."""
    frames = {spec.name: sensor_frame(spec) for spec in robot.sensors}
    found: dict[str, SensorTopic] = {}
    seen: set[type] = set()
    for channel in channels:
        row = next((row for row in TABLE if isinstance(channel.sensor, row.kind)), None)
        if row is None:
            continue
        pattern = row.others if row.kind in seen else row.first
        seen.add(row.kind)
        topic = pattern.format(plain(channel.name), robot=plain(robot.name))
        found[channel.name] = SensorTopic(topic, row.type, frames.get(channel.name, robot.root), row.rate)
    return found


def sensor_frame(spec: SensorSpec) -> str:
    """Frame in which a sensor tells its readings: that of its link, else one of its own."""
    return spec.link if spec.pose.is_identity() else plain(spec.name).replace("/", "_") + "_sensor"


def plain(name: str) -> str:
    """A name as part of a topic: letters, digits, _ and /."""
    return re.sub(r"[^A-Za-z0-9_/]", "_", name).strip("/") or "sensor"
