"""What an engine is built from: a robot reduced to its rigid bodies.

Links joined by fixed joints become one body (inertias summed, shapes carried over), every body frame is moved to
the frame of the joint that carries it, and the link poses are found again from the body poses. All engines get
the same reduced robot, so fused links, massless links and odd frames mean the same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from andante.description.inertia import Inertia, combine
from andante.description.joint import Joint, JointType
from andante.description.link import Surface
from andante.description.robot import Robot
from andante.description.shapes import Geometry
from andante.description.source import Problem, Severity
from andante.geometry import SE3, Array

LEAST_MASS_SHARE = 1e-5  # a moving body lighter than this share of the robot is given that share
LEAST_RADIUS = 0.01  # and the inertia of that mass at this radius of gyration [m]


@dataclass(frozen=True)
class BodyShape:
    """A collision shape on a body."""

    geometry: Geometry
    pose: SE3  # body_from_shape
    surface: Surface
    link: int  # index into Robot.links
    name: str


@dataclass(frozen=True)
class Body:
    """One rigid body. The body frame is the joint frame at q = 0 (the root: the root link's frame)."""

    name: str  # leading link
    parent: int  # index of the parent body, -1 for the root
    joint: Joint | None  # the joint that carries it (not fixed), None for the root
    pose: SE3  # parent_body_from_body at q = 0
    inertia: Inertia  # in the body frame
    shapes: tuple[BodyShape, ...]
    gravity: bool
    self_collide: bool


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop between two bodies, frame given on both."""

    joint: Joint
    parent: int
    child: int
    parent_from_joint: SE3
    child_from_joint: SE3


@dataclass(frozen=True)
class BodyTree:
    """A robot as an engine sees it. Bodies are ordered parents first."""

    robot: Robot
    bodies: tuple[Body, ...]
    loops: tuple[Loop, ...]
    link_body: np.ndarray  # (links,) body index of each link
    link_pose: Array  # (links, 4, 4) body_from_link
    problems: tuple[Problem, ...]

    @cached_property
    def joint_bodies(self) -> np.ndarray:
        """Body index that each of `robot.movable` carries, (joints,)."""
        index = {body.joint.name: i for i, body in enumerate(self.bodies) if body.joint is not None}
        return np.array([index[joint.name] for joint in self.robot.movable], dtype=int)

    @cached_property
    def masked_pairs(self) -> frozenset[tuple[int, int]]:
        """Pairs of bodies (low, high) that never collide: joined ones, unwished ones, `no_collision`."""
        pairs = {(min(loop.parent, loop.child), max(loop.parent, loop.child)) for loop in self.loops}
        for i, body in enumerate(self.bodies):
            if body.parent >= 0:
                pairs.add((body.parent, i))
            for k in range(i):
                if not (body.self_collide and self.bodies[k].self_collide):
                    pairs.add((k, i))
        index = {link.name: int(b) for link, b in zip(self.robot.links, self.link_body, strict=True)}
        for pair in self.robot.no_collision:
            ends = sorted(index[name] for name in pair if name in index)
            if len(ends) == 2 and ends[0] != ends[1]:
                pairs.add((ends[0], ends[1]))
        return frozenset(pairs)


def body_tree(robot: Robot) -> BodyTree:
    """Reduce a robot to its rigid bodies."""
    link_index = {link.name: i for i, link in enumerate(robot.links)}
    body_of: dict[str, int] = {robot.root: 0}
    pose_in_body: dict[str, SE3] = {robot.root: SE3.identity()}
    members: list[list[str]] = [[robot.root]]
    carriers: list[Joint | None] = [None]
    parents = [-1]
    poses = [SE3.identity()]
    for joint in robot.topological:
        above = body_of[joint.parent]
        parent_from_joint = pose_in_body[joint.parent] @ joint.pose
        if joint.type is JointType.FIXED:
            body_of[joint.child] = above
            pose_in_body[joint.child] = parent_from_joint @ joint.joint_from_child
            members[above].append(joint.child)
            continue
        body_of[joint.child] = len(members)
        pose_in_body[joint.child] = joint.joint_from_child
        members.append([joint.child])
        carriers.append(joint)
        parents.append(above)
        poses.append(parent_from_joint)
    bodies = tuple(
        _make_body(robot, names, parents[i], carriers[i], poses[i], pose_in_body, link_index)
        for i, names in enumerate(members)
    )
    bodies, problems = _with_least_mass(robot, bodies)
    loops = tuple(
        Loop(
            joint=joint,
            parent=body_of[joint.parent],
            child=body_of[joint.child],
            parent_from_joint=pose_in_body[joint.parent] @ joint.pose,
            child_from_joint=pose_in_body[joint.child] @ joint.joint_from_child.inverse(),
        )
        for joint in robot.loops
    )
    link_body = np.array([body_of[link.name] for link in robot.links], dtype=int)
    link_pose = np.stack([pose_in_body[link.name].matrix for link in robot.links])
    link_body.setflags(write=False)
    link_pose.setflags(write=False)
    return BodyTree(robot, bodies, loops, link_body, link_pose, problems)


def _make_body(
    robot: Robot,
    names: list[str],
    parent: int,
    joint: Joint | None,
    pose: SE3,
    pose_in_body: dict[str, SE3],
    link_index: dict[str, int],
) -> Body:
    links = [robot.link(name) for name in names]
    inertias = [link.inertia.transformed(pose_in_body[link.name]) for link in links if link.inertia is not None]
    shapes = tuple(
        BodyShape(
            geometry=collision.geometry,
            pose=pose_in_body[link.name] @ collision.pose,
            surface=collision.surface,
            link=link_index[link.name],
            name=collision.name or link.name,
        )
        for link in links
        for collision in link.collisions
    )
    wishes = [link.self_collide for link in links if link.self_collide is not None]
    return Body(
        name=names[0],
        parent=parent,
        joint=joint,
        pose=pose,
        inertia=combine(inertias) or Inertia(0.0),
        shapes=shapes,
        gravity=all(link.gravity for link in links if link.inertia is not None),
        self_collide=any(wishes) if wishes else robot.self_collide,
    )


def _with_least_mass(robot: Robot, bodies: tuple[Body, ...]) -> tuple[tuple[Body, ...], tuple[Problem, ...]]:
    """Bodies that move but weigh (nearly) nothing get a small mass, the same for every engine, and it is told."""
    total = sum(body.inertia.mass for body in bodies)
    least = max(total * LEAST_MASS_SHARE, 1e-6)
    least_moment = least * LEAST_RADIUS**2
    out, problems = [], []
    for body in bodies:
        inertia = body.inertia
        if body.joint is not None and inertia.mass < least:
            moments = (least_moment, 0.0, 0.0, least_moment, 0.0, least_moment)
            inertia = Inertia(least, inertia.com, moments)
            problems.append(
                Problem(
                    Severity.WARNING,
                    f"link {body.name!r} moves but weighs {body.inertia.mass:g} kg; "
                    f"the engine is given {least:.3g} kg; add an <inertial> or fix its joint",
                    robot.link(body.name).source,
                )
            )
        elif body.joint is not None:
            smallest = float(np.linalg.eigvalsh(inertia.matrix)[0])
            if smallest <= 0:
                floor = inertia.mass * LEAST_RADIUS**2 * 1e-2
                inertia = Inertia.from_matrix(
                    inertia.mass, inertia.com, inertia.matrix + (floor - smallest) * np.eye(3)
                )
                problems.append(
                    Problem(
                        Severity.WARNING,
                        f"link {body.name!r} has an inertia tensor that is not positive definite; the engine is given "
                        f"{floor - smallest:.3g} kg m^2 more about each axis; correct its <inertia>",
                        robot.link(body.name).source,
                    )
                )
        out.append(replace(body, inertia=inertia))
    return tuple(out), tuple(problems)
