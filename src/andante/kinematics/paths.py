"""From a robot and two of its links to a chain: up to the common ancestor, then down."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from andante.description import Joint, JointType, Robot
from andante.errors import BadInput, Unsupported
from andante.geometry import SE3

from .chain import Chain, Fixed, Moving, Step


def chain(robot: Robot, base: str, tip: str, held: Mapping[str, float] | None = None) -> Chain:
    """The chain from one link (or named frame) to another, anywhere in the tree.

    A mimic joint whose source is on the way adds to the source's column. One whose source is elsewhere follows that
    source as a held joint: at the position in `held`, else 0 (moved into its limits). `held` may name joints on the
    way too.
    """
    base_link, base_pose = _place(robot, base)
    tip_link, tip_pose = _place(robot, tip)
    up, down = _path(robot, base_link, tip_link)
    own = {joint.name for joint in (*up, *down) if joint.one_dof}
    steps: list[Step] = [Fixed(base_pose.inverse().matrix)]
    for joint in up:
        steps.append(Fixed(joint.joint_from_child.inverse().matrix))
        steps += _motion(robot, joint, -1.0)
        steps.append(Fixed(joint.pose.inverse().matrix))
    for joint in down:
        steps.append(Fixed(joint.pose.matrix))
        steps += _motion(robot, joint, 1.0)
        steps.append(Fixed(joint.joint_from_child.matrix))
    steps.append(Fixed(tip_pose.matrix))
    bounds = _bounds(robot, steps, [joint for joint in (*up, *down) if joint.one_dof])
    outside = {name: float(np.clip(0.0, *pair)) for name, pair in bounds.items() if name not in own}
    return Chain(base, tip, tuple(steps), bounds, {**outside, **(held or {})})


def _place(robot: Robot, name: str) -> tuple[str, SE3]:
    """Link and pose on it of a link or frame name."""
    for frame in robot.frames:
        if frame.name == name:
            return frame.link, frame.pose
    return robot.link(name).name, SE3.identity()


def _path(robot: Robot, base: str, tip: str) -> tuple[list[Joint], list[Joint]]:
    """Joints from the base up to the common ancestor, and from there down to the tip."""
    above_base, above_tip = robot.ancestors(base), robot.ancestors(tip)
    while above_base and above_tip and above_base[-1] is above_tip[-1]:
        above_base.pop()
        above_tip.pop()
    for joint in (*above_base, *above_tip):
        if not joint.one_dof and joint.type is not JointType.FIXED:
            raise Unsupported(
                f"robot {robot.name!r}: links {base!r} and {tip!r} are not connected by a chain: joint {joint.name!r} "
                f"between them is {joint.type.value}; a chain takes revolute, continuous, prismatic and fixed joints"
            )
    return above_base, above_tip[::-1]


def _source(robot: Robot, joint: Joint) -> tuple[str, float, float]:
    """The joint that leads a mimic in the end, with multiplier and offset."""
    name, multiplier, offset, seen = joint.name, 1.0, 0.0, {joint.name}
    while joint.mimic is not None:
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        name = joint.mimic.joint
        if name in seen:
            raise BadInput(f"robot {robot.name!r}: joint {name!r} mimics itself")
        seen.add(name)
        joint = robot.joint(name)
    return name, multiplier, offset


def _motion(robot: Robot, joint: Joint, sign: float) -> list[Step]:
    if not joint.one_dof:
        return []
    name, multiplier, offset = _source(robot, joint)
    axis = np.asarray(joint.axis) * sign
    if multiplier == 0.0:
        return [Moving(axis, joint.type is JointType.PRISMATIC, joint.name)] if joint.mimic is None else []
    return [Moving(axis, joint.type is JointType.PRISMATIC, name, multiplier, offset)]


def _bounds(robot: Robot, steps: list[Step], joints: list[Joint]) -> dict[str, tuple[float, float]]:
    """Limits of every variable: its own, narrowed by those of the mimics on the way."""
    bounds: dict[str, tuple[float, float]] = {}
    for step in steps:
        if isinstance(step, Moving) and step.variable not in bounds:
            source = robot.joint(step.variable)
            bounds[step.variable] = _own_limits(source)
    for joint in joints:
        name, multiplier, offset = _source(robot, joint)
        if joint.mimic is None or multiplier == 0.0:
            continue
        ends = sorted((limit - offset) / multiplier for limit in _own_limits(joint))
        lower, upper = max(ends[0], bounds[name][0]), min(ends[1], bounds[name][1])
        if lower > upper + 1e-9:
            raise BadInput(
                f"robot {robot.name!r}: the limits of mimic joint {joint.name!r} leave no position for {name!r}; "
                f"widen one of them"
            )
        bounds[name] = (lower, max(lower, upper))
    return bounds


def _own_limits(joint: Joint) -> tuple[float, float]:
    if joint.type is JointType.CONTINUOUS:
        return -np.inf, np.inf
    return joint.limits.lower, joint.limits.upper
