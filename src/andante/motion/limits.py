"""How fast joints may go: velocity limits from the robot, acceleration and jerk from how soon they may be reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.errors import BadInput
from andante.geometry import Array

RISE_TIME = 0.15  # from rest to full speed, unless told otherwise [s]
JERK_TIME = 0.05  # from no to full acceleration [s]
FREE_SPEED = 6.0  # joints whose velocity is not limited [rad/s or m/s]


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """Bounds per joint, arrays in the order of `names` [rad or m, s]."""

    names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array

    @staticmethod
    def of(
        robot: Robot, names: Sequence[str] | None = None, speed: float = 1.0, rise_time: float = RISE_TIME
    ) -> MotionLimits:
        """Limits of some joints (default: all movable), speed in (0, 1] scaling the velocity limits.

        acceleration = full velocity limit / rise_time, jerk = acceleration / JERK_TIME.
        """
        if not 0 < speed <= 1:
            raise BadInput(f"speed is a share of the joint limits between 0 and 1, got {speed:g}")
        if not (np.isfinite(rise_time) and rise_time > 0):
            raise BadInput(f"the rise time must be > 0 s, got {rise_time:g}")
        chosen = robot.joint_names if names is None else tuple(names)
        joints = [robot.joint(name) for name in chosen]
        full = np.array([j.limits.velocity for j in joints], dtype=float)
        full = np.where(np.isfinite(full) & (full > 0), full, FREE_SPEED)
        acceleration = full / rise_time
        return MotionLimits(
            chosen,
            np.array([j.limits.lower for j in joints], dtype=float),
            np.array([j.limits.upper for j in joints], dtype=float),
            full * speed,
            acceleration,
            acceleration / JERK_TIME,
        )
