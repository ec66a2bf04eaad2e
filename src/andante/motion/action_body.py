"""A body on its feet through control points: the feet stay where they are, all legs are solved together.

Control points are relative: offsets x y z yaw pitch roll of the body from where it is when the step begins, along its
own axes; a free coordinate stays as it is. Three feet and more stay as points, one or two keep their directions too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from andante.description import Robot
from andante.description.source import Problem, Severity
from andante.errors import AndanteError, BadInput
from andante.geometry import SE3, Array
from andante.kinematics import Parallel, parallel

from .action_reach import REACHED, Followed
from .actions import Group, Reach
from .pose_spline import PoseSpline

IN_LINE = 1e-6  # three feet span a plane when their triangle is larger than this [m²]


def group_body(robot: Robot, group: Group, here: Mapping[str, float]) -> Parallel:
    """The parallel robot of a body group; held joints stand where they are."""
    place = f"{group.source}: " if str(group.source) else ""
    try:
        return parallel(robot, group.feet, group.base, {name: here[robot.joint(name).name] for name in group.hold})
    except AndanteError as error:
        raise type(error)(f"{place}group {group.name!r}: {error}") from None


def follow_body(robot: Robot, group: Group, atomic: Reach, here: Mapping[str, float], samples: int) -> Followed:
    """Joint positions of all legs at even shares of the way of the body."""
    body = group_body(robot, group, here)
    q = np.clip(body.vector(here), *body.limits)
    feet = body.foot_poses(q)
    base_from_feet = _feet_frame(feet, group)
    points = np.array(atomic.points, dtype=float)
    if atomic.relative:
        points = np.where(np.isnan(points), 0.0, points)
        stops = SE3.from_xyz_rpy(points[:, :3], points[:, [5, 4, 3]])
    else:  # told in the frame of the feet, where a relative one was resolved before
        stops = base_from_feet @ SE3.from_xyz_rpy(points[:, :3], points[:, [5, 4, 3]])
    absolute = replace(atomic, points=_coordinates(base_from_feet.inverse() @ stops), relative=False)
    spline = PoseSpline(np.vstack([np.zeros(6), np.array(_coordinates(stops))]))
    shares = np.linspace(0.0, 1.0, samples)
    poses = spline.pose(shares)
    bases = SE3.from_xyz_rpy(poses[:, :3], poses[:, [5, 4, 3]])
    placed = feet[:, :3, 3] if len(feet) >= 3 else feet
    positions, gaps = np.empty((samples, len(q))), np.zeros(samples)
    positions[0] = q
    for k in range(1, samples):
        found = body.inverse(bases[k], placed, start=positions[k - 1], restarts=0)
        positions[k], gaps[k] = found.q, found.error
    problems = _told(atomic, positions, gaps, body)
    return Followed(body.joint_names, shares, positions, absolute, problems)


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


def _told(atomic: Reach, positions: Array, gaps: Array, body: Parallel) -> tuple[Problem, ...]:
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
