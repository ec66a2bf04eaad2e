"""Odometry of a wheeled base: counted wheels alone, and fused with the gyro by a Kalman filter."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from andante.control.wheel_odometry import WheelOdometry
from andante.description import Robot
from andante.geometry import Array, se2
from andante.kinematics import Drive
from andante.kinematics.wheels.skid import skid_slip
from andante.localization import OdometryFilter, OdometryNoise
from andante.locomotion import Readings

KEPT = 500  # poses of the past
ROLLS = 1e-3  # rims of wheels that stand are slower [m/s]
TRUST, MEMORY = 0.02, 0.2  # of `TurnGain` [rad²]
LEAST_TURN, MOST_CORRECTION = 0.02, 0.2  # between two scans that teach: smaller turns, greater corrections do not [rad]
LEAST_GAIN, MOST_GAIN = 0.5, 1.2  # felt over told turn lies within
AHEAD = 0.1  # a pose is told by the twist for so long after the newest [s]


class PoseHistory:
    """Poses (3,) of the last seconds, to be asked for between their times."""

    def __init__(self) -> None:
        self._kept: deque[tuple[float, Array]] = deque(maxlen=KEPT)

    def add(self, time: float, pose: Array) -> None:
        """Keep a pose; one that is not newer than the last replaces it."""
        if self._kept and time <= self._kept[-1][0]:
            self._kept.pop()
        self._kept.append((time, pose))

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()

    def at(self, time: float) -> Array | None:
        """The pose at a time [s] along the arc between its neighbors, the nearest beyond the ends; None: none."""
        after: tuple[float, Array] | None = None
        for then, pose in reversed(self._kept):
            if then <= time:
                if after is None:
                    return pose.copy()
                part = (time - then) / (after[0] - then)
                return se2.compose(pose, se2.exp(part * se2.log(se2.between(pose, after[1]))))
            after = (then, pose)
        return None if after is None else after[1].copy()


class TurnGain:
    """How much of its wheels' turn a base makes, by least squares over what scans say, y = g x, with a fading memory.

    The memory is that of `MEMORY` of turning, squared; a guess of 1 weighs as much as `TRUST` of it.
    """

    def __init__(self) -> None:
        self.gain = 1.0
        self._xx = self._xy = TRUST

    def take(self, wheels: float, scans: float) -> None:
        """The base turned by `scans` [rad] while its wheels said `wheels`."""
        if abs(wheels) < LEAST_TURN or abs(scans - self.gain * wheels) > MOST_CORRECTION:
            return
        fade = max(0.0, 1.0 - wheels * wheels / MEMORY)
        self._xx = fade * self._xx + wheels * wheels
        self._xy = fade * self._xy + wheels * scans
        self.gain = min(max(self._xy / self._xx, LEAST_GAIN), MOST_GAIN)


class BaseOdometry:
    """Pose and twist of the drive's reference point in the odom frame, which lies where the robot was at the start.

    Wheels and, where the robot has them, the gyros of all its IMUs. At the reference point the wheels allow no sideways
    speed, which the filter relies on; those of a skid-steer base slide as their loads let them (`SkidSlip`). Where no
    gyro feels the turn of a base, scans teach how much of its wheels' turn it makes (`turned`). The near past is kept
    for scans that come late.
    """

    def __init__(self, robot: Robot, drive: Drive, noise: OdometryNoise | None = None) -> None:
        self.drive = drive
        self.wheels = WheelOdometry(robot, drive)
        self.skid = skid_slip(robot, drive)
        self._slid = np.zeros(2)  # vx, vy of a base whose wheels slide [m/s]
        self._spins = [robot.joint_names.index(name) for name in self.skid.joints] if self.skid else []
        if noise is None and (drive.holonomic or self.skid is not None):
            noise = OdometryNoise(across=OdometryNoise.along, wheel_across=OdometryNoise.wheel_speed)
        self.filter = OdometryFilter(noise=noise)
        poses = robot.link_poses()
        mounts = {spec.name: poses[spec.link] @ spec.pose for spec in robot.sensors if spec.kind == "imu"}
        self._up = {name: mount.rotation[2] for name, mount in mounts.items()}  # the root's z axis in each IMU
        self._past = PoseHistory()
        self.turn_gain = TurnGain()
        self._unfelt = not self._up and self.skid is None and not drive.steering_joints and not drive.holonomic

    def turned(self, odometry: float, scans: float) -> None:
        """Learn from scans by which the base turned [rad] while this odometry said otherwise."""
        if self._unfelt:
            self.turn_gain.take(odometry / self.turn_gain.gain, scans)

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
            self.filter.wheel_twist(self.wheels.time, self._wheel_twist())
        if math.isfinite(self.filter.time):
            self._past.add(self.filter.time, self.filter.pose)

    def _wheel_twist(self) -> Array:
        """Of the reference point by the wheels; where they slide, with the turn that the gyro feels."""
        twist = self.drive.from_root(self.wheels.twist)
        if self._unfelt:
            twist[2] *= self.turn_gain.gain
        if self.skid is not None and self._up:
            spins, turn = np.nan_to_num(self.wheels.speeds[self._spins]), float(self.filter.twist[2])
            self._slid = self.skid.velocity(spins, turn, self._slid)
            rolls = float(np.abs(spins * self.skid.radii).max()) > ROLLS  # wheels that stand tell the gyro's bias
            twist = np.array([*self._slid, turn if rolls else float(twist[2])])
        return twist

    @property
    def pose(self) -> Array:
        """Newest pose x, y, yaw of the reference point in the odom frame [m, m, rad]."""
        return self.filter.pose

    @property
    def twist(self) -> Array:
        """Newest twist vx, vy, w in the robot's axes [m/s, m/s, rad/s]."""
        return self.filter.twist

    def at(self, time: float) -> Array:
        """Pose at a time [s]: between two kept states along the arc, before the first as there, later by the twist."""
        ahead = time - self.filter.time
        if math.isfinite(ahead) and ahead >= 0:
            return se2.compose(self.pose, se2.exp(self.twist * min(ahead, AHEAD)))
        past = self._past.at(time)
        return self.pose if past is None else past
