"""Named poses: bringing joint positions inside the limits, and smooth moves from pose to pose."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput, UnknownName
from andante.geometry import Array

from .joint_motion import Move
from .limits import MotionLimits
from .moves import synchronised

NOWHERE = Source()
Positions = str | Mapping[str, float] | ArrayLike


def positions_of(robot: Robot, positions: Positions) -> dict[str, float]:
    """Joint positions by name of a pose name, a mapping of some joints, or a vector of all movable joints."""
    if isinstance(positions, str):
        return robot.pose(positions)
    if isinstance(positions, Mapping):
        given = {name: float(value) for name, value in positions.items()}
    else:
        vector = np.asarray(positions, dtype=float)
        if vector.shape != (len(robot.joint_names),):
            raise BadInput(f"robot {robot.name!r} has {len(robot.joint_names)} joints, got {vector.size} positions")
        given = dict(zip(robot.joint_names, vector.tolist(), strict=True))
    for name, value in given.items():
        if name not in robot.joint_names:
            raise UnknownName.among("joint", name, robot.joint_names, f"robot {robot.name!r}")
        if not isfinite(value):
            raise BadInput(f"joint {name!r} needs a finite position, got {value}")
    return given


def within_limits(
    robot: Robot, positions: Mapping[str, float], source: Source = NOWHERE
) -> tuple[dict[str, float], tuple[Problem, ...]]:
    """The positions brought inside the joint limits, and a word on each that lay outside by more than rounding."""
    out, told = {}, []
    for name, value in positions.items():
        limits = robot.joint(name).limits
        inside = min(max(value, limits.lower), limits.upper)
        if abs(inside - value) > 1e-6:
            told.append(
                Problem(
                    Severity.WARNING,
                    f"joint {name!r} is sent to {value:.4g}, beyond its limits {limits.lower:.4g} to "
                    f"{limits.upper:.4g}; {inside:.4g} is taken",
                    source,
                )
            )
        out[name] = inside
    return out, tuple(told)


def transition(robot: Robot, start: Positions, pose: Positions, speed: float = 0.5, jerk: bool = True) -> Move:
    """The quickest smooth straight move from a start to a pose at a share of the joints' speed, limits respected.

    `start` must give every joint that the pose names (a vector of all movable joints does). Joints that mimic others
    are left to their source. With `jerk` the acceleration is continuous, without it is a trapezoid of velocity.
    """
    here, goal = positions_of(robot, start), positions_of(robot, pose)
    names = tuple(j.name for j in robot.independent if j.name in goal)
    if not names:
        raise BadInput(f"the pose names no joint that robot {robot.name!r} can move by itself")
    for name in names:
        if name not in here:
            raise BadInput(f"the start does not say where joint {name!r} is; give all joints that the pose moves")
    inside, _ = within_limits(robot, goal)
    limits = MotionLimits.of(robot, names, speed)
    first, last = np.array([here[n] for n in names]), np.array([inside[n] for n in names])
    return synchronised(names, first, last, limits.velocity, limits.acceleration, limits.jerk if jerk else None)


def vector_of(robot: Robot, positions: Mapping[str, float]) -> Array:
    """All movable joints as a vector: given ones, 0 for the rest, mimics by their source."""
    complete = robot.complete(positions)
    return np.array([complete[name] for name in robot.joint_names])
