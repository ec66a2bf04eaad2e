"""Rolling as a way to walk: `andante walk shell --gait roll` folds, rolls, unfolds and stands again."""

from __future__ import annotations

import math

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array

from .behaviour import Behaviour, Command, Readings
from .gaits import Prepared, Request, prepare
from .shell import ShellController, ShellMode


class RollingWalker:
    """The Shell led by velocities alone: it folds when it is to go somewhere and unfolds when it has stopped.

    A command that only turns is left to its legs, for a ball cannot turn on the spot.
    """

    stopping_time = 2.5  # [s]

    def __init__(self, robot: Robot, walker: Behaviour | None = None) -> None:
        self.controller = ShellController(robot, walker)
        self._place = np.zeros(3)
        self._idle = True

    @property
    def top_speed(self) -> float:
        """As a ball [m/s]."""
        return self.controller.roller.config.fastest

    @property
    def top_turn(self) -> float:
        """Of the legs on the spot [rad/s]."""
        return float(getattr(self.controller.walker, "top_turn", 0.5))

    @property
    def standing(self) -> bool:
        """Whether it stands as a hexapod and nothing is asked of it."""
        return self._idle and self.controller.mode is ShellMode.HEXAPOD

    @property
    def tumbles(self) -> bool:
        """Whether it is a ball or on the way there and back, so that no lean is a fall."""
        return self.controller.mode is not ShellMode.HEXAPOD

    @property
    def position(self) -> Array:
        """x, y [m] by the turns of the ball, and the angle turned since the start, unwrapped [rad]."""
        return self._place

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        controller = self.controller
        self._idle = not command.moving
        goes = bool(command.vx or command.vy)
        rolls = controller.mode in (ShellMode.BALL, ShellMode.FOLDING)
        if goes and controller.mode is ShellMode.HEXAPOD:
            controller.fold()
        elif not goes and controller.mode is ShellMode.BALL:
            controller.unfold()
        target = controller.update(readings, command, dt)
        as_ball = controller.mode in (ShellMode.BALL, ShellMode.RIGHTING)
        turn = command.wz if rolls else float(controller.roller.attitude.spin[2])
        step = np.array([*(controller.roller.velocity if as_ball else (0.0, 0.0)), turn])
        self._place = self._place + dt * step
        return target


def make_roll(robot: Robot, request: Request | None = None) -> Prepared:
    """The Shell standing, ready to roll; its legs turn it by the tripod gait."""
    if request is not None and request.parameters:
        raise BadInput(f"gait 'roll' takes no parameters, got {', '.join(request.parameters)}")
    legs = prepare(robot, Request("tripod", request.rig if request else None))
    if not math.isfinite(legs.walker.top_speed):
        raise BadInput(f"robot {robot.name!r}: its legs cannot walk")
    return Prepared(legs.robot, legs.pose, RollingWalker(legs.robot, legs.walker), legs.forward, "roll")
