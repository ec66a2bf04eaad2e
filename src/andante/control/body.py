"""`Body`: a robot that is read and commanded, simulated or real; what it tells and what it is told.

A `Simulation` is a body, and so is a robot behind ROS or on a serial line. `check_body` tells whether one keeps the
contract.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from andante.description import Robot
from andante.errors import BadInput, UnknownName, Unsupported
from andante.geometry import SE3, Array
from andante.locomotion import Readings, Walker
from andante.physics.state import Mode

if TYPE_CHECKING:
    from andante.mapping import Scan

Twist = tuple[float, float, float]  # vx, vy [m/s], wz [rad/s] in the axes of the robot


@dataclass(frozen=True)
class Power:
    """The battery; NaN: not measured."""

    voltage: float = math.nan  # [V]
    current: float = math.nan  # [A]


@dataclass(frozen=True)
class Health:
    """Whether the body obeys, and if not, why, in words."""

    ok: bool = True
    words: str = ""
    lost: bool = False  # nothing comes from it any more: whoever moves it must stop


WELL, NO_POWER = Health(), Power()


@dataclass(frozen=True)
class BodyState(Readings):
    """What a body feels at one instant: the `Readings` of behaviours, and more. NaN where nobody measures."""

    effort: Array = field(default_factory=lambda: np.zeros(0))  # (joints,) [N m or N]
    yaw: float = math.nan  # heading that the body itself has found [rad]
    ranges: Mapping[str, Array] = field(default_factory=dict)  # lidar, sonar, UWB by sensor name
    power: Power = NO_POWER
    health: Health = WELL

    @classmethod
    def quickly(cls, **felt: Any) -> Self:
        """A state of all its fields but those with a plain default, unchecked; for loops: the constructor is slow."""
        made = object.__new__(cls)
        made.__dict__.update(felt)
        return made


@dataclass(frozen=True)
class Cloud:
    """Points that a depth camera or a lidar of several rows has seen."""

    sensor: str
    time: float  # of the body's clock when they were measured [s]
    points: Array  # (n, 3) in the axes of the sensor [m]
    link: str  # that carries the sensor
    pose: SE3  # of the sensor on the link


@dataclass(frozen=True)
class JointTarget:
    """What a joint's servo shall hold: a position [rad, m], a velocity or an effort; OFF makes it passive."""

    value: float = 0.0
    mode: Mode = Mode.POSITION


@dataclass(frozen=True)
class BodyCommand:
    """What a body shall do: targets of some joints, or a velocity of a base that drives; other joints keep theirs."""

    joints: Mapping[str, JointTarget] = field(default_factory=dict)
    twist: Twist | None = None

    def __post_init__(self) -> None:
        for name, target in self.joints.items():
            if not math.isfinite(target.value):
                raise BadInput(f"the target of joint {name!r} must be finite, got {target.value}")
        if self.twist is not None and (len(self.twist) != 3 or not all(map(math.isfinite, self.twist))):
            raise BadInput(f"a twist is three finite numbers vx, vy, wz, got {self.twist}")

    def known_to(self, body: Body) -> None:
        """Refuse joints that the body does not have."""
        for name in self.joints:
            if name not in body.joint_names:
                raise UnknownName.among("joint", name, body.joint_names, f"body {body.name!r}")


@dataclass(frozen=True)
class StopPlan:
    """How a robot comes to rest by itself when its targets cease: it goes on a little, finishes its step and stands."""

    time: float  # of the body's clock at the first row [s]
    period: float  # between two rows [s]
    targets: Array  # (rows, joints) positions [rad or m]; the last row is held


@dataclass(frozen=True)
class LinkState:
    """How well a body at the far end of a line is heard."""

    rate: float = math.inf  # of its state, as measured when it was connected [Hz]
    age: float = 0.0  # of the newest state, or what it was when the silent body was given up [s]
    late: int = 0  # control periods whose state was older than usual
    lost: int = 0  # messages that did not come, or could not be sent
    unheeded: int = 0  # commands that would have moved it while it did not move

    def __str__(self) -> str:
        return f"{self.late} states late, {self.lost} messages lost, {self.unheeded} commands without effect"


class Body(ABC):
    """A robot to be read and commanded. A subclass gives `read`, `write`, `stop`, `close` and lets time pass.

    `robot` describes it; the arrays of `BodyState` follow `joint_names`.
    """

    robot: Robot
    simulated = False  # whether its time is its own; a real body goes by the wall clock
    wants_twist = False  # whether its base is driven by a twist as a whole, not wheel by wheel
    takes_twist = False  # whether it walks by itself where a behaviour tells a twist; joints are told otherwise
    takes_stop_plan = False  # whether it wants to be told how to come to rest by itself: `stop_plan`

    @property
    def name(self) -> str:
        """What it is called."""
        return self.robot.name

    @property
    def address(self) -> str:
        """Where it is: the name of an engine, or the address of a real robot."""
        return self.name

    @property
    def link(self) -> LinkState:
        """How well it is heard."""
        return LinkState()

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Its joints, in the order of the arrays of `BodyState`."""
        return self.robot.joint_names

    @property
    def time(self) -> float:
        """Of its clock now [s]."""
        return self.read().time

    @abstractmethod
    def read(self) -> BodyState:
        """What the robot feels; never waits.

        Returns:
            The newest state.
        """

    @abstractmethod
    def write(self, command: BodyCommand) -> None:
        """Take over a command; never waits. A body that cannot obey now tells so in its health.

        Args:
            command: targets of joints, or a twist of the base; what it does not name goes on as before.
        """

    @abstractmethod
    def advance(self, seconds: float) -> None:
        """Let time pass: simulated, or waited for on the wall clock.

        Args:
            seconds: how long, counted from the end of the last call [s].
        """

    @abstractmethod
    def stop(self) -> None:
        """Wheels stand, joints hold where they are; may be called at any time, also twice."""

    @abstractmethod
    def close(self) -> None:
        """Stop and let the robot go; may be called twice. A closed body refuses commands."""

    def follow(self, targets: Array, modes: Array | None = None, stiffness: Array | None = None) -> None:
        """Targets (joints,) of all joints at once, as a control loop sends them.

        Args:
            targets: positions [rad or m], or what `modes` says; NaN leaves a joint alone.
            modes: a `Mode` per joint (joints,); None: positions.
            stiffness: fraction 0 to 1 of their strength that the servos shall have (joints,); None: all of it.
        """
        mode = np.full(len(targets), Mode.POSITION) if modes is None else modes
        self.write(
            BodyCommand(
                {
                    name: JointTarget(float(value), Mode(int(kind)))
                    for name, value, kind in zip(self.joint_names, targets, mode, strict=True)
                    if math.isfinite(value)
                }
            )
        )

    def drive(self, twist: Twist) -> None:
        """Drive the base.

        Args:
            twist: vx, vy [m/s] and wz [rad/s] in the axes of the robot.
        """
        self.write(BodyCommand(twist=twist))

    def stop_plan(self, plan: StopPlan) -> None:
        """What it shall do when its targets cease.

        Args:
            plan: how it comes to rest; replaces the plan before.
        """
        raise Unsupported(f"body {self.name!r} takes no stop plan")

    def own_walk(self) -> Walker | None:
        """What lets it walk by its own means.

        Returns:
            A walker that is led by twists; None: it is led joint by joint.
        """
        return None

    @property
    def has_scans(self) -> bool:
        """Whether it has a lidar that is heard."""
        return any(spec.kind == "lidar" for spec in self.robot.sensors)

    def scans(self, since: float) -> tuple[Scan, ...]:
        """Scans of its lidar.

        Args:
            since: those whose first beam came after this time of its clock [s].

        Returns:
            The scans, told from the root, oldest first.
        """
        return ()

    def clouds(self, known: Mapping[str, float]) -> tuple[Cloud, ...] | None:
        """What its depth cameras and its lidars of several rows see; cameras look from the first call on.

        Args:
            known: time of the newest cloud that is known of a sensor already [s], by its name.

        Returns:
            The newest cloud of each sensor that is newer; None: it has no such sensor.
        """
        return None
