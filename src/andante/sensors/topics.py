"""The one table from a sensor to its topic: name, message type, frame and rate, whoever publishes or records it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from andante.description.link import SensorSpec
from andante.description.robot import Robot

from .camera import CameraSensor
from .channel import Channel
from .contact import FootForce
from .depth import DepthCamera, depth_name
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
    cloud: str = ""  # topic of the same readings as points, sensor_msgs/PointCloud2; empty: none


@dataclass(frozen=True)
class Row:
    """A kind of sensor: the topic of the first one, of the others ({} is the sensor's name), type and rate [Hz]."""

    kind: type
    first: str
    others: str
    type: str
    rate: float | None = None
    cloud: tuple[str, str] = ("", "")  # topics of points, of the first one and of the others


DEPTH_IMAGE, DEPTH_POINTS, DEPTH_INFO = "/{}/image_raw", "/{}/points", "/{}/camera_info"
# UWB tags tell one range per anchor: the anchor's name follows the topic. All load cells of a robot are one message.
TABLE = (
    Row(Imu, "/imu/data", "/imu/{}", "sensor_msgs/msg/Imu", 100.0),
    Row(Lidar, "/scan", "/scan_{}", "sensor_msgs/msg/LaserScan", 40.0, ("/points", "/points_{}")),
    Row(Sonar, "/sonar", "/sonar", "sensor_msgs/msg/Range"),
    Row(UwbTag, "/uwb/{}", "/uwb/{}", "sensor_msgs/msg/Range"),
    Row(WheelEncoders, "/wheel_encoders", "/{}", "sensor_msgs/msg/JointState", 50.0),
    Row(FootForce, "/{robot}/foot_force", "/{robot}/foot_force", "andante_msgs/msg/FootForces", 50.0),
    Row(DepthCamera, DEPTH_IMAGE, DEPTH_IMAGE, "sensor_msgs/msg/Image", None, (DEPTH_POINTS, DEPTH_POINTS)),
    Row(CameraSensor, "/{}/image_raw", "/{}/image_raw", "sensor_msgs/msg/Image"),
)


def sensor_topics(robot: Robot, channels: Iterable[Channel]) -> dict[str, SensorTopic]:
    """The topic of every channel that has one, by its name."""
    frames = {name: sensor_frame(spec) for spec in robot.sensors for name in (spec.name, depth_name(spec))}
    channels = list(channels)
    names = distinct(channel.name for channel in channels)
    found: dict[str, SensorTopic] = {}
    seen: set[type] = set()
    for channel in channels:
        row = next((row for row in TABLE if isinstance(channel.sensor, row.kind)), None)
        if row is None:
            continue
        pattern = row.others if row.kind in seen else row.first
        seen.add(row.kind)
        name = names[channel.name]
        if isinstance(channel.sensor, DepthCamera) and not name.endswith("/depth"):
            name = f"{name}/depth"
        topic = pattern.format(name, robot=plain(robot.name))
        cloud = row.cloud[pattern is not row.first].format(name)
        if isinstance(channel.sensor, Lidar) and channel.sensor.model.rows == 1:
            cloud = ""
        frame = frames.get(channel.name, robot.root)
        found[channel.name] = SensorTopic(topic, row.type, frame, row.rate, cloud)
    return found


def sensor_frame(spec: SensorSpec) -> str:
    """Frame in which a sensor tells its readings: that of its link, else one of its own."""
    return spec.link if spec.pose.is_identity() else plain(spec.name).replace("/", "_") + "_sensor"


LONGEST = 60  # part of a topic [characters]


def plain(name: str) -> str:
    """A name as part of a topic: letters, digits, _ and /, no part beginning with a digit, none longer than 60.

    What ROS does not take becomes _, letters lose their accents; of a long name the beginning and a mark of the whole
    are left.
    """
    bare = unicodedata.normalize("NFKD", name)
    bare = "".join(c for c in bare if not unicodedata.combining(c))
    parts = [_part(part) for part in re.sub(r"[^A-Za-z0-9_/]", "_", bare).split("/") if part]
    return "/".join(parts) or "sensor"


def _part(part: str) -> str:
    legal = f"n_{part}" if part[0].isdigit() else part
    if len(legal) <= LONGEST:
        return legal
    return f"{legal[: LONGEST - 9]}_{hashlib.sha256(part.encode()).hexdigest()[:8]}"


def distinct(names: Iterable[str]) -> dict[str, str]:
    """Each name as part of a topic, no two alike: those that would be get a number."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        legal = candidate = plain(name)
        count = 2
        while candidate in taken:
            candidate, count = f"{legal}_{count}", count + 1
        taken.add(candidate)
        found[name] = candidate
    return found
