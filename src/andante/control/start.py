"""How a robot starts: its first joint positions and what they say, and what a real one must tell before it is moved."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from andante.description import Robot
from andante.description.closure import close_loops
from andante.description.joint import JointType
from andante.errors import BadInput, Unsupported

from .body import Body

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


@dataclass(frozen=True)
class StartSettings:
    """What a real robot must tell and how it must stand before it is moved; table [start] of `--params`."""

    rate_fraction: float = 0.9  # of the rate that a gait needs: a measured one scatters
    pose_tolerance: float = 0.25  # joints further from where a gait begins must be brought there first [rad or m]


START = StartSettings()


def require_rate(body: Body, least: float, what: str, settings: StartSettings = START) -> None:
    """Refuse what needs to hear of the joints more often [Hz] than the body tells."""
    rate = body.link.rate
    if rate < settings.rate_fraction * least:
        raise Unsupported(f"the robot tells its joints {rate:.0f} times a second, {what} needs {least:.0f}")


def require_pose(body: Body, pose: Mapping[str, float], what: str, settings: StartSettings = START) -> None:
    """Refuse to begin far from a pose: the robot would have to jump there."""
    position = body.read().position
    off = {name: abs(position[i] - pose[name]) for i, name in enumerate(body.joint_names) if name in pose}
    unknown = [name for name, gap in off.items() if not np.isfinite(gap)]
    if unknown:
        raise BadInput(f"{body.name} does not tell where {', '.join(unknown)} are; {what} cannot begin")
    worst = max(off, key=lambda name: off[name], default="")
    if worst and off[worst] > settings.pose_tolerance:
        raise BadInput(
            f"{body.name} does not stand as {what} begins: {worst} is off by {off[worst]:.2f} rad; "
            "bring it there first, for example by play with a pose"
        )
