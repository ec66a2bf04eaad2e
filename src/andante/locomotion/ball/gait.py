"""Rolling as a way to walk: `andante walk shell --gait roll` folds, rolls, unfolds and stands again."""

from __future__ import annotations

import math

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.behaviour import Command, Readings, Walker
from andante.locomotion.gaits import Prepared, Request, prepare
from andante.locomotion.shell import ShellController, ShellMode

NEAR = 0.02  # the legs have arrived [m]
SLOW_WITHIN = 0.08  # and go slower when nearer than this [m]
WALK_HOME = 20.0  # longest time that the legs walk [s]


class RollingWalker(Walker):
    """The Shell led by velocities alone: it folds when it is to go somewhere and unfolds when it has stopped.

    A ball stops where its lower side comes down, not where it was commanded to. So its legs walk the rest, by its own
    odometry: to the place at which it would have stopped with an even braking, v² / 2a with a = top speed / stopping
    time, as `Walker` promises. A command that only turns is left to its legs, for a ball cannot turn on the spot.
    """

    stopping_time = 2.5  # [s]

    def __init__(self, robot: Robot, walker: Walker | None = None, forward: float = 0.0) -> None:
        self.controller = ShellController(robot, walker)
        self.forward = forward  # azimuth of straight ahead in the body frame [rad]
        self._place = np.zeros(3)
        self._idle = True
        self._way = np.zeros(2)  # last commanded velocity [m/s]
        self._stop: Array | None = None  # where its legs bring it
        self._patience = 0.0  # for that [s]

    @property
    def max_speed(self) -> float:
        """As a ball [m/s]."""
        return self.controller.roller.settings.fastest

    @property
    def max_turn(self) -> float:
        """Of the legs on the spot [rad/s]."""
        return self.controller.walker.max_turn

    @property
    def standing(self) -> bool:
        """Whether it stands as a hexapod where it should and nothing is asked of it."""
        still = self.controller.walker.standing
        return self._idle and self.controller.mode is ShellMode.HEXAPOD and self._stop is None and still

    @property
    def tumbles(self) -> bool:
        """Whether it is a ball or on the way there and back, so that no lean is a fall."""
        return self.controller.mode is not ShellMode.HEXAPOD

    @property
    def position(self) -> Array:
        """x, y [m] by the turns of the ball and the steps of its legs, and the angle turned, unwrapped [rad]."""
        return self._place

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        controller = self.controller
        self._idle = not command.moving
        goes = bool(command.vx or command.vy)
        rolls = controller.mode in (ShellMode.BALL, ShellMode.FOLDING)
        if goes:
            self._way, self._stop = np.array([command.vx, command.vy]), None
            if controller.mode is ShellMode.HEXAPOD:
                controller.fold()
        elif controller.mode is ShellMode.BALL:
            controller.unfold()
            self._aim()
        before, walking = controller.walker.position.copy(), controller.mode is ShellMode.HEXAPOD
        target = controller.update(readings, self._walk_home(dt) if walking and not command.moving else command, dt)
        step = self._step_of_legs(before) if walking else np.zeros(2)
        if controller.mode in (ShellMode.BALL, ShellMode.RIGHTING):
            step = dt * controller.roller.velocity
        turn = command.wz if rolls else float(controller.roller.attitude.spin[2])
        self._place = self._place + np.array([step[0], step[1], dt * turn])
        return target

    def _aim(self) -> None:
        """Where an even braking would end, from here along the course."""
        course = self.controller.roller.course
        c, s = math.cos(course), math.sin(course)
        way = np.array([c * self._way[0] - s * self._way[1], s * self._way[0] + c * self._way[1]])
        glide = 0.5 * math.hypot(*way) * self.stopping_time / self.max_speed
        self._stop, self._patience = self._place[:2] + glide * way, WALK_HOME

    def _walk_home(self, dt: float) -> Command:
        """The command that brings the legs to where it should stand; none when it is there or its patience is over."""
        speed = self.controller.walker.max_speed
        if self._stop is None or not speed:
            self._stop = None
            return Command()
        self._patience -= dt
        gap = self._stop - self._place[:2]
        left = math.hypot(*gap)
        if left < NEAR or self._patience <= 0:
            self._stop = None
            return Command()
        speed *= min(1.0, max(0.25, left / SLOW_WITHIN)) / left
        c, s = math.cos(self._facing), math.sin(self._facing)
        return Command(vx=speed * (c * gap[0] + s * gap[1]), vy=speed * (c * gap[1] - s * gap[0]))

    @property
    def _facing(self) -> float:
        return self.controller.roller.attitude.facing + self.forward

    def _step_of_legs(self, before: Array) -> Array:
        """What a control step of the legs has moved it by, in the heading frame of the ball (2,) [m]."""
        after = self.controller.walker.position
        turn = self._facing - float(after[2])
        c, s = math.cos(turn), math.sin(turn)
        x, y = (after - before)[:2]
        return np.array([c * x - s * y, s * x + c * y])


def make_roll(robot: Robot, request: Request | None = None) -> Prepared:
    """The Shell standing, ready to roll; its legs turn it by the tripod gait."""
    if request is not None and request.parameters:
        raise BadInput(f"gait 'roll' takes no parameters, got {', '.join(request.parameters)}")
    legs = prepare(robot, Request("tripod", request.rig if request else None))
    if not math.isfinite(legs.walker.max_speed):
        raise BadInput(f"robot {robot.name!r}: its legs cannot walk")
    return Prepared(legs.robot, legs.pose, RollingWalker(legs.robot, legs.walker, legs.forward), legs.forward, "roll")
