"""The whole Shell as one behaviour: hexapod, folding, ball, righting and unfolding, by keys, buttons or commands."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

import numpy as np

from andante.description import Robot
from andante.geometry import Array
from andante.locomotion.behaviour import Behaviour, Command, HoldPose, Readings, Walker
from andante.locomotion.keys import KEYS, KeyPad, KeySpeeds

from .folding import FoldMap, FoldSettings, Progress, RouteFollower
from .kernels import BallSettings
from .roller import BallRoller

LOG_LINES = 200
BUTTONS = {"shell": "fold into the ball", "hexapod": "unfold and stand"}  # and what they do


class ShellMode(Enum):
    """What the Shell is doing."""

    HEXAPOD = "hexapod"
    FOLDING = "folding"
    BALL = "ball"
    RIGHTING = "righting"  # stops rolling and brings its lower side down
    UNFOLDING = "unfolding"
    STUCK = "stuck"  # a joint did not arrive; a button tries again


@dataclass(frozen=True)
class ShellSettings:
    """Patience and bounds of the changes between hexapod and ball."""

    fallen_lean: float = 0.9  # unfolded further from upright than this: fold and right again [rad]
    attempts: int = 3  # at standing up
    righting_time: float = 20.0  # after this the ball unfolds as it lies, if it may [s]


class ShellController(Behaviour):
    """Walks by the behaviour it is given, folds, rolls, rights itself and unfolds; sees sensors only.

    `handle` takes the keys of the source, `fold` and `unfold` are its buttons; the command given to `update` is added
    to that of the keys. `say` tells the newest of what happened, `log` all of it.
    """

    def __init__(
        self,
        robot: Robot,
        walker: Walker | None = None,
        *,
        folded: bool = False,
        settings: ShellSettings | None = None,
        ball: BallSettings | None = None,
        fold: FoldSettings | None = None,
        speeds: KeySpeeds | None = None,
    ) -> None:
        self.settings = settings or ShellSettings()
        self.walker: Walker = walker or HoldPose(robot, "stand")
        self.roller = BallRoller(robot, ball)
        self.keys = KeyPad(speeds, BUTTONS)
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        self.mode = ShellMode.BALL if folded else ShellMode.HEXAPOD
        self._map = FoldMap(robot)
        self._follower = RouteFollower(self._map, fold)
        self._since, self._attempts, self._time, self._course = 0.0, 0, 0.0, 0.0
        self._wish: ShellMode | None = None
        self._long = False  # whether the long way is being tried

    # ---- what a front end calls ----------------------------------------------------------------------
    def handle(self, key: str, pressed: bool = True) -> str:
        """A key or button goes down or up; the line that was logged, empty for a key that goes up."""
        name = self.keys.press(key, pressed)
        if not pressed:
            return ""
        if name == "shell":
            self.fold()
        elif name == "hexapod":
            self.unfold()
        return self._tell(f"{name}: {BUTTONS.get(name) or KEYS[name]}")

    def fold(self) -> None:
        """Ask for the ball."""
        self._wish = ShellMode.BALL

    def unfold(self) -> None:
        """Ask for the hexapod."""
        self._wish = ShellMode.HEXAPOD
        self._attempts = 0

    def say(self) -> str:
        """The newest line of the log."""
        return self.log[-1] if self.log else f"ready as {self.mode.value}"

    @property
    def lean(self) -> float:
        """Angle between the body's z axis and the vertical, by the IMU [rad]."""
        return self.roller.attitude.lean

    @property
    def fallen(self) -> bool:
        """Whether it stands as a hexapod and leans too far; a ball never falls."""
        return self.mode in (ShellMode.HEXAPOD, ShellMode.STUCK) and self.lean > self.settings.fallen_lean

    # ---- one control step ------------------------------------------------------------------------------
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint targets (joints,) for the next control step of dt [s]."""
        self._time = readings.time
        self._since += dt
        self.roller.attitude.update(readings.gyro, readings.acceleration, dt)
        position = np.asarray(readings.position)
        self._answer(position)
        wanted = _sum(command, self.keys.command(dt))
        if self.mode is ShellMode.HEXAPOD:
            return self.walker.update(readings, wanted, dt)
        if self.mode is ShellMode.BALL:
            return self.roller.drive(wanted, dt)
        if self.mode is ShellMode.RIGHTING:
            return self._right(position, dt)
        target = self._follower.update(position, dt)
        if self._follower.progress is not Progress.MOVING and self.mode is not ShellMode.STUCK:
            self._finish(position)
        return target

    def _answer(self, position: Array) -> None:
        """Begin what a button asked for."""
        wish, self._wish = self._wish, None
        busy_folding = self.mode in (ShellMode.FOLDING, ShellMode.BALL)
        busy_unfolding = self.mode in (ShellMode.UNFOLDING, ShellMode.RIGHTING, ShellMode.HEXAPOD)
        if wish is ShellMode.BALL and not busy_folding:
            if self.mode is ShellMode.RIGHTING:
                self._enter(ShellMode.BALL)
            else:
                self._begin_fold(position)
        elif wish is ShellMode.HEXAPOD and not busy_unfolding:
            if self._map.fraction_folded(position) > 0.9:
                self._enter(ShellMode.RIGHTING)
            else:
                self._begin_unfold(position)

    def _begin_fold(self, position: Array) -> None:
        self._course = self.roller.attitude.facing  # the body turns while it folds; the ball rolls where it faced
        self._long = False
        self._follower.begin(position, self._map.route(position, "ball"))
        self._enter(ShellMode.FOLDING)

    def _begin_unfold(self, position: Array) -> None:
        self._long = False
        self._follower.begin(position, self._map.route(position, "stand"))
        self._attempts += 1
        self._enter(ShellMode.UNFOLDING)

    def _right(self, position: Array, dt: float) -> Array:
        """Stop and bring the lower side down; then close the legs and unfold."""
        target = self.roller.drive(Command(), dt)
        late = self._since > self.settings.righting_time and self.lean < self.settings.fallen_lean
        if self.roller.settled or late:
            self._begin_unfold(position)
        return target

    def _finish(self, position: Array) -> None:
        """A fold or unfold has ended: go on, try again, or say what stopped it."""
        if self._follower.progress is Progress.FAILED:
            self._tell(self._follower.reason)
            if self._long:
                self._enter(ShellMode.STUCK)
            else:
                self._tell("takes the long way: petals and legs up and out first")
                goal = "ball" if self.mode is ShellMode.FOLDING else "stand"
                self._long = True
                self._follower.begin(position, self._map.long_route(position, goal))
        elif self.mode is ShellMode.FOLDING:
            self.roller.start(self._course)
            self._enter(ShellMode.BALL if self._attempts == 0 else ShellMode.RIGHTING)
        elif self.lean > self.settings.fallen_lean and self._attempts < self.settings.attempts:
            self._tell(f"leans {np.degrees(self.lean):.0f} degrees after unfolding: folds and rights itself")
            self._begin_fold(position)
        else:
            self._attempts = 0
            self._enter(ShellMode.HEXAPOD)

    def _enter(self, mode: ShellMode) -> None:
        self.mode, self._since = mode, 0.0
        self._tell(f"now {mode.value}")

    def _tell(self, line: str) -> str:
        self.log.append(f"{self._time:8.2f} {line}")
        return self.log[-1]


def _sum(one: Command, two: Command) -> Command:
    """Both commands together."""
    return Command(
        one.vx + two.vx,
        one.vy + two.vy,
        one.wz + two.wz,
        one.height + two.height,
        one.roll + two.roll,
        one.pitch + two.pitch,
    )
