"""Readings of driving sensors in the forms that mapping and localization take: scans, and where sensors sit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from andante.description.robot import Robot
from andante.description.solids import robot_bounds
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3, so3
from andante.mapping import Scan
from andante.sensors import Channel, Lidar, Reading, SensorSuite

GROUND_LINKS = ("base_footprint",)


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


def ground_below(robot: Robot) -> float:
    """Height of the ground in the root frame [m]: at base_footprint, else at the lowest point of the robot."""
    poses = robot.link_poses()
    for name in GROUND_LINKS:
        if name in poses:
            return float(poses[name].translation[2])
    box = robot_bounds(robot)
    return 0.0 if box is None else float(box[0][2])
