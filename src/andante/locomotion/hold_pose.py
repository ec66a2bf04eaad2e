"""The simplest walker: it stands in one pose and goes nowhere."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from andante.description import Robot
from andante.geometry import Array

from .behaviour import Command, Readings


class HoldPose:
    """Keeps a robot in a pose; a stand-in for a walk wherever a `Walker` is needed."""

    top_speed = 0.0  # [m/s]
    top_turn = 0.0  # [rad/s]
    standing = True
    stopping_time = 0.0  # [s]

    def __init__(self, robot: Robot, pose: str | Mapping[str, float]) -> None:
        named = robot.pose(pose) if isinstance(pose, str) else dict(pose)
        whole = robot.complete(named)
        self.pose = whole
        self.position = np.zeros(3)
        self._targets = np.array([whole[name] for name in robot.joint_names])

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """The pose, whatever is commanded."""
        return self._targets
