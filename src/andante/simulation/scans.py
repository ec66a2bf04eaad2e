"""Readings of driving sensors in the forms that mapping and localization take: scans, and where sensors sit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from andante.control.body import Cloud
from andante.description.robot import Robot
from andante.description.solids import robot_bounds
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3, so3
from andante.mapping import Scan
from andante.sensors import Channel, DepthCamera, Lidar, Reading, SensorSuite

GROUND_LINKS = ("base_footprint",)
EVERY = 8  # pixels of a depth image between those that make its cloud
ROWS = 2  # rows that make a lidar one of rings


def lidar_channel(sensors: SensorSuite, name: str = "") -> Channel:
    """The channel of a lidar, the first one unless named."""
    lidars = {channel.name: channel for channel in sensors if isinstance(channel.sensor, Lidar)}
    if not lidars:
        raise BadInput(
            "the robot has no lidar; add a <sensor type='ray'> to its file or `sensors.add(Lidar(...), rate)`"
        )
    if name and name not in lidars:
        raise UnknownName.among("lidar", name, lidars)
    return lidars[name] if name else next(iter(lidars.values()))


def scan_of(robot: Robot, lidar: Lidar, reading: Reading) -> Scan:
    """A reading of a lidar as a `Scan` told from the robot's root link; of several rows the level one is taken."""
    sweep, model = lidar.sweep(reading), lidar.model
    ranges = sweep.ranges if model.rows == 1 else sweep.ranges[model.level_row]
    told = Scan(
        sweep.time, ranges, model.angle_min, model.angle_increment, model.range_min, model.range_max,
        model.time_increment,
    )  # fmt: skip
    return mounted_scan(robot, lidar.link, lidar.pose, told)


def mounted_scan(robot: Robot, link: str, pose: SE3, scan: Scan) -> Scan:
    """A scan in the axes of its sensor, which sits at a pose on a link, told from the robot's root link.

    A sensor that hangs upside down counts its beams the other way round.
    """
    place = robot.link_poses()[link] @ pose
    roll, pitch, yaw = (float(angle) for angle in so3.to_rpy(place.rotation))
    angle, step = scan.angle_min, scan.angle_increment
    if abs(abs(roll) - np.pi) < 0.1:
        angle, step, roll = -angle, -step, roll - float(np.copysign(np.pi, roll))
    x, y, z = (float(v) for v in place.translation)
    height = max(0.0, z - ground_below(robot))
    return replace(scan, angle_min=angle, angle_increment=step, sensor=(x, y, yaw), height=height, tilt=(roll, pitch))


def latest_scan(robot: Robot, sensors: SensorSuite, name: str = "") -> Scan | None:
    """The newest scan that has arrived, None before the first."""
    channel = lidar_channel(sensors, name)
    assert isinstance(channel.sensor, Lidar)
    reading = channel.reading
    return None if reading is None else scan_of(robot, channel.sensor, reading)


def scans_since(robot: Robot, sensors: SensorSuite, time: float, name: str = "") -> Iterator[Scan]:
    """The scans completed after a time [s], oldest first."""
    channel = lidar_channel(sensors, name)
    assert isinstance(channel.sensor, Lidar)
    for reading in channel.since(time):
        known = sensors.told.get(channel.name)  # who looks every control period gets the newest one made once
        if known is None or known[0] != reading.time:
            known = sensors.told[channel.name] = (reading.time, scan_of(robot, channel.sensor, reading))
        yield known[1]


def clouds_after(sensors: SensorSuite, known: Mapping[str, float]) -> tuple[Cloud, ...] | None:
    """The newest cloud of each depth camera and lidar of rings that is newer than what is known of it [s].

    Depth cameras are turned on. None: there is neither of them.
    """
    eyes = [each for each in sensors if isinstance(each.sensor, DepthCamera) or rings(each.sensor)]
    out: list[Cloud] = []
    for channel in eyes:
        sensor, reading = channel.sensor, channel.reading
        assert isinstance(sensor, DepthCamera | Lidar)
        if isinstance(sensor, DepthCamera):
            sensor.turn_on()
        if reading is None or reading.time <= known.get(channel.name, -math.inf):
            continue
        if isinstance(sensor, Lidar):
            points = sensor.model.points(reading.values)
        else:
            picture = sensor.picture(float(reading.values[0]))
            if picture is None:
                continue
            points = sensor.model.points(picture.image, EVERY)
        out.append(Cloud(channel.name, reading.time, points, sensor.link, sensor.pose))
    return tuple(out) if eyes else None


def rings(sensor: object) -> bool:
    """Whether a sensor is a lidar of several rows."""
    return isinstance(sensor, Lidar) and sensor.model.rows >= ROWS


def ground_below(robot: Robot) -> float:
    """Height of the ground in the root frame [m]: at base_footprint, else at the lowest point of the robot."""
    poses = robot.link_poses()
    for name in GROUND_LINKS:
        if name in poses:
            return float(poses[name].translation[2])
    box = robot_bounds(robot)
    return 0.0 if box is None else float(box[0][2])
