"""The Shell led by velocities in whichever shape it has: on its legs, or rolling as a ball."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.locomotion.ball.gait import RollingWalker
from andante.locomotion.shell import ShellMode


class ShellDriver(RollingWalker):
    """Keeps its shape until it is told to change it: `fold` makes the ball, `unfold` the hexapod."""

    @property
    def mode(self) -> str:
        """Its shape in a word."""
        return self.controller.mode.value

    @property
    def top_speed(self) -> float:
        """Of the present shape [m/s]."""
        if self.controller.mode is ShellMode.BALL:
            return float(self.controller.roller.settings.fastest)
        return float(getattr(self.controller.walker, "top_speed", 0.0))

    @property
    def standing(self) -> bool:
        """Whether it stands on its legs and nothing is asked of it."""
        still = bool(getattr(self.controller.walker, "standing", True))
        return self._idle and self.controller.mode in (ShellMode.HEXAPOD, ShellMode.STUCK) and still

    def fold(self) -> None:
        """Become a ball."""
        self.controller.fold()

    def unfold(self) -> None:
        """Become a hexapod."""
        self.controller.unfold()

    settle = unfold  # another activity takes over from the hexapod only

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        controller = self.controller
        self._idle = not command.moving
        before, walking = self._steps(), controller.mode is ShellMode.HEXAPOD
        target = controller.update(readings, command, dt)
        step = self._step_of_legs(before) if walking else np.zeros(2)
        if controller.mode in (ShellMode.BALL, ShellMode.RIGHTING):
            step = dt * controller.roller.velocity
        heading = self._heading(float(self._place[2]))
        self._place = np.array([self._place[0] + step[0], self._place[1] + step[1], heading])
        return target

    def _heading(self, before: float) -> float:
        """Where straight ahead is, unwrapped [rad]: of the legs where the body faces, of the ball its course."""
        roller = self.controller.roller
        if self.controller.mode is ShellMode.HEXAPOD:
            now = float(roller.attitude.facing)
        elif self.controller.mode is ShellMode.BALL:
            now = roller.course - self.forward
        else:
            return before  # it changes its shape
        return before + math.remainder(now - before, 2 * math.pi)
