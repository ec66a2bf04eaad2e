"""What a robot behind ROS has told of itself: joint states, inertial unit and odometry, each with its age."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from andante.bags import messages
from andante.errors import BadInput
from andante.geometry import Array

LONGEST_STEP = 2.0  # between two joint states that still give a velocity [s]


class Odometry(NamedTuple):
    """Where the robot believes to be in its odometry frame, and how fast it moves in its own axes."""

    x: float  # [m]
    y: float
    yaw: float  # [rad]
    vx: float  # [m/s]
    vy: float
    wz: float  # [rad/s]


def yaw_of(q: Any) -> float:
    """Heading of a geometry_msgs/Quaternion [rad], NaN when it is none."""
    size = q.x**2 + q.y**2 + q.z**2 + q.w**2
    if not size > 0.25:
        return math.nan
    return math.atan2(2.0 * (q.w * q.z + q.x * q.y), q.w**2 + q.x**2 - q.y**2 - q.z**2)


class RosSenses:
    """The newest values; joints may come in several messages, each with some of them. Times are the reader's [s]."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._index = {name: i for i, name in enumerate(joint_names)}
        self.forget()

    def forget(self) -> None:
        """Nothing is known, as before the first message."""
        count = len(self._index)
        self.position, self.velocity, self.effort = (np.full(count, np.nan) for _ in range(3))
        self._stamps = np.full(count, np.nan)  # of the robot's clock
        self.joints_at = np.full(count, -math.inf)  # when each joint last came
        self.stamp, self.stamp_at = math.nan, -math.inf  # the robot's clock, and when it said so
        self.told_at = -math.inf  # last joint state
        self._gyro, self._acceleration, self._heading = np.full(3, np.nan), np.full(3, np.nan), math.nan
        self._felt_at = -math.inf
        self._odometry: Odometry | None = None
        self.moved_at = -math.inf  # last odometry

    def take_joints(self, message: Any, now: float) -> list[str]:
        """Take a sensor_msgs/JointState; names of joints that are not the robot's. Finds velocities where none come."""
        names, stamp = list(message.name), messages.seconds(message.header.stamp)
        for field in ("position", "velocity", "effort"):
            count = len(getattr(message, field))
            if count not in (0, len(names)):
                raise BadInput(f"a joint state has {count} values of {field} for {len(names)} names")
        for at, name in enumerate(names):
            i = self._index.get(name)
            if i is None:
                continue
            before, step = self.position[i], stamp - self._stamps[i]
            if len(message.position):
                self.position[i] = _number(message.position[at])
            if len(message.velocity):
                self.velocity[i] = _number(message.velocity[at])
            elif 0.0 < step < LONGEST_STEP:
                self.velocity[i] = (self.position[i] - before) / step
            if len(message.effort):
                self.effort[i] = _number(message.effort[at])
            self._stamps[i], self.joints_at[i] = stamp, now
        self.told_at = now
        self._note_clock(stamp, now)
        return [name for name in names if name not in self._index]

    def take_inertial(self, message: Any, now: float) -> None:
        """Take a sensor_msgs/Imu; a covariance that begins with -1 says that nobody measures it."""
        for part, covariance, values in (
            (message.angular_velocity, message.angular_velocity_covariance, self._gyro),
            (message.linear_acceleration, message.linear_acceleration_covariance, self._acceleration),
        ):
            values[:] = [_number(v) for v in (part.x, part.y, part.z)] if covariance[0] != -1.0 else np.nan
        self._heading = yaw_of(message.orientation) if message.orientation_covariance[0] != -1.0 else math.nan
        self._felt_at = now

    def take_odometry(self, message: Any, now: float) -> None:
        """Take a nav_msgs/Odometry."""
        place, twist = message.pose.pose, message.twist.twist
        self._odometry = Odometry(
            place.position.x, place.position.y, yaw_of(place.orientation),
            twist.linear.x, twist.linear.y, twist.angular.z,
        )  # fmt: skip
        self.moved_at = now
        self._note_clock(messages.seconds(message.header.stamp), now)

    def _note_clock(self, stamp: float, now: float) -> None:
        self.stamp, self.stamp_at = stamp, now

    def robot_time(self, now: float) -> float:
        """The robot's clock [s], carried on from the last message; 0 before the first."""
        return self.stamp + max(0.0, now - self.stamp_at) if math.isfinite(self.stamp) else 0.0

    def joints(self, now: float, timeout: float) -> tuple[Array, Array, Array]:
        """Position, velocity and effort; NaN for joints that have been silent for longer than `timeout` [s]."""
        old = now - self.joints_at > timeout
        position, velocity, effort = (
            np.where(old, np.nan, values) for values in (self.position, self.velocity, self.effort)
        )
        return position, velocity, effort

    def silent(self, now: float, timeout: float) -> list[int]:
        """Joints that came once and have been silent for longer than `timeout` [s]."""
        return [int(i) for i in np.flatnonzero(np.isfinite(self.joints_at) & (now - self.joints_at > timeout))]

    def inertial(self, now: float, timeout: float) -> tuple[Array, Array]:
        """Angular velocity [rad/s] and specific force [m/s²]; NaN when nothing came within `timeout` [s]."""
        if now - self._felt_at > timeout:
            return np.full(3, np.nan), np.full(3, np.nan)
        return self._gyro.copy(), self._acceleration.copy()

    def odometry(self, now: float, timeout: float) -> Odometry | None:
        """The newest odometry, None when none came within `timeout` [s]."""
        return self._odometry if now - self.moved_at <= timeout else None

    def yaw(self, now: float, timeout: float) -> float:
        """Heading by odometry, else by the inertial unit, else NaN [rad]."""
        told = self.odometry(now, timeout)
        if told is not None and math.isfinite(told.yaw):
            return told.yaw
        return self._heading if now - self._felt_at <= timeout else math.nan


def _number(value: float) -> float:
    """The value, NaN for infinities: nobody measures them."""
    return float(value) if math.isfinite(value) else math.nan
