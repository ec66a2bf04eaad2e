"""Inertial measurement unit: angular velocity and specific force in the axes of the sensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from andante.description.robot import Robot
from andante.geometry import SE3, Array, so3

from .sensor import Scene

AXES = ("x", "y", "z")


class Imu:
    """Gyro w = Rᵀ ω [rad/s] and accelerometer f = Rᵀ (a - g) [m/s²] of a frame on a link.

    The acceleration is the mean over the last sample period, (v - v_before) / (t - t_before), which is what a
    sensor with a low pass at its own rate sees. `gyro_axes` and `accelerometer_axes` name the axes that exist
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
        self._last: tuple[float, Array] | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """gyro_x .. gyro_z, acc_x .. acc_z."""
        return tuple(f"gyro_{a}" for a in AXES) + tuple(f"acc_{a}" for a in AXES)

    def measure(self, scene: Scene) -> Array:
        """True angular velocity and specific force, (6,)."""
        world_from_link = scene.link_poses[self._link]
        rotation = so3.from_quaternion(world_from_link[3:])
        linear, angular = scene.link_velocities[self._link][:3], scene.link_velocities[self._link][3:]
        velocity = linear + np.cross(angular, rotation @ self._pose.translation)
        before, self._last = self._last, (scene.time, velocity)
        acceleration = np.zeros(3)
        if before is not None and scene.time > before[0]:
            acceleration = (velocity - before[1]) / (scene.time - before[0])
        world_from_sensor = rotation @ self._pose.rotation
        force = world_from_sensor.T @ (acceleration - np.asarray(scene.engine.world.gravity))
        out = np.concatenate([world_from_sensor.T @ angular, force])
        out[self._missing] = np.nan
        return out

    def save(self) -> Any:
        """The velocity of the sample before."""
        return (self._last,)

    def load(self, state: Any) -> None:
        """Put back what `save` gave."""
        (self._last,) = state
