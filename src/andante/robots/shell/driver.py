"""The Shell led by velocities in whichever shape it has: on its legs, or rolling as a ball."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import Array, se2
from andante.locomotion.behaviour import Command, Places, Readings, Walker
from andante.locomotion.gaits import Driver, Gait, PoseMotion, Prepared, Request, prepare

from .controller import BUTTONS, ShellController, ShellMode
from .folding import fold_motion, folds, is_shell

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
        return self._still(ShellMode.HEXAPOD) and self._stop is None

    def _still(self, *modes: ShellMode) -> bool:
        """Whether nothing is asked of it in one of these modes and its legs stand."""
        return self._idle and self.controller.mode in modes and self.controller.walker.standing

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
        walking = controller.mode is ShellMode.HEXAPOD
        target, step = self._go(readings, self._walk_home(dt) if walking and not command.moving else command, dt)
        turn = command.wz if rolls else float(controller.roller.attitude.spin[2])
        self._place = self._place + np.array([step[0], step[1], dt * turn])
        return target

    def _go(self, readings: Readings, command: Command, dt: float) -> tuple[Array, Array]:
        """Joint targets (joints,) of the controller, and the step (2,) that the robot has made meanwhile [m]."""
        controller = self.controller
        before = controller.walker.position.copy() if controller.mode is ShellMode.HEXAPOD else None
        target = controller.update(readings, command, dt)
        if controller.mode in (ShellMode.BALL, ShellMode.RIGHTING):
            return target, dt * controller.roller.velocity
        return target, np.zeros(2) if before is None else self._step_of_legs(before)

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


def make_roll(robot: Robot, request: Request) -> Prepared:
    """The Shell standing, ready to roll; its legs turn it by the tripod gait."""
    if request.parameters:
        raise BadInput(f"gait 'roll' takes no parameters, got {', '.join(request.parameters)}")
    legs = prepare(robot, Request("tripod", request.rig))
    if not math.isfinite(legs.walker.max_speed):
        raise BadInput(f"robot {robot.name!r}: its legs cannot walk")
    return Prepared(legs.robot, legs.pose, RollingWalker(legs.robot, legs.walker, legs.forward), legs.forward, "roll")


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
        return self._still(ShellMode.HEXAPOD, ShellMode.STUCK)

    def fold(self) -> None:
        """Become a ball."""
        self.controller.fold()

    def unfold(self) -> None:
        """Become a hexapod."""
        self.controller.unfold()

    settle = unfold  # another activity takes over from the hexapod only

    def press(self, button: str) -> None:
        """`shell` folds it, `hexapod` unfolds it."""
        UnknownName.check("button", button, BUTTONS)
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
        self._idle = not command.moving
        target, step = self._go(readings, command, dt)
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


WALKERS = (Gait("roll", is_shell, make_roll), Driver(is_shell, make_shell_driver), PoseMotion(folds, fold_motion))
