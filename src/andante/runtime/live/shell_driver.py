"""The Shell led by velocities in whichever shape it has: on its legs, or rolling as a ball."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array
from andante.locomotion import Command, Readings
from andante.locomotion.ball_gait import RollingWalker
from andante.locomotion.shell import ShellMode

BALL_STILL = 0.05  # a ball slower than this stands [m/s]


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
            return float(self.controller.roller.config.fastest)
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
        rolls = controller.mode in (ShellMode.BALL, ShellMode.FOLDING)
        target = controller.update(readings, command, dt)
        step = self._step_of_legs(before) if walking else np.zeros(2)
        if controller.mode in (ShellMode.BALL, ShellMode.RIGHTING):
            step = dt * controller.roller.velocity
        turn = command.wz if rolls else float(controller.roller.attitude.spin[2])
        self._place = self._place + np.array([step[0], step[1], dt * turn])
        return target
