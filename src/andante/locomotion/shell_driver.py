"""The Shell led by velocities in whichever shape it has: on its legs, or rolling as a ball."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.description import Robot
from andante.errors import UnknownName
from andante.geometry import Array, se2

from .ball.gait import RollingWalker
from .behaviour import Command, Places, Readings
from .gaits import Prepared, Request, prepare
from .shell import ShellMode
from .shell_keys import BUTTONS


class ShellDriver(RollingWalker):
    """Keeps its shape until it is told to change it: `fold` makes the ball, `unfold` the hexapod."""

    buttons, moves_body = BUTTONS, True
    leg_gait = "tripod"

    @property
    def shape(self) -> str:
        """Its shape in a word."""
        return self.controller.mode.value

    @property
    def orientation(self) -> Array:
        """Rotation (3, 3) of the body by its IMU, in the frame of its start."""
        return self.controller.roller.attitude.rotation

    @property
    def free_joints(self) -> frozenset[str]:
        """Those of its legs."""
        return self.controller.walker.free_joints

    @property
    def footsteps(self) -> tuple[Places, Places]:
        """Feet of its legs while it stands on them."""
        walks = self.controller.mode is ShellMode.HEXAPOD
        standing, coming = self.controller.walker.footsteps if walks else ({}, {})
        shift = se2.compose(self.position, se2.inverse(self.controller.walker.position))
        return {n: se2.compose(shift, p) for n, p in standing.items()}, {
            n: se2.compose(shift, p) for n, p in coming.items()
        }

    @property
    def max_speed(self) -> float:
        """Of the present shape [m/s]."""
        if self.controller.mode is ShellMode.BALL:
            return float(self.controller.roller.settings.fastest)
        return self.controller.walker.max_speed

    @property
    def standing(self) -> bool:
        """Whether it stands on its legs and nothing is asked of it."""
        still = self.controller.walker.standing
        return self._idle and self.controller.mode in (ShellMode.HEXAPOD, ShellMode.STUCK) and still

    def fold(self) -> None:
        """Become a ball."""
        self.controller.fold()

    def unfold(self) -> None:
        """Become a hexapod."""
        self.controller.unfold()

    settle = unfold  # another activity takes over from the hexapod only

    def press(self, button: str) -> None:
        """`shell` folds it, `hexapod` unfolds it."""
        if button not in BUTTONS:
            raise UnknownName.among("button", button, BUTTONS)
        (self.fold if button == "shell" else self.unfold)()

    def change_gait(self, gait: str) -> bool:
        """Rolling is a change of shape; for a gait of its legs it unfolds."""
        if gait == "roll":
            self.fold()
            return True
        self.unfold()
        return gait == self.leg_gait

    def take_pose(self, pose: str) -> bool:
        """The ball, and the stance from the ball."""
        if pose == "ball":
            self.fold()
        elif pose == "stand" and self.controller.mode is not ShellMode.HEXAPOD:
            self.unfold()
        else:
            return False
        return True

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        controller = self.controller
        self._idle = not command.moving
        before, walking = controller.walker.position.copy(), controller.mode is ShellMode.HEXAPOD
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


def make_shell_driver(robot: Robot, request: Request) -> Prepared:
    """The Shell on the legs of a gait; asked to roll it begins to fold at once."""
    rolls = request.gait == "roll"
    legs = prepare(robot, replace(request, gait="tripod") if rolls else request)
    driver = ShellDriver(legs.robot, legs.walker, legs.forward)
    driver.leg_gait = legs.gait
    if rolls:
        driver.fold()
    return replace(legs, walker=driver, gait="roll" if rolls else legs.gait)
