"""Wheels whose collision shape is the box around them: they get the roller that is seen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from andante.errors import AndanteError
from andante.geometry import SE3, Array, so3

from .joint import Joint, JointType
from .link import Collision, Visual
from .robot import Robot
from .shapes import Box, Cylinder, Geometry, Mesh
from .solids import bounds, support
from .source import Problem, Severity

LEVEL = 0.5  # z of an axis that a wheel turns about, at most
ALIKE = 0.1  # by which widths across the axis may differ of what is round
LOW = 0.2  # of its radius, by which a wheel may stand higher than the lowest of the robot


def with_round_wheels(robot: Robot) -> Robot:
    """The robot with cylinders for wheels that are seen to be round and whose <collision> is a box around them.

    A box does not roll. Told in its problems; nothing else is touched.
    """
    turning = [joint for joint in robot.joints if joint.type is JointType.CONTINUOUS]
    if len(turning) < 2:
        return robot
    made: dict[str, Collision] = {}
    poses = robot.link_poses()
    for joint in turning:
        axis = (poses[joint.parent] @ joint.pose).rotation @ np.asarray(joint.axis)
        try:
            rolled = _rolled(robot, joint) if abs(axis[2]) <= LEVEL else None
        except AndanteError:  # a mesh that cannot be read
            continue
        if rolled is not None:
            made[joint.child] = rolled
    if len(made) < 2:
        return robot
    lowest = {name: float(bounds(part.geometry, poses[name] @ part.pose)[0][2]) for name, part in made.items()}
    floor = min([*lowest.values(), *_bottoms(robot, poses, set(made))])
    names = [name for name, low in lowest.items() if low - floor < LOW * _radius(made[name])]
    if len(names) < 2:
        return robot
    links = tuple(replace(link, collisions=(made[link.name],)) if link.name in names else link for link in robot.links)
    told = f"the <collision> of wheel {names[0]!r} and {len(names) - 1} more is a box around it, which does not roll"
    said = f"{told}; a cylinder as large as what is seen stands in, write one"
    problem = Problem(Severity.WARNING, said, robot.link(names[0]).source)
    return replace(robot, links=links, problems=(*robot.problems, problem))


def _radius(part: Collision) -> float:
    return part.geometry.radius if isinstance(part.geometry, Cylinder) else 0.0


def _bottoms(robot: Robot, poses: dict[str, SE3], without: set[str]) -> Iterable[float]:
    for link in robot.links:
        for part in link.collisions if link.name not in without else ():
            try:
                yield float(bounds(part.geometry, poses[link.name] @ part.pose)[0][2])
            except AndanteError:
                continue


def _rolled(robot: Robot, joint: Joint) -> Collision | None:
    """The cylinder about the axis of a joint that its child is seen to be; None where its collision is no box."""
    link, axis = robot.link(joint.child), np.asarray(joint.axis, dtype=float)
    boxes, seen = _hull(link.collisions, axis), _hull(link.visuals, axis)
    if boxes is None or seen is None or robot.carried(link.name):
        return None
    if not all(isinstance(part.geometry, Box | Mesh) for part in link.collisions):
        return None
    across, widths = boxes[:-2][:8] + boxes[:-2][8:], seen[:-2][:8] + seen[:-2][8:]
    wide = float(across.max() / across.min())
    if not (abs(wide - math.sqrt(2.0)) < ALIKE and np.ptp(widths) < ALIKE * widths.max()):
        return None
    if abs(float(widths.max() - across.min())) > ALIKE * widths.max():
        return None
    turn = so3.between((0.0, 0.0, 1.0), axis)
    up, down = float(boxes[-2]), float(boxes[-1])
    center = turn @ np.array([(seen[0] - seen[8]) / 2, (seen[4] - seen[12]) / 2, (up - down) / 2])
    return Collision(Cylinder(float(widths.max() / 2), up + down), SE3.from_parts(turn, center))


def _hull(parts: Iterable[Collision | Visual], axis: Array) -> Array | None:
    """Reach (18,) of shapes in sixteen directions across an axis, along and against it; None without shapes."""
    turns = np.arange(16) * math.pi / 8
    flat = np.stack([np.cos(turns), np.sin(turns), np.zeros(16)], axis=-1)
    ways = np.concatenate([flat @ so3.between((0.0, 0.0, 1.0), axis).T, [axis, -axis]])
    found = [_reach(part.geometry, part.pose, ways) for part in parts]
    return np.max(found, axis=0) if found else None


def _reach(shape: Geometry, pose: SE3, ways: Array) -> Array:
    return np.array([support(shape, pose.rotation.T @ d) for d in ways]) + ways @ pose.translation
