"""`GoalChecker` and `ProgressChecker`: whether the robot has arrived, and whether it gets anywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, se2

from .control import MotionState


@dataclass(frozen=True)
class GoalChecker:
    """Arrived: within `distance` of the goal, within `angle` of its yaw where it has one, and slower than `speed`."""

    distance: float = 0.15  # [m]
    angle: float = 0.2  # [rad]
    speed: float = math.inf  # [m/s]

    def __post_init__(self) -> None:
        if not (self.distance > 0 and self.angle > 0 and self.speed > 0):
            raise BadInput("arrival needs a distance, an angle and a speed > 0")

    def near(self, pose: Array, goal: Array) -> bool:
        """Whether the place is reached, whatever the heading."""
        return float(np.hypot(*(goal[:2] - pose[:2]))) <= self.distance

    def arrived(self, state: MotionState, goal: Array) -> bool:
        """Whether place, heading (unless the goal's yaw is NaN) and speed are right."""
        turned = math.isnan(goal[2]) or abs(float(se2.wrap(goal[2] - state.pose[2]))) <= self.angle
        return self.near(state.pose, goal) and turned and float(np.hypot(*state.velocity[:2])) <= self.speed


class ProgressChecker:
    """Tells when a robot has neither moved by `distance` nor turned by `angle` within `seconds`."""

    def __init__(self, distance: float = 0.2, angle: float = 0.6, seconds: float = 6.0) -> None:
        if not (distance > 0 and angle > 0 and seconds > 0):
            raise BadInput("progress is told by a distance, an angle and a time > 0")
        self.distance, self.angle, self.seconds = distance, angle, seconds
        self._from: Array | None = None
        self._since = 0.0

    def reset(self) -> None:
        """Begin anew with the next pose."""
        self._from = None

    def stuck(self, state: MotionState) -> bool:
        """Whether the time is over without progress."""
        if self._from is None or state.time < self._since:
            self._from, self._since = state.pose, state.time
            return False
        gap = state.pose - self._from
        if float(np.hypot(gap[0], gap[1])) >= self.distance or abs(float(se2.wrap(gap[2]))) >= self.angle:
            self._from, self._since = state.pose, state.time
        return state.time - self._since > self.seconds
