"""`Body`: a robot that can be read and commanded, simulated or real; what it tells and what it is told.

A body gives `read`, `write`, `stop` and `close`; `check_body` tells whether one keeps the contract.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.locomotion.behaviour import Readings
from andante.physics.state import Mode


def _missing() -> Array:
    return np.full(3, np.nan)


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


@dataclass(frozen=True)
class BodyState:
    """What a body feels at one instant; joint arrays follow `Body.joint_names`, NaN where nobody measures."""

    time: float  # of the body's clock [s]
    position: Array  # (joints,) [rad or m]
    velocity: Array  # (joints,) [rad/s or m/s]
    effort: Array  # (joints,) [N m or N]
    gyro: Array = field(default_factory=_missing)  # (3,) sensor axes [rad/s]
    acceleration: Array = field(default_factory=_missing)  # (3,) specific force [m/s²]
    yaw: float = math.nan  # heading that the body itself has found [rad]
    ranges: Mapping[str, Array] = field(default_factory=dict)  # lidar, sonar, UWB by sensor name
    forces: Mapping[str, Array] = field(default_factory=dict)  # link -> load cells [N]
    pressed: Mapping[str, bool] = field(default_factory=dict)  # switch -> pressed
    power: Power = field(default_factory=Power)
    health: Health = field(default_factory=Health)

    def __post_init__(self) -> None:
        for name in ("position", "velocity", "effort", "gyro", "acceleration"):
            values = np.array(getattr(self, name), dtype=float)
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def readings(self) -> Readings:
        """The same for a behaviour; what is not measured keeps the rest values of `Readings`."""
        inertial = {}
        if not np.isnan(self.gyro).all():
            inertial["gyro"] = self.gyro
        if not np.isnan(self.acceleration).all():
            inertial["acceleration"] = self.acceleration
        return Readings(self.time, self.position, self.velocity, forces=self.forces, pressed=self.pressed, **inertial)


@dataclass(frozen=True)
class JointTarget:
    """What a joint's servo shall hold: a position [rad, m], a velocity or an effort; OFF makes it passive."""

    value: float = 0.0
    mode: Mode = Mode.POSITION


@dataclass(frozen=True)
class BodyCommand:
    """What a body shall do: targets of some joints, or a velocity of a base that drives; other joints keep theirs."""

    joints: Mapping[str, JointTarget] = field(default_factory=dict)
    twist: tuple[float, float, float] | None = None  # vx, vy [m/s], wz [rad/s] in the body's axes

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


class Body(Protocol):
    """A robot to be read and commanded."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Its joints, in the order of the arrays of `BodyState`."""

    def read(self) -> BodyState:
        """The newest state; never waits."""

    def write(self, command: BodyCommand) -> None:
        """Take over a command; never waits. A body that cannot obey now tells so in its health."""

    def stop(self) -> None:
        """Wheels stand, joints hold where they are; may be called at any time, also twice."""

    def close(self) -> None:
        """Stop and let the robot go; may be called twice. A closed body refuses commands."""
