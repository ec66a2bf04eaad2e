"""What every behaviour is: readings and a command in, joint targets out, once per control step.

A behaviour never sees the simulator's truth, only `Readings`; it owns its own state and draws its random numbers from a
generator that it is given.
"""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import Self

import numpy as np

from andante._moved import renamed_attributes
from andante.description import Robot
from andante.errors import UnknownName
from andante.geometry import Array
from andante.gravity import GRAVITY


@dataclass(frozen=True)
class Readings:
    """What the robot feels at one instant; joint arrays follow `robot.joint_names`."""

    time: float  # [s]
    position: Array  # encoders [rad or m]
    velocity: Array  # from encoders [rad/s or m/s]
    gyro: Array = field(default_factory=lambda: np.zeros(3))  # sensor axes [rad/s]; NaN: axis missing
    acceleration: Array = field(default_factory=lambda: np.array([0.0, 0.0, GRAVITY]))  # specific force [m/s^2]
    forces: Mapping[str, Array] = field(default_factory=dict)  # link -> load cells [N]
    pressed: Mapping[str, bool] = field(default_factory=dict)  # switch -> pressed
    measured_at: float = math.nan  # when the joints were measured [s]; NaN: at `time`
    gyros: Mapping[str, Array] = field(default_factory=dict)  # IMU -> its gyro, of a robot with several of them

    def at(self, time: float) -> Self:
        """The same at another time [s]; for loops, where `dataclasses.replace` takes too long."""
        same = object.__new__(type(self))
        same.__dict__.update(self.__dict__, time=time)
        return same


@dataclass(frozen=True)
class Command:
    """What a user or planner wants: velocity in the body frame, and how to hold the body meanwhile."""

    vx: float = 0.0  # forwards [m/s]
    vy: float = 0.0  # to the left [m/s]
    wz: float = 0.0  # turning left [rad/s]
    height: float = 0.0  # of the body over its usual height [m]
    roll: float = 0.0  # tilt of the body [rad]
    pitch: float = 0.0

    @property
    def moving(self) -> bool:
        """Whether any velocity is asked for."""
        return bool(self.vx or self.vy or self.wz)


class Behaviour(ABC):
    """Something that moves a robot: a subclass gives `update`.

    `stiffness`, `modes` and `base_twist` say more about the targets of the last `update`; a change is a new array.
    """

    stiffness: Array | None = None  # (joints,) fraction 0 to 1 of their strength that the servos shall have; None: all
    modes: Array | None = None  # (joints,) a `physics.Mode` per joint; None: every target is a position
    base_twist: tuple[float, float, float] | None = None  # vx, vy, wz for a base that takes twists; None: no wheels

    @abstractmethod
    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Decide what the joints do in the next control step.

        Args:
            readings: what the robot feels now.
            command: what it is asked to do.
            dt: length of the step [s].

        Returns:
            Targets (joints,), in the order of `robot.joint_names` [rad, m, or what `modes` says].
        """

    def ahead(self) -> Behaviour | None:
        """A copy that feels what it plans, so that the targets of the coming time can be asked for now.

        Returns:
            The copy; None: it can be stopped at any instant by holding its joints.
        """
        return None


Places = Mapping[str, Array]  # foot -> x, y [m], heading [rad] in the frame of the walker's start


@renamed_attributes(top_speed="max_speed", top_turn="max_turn")
class Walker(Behaviour):
    """A behaviour that can be led somewhere: it knows how fast it can go and where it believes to be.

    Everything but `update` has a default: that of a robot that stands and goes nowhere.
    """

    least_rate = 50.0  # of the robot's state, below which it cannot be controlled [Hz]
    buttons: Mapping[str, str] = MappingProxyType({})  # that `press` takes, and what they do
    moves_body = False  # whether it heeds height, roll and pitch of a command
    last_step = 0.2  # when to stop: so long before a goal at the present speed, in times of the approach
    slowest = 0.0  # speed of the last steps to a goal that still makes its way, in top speeds
    pose: Mapping[str, float] | None = None  # joint positions that it begins with; None: all at zero
    forward: float = 0.0  # azimuth of straight ahead in the root's frame [rad]

    def __init_subclass__(cls) -> None:
        for old, new in (("top_speed", "max_speed"), ("top_turn", "max_turn")):
            if old in vars(cls):  # a gait that was written for 0.1.0
                warnings.warn(f"{cls.__name__}.{old} is {new} now", DeprecationWarning, stacklevel=2)
                setattr(cls, new, vars(cls)[old])

    @property
    def approach(self) -> float | None:
        """Time in which a goal should be approached, so that the last steps are short [s]; None: it brakes evenly."""
        return None

    @property
    def max_speed(self) -> float:
        """Straight ahead [m/s]."""
        return 0.0

    @property
    def max_turn(self) -> float:
        """On the spot [rad/s]."""
        return 0.0

    @property
    def stopping_time(self) -> float:
        """From top speed to a stand [s]."""
        return 0.0

    @property
    def standing(self) -> bool:
        """Whether it has come to rest after the last command."""
        return True

    @property
    def position(self) -> Array:
        """x, y [m] and heading, unwrapped [rad], in the frame of its start, as it estimates them."""
        return np.zeros(3)

    @property
    def orientation(self) -> Array | None:
        """Rotation (3, 3) of the root in the frame of its start; None: upright, by heading and IMU."""
        return None

    @property
    def tumbles(self) -> bool:
        """Whether no lean of its body counts as a fall now."""
        return False

    @property
    def shape(self) -> str:
        """What a robot that changes its shape is now; empty: it has one only."""
        return ""

    @property
    def free_joints(self) -> frozenset[str]:
        """Joints that it does not need: they may be moved meanwhile."""
        return frozenset()

    @property
    def executed(self) -> Command | None:
        """What of the last command it carries out now; None: the command as it is."""
        return None

    @property
    def notice(self) -> str:
        """What people should know of its state, such as why it has stopped by itself; empty: nothing."""
        return ""

    @property
    def gave_up(self) -> bool:
        """Whether it has stopped by itself although it is told to move; `notice` says why."""
        return False

    @property
    def footsteps(self) -> tuple[Places, Places]:
        """Where feet stand, and where those in the air will come down."""
        return {}, {}

    def reset(self) -> None:
        """Start anew from where it stands, as after a fall."""

    def settle(self) -> None:
        """Begin whatever must be done before another behaviour may take over."""

    def press(self, button: str) -> None:
        """One of its `buttons` is pressed.

        Args:
            button: which.
        """
        raise UnknownName.among("button", button, self.buttons)

    def take_pose(self, pose: str) -> bool:
        """Go to a named pose by itself.

        Args:
            pose: its name.

        Returns:
            Whether it does; False: it does not know how.
        """
        return False

    def change_gait(self, gait: str) -> bool:
        """Go on in another gait by itself.

        Args:
            gait: its name.

        Returns:
            Whether it does; False: it takes another walker.
        """
        return False


class WalkerWrapper(Walker):
    """A walker around another one: everything is the inner walker's unless a subclass says otherwise."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker
        self.least_rate, self.buttons, self.moves_body = walker.least_rate, walker.buttons, walker.moves_body
        self.last_step, self.slowest = walker.last_step, walker.slowest
        self.pose, self.forward = walker.pose, walker.forward
        self.stiffness, self.modes, self.base_twist = walker.stiffness, walker.modes, walker.base_twist

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Targets of the inner walker."""
        targets = self.walker.update(readings, command, dt)
        self.stiffness, self.modes, self.base_twist = self.walker.stiffness, self.walker.modes, self.walker.base_twist
        return targets

    def ahead(self) -> Behaviour | None:
        """A copy of the inner walker that feels what it plans."""
        return self.walker.ahead()

    def reset(self) -> None:
        """Start anew from where it stands."""
        self.walker.reset()

    def settle(self) -> None:
        """Make way for another behaviour."""
        self.walker.settle()

    def press(self, button: str) -> None:
        """A button is pressed."""
        self.walker.press(button)

    def take_pose(self, pose: str) -> bool:
        """Go to a named pose by itself; False: it does not know how."""
        return self.walker.take_pose(pose)

    def change_gait(self, gait: str) -> bool:
        """Go on in another gait by itself; False: it takes another walker."""
        return self.walker.change_gait(gait)


for _name, _member in vars(Walker).items():
    if isinstance(_member, property):
        setattr(WalkerWrapper, _name, property(attrgetter(f"walker.{_name}"), doc=_member.__doc__))


class HoldPose(Walker):
    """Keeps a robot in a pose; a stand-in for a walk wherever a `Walker` is asked for."""

    pose: Mapping[str, float]  # that is kept

    def __init__(self, robot: Robot, pose: str | Mapping[str, float]) -> None:
        whole = robot.complete(robot.pose(pose) if isinstance(pose, str) else dict(pose))
        self.pose = whole
        self._targets = np.array([whole[name] for name in robot.joint_names])

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """The pose, whatever is commanded."""
        return self._targets
