"""Joint encoders: positions and the velocities that a controller derives from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.description.robot import Robot
from andante.geometry import Array

from .sensor import Scene


@dataclass(frozen=True)
class PositionEncoders:
    """Positions of all movable joints [rad, m]."""

    robot: Robot
    name: str = "encoders"

    @property
    def labels(self) -> tuple[str, ...]:
        """Joint names."""
        return self.robot.joint_names

    def measure(self, scene: Scene) -> Array:
        """True joint positions."""
        return scene.joint_positions


@dataclass(frozen=True)
class EffortSensors:
    """Efforts of all servos, as a current measurement gives them [N m, N]."""

    robot: Robot
    name: str = "efforts"

    @property
    def labels(self) -> tuple[str, ...]:
        """Joint names."""
        return self.robot.joint_names

    def measure(self, scene: Scene) -> Array:
        """Efforts of the last step."""
        return scene.joint_efforts


class VelocityFromEncoders:
    """Velocities as a controller has them: difference quotient of encoder positions over one sample [rad/s, m/s]."""

    def __init__(self, robot: Robot, resolution: float = 0.0, name: str = "encoder_velocities") -> None:
        self.robot, self.resolution, self.name = robot, resolution, name
        self._last: tuple[float, Array] | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """Joint names."""
        return self.robot.joint_names

    def measure(self, scene: Scene) -> Array:
        """(q - q_before) / (t - t_before) of the quantised positions; 0 at the first sample."""
        q = scene.joint_positions
        if self.resolution:
            q = np.rint(q / self.resolution) * self.resolution
        before, self._last = self._last, (scene.time, q)
        if before is None or scene.time <= before[0]:
            return np.zeros_like(q)
        return (q - before[1]) / (scene.time - before[0])

    def save(self) -> tuple[float, Array] | None:
        """The sample before."""
        return self._last

    def load(self, state: tuple[float, Array] | None) -> None:
        """Put back what `save` gave."""
        self._last = state
