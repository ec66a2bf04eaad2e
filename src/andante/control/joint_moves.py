"""Joints sent one by one to targets, each at its own speed, with bounded acceleration: never a jump."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.motion.joint_motion import MotionLimits

from .activities import Activity

NEAR = 1e-6  # a joint this near has arrived [rad or m]
BRAKE_FRACTION = 0.85  # of the acceleration is planned with, so that rounding never overshoots


class JointMoves(Activity):
    """An activity that sends single joints somewhere and leaves the others where they are.

    Speed v obeys |v| <= fraction of the limit, |dv| <= a dt, and v <= b (sqrt(1 + 8 |gap| / (b dt)) - 1) / 2 with
    b = 0.85 a dt: the speed from which steps that shrink by b just reach the goal.
    """

    name = "joints"

    def __init__(self, robot: Robot, start: Array) -> None:
        limits = MotionLimits.of(robot)
        self._names, self._top, self._push = robot.joint_names, limits.velocity, limits.acceleration
        self._lower, self._upper = limits.lower, limits.upper
        self.targets = np.array(start, dtype=float)  # that are commanded now
        self.goals = self.targets.copy()
        self._speed = np.zeros(len(self._names))
        self._limit = self._top.copy()
        self.moved: set[str] = set()  # joints that were ever sent

    @property
    def detail(self) -> str:
        """Joints on their way."""
        moving = [name for name, gap in zip(self._names, self.goals - self.targets, strict=True) if gap]
        return ", ".join(moving[:4]) + (" ..." if len(moving) > 4 else "")

    @property
    def over(self) -> bool:
        """Never: joints stay where they were sent."""
        return False

    @property
    def resting(self) -> bool:
        """Whether all joints have arrived."""
        return not self._speed.any() and bool((self.goals == self.targets).all())

    def send(
        self, names: Sequence[str], values: Sequence[float], fraction: float = 1.0, relative: bool = False
    ) -> None:
        """Send joints to positions [rad or m], within their limits, at a fraction of their top speed."""
        if len(names) != len(values):
            raise BadInput(f"{len(names)} joints need as many positions, got {len(values)}")
        if not 0 < fraction <= 1:
            raise BadInput(f"speed is a fraction of the joints' top speed above 0 and up to 1, got {fraction}")
        index = []
        for name, value in zip(names, values, strict=True):
            if name not in self._names:
                raise UnknownName.among("joint", name, self._names)
            if not np.isfinite(value):
                raise BadInput(f"joint {name!r} needs a finite position, got {value}")
            index.append(self._names.index(name))
        start = self.goals[index] if relative else 0.0
        self.goals[index] = np.clip(start + np.asarray(values, dtype=float), self._lower[index], self._upper[index])
        self._limit[index] = fraction * self._top[index]
        self.moved.update(names)

    def stop(self) -> None:
        """Brake every joint where it is."""
        way = np.sign(self._speed) * self._speed**2 / (2 * BRAKE_FRACTION * self._push)
        self.goals = np.clip(self.targets + way, self._lower, self._upper)

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets a control step further on."""
        return self.advance(dt)

    def advance(self, dt: float) -> Array:
        """Targets dt [s] further on."""
        gap = self.goals - self.targets
        if not (gap.any() or self._speed.any()):
            return self.targets.copy()
        change = self._push * dt
        brake = BRAKE_FRACTION * change
        stops = 0.5 * brake * (np.sqrt(1.0 + 8.0 * np.abs(gap) / (brake * dt)) - 1.0)  # in whole control steps
        wanted = np.sign(gap) * np.minimum(self._limit, stops)
        self._speed += np.clip(wanted - self._speed, -change, change)
        step = self._speed * dt
        arrives = (np.abs(gap) <= NEAR) | ((np.abs(step) >= np.abs(gap)) & (np.sign(step) == np.sign(gap)))
        there = arrives & (np.abs(self._speed) <= change)  # a quicker one passes by and comes back
        self.targets = np.where(there, self.goals, self.targets + step)
        self._speed[there] = 0.0
        return self.targets.copy()
