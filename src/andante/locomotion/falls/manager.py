"""The fall manager: wraps a walker, detects a coming fall, protects the robot, and gets it up again.

upright -> falling (direction) -> fallen (belly, back, left, right) -> getting up -> upright, or failed.
While upright the walker has the joints. A fall that the walker catches after all ends as `caught`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from andante.description import Robot
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.behaviour import Command, Readings, Walker, WalkerWrapper
from andante.locomotion.rigs.balance import Balance
from andante.motion import play_from, vector_of

from .detector import BalanceState, FallDetector, FallRules, load_fraction
from .get_up import FallMotions, GetUp, GetUpSettings, Phase, Posture, Track, posture_of

QUIET_TURN, QUIET_FORCE = 0.5, 1.5  # a body at rest turns slower [rad/s] and measures gravity within [m/s²]
HANDOVER = 0.5  # from the standing pose to the walker's targets [s]


class FallState(StrEnum):
    """Where a robot is between standing and lying."""

    UPRIGHT = "upright"
    FALLING = "falling"
    FALLEN = "fallen"
    GETTING_UP = "getting up"
    FAILED = "failed"  # it lies and has given up; `try_again` starts anew


@dataclass(frozen=True)
class FallEvent:
    """Something happened: `what` is a state, `caught`, `retry` or `up`; `where` a direction or posture."""

    time: float  # [s]
    what: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.time:.2f} s: {self.what}{f' ({self.where})' if self.where else ''}"


@dataclass(frozen=True)
class FallTiming:
    """How long the phases of a fall take [s]."""

    shortest: float = 0.4  # protecting pose, at least
    longest: float = 4.0  # until it is taken to lie, whatever the sensors report
    quiet: float = 0.2  # how long it must lie still


class FallManager(WalkerWrapper):
    """A walker that falls well. `events` tells what happened, newest last; `listener` hears each at once.

    Once up again the walk starts anew: with the walker that `restart` makes, else by `walker.reset()`.
    """

    def __init__(
        self,
        walker: Walker,
        robot: Robot,
        motions: FallMotions,
        rules: FallRules | None = None,
        get_up: GetUpSettings | None = None,
        timing: FallTiming | None = None,
        restart: Callable[[], Walker] | None = None,
        listener: Callable[[FallEvent], None] | None = None,
    ) -> None:
        super().__init__(walker)
        self.robot, self.motions = robot, motions
        self.timing, self.restart, self.listener = timing or FallTiming(), restart, listener
        balance = Balance(robot)
        self.detector = FallDetector(robot, rules, balance)
        self.rising = GetUp(robot, motions, get_up, balance)
        self.state, self.events = FallState.UPRIGHT, list[FallEvent]()
        self.balance: BalanceState | None = None
        self._names = robot.joint_names
        self._weight = balance.mass * GRAVITY
        self._soft = _by_pattern(self._names, motions.stiffness)
        self._since = self._quiet = 0.0
        self._blend = 1.0
        self._origin = np.zeros(3)  # of the walker's odometry since it was last set up
        self._track: Track | None = None
        self._stood = vector_of(robot, motions.stand)

    # ---- a walker, as far as anybody can see -------------------------------------------------------
    @property
    def standing(self) -> bool:
        """Whether it is up and at rest."""
        return self.state is FallState.UPRIGHT and self._blend >= 1.0 and self.walker.standing

    @property
    def position(self) -> Array:
        """x, y [m] and heading [rad] by the walker's own odometry; a fall itself counts as no distance."""
        x, y, heading = self.walker.position
        c, s = math.cos(self._origin[2]), math.sin(self._origin[2])
        return np.asarray(self._origin + np.array([c * x - s * y, s * x + c * y, heading]))

    @property
    def free_joints(self) -> frozenset[str]:
        """Those of the walker while it is up."""
        return self.walker.free_joints if self.state is FallState.UPRIGHT else frozenset()

    # ---- the states -------------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint position targets (joints,) for the next control step of dt [s]."""
        self.balance = self.detector.update(readings, dt)
        self._since += dt
        match self.state:
            case FallState.UPRIGHT:
                return self._walk(readings, command, dt)
            case FallState.FALLING:
                return self._fall(readings, dt)
            case FallState.FALLEN | FallState.GETTING_UP:
                return self._rise(readings, command, dt)
            case FallState.FAILED:
                return readings.position.copy()

    def try_again(self) -> bool:
        """After it has failed: get up from the start; False when it has not."""
        if self.state is not FallState.FAILED:
            return False
        self.rising.start()
        self._enter(FallState.FALLEN)
        return True

    def _walk(self, readings: Readings, command: Command, dt: float) -> Array:
        assert self.balance is not None
        if self.balance.falling:
            direction = self.balance.direction
            self._enter(FallState.FALLING)
            self._log(readings.time, "falling", direction)
            here = dict(zip(self._names, readings.position.tolist(), strict=True))
            motion = play_from(self.motions.protect[direction], self.robot, here)
            self._track = Track(motion, self._names, readings.position)
            self.stiffness = self._soft
            self._quiet = 0.0
            return self._track.at(0.0)
        wanted = self.walker.update(readings, command if self._blend >= 1.0 else Command(), dt)
        self.stiffness = self.walker.stiffness
        if self._blend >= 1.0:
            return wanted
        self._blend = min(1.0, self._blend + dt / HANDOVER)
        return self._stood + self._blend * (wanted - self._stood)

    def _fall(self, readings: Readings, dt: float) -> Array:
        assert self._track is not None
        targets = self._track.at(self._since)
        turning = float(np.linalg.norm(np.nan_to_num(readings.gyro)))
        measured = abs(float(np.linalg.norm(readings.acceleration)) - GRAVITY)
        self._quiet = self._quiet + dt if turning < QUIET_TURN and measured < QUIET_FORCE else 0.0
        timing = self.timing
        if self._since >= timing.longest or (self._since >= timing.shortest and self._quiet >= timing.quiet):
            up = self.detector.attitude.up
            over = self.detector.balance.over_feet(readings.position, up)
            posture = posture_of(up, load_fraction(readings.forces, self._weight), over)
            self.rising.attitude.state[:] = self.detector.attitude.state
            self.rising.start()
            self._enter(FallState.FALLEN)
            self._log(readings.time, "caught" if posture is Posture.STANDING else "fallen", posture)
        return targets

    def _rise(self, readings: Readings, command: Command, dt: float) -> Array:
        before = self.rising.failures
        targets = self.rising.update(readings, command, dt)
        self.stiffness = self.rising.stiffness
        if self.rising.phase is Phase.FAILED:
            self._enter(FallState.FAILED)
            self._log(readings.time, "failed", f"{self.rising.posture} after {self.rising.failures} tries")
        elif self.rising.done:
            self._restart()
            self._enter(FallState.UPRIGHT)
            self._log(readings.time, "up")
        elif self.rising.failures > before:
            self._log(readings.time, "retry", self.rising.story[-1])
        elif self.state is FallState.FALLEN and self.rising.phase is Phase.MOVING:
            self._enter(FallState.GETTING_UP)
            self._log(readings.time, "getting up", self.rising.posture)
        return targets

    def _restart(self) -> None:
        """Hand over to the walker: it starts anew where it can, its odometry goes on, its joints are led over."""
        before = self.position
        if self.restart is not None:
            self.walker = self.restart()
        else:
            self.walker.reset()
        x, y, heading = self.walker.position
        turn = before[2] - heading
        c, s = math.cos(turn), math.sin(turn)
        self._origin = np.array([before[0] - c * x + s * y, before[1] - s * x - c * y, turn])
        self.detector.reset()
        self._blend = 0.0

    def _enter(self, state: FallState) -> None:
        self.state, self._since = state, 0.0

    def _log(self, time: float, what: str, where: str = "") -> None:
        event = FallEvent(time, what, str(where))
        self.events.append(event)
        if self.listener is not None:
            self.listener(event)


def _by_pattern(names: tuple[str, ...], patterns: Any) -> Array:
    """Values of joints by the last pattern that fits each; 1 where none does."""
    out = np.ones(len(names))
    for i, name in enumerate(names):
        for pattern, value in patterns.items():
            if fnmatchcase(name, pattern):
                out[i] = value
    return out
