"""A tip, or a body on its feet, through control points: IK along a pose spline, and reports of what is out of reach.

Control points of a body are relative: offsets x y z yaw pitch roll from where it is when the step begins, along its own
axes; a free coordinate stays as it is. The feet stay where they are, all legs are solved together. Three feet and more
stay as points, one or two keep their directions too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from andante.description import Robot
from andante.description.source import Problem, Severity
from andante.errors import AndanteError, BadInput, UnknownName
from andante.geometry import SE3, Array
from andante.kinematics import Chain, Parallel, chain, parallel
from andante.motion.curves.pose_spline import PoseSpline

from .model import Group, Reach

REACHED = 1e-4  # norm of the gap that still counts as reached [m, rad]
NUDGES = (0.05, 0.15, 0.3)  # fractions of the way to the middle of the joint ranges
SUDDEN = 0.5  # change of a joint between two samples that is no longer a continuous way [rad or m]


@dataclass(frozen=True)
class Followed:
    """Joint positions along the way of a tip."""

    names: tuple[str, ...]
    fractions: Array  # (m,) of the way, 0 to 1
    positions: Array  # (m, joints) [rad or m]
    absolute: Reach  # with control points in the base frame
    problems: tuple[Problem, ...]


def group_chain(robot: Robot, group: Group, here: Mapping[str, float]) -> Chain:
    """The chain of a group; held joints and sources of mimics off the way stand where they are."""
    place = f"{group.source}: " if str(group.source) else ""
    try:
        for name in group.hold:
            robot.joint(name)
        made = chain(robot, group.base, group.tip)
    except AndanteError as error:
        raise type(error)(f"{place}group {group.name!r}: {error}") from None
    held = {name: here[name] for name in (*made.held, *group.hold) if name in made.variables}
    for name in group.hold:
        if name not in made.variables:
            raise UnknownName.among("joint", name, made.variables, f"{place}group {group.name!r}")
    made = made.hold(held)
    if not made.joint_names:
        raise UnknownName(f"{place}group {group.name!r} has no joint to move between {group.base!r} and {group.tip!r}")
    return made


def follow(robot: Robot, group: Group, atomic: Reach, here: Mapping[str, float], samples: int) -> Followed:
    """Joint positions at even fractions of the way through the control points, from where the tip is.

    Points that cannot be reached are approached as nearly as the joints allow, and reported.
    """
    arm = group_chain(robot, group, here)
    q = np.clip(arm.vector(here), *arm.limits)
    begin = arm.coordinates(q)
    points = np.array(atomic.points, dtype=float)
    if atomic.relative:
        points = points + begin
    absolute = replace(atomic, points=tuple(map(tuple, points.tolist())), relative=False)
    first = np.where(np.isnan(points).all(axis=0), np.nan, begin)
    spline = PoseSpline(np.vstack([first, points]))
    fractions = np.linspace(0.0, 1.0, samples)
    targets = spline.pose(fractions)
    positions = np.empty((samples, len(q)))
    positions[0] = q
    gaps = np.zeros(samples)
    for k in range(1, samples):
        if np.isnan(targets[k]).all():
            positions[k] = positions[k - 1]
            continue
        positions[k], gaps[k] = _near(arm, targets[k], positions[k - 1])
    problems = _told(robot, arm, atomic, spline, targets, positions, gaps)
    return Followed(arm.joint_names, fractions, positions, absolute, tuple(problems))


def _near(arm: Chain, target: Array, q: Array) -> tuple[Array, float]:
    """Joint positions for a target near q, and the gap that is left.

    Where the joints are caught at their limits, starts a little toward the middle of the range are tried too.
    """
    best = arm.ik(target, start=q, restarts=0)
    for fraction in NUDGES:
        if best.error <= REACHED:
            break
        other = arm.ik(target, start=q + fraction * (arm.middle - q), restarts=0)
        if other.error < best.error and np.abs(other.q - q).max() < SUDDEN:
            best = other
    return best.q, best.error


def _told(
    robot: Robot, arm: Chain, atomic: Reach, spline: PoseSpline, targets: Array, positions: Array, gaps: Array
) -> list[Problem]:
    """Why the way cannot be followed: out of reach, a joint limit, or only by a jump."""
    told = []
    count = len(gaps)
    name = f"group {atomic.group!r}"
    missed = np.flatnonzero(gaps > REACHED)
    if len(missed):
        worst = int(missed[np.argmax(gaps[missed])])
        fraction = worst / (count - 1)
        number = int(np.argmin(np.abs(spline.parameters[1:] - fraction))) + 1
        place = (
            f"control point {number}" if abs(spline.parameters[number] - fraction) < 0.5 / (count - 1) else "the way"
        )
        what = f"{name} cannot reach {place} ({_words(targets[worst])}), {fraction:.0%} along"
        told.append(
            Problem(
                Severity.ERROR, f"{what}: {_reason(arm, targets[worst], positions[worst], gaps[worst])}", atomic.source
            )
        )
    jumps = np.abs(np.diff(positions, axis=0))
    revolute = np.array([robot.joint(n).type.value != "prismatic" for n in arm.joint_names])
    sudden = np.where(revolute, SUDDEN, SUDDEN / 5)
    if (jumps > sudden).any() and not len(missed):
        k, j = np.unravel_index(int(np.argmax(jumps / sudden)), jumps.shape)
        told.append(
            Problem(
                Severity.ERROR,
                f"{name} has to flip joint {arm.joint_names[j]!r} by {jumps[k, j]:.2f} at {k / (count - 1):.0%} of the "
                "way; move the points off the singular place or free a coordinate",
                atomic.source,
            )
        )
    return told


def _reason(arm: Chain, target: Array, q: Array, gap: float) -> str:
    again = arm.ik(target, start=q, restarts=20)
    if again.converged or again.error <= REACHED:
        return "only another bend of the joints reaches it; add a control point that leads there"
    free = arm.ik(target, start=q, limits=False, restarts=5)
    lower, upper = arm.limits
    if free.error <= REACHED:
        beyond = np.maximum(lower - free.q, free.q - upper)
        j = int(np.argmax(beyond))
        return (
            f"joint {arm.joint_names[j]!r} would be at {free.q[j]:.3f}, its limits are {lower[j]:.3f} to {upper[j]:.3f}"
        )
    return f"it is {again.error * 1000:.0f} mm (or mrad) out of reach"


def _words(target: Array) -> str:
    return " ".join("_" if np.isnan(value) else f"{value:.3f}" for value in target)


IN_LINE = 1e-6  # three feet span a plane when their triangle is larger than this [m²]


def group_body(robot: Robot, group: Group, here: Mapping[str, float]) -> Parallel:
    """The parallel robot of a body group; held joints stand where they are."""
    place = f"{group.source}: " if str(group.source) else ""
    try:
        return parallel(robot, group.feet, group.base, {name: here[robot.joint(name).name] for name in group.hold})
    except AndanteError as error:
        raise type(error)(f"{place}group {group.name!r}: {error}") from None


def follow_body(robot: Robot, group: Group, atomic: Reach, here: Mapping[str, float], samples: int) -> Followed:
    """Joint positions of all legs at even fractions of the way of the body."""
    body = group_body(robot, group, here)
    q = np.clip(body.vector(here), *body.limits)
    feet = body.foot_poses(q)
    base_from_feet = _feet_frame(feet, group)
    points = np.array(atomic.points, dtype=float)
    if atomic.relative:
        points = np.where(np.isnan(points), 0.0, points)
        stops = SE3.from_xyz_rpy(points[:, :3], points[:, [5, 4, 3]])
    else:  # in the frame of the feet, where a relative one was resolved before
        stops = base_from_feet @ SE3.from_xyz_rpy(points[:, :3], points[:, [5, 4, 3]])
    absolute = replace(atomic, points=_coordinates(base_from_feet.inverse() @ stops), relative=False)
    spline = PoseSpline(np.vstack([np.zeros(6), np.array(_coordinates(stops))]))
    fractions = np.linspace(0.0, 1.0, samples)
    poses = spline.pose(fractions)
    bases = SE3.from_xyz_rpy(poses[:, :3], poses[:, [5, 4, 3]])
    placed = feet[:, :3, 3] if len(feet) >= 3 else feet
    positions, gaps = np.empty((samples, len(q))), np.zeros(samples)
    positions[0] = q
    for k in range(1, samples):
        found = body.inverse(bases[k], placed, start=positions[k - 1], restarts=0)
        positions[k], gaps[k] = found.q, found.error
    problems = _body_problems(atomic, positions, gaps, body)
    return Followed(body.joint_names, fractions, positions, absolute, problems)


def _feet_frame(feet: Array, group: Group) -> SE3:
    """A frame that stays with the feet, seen from the body: the first foot's own, or one through three points."""
    if len(feet) < 3:
        return SE3(feet[0])
    first, second, third = feet[:3, :3, 3]
    x, normal = second - first, np.cross(second - first, third - first)
    if np.linalg.norm(normal) < IN_LINE:
        raise BadInput(
            f"{group.source}: the first three feet of group {group.name!r} stand in a line; name others first"
        )
    x, z = x / np.linalg.norm(x), normal / np.linalg.norm(normal)
    return SE3.from_parts(np.stack([x, np.cross(z, x), z], axis=-1), first)


def _coordinates(poses: SE3) -> tuple[tuple[float, ...], ...]:
    rows = np.hstack([poses.translation, poses.rpy[:, ::-1]])
    return tuple(map(tuple, rows.tolist()))


def _body_problems(atomic: Reach, positions: Array, gaps: Array, body: Parallel) -> tuple[Problem, ...]:
    missed = np.flatnonzero(gaps > REACHED)
    if not len(missed):
        return ()
    worst = int(missed[np.argmax(gaps[missed])])
    lower, upper = body.limits
    room = np.minimum(positions[worst] - lower, upper - positions[worst])
    j = int(np.argmin(room))
    reason = f"; joint {body.joint_names[j]!r} is at its limit" if room[j] < 1e-6 else ""
    message = (
        f"group {atomic.group!r} cannot follow {worst / (len(gaps) - 1):.0%} along: its feet would slip by "
        f"{gaps[worst] * 1000:.0f} mm (or mrad){reason}"
    )
    return (Problem(Severity.ERROR, message, atomic.source),)
