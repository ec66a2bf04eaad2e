"""Getting up: from however the robot lies, stage by stage, each checked by gravity and the load on the feet.

A stage is a key-frame motion from one posture to another (belly to sitting, sitting to standing, ...). When a stage
ends somewhere else, or the body tips over in the middle of one, the robot rests and starts again from where it
lies; after `tries` such failures it gives up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.attitude import Attitude
from andante.locomotion.behaviour import Behaviour, Command, Readings
from andante.locomotion.rigs.balance import Balance
from andante.locomotion.rigs.rig import root_from_imu
from andante.motion import Keyframes, play_from, transition
from andante.motion.joint_motion import JointMotion

from .detector import load_fraction

UPRIGHT = 0.8  # cosine of the tilt from which a body counts as upright
LOADED = 0.6  # fraction of the weight on the feet from which it stands


class Posture(StrEnum):
    """What is down."""

    STANDING = "standing"  # upright on its feet
    SITTING = "sitting"  # upright on something else
    BELLY = "belly"
    BACK = "back"
    LEFT = "left"  # lying on its left side
    RIGHT = "right"

    @property
    def lying(self) -> bool:
        """Whether the body is not upright."""
        return self not in (Posture.STANDING, Posture.SITTING)


def posture_of(up: Array, load: float, over_feet: bool = True) -> Posture:
    """The posture from the vertical in body axes (3,), the fraction of the weight on the feet, and `Balance.over_feet`.

    x of the body looks ahead: with the belly down it points to the ground, so up[0] < 0. y looks left: lying on the
    left side up[1] < 0. A load of NaN (no force sensors) counts as enough to stand.
    """
    x, y, z = (float(v) for v in up)
    if z > UPRIGHT:
        return Posture.STANDING if over_feet and (math.isnan(load) or load > LOADED) else Posture.SITTING
    if abs(y) > abs(x) and abs(y) > abs(z):
        return Posture.RIGHT if y > 0 else Posture.LEFT
    return Posture.BACK if x > 0 else Posture.BELLY


DIRECTIONS = ("front", "back", "left", "right")


@dataclass(frozen=True)
class Stage:
    """A motion that starts in one posture and should end in another."""

    motion: Keyframes
    ends: frozenset[Posture]


@dataclass(frozen=True)
class FallMotions:
    """Everything that depends on the robot; `andante.locomotion.io.fall_library` reads it from the motion library."""

    protect: Mapping[str, Keyframes]  # direction of the fall -> motion
    stages: Mapping[Posture, Stage]
    stand: Mapping[str, float]  # the pose in which it stands again [rad or m]
    stiffness: Mapping[str, float] = field(default_factory=dict)  # while falling, by joint name pattern; 1: full

    @property
    def can_get_up(self) -> bool:
        """Whether there is a way from both belly and back to a stand."""
        return {Posture.BELLY, Posture.BACK} <= set(self.stages)


SAMPLE = 0.01  # motions are sampled at this step before they are played [s]
STAND_SPEED = 0.2  # fraction of the joints' speed on the last way to the standing pose


class Phase(StrEnum):
    """What a robot that gets up is doing."""

    RESTING = "resting"  # limp, until it lies still
    MOVING = "moving"  # in a stage
    SETTLING = "settling"  # after a stage, before its end is judged
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class GetUpSettings:
    """How patiently a robot gets up."""

    tries: int = 3
    rest: float = 0.5  # limp before a try [s]
    settle: float = 0.25  # after each stage [s]
    tip: float = 0.25  # cosine of the tilt below which a body that was upright has tipped over
    pace: float = 1.0  # 1: as the motions are written, 0.5: half as fast
    other_paces: tuple[float, ...] = (0.85, 1.1)  # after a failure, in turn: what slipped once may hold at another pace
    stiffness: float = 0.05  # while resting

    def __post_init__(self) -> None:
        if self.tries < 1:
            raise BadInput(f"a robot needs at least one try to get up, got {self.tries}")
        if not min(self.pace, *self.other_paces) > 0:
            raise BadInput(f"the pace of getting up must be > 0, got {self.pace}")


class Track:
    """A joint motion sampled once, laid over all joints; looked up by time."""

    def __init__(self, motion: JointMotion, names: tuple[str, ...], hold: Array, pace: float = 1.0) -> None:
        count = max(2, round(motion.duration / pace / SAMPLE) + 1)
        self.duration = motion.duration / pace
        self._table = np.tile(hold, (count, 1))
        index = [names.index(name) for name in motion.names]
        self._table[:, index] = motion.evaluate(np.linspace(0.0, motion.duration, count))
        self._rate = (count - 1) / self.duration if self.duration > 0 else 0.0

    def at(self, t: float) -> Array:
        """All joint targets at a time [s]; it holds its end."""
        place = min(max(t * self._rate, 0.0), len(self._table) - 1.0)
        low = min(int(place), len(self._table) - 2)
        fraction = place - low
        return np.asarray(self._table[low] * (1.0 - fraction) + self._table[low + 1] * fraction)


class GetUp(Behaviour):
    """A behaviour that stands up. `phase`, `posture`, `stage` and `failures` tell how far it is.

    `stiffness` (joints,) is the fraction of their strength the servos get.
    """

    def __init__(
        self, robot: Robot, motions: FallMotions, settings: GetUpSettings | None = None, balance: Balance | None = None
    ) -> None:
        self.robot, self.motions, self.settings = robot, motions, settings or GetUpSettings()
        self._names = robot.joint_names
        self._body_from_imu = root_from_imu(robot)
        self._balance = balance or Balance(robot)
        self._weight = self._balance.mass * GRAVITY
        self.attitude = Attitude(settle=0.4)
        self.stiffness = np.ones(len(self._names))
        self.posture = Posture.BACK
        self.story: list[str] = []  # what was tried, in words
        self.phase = Phase.RESTING
        self.stage: Posture | None = None  # the posture that the present motion started from
        self.failures = 0
        self._since, self._upright = 0.0, False
        self._track: Track | None = None
        self._targets = np.zeros(len(self._names))
        self.start()

    def start(self) -> None:
        """Begin anew: all tries are free."""
        self.failures, self.stage = 0, None
        self.story.clear()
        self._rest()

    @property
    def done(self) -> bool:
        """Whether it stands."""
        return self.phase is Phase.DONE

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint position targets (joints,) for the next control step of dt [s]; the command is not heeded."""
        gyro = self._body_from_imu @ np.nan_to_num(readings.gyro)
        self.attitude.update(gyro, self._body_from_imu @ readings.acceleration, dt)
        over = self._balance.over_feet(readings.position, self.attitude.up)
        self.posture = posture_of(self.attitude.up, load_fraction(readings.forces, self._weight), over)
        self._since += dt
        match self.phase:
            case Phase.RESTING:
                self._targets = readings.position.copy()
                if self._since >= self.settings.rest:
                    self._begin_stage(readings.position)
            case Phase.MOVING:
                self._move()
            case Phase.SETTLING if self._since >= self.settings.settle:
                self._judge(readings.position)
        return self._targets

    def _move(self) -> None:
        assert self._track is not None
        self._targets = self._track.at(self._since)
        tilt = float(self.attitude.up[2])
        self._upright = self._upright or tilt > 0.7
        if self._upright and tilt < self.settings.tip:
            self._fail(f"tipped over from {self.stage}")
        elif self._since >= self._track.duration:
            self.phase, self._since = Phase.SETTLING, 0.0

    def _judge(self, here: Array) -> None:
        """After a stage: on to the next, done, or a failure."""
        stage = self.stage
        if stage is None or stage is Posture.STANDING:
            if self.posture is Posture.STANDING:
                self.phase = Phase.DONE
                self.story.append("stands")
            else:
                self._fail(f"stood up into {self.posture}")
        elif self.posture in self.motions.stages[stage].ends:
            self._begin_stage(here)
        else:
            self._fail(f"came from {stage} to {self.posture}")

    def _begin_stage(self, here: Array) -> None:
        """Choose the motion for the posture measured now."""
        self.stage = self.posture
        self.story.append(str(self.posture))
        current = dict(zip(self._names, np.asarray(here, dtype=float).tolist(), strict=True))
        if self.posture is Posture.STANDING:
            motion: JointMotion = transition(self.robot, current, self.motions.stand, STAND_SPEED)
        else:
            motion = play_from(self._stage_motion(self.posture), self.robot, current)
        paces = (1.0, *self.settings.other_paces)
        pace = self.settings.pace * paces[self.failures % len(paces)]
        self._track = Track(motion, self._names, np.asarray(here, dtype=float), pace)
        self.stiffness = np.ones(len(self._names))
        self.phase, self._since, self._upright = Phase.MOVING, 0.0, False

    def _stage_motion(self, posture: Posture) -> Keyframes:
        stages: Mapping[Posture, object] = self.motions.stages
        if posture not in stages:
            raise BadInput(f"robot {self.robot.name!r} has no motion to get up from {posture}")
        return self.motions.stages[posture].motion

    def _fail(self, why: str) -> None:
        self.failures += 1
        self.story.append(why)
        if self.failures >= self.settings.tries:
            self.phase = Phase.FAILED
            self.stiffness = np.full(len(self._names), self.settings.stiffness)
            return
        self._rest()

    def _rest(self) -> None:
        self.phase, self._since, self._upright = Phase.RESTING, 0.0, False
        self.stiffness = np.full(len(self._names), self.settings.stiffness)
        self._track = None
