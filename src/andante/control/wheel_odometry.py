"""Wheel odometry: where counted wheels and steering angles say that a base is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.kinematics import Drive, find_drive, integrate
from andante.locomotion import Command, Readings, Walker

LONGEST_GAP = 1.0  # between two readings of the wheels that still tell how fast they turned [s]


class WheelOdometry:
    """Pose (3,) x, y, yaw of the root link in a frame of its own, from counted wheels and measured steering angles.

    Between two readings the wheels' mean speeds and the mean steering angles give a twist by the drive's rolling
    constraints (least squares over all driven wheels), which is followed along its arc.
    """

    def __init__(self, robot: Robot, drive: Drive | None = None, start: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        self.drive = drive or find_drive(robot)
        driven = [part.joint for part in self.drive.wheels if part.driven]
        if not driven:
            raise BadInput(f"robot {robot.name!r} has no driven wheels for odometry")
        names = robot.joint_names
        self._wheels = np.array([names.index(joint) for joint in driven])  # places of the driven wheels' joints
        self._places = np.array([self.drive.wheel_joints.index(joint) for joint in driven])  # ... among all wheels
        self._steering = {joint: names.index(joint) for joint in self.drive.steering_joints}
        self.pose = np.array(start, dtype=float)
        self.twist = np.zeros(3)  # of the root link [m/s, m/s, rad/s]
        self.speeds = np.full(len(names), math.nan)  # of all joints between the last two readings [rad/s]
        self.time = -math.inf  # of the newest reading in the pose [s]
        self._before: Array | None = None

    def update(self, readings: Readings) -> bool:
        """Go on to newer readings; whether they tell a new twist."""
        time = readings.time if math.isnan(readings.measured_at) else readings.measured_at
        position, before, dt = readings.position, self._before, time - self.time
        if dt <= 0 or not np.isfinite(position[self._wheels]).any():
            return False
        self._before, self.time = np.array(position), time
        if before is None or dt > LONGEST_GAP:
            return False
        moved = position - before
        self.speeds = moved / dt
        spins = self.speeds[self._wheels]
        if not np.isfinite(spins).any():
            return False
        speeds = np.full(len(self.drive.wheels), math.nan)
        speeds[self._places] = np.where(np.isfinite(spins), spins, math.nan)
        turned = {joint: 0.5 * (position[i] + before[i]) for joint, i in self._steering.items()}
        self.twist = self.drive.at_root(self.drive.twist(speeds, turned or None).twist)
        self.pose = integrate(self.pose, self.twist, dt)
        return True


class WheelCounter(Walker):
    """A wheeled base that nobody drives: it only counts its wheels, so that it knows where it was pushed or driven."""

    def __init__(self, robot: Robot) -> None:
        self.odometry = WheelOdometry(robot)

    @property
    def position(self) -> Array:
        """x, y [m] and heading [rad] of the root by the wheels alone."""
        return self.odometry.pose

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Wheels that stand."""
        self.odometry.update(readings)
        return np.zeros(len(readings.position))
