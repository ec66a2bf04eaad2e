"""Sensor readings as ROS messages of a recording: which topic and type each kind of sensor has.

/scan (LaserScan), /imu/NAME (Imu), /odom (Odometry of the wheels), /range/NAME (Range of a sonar), /uwb/TAG/ANCHOR
(Range), /NAME (Float64MultiArray of load cells), /wheel_encoders (JointState), /NAME/image_raw (Image of a camera that
is on). Every reading is written once, with the time it was taken.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from andante.description.robot import Robot
from andante.errors import AndanteError
from andante.geometry import SE3
from andante.mobile.odometry import WheelOdometry
from andante.sensors import (
    CameraSensor,
    Channel,
    FootForce,
    Imu,
    Lidar,
    Reading,
    SensorSuite,
    Sonar,
    UwbTag,
    WheelEncoders,
)

from .wiring import Wiring

Send = Callable[[str, str, Any, float], None]  # topic, type, message, time [s]
ULTRASOUND, INFRARED = 0, 1


class SensorMessages:
    """Sends the new readings of all sensors of a robot."""

    def __init__(self, robot: Robot, sensors: SensorSuite, types: Any, header: Any, send: Send) -> None:
        self._robot, self._sensors, self._types, self._header, self._send = robot, sensors, types, header, send
        self._seen: dict[str, float] = {}
        self._lidars = [channel.name for channel in sensors if isinstance(channel.sensor, Lidar)]
        self._odometry: WheelOdometry | None = None
        self._wiring = Wiring(sensors, robot)  # of its own, so that recording changes nothing in what a body reads
        if any(isinstance(channel.sensor, WheelEncoders) for channel in sensors):
            try:
                self._odometry = WheelOdometry(robot)
            except AndanteError:  # wheels that make no drive
                self._odometry = None

    def frames(self) -> dict[str, tuple[str, SE3]]:
        """Sensor frames that are no links: name to link and link_from_sensor."""
        out: dict[str, tuple[str, SE3]] = {}
        for channel in self._sensors:
            sensor = channel.sensor
            if isinstance(sensor, Lidar | Sonar | CameraSensor | UwbTag) and frame_of(sensor) != sensor.link:
                out[frame_of(sensor)] = (sensor.link, sensor.pose)
        return out

    def write(self, now: float) -> None:
        """Send what has come since the last time."""
        for channel in self._sensors:
            for reading in channel.since(self._seen.get(channel.name, -math.inf)):
                self._seen[channel.name] = reading.time
                self._one(channel, reading, now)
        if self._odometry is not None:
            before = self._odometry.time
            self._odometry.update(self._wiring.state(now, now))
            if self._odometry.time > before:
                self._send("/odom", "nav_msgs/msg/Odometry", self._odometry_message(self._odometry), now)

    def _one(self, channel: Channel, reading: Reading, now: float) -> None:
        sensor = channel.sensor
        if isinstance(sensor, Imu):
            self._send(f"/imu/{channel.name}", "sensor_msgs/msg/Imu", self._imu(channel.name, reading), now)
        elif isinstance(sensor, FootForce):
            layout = self._types("std_msgs/msg/MultiArrayLayout")([], 0)
            message = self._types("std_msgs/msg/Float64MultiArray")(layout, reading.values)
            self._send(f"/{channel.name}", "std_msgs/msg/Float64MultiArray", message, now)
        elif isinstance(sensor, Lidar):
            scan = self._scan(sensor, reading)
            if scan is not None:
                topic = "/scan" if channel.name == self._lidars[0] else f"/scan_{plain(channel.name)}"
                self._send(topic, "sensor_msgs/msg/LaserScan", scan, now)
        elif isinstance(sensor, Sonar):
            m, value = sensor.model, float(reading.values[0])
            message = self._range(reading.time, frame_of(sensor), ULTRASOUND, m.cone, m.range_min, m.range_max, value)
            self._send(f"/range/{plain(channel.name)}", "sensor_msgs/msg/Range", message, now)
        elif isinstance(sensor, UwbTag):
            for anchor, value in zip(sensor.labels, reading.values, strict=True):
                if math.isfinite(value):
                    reach = sensor.errors.range_max
                    message = self._range(reading.time, frame_of(sensor), INFRARED, 0.0, 0.0, reach, float(value))
                    self._send(f"/uwb/{plain(channel.name)}/{plain(anchor)}", "sensor_msgs/msg/Range", message, now)
        elif isinstance(sensor, WheelEncoders):
            message = self._types("sensor_msgs/msg/JointState")(
                self._header(reading.time, ""), list(sensor.joints), reading.values, np.zeros(0), np.zeros(0)
            )
            self._send(f"/{plain(channel.name)}", "sensor_msgs/msg/JointState", message, now)
        elif isinstance(sensor, CameraSensor):
            picture = sensor.picture(float(reading.values[0]))
            if picture is not None:
                height, width, _ = picture.image.shape
                message = self._types("sensor_msgs/msg/Image")(
                    self._header(picture.time, frame_of(sensor)), height, width, "rgb8", 0, 3 * width,
                    picture.image.ravel(),
                )  # fmt: skip
                self._send(f"/{plain(channel.name)}/image_raw", "sensor_msgs/msg/Image", message, now)

    def _scan(self, lidar: Lidar, reading: Reading) -> Any:
        """LaserScan of the level row; None for a sweep that began before the run."""
        sweep, m = lidar.sweep(reading), lidar.model
        if sweep.time < 0:
            return None
        ranges = sweep.ranges if m.rows == 1 else sweep.ranges[m.level_row]
        return self._types("sensor_msgs/msg/LaserScan")(
            self._header(sweep.time, frame_of(lidar)), m.angle_min, float(m.angles[-1]), m.angle_increment,
            m.time_increment, 1.0 / m.rate, m.range_min, m.range_max, ranges.astype(np.float32),
            np.zeros(0, dtype=np.float32),
        )  # fmt: skip

    def _range(self, time: float, frame: str, kind: int, field: float, low: float, high: float, value: float) -> Any:
        make = self._types("sensor_msgs/msg/Range")
        values = {
            "header": self._header(time, frame),
            "radiation_type": kind,
            "field_of_view": field,
            "min_range": low,
            "max_range": high,
            "range": value,
            "variance": 0.0,
        }
        return make(**{name: values[name] for name in make.__dataclass_fields__ if name in values})

    def _imu(self, name: str, reading: Reading) -> Any:
        vector, unknown = self._types("geometry_msgs/msg/Vector3"), np.zeros(9)
        return self._types(
            "sensor_msgs/msg/Imu"
        )(
            self._header(reading.time, name),
            self._types("geometry_msgs/msg/Quaternion")(0.0, 0.0, 0.0, 1.0),
            np.concatenate([[-1.0], np.zeros(8)]),  # first entry -1: no orientation given
            vector(*reading.values[:3]),
            unknown,
            vector(*reading.values[3:]),
            unknown,
        )

    def _odometry_message(self, odometry: WheelOdometry) -> Any:
        types, (x, y, yaw), (vx, vy, w) = self._types, odometry.pose, odometry.twist
        point = types("geometry_msgs/msg/Point")(float(x), float(y), 0.0)
        turn = types("geometry_msgs/msg/Quaternion")(0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        vector = types("geometry_msgs/msg/Vector3")
        pose = types("geometry_msgs/msg/Pose")(point, turn)
        twist = types("geometry_msgs/msg/Twist")(vector(float(vx), float(vy), 0.0), vector(0.0, 0.0, float(w)))
        return types("nav_msgs/msg/Odometry")(
            self._header(odometry.time, "odom"),
            base_frame(self._robot),
            types("geometry_msgs/msg/PoseWithCovariance")(pose, np.zeros(36)),
            types("geometry_msgs/msg/TwistWithCovariance")(twist, np.zeros(36)),
        )


def frame_of(sensor: Lidar | Sonar | CameraSensor | UwbTag) -> str:
    """Frame of a sensor: its link where it sits in the link's frame, else a frame of its own name."""
    at_link = np.allclose(sensor.pose.matrix, np.eye(4), atol=1e-12)
    return sensor.link if at_link else plain(sensor.name)


def base_frame(robot: Robot) -> str:
    """Frame that odometry moves: base_footprint where it lies below the root, else the root link."""
    poses = robot.link_poses()
    below = poses.get("base_footprint")
    if below is not None and np.allclose(below.matrix[:2], np.eye(4)[:2], atol=1e-9):
        return "base_footprint"
    return robot.root


def plain(name: str) -> str:
    """A name as part of a topic: letters, digits, _ and /."""
    return re.sub(r"[^A-Za-z0-9_/]", "_", name).strip("/") or "sensor"
