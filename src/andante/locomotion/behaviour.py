"""What every behaviour is: readings and a command in, joint targets out, once per control step.

A behaviour never sees the simulator's truth, only `Readings`; it owns its own state and draws its random numbers from a
generator that it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

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


class Behaviour(Protocol):
    """Something that moves a robot.

    It may have an attribute `stiffness`, (joints,) from 0 to 1: the share of their strength that the servos shall have.
    A change is a new array.
    """

    def update(self, readings: Readings, command: Command, dt: float) -> Array:
        """Joint position targets (joints,) for the next control step of dt [s]."""
