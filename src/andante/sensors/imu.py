"""Inertial measurement unit: angular velocity and specific force in the axes of the sensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from andante.description.robot import Robot
from andante.geometry import SE3, Array

from .kernels import inertial
from .sensor import Scene

AXES = ("x", "y", "z")


class Imu:
    """Gyro w = Rᵀ ω [rad/s] and accelerometer f = Rᵀ (a - g) [m/s²] of a frame on a link.

    Both are means over the last sample period, (v - v_before) / (t - t_before) and the turn over the same time: what
    a sensor with a low pass at its own rate sees. `gyro_axes` and `accelerometer_axes` name the axes that exist
    (the NAO V4 has no yaw gyro); a missing axis reads NaN.
    """

    def __init__(
        self,
        robot: Robot,
        link: str,
        pose: SE3,
        name: str = "imu",
        gyro_axes: str = "xyz",
        accelerometer_axes: str = "xyz",
    ) -> None:
        self.name = name
        self._link = [each.name for each in robot.links].index(robot.link(link).name)
        self._pose = pose
        self._missing = np.array([a not in gyro_axes for a in AXES] + [a not in accelerometer_axes for a in AXES])
        self._blind = bool(self._missing.any())
        self._last: tuple[float, Array] = (math.inf, np.zeros(12))  # time, velocity and rotation; inf: no sample before
        self._frame: Array | None = None  # body_from_sensor

    @property
    def labels(self) -> tuple[str, ...]:
        """gyro_x .. gyro_z, acc_x .. acc_z."""
        return tuple(f"gyro_{a}" for a in AXES) + tuple(f"acc_{a}" for a in AXES)

    def measure(self, scene: Scene) -> Array:
        """True angular velocity and specific force, (6,)."""
        if self._frame is None:
            tree = scene.engine.models[scene.model].tree
            self._body = int(tree.link_body[self._link])
            self._frame = np.ascontiguousarray(tree.link_pose[self._link] @ self._pose.matrix)
            self._gravity = np.array(scene.engine.world.gravity, dtype=float)
        pose, velocity = scene.body_motion(self._body)
        before, memory = self._last
        out, memory = inertial(pose, velocity, self._frame, self._gravity, scene.time - before, memory)
        self._last = (scene.time, memory)
        if self._blind:
            out[self._missing] = np.nan
        return out

    def save(self) -> Any:
        """The velocity and rotation of the sample before."""
        return self._last

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._last = state
