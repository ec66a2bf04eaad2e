"""Attitude of a rolling body from its gyro and accelerometer alone."""

from __future__ import annotations

import math

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.gravity import GRAVITY

from .ball_kernels import attitude_step, upright


class Attitude:
    """Complementary filter of gyro and accelerometer: heading_from_body, z up, x forwards at the start.

    Each step turns by the gyro, R <- R exp(w dt), and then leans towards the accelerometer's idea of up by the share
    dt / `time_constant`, less when the specific force is not that of a body at rest:
    R <- exp(share * trust * (R f/|f| x z)) R. While the filter is younger than its time constant its age takes that
    place, so that a bad first reading is soon forgotten. Nothing corrects the heading, which drifts with the bias of
    the gyro.
    """

    def __init__(self, mount: Array | None = None, time_constant: float = 1.5, tolerance: float = 2.5) -> None:
        self.mount = np.eye(3) if mount is None else np.ascontiguousarray(mount)  # body_from_sensor
        self.time_constant, self.tolerance = time_constant, tolerance  # [s], [m/s^2]
        self._rotation: Array = np.eye(3)
        self.spin: Array = np.zeros(3)  # angular velocity in the heading frame [rad/s]
        self._clock = np.array([0.0, 0.0])  # whether it has started, and its age [s]

    @property
    def rotation(self) -> Array:
        """heading_from_body (3, 3)."""
        return self._rotation

    @rotation.setter
    def rotation(self, value: Array) -> None:
        self._rotation = np.ascontiguousarray(value, dtype=float)

    @staticmethod
    def of(robot: Robot) -> Attitude:
        """The filter for the IMU that a robot carries on its root."""
        imus = [sensor for sensor in robot.sensors if sensor.kind == "imu"]
        if not imus:
            raise BadInput(f"robot {robot.name!r} carries no IMU, so its attitude cannot be felt")
        on_root = robot.link_poses()[imus[0].link] @ imus[0].pose
        return Attitude(on_root.rotation)

    def reset(self, acceleration: Array) -> None:
        """Start from the accelerometer alone; the body's x axis (or z, where that points up) gives the heading."""
        self._rotation = upright(np.ascontiguousarray(acceleration, dtype=float))
        self._clock[:] = 1.0, 0.0

    def update(self, gyro: Array, acceleration: Array, dt: float) -> Array:
        """heading_from_body (3, 3) after a step of dt [s]; gyro [rad/s] and specific force [m/s^2] in sensor axes.

        Axes that read NaN count as 0.
        """
        self._rotation = attitude_step(
            self._rotation,
            self.spin,
            self._clock,
            self.mount,
            np.ascontiguousarray(gyro, dtype=float),
            np.ascontiguousarray(acceleration, dtype=float),
            self.time_constant,
            self.tolerance,
            GRAVITY,
            dt,
        )
        return self._rotation

    @property
    def facing(self) -> float:
        """Direction of the body's x axis in the heading frame [rad]; of no use while that axis is upright."""
        return math.atan2(self.rotation[1, 0], self.rotation[0, 0])

    @property
    def lean(self) -> float:
        """Angle between the body's z axis and the vertical [rad], 0 to pi."""
        return math.acos(min(1.0, max(-1.0, float(self.rotation[2, 2]))))
