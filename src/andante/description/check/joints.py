"""Do limits, mimic relations, poses and transmissions of the joints make sense?"""

from __future__ import annotations

import math
from collections.abc import Iterator

from andante.description.joint import Joint, JointType
from andante.description.robot import Robot
from andante.description.source import Problem, Severity

FULL_TURNS = 4 * math.pi


def joint_problems(robot: Robot) -> Iterator[Problem]:
    """Limits, mimics, named poses and transmissions."""
    for joint in robot.joints:
        yield from _limit_problems(joint)
        yield from _mimic_problems(robot, joint)
    for joint in robot.loops:
        message = f"joint {joint.name!r} closes a loop; engines build it as a constraint or refuse it by name"
        yield Problem(Severity.INFO, message, joint.source)
    yield from _pose_problems(robot)
    names = {joint.name for joint in robot.joints}
    for transmission in robot.transmissions:
        for name in transmission.joints:
            if name not in names:
                message = f"transmission {transmission.name!r} drives joint {name!r}, which does not exist"
                yield Problem(Severity.WARNING, message, robot.source)


def _limit_problems(joint: Joint) -> Iterator[Problem]:
    if not joint.one_dof:
        return
    limits = joint.limits
    told = f"joint {joint.name!r}"
    if joint.type is JointType.REVOLUTE:
        span = limits.upper - limits.lower
        if span == 0:
            yield Problem(
                Severity.WARNING,
                f"{told}: lower and upper limit are both {limits.lower:g}, it cannot move",
                joint.source,
            )
        elif math.isfinite(span) and span > FULL_TURNS:
            radians = f"{math.radians(limits.lower):.4g} to {math.radians(limits.upper):.4g}"
            message = (
                f"{told}: limits {limits.lower:g} to {limits.upper:g} rad are over two turns; were degrees meant? "
                f"those are {radians} rad"
            )
            yield Problem(Severity.WARNING, message, joint.source)
    if (
        joint.type is JointType.PRISMATIC
        and math.isfinite(limits.upper - limits.lower)
        and limits.upper - limits.lower > 100
    ):
        message = f"{told}: limits {limits.lower:g} to {limits.upper:g} m are long; were millimetres meant?"
        yield Problem(Severity.WARNING, message, joint.source)
    if limits.effort == 0 and joint.mimic is None:
        yield Problem(Severity.WARNING, f"{told}: effort limit 0, no motor can move it; give its torque", joint.source)
    if limits.velocity == 0 and joint.mimic is None:
        yield Problem(Severity.WARNING, f"{told}: velocity limit 0, it cannot move; give its speed", joint.source)
    for what, value in (
        ("damping", joint.dynamics.damping),
        ("friction", joint.dynamics.friction),
        ("armature", joint.dynamics.armature),
    ):
        if value < 0:
            yield Problem(Severity.ERROR, f"{told}: {what} {value:g} is negative, it would add energy", joint.source)


def _mimic_problems(robot: Robot, joint: Joint) -> Iterator[Problem]:
    if joint.mimic is None:
        return
    told = f"joint {joint.name!r}"
    by_name = {each.name: each for each in robot.joints}
    source = by_name.get(joint.mimic.joint)
    if source is None:
        yield Problem(Severity.ERROR, f"{told} mimics {joint.mimic.joint!r}, which does not exist", joint.source)
        return
    if not source.one_dof:
        yield Problem(
            Severity.ERROR, f"{told} mimics {source.name!r}, which is {source.type} and has no position", joint.source
        )
        return
    seen, current = {joint.name}, source
    while current.mimic is not None and current.mimic.joint in by_name:
        if current.name in seen:
            yield Problem(Severity.ERROR, f"{told} is part of a circle of mimic joints; free one of them", joint.source)
            return
        seen.add(current.name)
        current = by_name[current.mimic.joint]
    ends = [joint.mimic.multiplier * v + joint.mimic.offset for v in (source.limits.lower, source.limits.upper)]
    low, high = min(ends), max(ends)
    slack = 1e-3
    if low < joint.limits.lower - slack or high > joint.limits.upper + slack:
        message = (
            f"{told} follows {source.name!r} to {low:.4g} .. {high:.4g}, beyond its own limits "
            f"{joint.limits.lower:.4g} .. {joint.limits.upper:.4g}"
        )
        yield Problem(Severity.WARNING, message, joint.source)


def _pose_problems(robot: Robot) -> Iterator[Problem]:
    for name, positions in robot.poses.items():
        for joint_name, value in positions.items():
            limits = robot.joint(joint_name).limits
            beyond = max(limits.lower - value, value - limits.upper)
            if beyond > 1e-3:
                message = (
                    f"pose {name!r} asks {joint_name} = {value:.4g}, {beyond:.3g} beyond its limits; it will be clipped"
                )
                yield Problem(Severity.WARNING, message, robot.source)
