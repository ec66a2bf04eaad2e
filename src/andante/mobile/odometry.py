"""Odometry of a wheeled robot: counted wheels and gyro fused by the Kalman filter, kept for the near past."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from andante.geometry import Array, se2
from andante.kinematics import Drive
from andante.localization import OdometryFilter, OdometryNoise
from andante.sensors import Channel, Imu
from andante.simulation.simulation import Simulation

from .wheel_odometry import WheelOdometry

RATE = 100.0  # [Hz]
KEPT = 500  # states of the past


class FusedOdometry:
    """Pose and twist of the drive's reference point in the odom frame, which lies where the robot was at the start.

    An observer of a simulation that reads wheel encoders and, where there is one, the gyro. At the reference point the
    wheels allow no sideways speed, which the filter relies on.
    """

    def __init__(self, sim: Simulation, drive: Drive, noise: OdometryNoise | None = None) -> None:
        assert sim.sensors is not None
        self.drive = drive
        self.wheels = WheelOdometry(sim.robot, sim.sensors, drive)
        if noise is None and drive.holonomic:
            noise = OdometryNoise(across=OdometryNoise.along, wheel_across=OdometryNoise.wheel_speed)
        self.filter = OdometryFilter(noise=noise)
        self.next_time = sim.time
        self._gyros = _gyros(sim)
        self._seen = {channel.name: sim.time for channel, _ in self._gyros}
        self._past: deque[tuple[float, Array, Array]] = deque(maxlen=KEPT)

    def update(self, sim: Simulation) -> None:
        """Take the readings that have come."""
        self.next_time = (round(sim.time * RATE) + 1) / RATE
        news: list[tuple[float, int, Array]] = []
        for channel, up in self._gyros:
            for reading in channel.since(self._seen[channel.name]):
                self._seen[channel.name] = reading.time
                news.append((reading.time, 0, np.array(float(up @ reading.values[:3]))))
        before = self.wheels.time
        self.wheels.update()
        if self.wheels.time > before > -math.inf:
            news.append((self.wheels.time, 1, self.drive.from_root(self.wheels.twist)))
        for time, kind, values in sorted(news, key=lambda each: each[:2]):
            if kind == 1:
                self.filter.wheel_twist(time, values)
            elif np.isfinite(values):
                self.filter.gyro(time, float(values))
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
                share = (time - then) / (after[0] - then) if after[0] > then else 1.0
                gap = after[1] - was
                gap[2] = se2.wrap(gap[2])
                return was + share * gap
            after = then, was
        return after[1].copy()


def _gyros(sim: Simulation) -> list[tuple[Channel, Array]]:
    """Gyros with an axis that sees turns on the floor, each with the root's z axis in its own axes (3,)."""
    assert sim.sensors is not None
    poses = sim.robot.link_poses()
    mounts = {spec.name: poses[spec.link] @ spec.pose for spec in sim.robot.sensors if spec.kind == "imu"}
    found = [channel for channel in sim.sensors if isinstance(channel.sensor, Imu) and channel.name in mounts]
    return [(channel, mounts[channel.name].rotation[2]) for channel in found]
