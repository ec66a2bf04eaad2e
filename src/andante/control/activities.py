"""Activities: what a robot is doing, one at a time, which can be asked to come to rest and handed over.

Joint vectors follow `robot.joint_names`. Values of joints that are driven by speed (wheels) are speeds.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion import Behaviour, Command, Readings, Walker
from andante.locomotion.falls.get_up import GetUp, GetUpSettings, Phase
from andante.locomotion.io.fall_library import can_get_up, fall_motions
from andante.locomotion.wave.gait import WaveGait
from andante.motion import ActionRunner, JointMotion

BRAKING = 0.3  # a motion that is stopped comes to rest in so long [s]
LYING = {"get_up": "LyingBack", "get_up_back": "LyingBack", "get_up_belly": "LyingBelly"}  # where getting up starts


class Activity(Behaviour):
    """One thing that a robot does."""

    name = ""  # what kind of activity it is
    guarded = True  # whether a fall during it is an accident
    balanced = False  # whether its targets are commands of somebody that pass the balance filter

    @property
    def detail(self) -> str:
        """Name of the motion, gait and the like."""
        return ""

    @property
    @abstractmethod
    def resting(self) -> bool:
        """Whether another activity may take over now."""

    @property
    def over(self) -> bool:
        """Whether it has done what it was started for."""
        return self.resting

    @abstractmethod
    def stop(self) -> None:
        """Come to rest as soon as that is safe."""


class Hold(Activity):
    """All joints stay where they were sent last."""

    name, resting, over = "hold", True, False

    def __init__(self, targets: Array, guarded: bool = True) -> None:
        self._targets, self.guarded = targets, guarded

    def stop(self) -> None:
        """It rests already."""

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """The same targets for ever."""
        return self._targets


class Driving(Activity):
    """Follows velocities with a walker of any kind; without one it stands and keeps its balance."""

    over = False

    def __init__(self, walker: Walker, gait: str) -> None:
        self.walker, self.gait = walker, gait
        self.modes = walker.modes
        self.command = Command()  # that was followed last
        self._stopping = False

    @property
    def name(self) -> str:  # type: ignore[override]
        """drive while it moves, balance while it stands."""
        return "balance" if self.walker.standing and not self.command.moving else "drive"

    @property
    def detail(self) -> str:
        """The gait, and of a robot that changes its shape the shape."""
        return f"{self.gait} ({self.walker.shape})" if self.walker.shape else self.gait

    @property
    def resting(self) -> bool:
        """Whether it stands."""
        return self.walker.standing

    def ahead(self) -> Behaviour | None:
        """A copy of the walker that feels what it plans."""
        return self.walker.ahead()

    def stop(self) -> None:
        """Heed no more velocities; a walker that has to change its shape for it begins to."""
        self._stopping = True
        self.walker.settle()

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the walker."""
        self.command = Command() if self._stopping else command
        targets = self.walker.update(readings, self.command, dt)
        self.stiffness, self.base_twist = self.walker.stiffness, self.walker.base_twist
        return targets


class Playing(Activity):
    """Plays a motion over joints that are held at `hold` (joints,) otherwise; it ends at its last targets.

    Stopped, its clock slows down to a halt, so that the joints come to rest on their way.
    """

    def __init__(
        self,
        motion: JointMotion,
        names: tuple[str, ...],
        hold: Array,
        label: str = "",
        *,
        kind: str = "motion",
        speed: float = 1.0,
        guarded: bool = True,
    ) -> None:
        self.name, self.guarded, self._label = kind, guarded, label
        self.balanced = kind == "trajectory"
        self.motion, self.speed = motion, checked_speed(speed)
        self._index = np.array([names.index(name) for name in motion.names], dtype=int)
        self._targets = np.array(hold, dtype=float)
        self.clock, self._rate, self._stopping = 0.0, 1.0, False  # of the motion [s]

    @property
    def detail(self) -> str:
        """What is played."""
        return self._label

    @property
    def finished(self) -> bool:
        """Whether it was played to its end."""
        return self.clock >= self.motion.duration

    @property
    def resting(self) -> bool:
        """Whether it was played to its end, or has been stopped and the joints have come to rest."""
        return self.finished or (self._stopping and self._rate <= 0.0)

    def stop(self) -> None:
        """Slow down to a halt."""
        self._stopping = True

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the motion at its clock."""
        if self._stopping:
            self._rate = max(0.0, self._rate - dt / BRAKING)
        self.clock += self._rate * self.speed * dt
        targets = self._targets.copy()
        targets[self._index] = self.motion.evaluate(self.clock)
        return targets


class Acting(Activity):
    """Runs actions of a set; the runner itself keeps its targets without a jump.

    Actions begin at the targets that were sent last; whether a step has settled is told by the encoders.
    """

    name = "action"

    def __init__(
        self, runner: ActionRunner, names: tuple[str, ...], hold: Array, label: str = "", speed: float = 1.0
    ) -> None:
        self.runner, self._names, self._label, self._speed = runner, names, label, checked_speed(speed)
        self._targets, self._clock, self._begun = np.array(hold, dtype=float), 0.0, False
        self._moved = np.zeros(len(names), dtype=bool)

    @property
    def detail(self) -> str:
        """Name of the action."""
        return self._label

    @property
    def resting(self) -> bool:
        """Whether nothing is left to run."""
        return self._begun and self.runner.idle

    finished = resting

    def stop(self) -> None:
        """A smooth halt at once."""
        self.runner.stop(now=True)

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the runner."""
        targets = self._targets.copy()
        felt = np.where(self._moved & np.isfinite(readings.position), readings.position, self._targets)
        for name, value in self.runner.targets(self._clock * self._speed, felt).items():
            index = self._names.index(name)
            targets[index], self._moved[index] = value, True
        self._targets, self._begun = targets, True
        self._clock += dt
        return targets


class GettingUp(Activity):
    """Gets up from however the robot lies or sits; it cannot be broken off safely, so whoever follows waits."""

    name, guarded = "get up", False

    def __init__(self, robot: Robot, speed: float = 1.0) -> None:
        self.behaviour = GetUp(robot, fall_motions(robot), GetUpSettings(pace=speed))

    @property
    def detail(self) -> str:
        """Phase and posture."""
        return f"{self.behaviour.phase} from {self.behaviour.stage or self.behaviour.posture}"

    @property
    def resting(self) -> bool:
        """Whether it stands or has given up."""
        return self.behaviour.phase in (Phase.DONE, Phase.FAILED)

    @property
    def finished(self) -> bool:
        """Whether it stands."""
        return self.behaviour.done

    def stop(self) -> None:
        """It goes on until it stands."""

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the motion that gets it up."""
        targets = self.behaviour.update(readings, command, dt)
        self.stiffness = self.behaviour.stiffness
        return targets


class Waving(Activity):
    """The walker service of the wave gait: it walks until it is stopped; velocities are not heeded."""

    name = "wave"

    def __init__(self, gait: WaveGait) -> None:
        self.gait = gait
        gait.start()

    @property
    def detail(self) -> str:
        """Its variant."""
        return self.gait.variant

    @property
    def resting(self) -> bool:
        """Whether it was stopped and stands again."""
        return self.gait.standing

    def stop(self) -> None:
        """Let the waves die."""
        self.gait.stop()

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the waves."""
        return self.gait.advance(dt)


def checked_speed(speed: float) -> float:
    """The speed of playing, 1 as written; BadInput unless it is > 0."""
    if not (math.isfinite(speed) and speed > 0):
        raise BadInput(f"playback speed must be > 0, got {speed}")
    return speed


def lying_pose(robot: Robot, motion: str) -> str | None:
    """The pose in which a robot starts to get up under names like get-up or get_up_belly; None: something else."""
    pose = LYING.get(plain_name(motion))
    return pose if pose in robot.poses and can_get_up(robot) else None


def plain_name(motion: str) -> str:
    """A motion's name in lower case with underscores."""
    return motion.casefold().replace("-", "_")
