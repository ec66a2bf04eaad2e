"""Wheel odometry: where the wheels believe the robot is, from encoder readings alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.kinematics import Drive, find_drive, integrate
from andante.sensors import SensorSuite, WheelEncoders


class WheelOdometry:
    """Pose (3,) x, y, yaw of the root link in a frame of its own, from counted wheels and measured steering angles.

    Between two readings the wheels' mean speeds and the mean steering angles give a twist by the drive's rolling
    constraints (least squares over all driven wheels), which is followed along its arc.
    """

    def __init__(
        self,
        robot: Robot,
        sensors: SensorSuite,
        drive: Drive | None = None,
        start: Sequence[float] = (0.0, 0.0, 0.0),
        encoders: str = "wheel_encoders",
    ) -> None:
        self.drive = drive or find_drive(robot)
        self._wheels, self._joints = sensors[encoders], sensors["encoders"]
        counter = self._wheels.sensor
        if not isinstance(counter, WheelEncoders):
            raise BadInput(f"{encoders!r} does not count wheels; wheel odometry needs a WheelEncoders sensor")
        self._spins = [part.joint for part in self.drive.wheels if part.driven and part.joint in counter.joints]
        if not self._spins:
            raise BadInput(f"robot {robot.name!r}: none of its driven wheels has an encoder")
        self._columns = [counter.joints.index(joint) for joint in self._spins]
        names = robot.joint_names
        self._steering = {joint: names.index(joint) for joint in self.drive.steering_joints}
        self.pose = np.array(start, dtype=float)
        self.twist = np.zeros(3)  # of the root link [m/s, m/s, rad/s]
        self.time = -math.inf  # of the newest reading in the pose [s]
        self._before: tuple[Array, Array] | None = None

    def update(self) -> Array:
        """Go on to the newest readings; the pose."""
        reading, joints = self._wheels.reading, self._joints.reading
        if reading is None or joints is None or reading.time <= self.time:
            return self.pose
        angles, steering = reading.values[self._columns], joints.values[list(self._steering.values())]
        if self._before is not None:
            dt = reading.time - self.time
            speeds = dict(zip(self._spins, (angles - self._before[0]) / dt, strict=True))
            turned = dict(zip(self._steering, (steering + self._before[1]) / 2, strict=True))
            self.twist = self.drive.at_root(self.drive.twist(speeds, turned or None).twist)
            self.pose = integrate(self.pose, self.twist, dt)
        self._before, self.time = (angles, steering), reading.time
        return self.pose

    def save(self) -> Any:
        """Everything that decides the coming poses."""
        return (self.pose, self.twist, self.time, self._before)

    def load(self, state: Any) -> None:
        """Put back what `save` gave."""
        self.pose, self.twist, self.time, self._before = state
