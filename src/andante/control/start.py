"""How a robot starts: its first joint positions, and what they say about it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from andante.description import Robot
from andante.description.closure import close_loops
from andante.description.joint import JointType

SIDES = ("belly", "back", "left", "right")  # that a robot can lie on


def first_positions(robot: Robot, pose: str | Mapping[str, float] | None) -> dict[str, float]:
    """Joint positions to start from: a named pose, given positions, else the robot's standing pose or its zero.

    Positions are brought inside the joint limits; joints that are not named start at `Joint.initial`. Closed loops are
    closed, by the joints that follow where they can, else by those that are not named.
    """
    if pose is None:
        pose = robot.standing
    named = {} if pose is None else robot.pose(pose) if isinstance(pose, str) else dict(pose)
    start = {joint.name: joint.initial for joint in robot.movable} | named
    inside = {
        joint.name: min(max(start[joint.name], joint.limits.lower), joint.limits.upper) for joint in robot.movable
    }
    unknown = {name: value for name, value in named.items() if name not in inside}
    return close_loops(robot, inside | unknown, named).positions


def lying_side(pose: object) -> str | None:
    """On which side a robot lies in a pose, by its name: belly of LyingBelly, back of lying_back; None: on none."""
    words = pose.casefold() if isinstance(pose, str) else ""
    return next((side for side in SIDES if side in words), None) if "lying" in words else None


def holds_still(robot: Robot) -> np.ndarray:
    """Which joints a resting robot holds by position (the rest, wheels, by velocity 0), (joints,) of bool.

    Joints that turn without end are wheels, unless they move a closed loop.
    """
    linked = {joint.name for loop in robot.loops for end in (loop.parent, loop.child) for joint in robot.ancestors(end)}
    return np.array(
        [
            joint.type is not JointType.CONTINUOUS or math.isfinite(joint.limits.upper) or joint.name in linked
            for joint in robot.movable
        ],
        dtype=bool,
    )
