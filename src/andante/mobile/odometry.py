"""Odometry of a wheeled base: counted wheels alone, and fused with the gyro by a Kalman filter."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from andante.control.wheel_odometry import WheelOdometry
from andante.description import Robot
from andante.geometry import Array, se2
from andante.kinematics import Drive
from andante.localization import OdometryFilter, OdometryNoise
from andante.locomotion import Readings

KEPT = 500  # states of the past


class BaseOdometry:
    """Pose and twist of the drive's reference point in the odom frame, which lies where the robot was at the start.

    Wheels and, where the robot has them, the gyros of all its IMUs. At the reference point the wheels allow no sideways
    speed, which the filter relies on. The near past is kept for scans that come late.
    """

    def __init__(self, robot: Robot, drive: Drive, noise: OdometryNoise | None = None) -> None:
        self.drive = drive
        self.wheels = WheelOdometry(robot, drive)
        if noise is None and drive.holonomic:
            noise = OdometryNoise(across=OdometryNoise.along, wheel_across=OdometryNoise.wheel_speed)
        self.filter = OdometryFilter(noise=noise)
        poses = robot.link_poses()
        mounts = {spec.name: poses[spec.link] @ spec.pose for spec in robot.sensors if spec.kind == "imu"}
        self._up = {name: mount.rotation[2] for name, mount in mounts.items()}  # the root's z axis in each IMU
        self._past: deque[tuple[float, Array, Array]] = deque(maxlen=KEPT)

    def update(self, readings: Readings) -> None:
        """Take the readings of a control step."""
        gyros = readings.gyros or dict.fromkeys(list(self._up)[-1:], readings.gyro)
        for name, up in self._up.items():
            if name not in gyros:
                continue
            turn = float(up @ np.where(up == 0.0, 0.0, gyros[name]))  # axes that count may be missing
            if math.isfinite(turn):
                self.filter.gyro(readings.time, turn)
        if self.wheels.update(readings):
            self.filter.wheel_twist(self.wheels.time, self.drive.from_root(self.wheels.twist))
        if math.isfinite(self.filter.time):
            state = self.filter.state
            self._past.append((state.time, state.pose, state.twist))

    @property
    def pose(self) -> Array:
        """Newest pose x, y, yaw of the reference point in the odom frame [m, m, rad]."""
        return self._past[-1][1].copy() if self._past else np.zeros(3)

    @property
    def twist(self) -> Array:
        """Newest twist vx, vy, w in the robot's axes [m/s, m/s, rad/s]."""
        return self._past[-1][2].copy() if self._past else np.zeros(3)

    def at(self, time: float) -> Array:
        """Pose at a time [s]: between two kept states along the line, before the first as there, later by the twist."""
        if not self._past:
            return np.zeros(3)
        last, pose, twist = self._past[-1]
        if time >= last:
            return se2.compose(pose, se2.exp(twist * min(time - last, 0.1)))
        after = last, pose
        for then, was, _ in reversed(self._past):
            if then <= time:
                fraction = (time - then) / (after[0] - then) if after[0] > then else 1.0
                gap = after[1] - was
                gap[2] = se2.wrap(gap[2])
                return was + fraction * gap
            after = then, was
        return after[1].copy()
