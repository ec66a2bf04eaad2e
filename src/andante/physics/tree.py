"""What an engine is built from: a robot reduced to its rigid bodies.

Links joined by fixed joints become one body (inertias summed, shapes carried over), every body frame is moved to
the frame of the joint that carries it, and the link poses are found again from the body poses. All engines get
the same reduced robot, so fused links, massless links and odd frames mean the same everywhere.

A body that moves needs a mass and an inertia tensor that a real body could have. Files often lack them; engines then
refuse, invent mass 1 or explode, each in its own way. So they are repaired here, the same for all engines, with a
warning for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from andante.description.closure import close_loops
from andante.description.inertia import Flaw, Inertia, combine, flaw_of, least_mass, massless, repaired_inertia
from andante.description.joint import Joint, JointType
from andante.description.link import Link, Surface
from andante.description.robot import Robot, joint_motion
from andante.description.shapes import Geometry, Vec3
from andante.description.solids import even_box, size_of
from andante.description.source import Problem, Severity
from andante.errors import BadInput, Unsupported
from andante.geometry import SE3, Array
from andante.physics.registry import LOOPS

MOST_JOINTS = 1000  # of one robot
TURNING = 0.01  # of a robot's mass, that a shape without mass has when it turns
PLACEHOLDER = 10.0  # radii of gyration of so many sizes of a body are placeholders, as 1 kg m² for a shin of 50 g


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

    def check(self, engine: str, robot: str) -> None:
        """Raise Unsupported unless it is a ball, a hinge or fixed."""
        kind = self.joint.type
        if kind not in LOOPS:
            raise Unsupported(
                f"engine {engine!r} cannot close a loop with the {kind} joint {self.joint.name!r} of {robot!r}; "
                "use a revolute, ball or fixed joint there, or another engine"
            )


@dataclass(frozen=True)
class Mimics:
    """Which of `robot.movable` follow another, through chains: q = ratio q[source] + offset; arrays (joints,)."""

    source: np.ndarray  # index of the independent joint, -1: it is independent itself
    ratio: Array
    offset: Array

    @property
    def led(self) -> np.ndarray:
        """Which joints follow another, (joints,) of bool."""
        return self.source >= 0

    def applied(self, q: Array, dq: Array) -> tuple[Array, Array]:
        """Positions and velocities (joints,) with those of the followers from their sources."""
        led, source = self.led, self.source
        return np.where(led, self.ratio * q[source] + self.offset, q), np.where(led, self.ratio * dq[source], dq)


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
    def carries(self) -> np.ndarray:
        """Whether body b moves with body a, [a, b]: it hangs on it at any depth, or is it; (bodies, bodies) of bool."""
        out = np.eye(len(self.bodies), dtype=bool)
        for k, body in enumerate(self.bodies[1:], start=1):
            out[:, k] |= out[:, body.parent]
        return out

    @cached_property
    def mimics(self) -> Mimics:
        """The mimic joints; a cycle follows nobody."""
        movable = self.robot.movable
        index = {joint.name: i for i, joint in enumerate(movable)}
        out = Mimics(np.full(len(movable), -1), np.ones(len(movable)), np.zeros(len(movable)))
        for i, joint in enumerate(movable):
            at, ratio, offset = joint, 1.0, 0.0
            for _ in movable:
                if at.mimic is None or at.mimic.joint not in index:
                    break
                ratio, offset = ratio * at.mimic.multiplier, ratio * at.mimic.offset + offset
                at = movable[index[at.mimic.joint]]
            if at is not joint and at.mimic is None:
                out.source[i], out.ratio[i], out.offset[i] = index[at.name], ratio, offset
        return out

    @cached_property
    def initial(self) -> dict[str, float]:
        """Joint positions at the start, by name, with closed loops."""
        return close_loops(self.robot, {joint.name: joint.initial for joint in self.robot.movable}).positions

    @cached_property
    def initial_vector(self) -> Array:
        """Joint positions at the start, (joints,)."""
        return np.array([self.initial[name] for name in self.robot.joint_names])

    def poses(self, root: SE3, q: Mapping[str, float], free: Mapping[int, SE3] | None = None) -> list[SE3]:
        """World poses of the bodies at joint positions (0 where none is given).

        `free` holds parent_from_body of bodies on joints of several degrees.
        """
        out = [root]
        for i, body in enumerate(self.bodies[1:], start=1):
            if free is not None and i in free:
                out.append(out[body.parent] @ free[i])
            else:
                assert body.joint is not None
                out.append(out[body.parent] @ body.pose @ joint_motion(body.joint, q.get(body.joint.name, 0.0)))
        return out

    @cached_property
    def weights(self) -> tuple[Array, Array]:
        """Masses (bodies,) [kg] and centers of mass (bodies, 3) in the body frames [m]."""
        masses = np.array([body.inertia.mass for body in self.bodies])
        coms = np.array([body.inertia.com for body in self.bodies], dtype=float)
        masses.setflags(write=False)
        coms.setflags(write=False)
        return masses, coms

    @cached_property
    def masked_pairs(self) -> frozenset[tuple[int, int]]:
        """Pairs of bodies (low, high) that never collide: joined ones, those of which none wants to, `no_collision`.

        Two bodies of a robot meet when one of them wants it, as the SDF standard says of self_collide.
        """
        pairs = {(min(loop.parent, loop.child), max(loop.parent, loop.child)) for loop in self.loops}
        for i, body in enumerate(self.bodies):
            if body.parent >= 0:
                pairs.add((body.parent, i))
            for k in range(i):
                if not (body.self_collide or self.bodies[k].self_collide):
                    pairs.add((k, i))
        index = {link.name: int(b) for link, b in zip(self.robot.links, self.link_body, strict=True)}
        for pair in self.robot.no_collision:
            ends = sorted(index[name] for name in pair if name in index)
            if len(ends) == 2 and ends[0] != ends[1]:
                pairs.add((ends[0], ends[1]))
        return frozenset(pairs)


def body_tree(robot: Robot, fixed: bool = False) -> BodyTree:
    """Reduce a robot to its rigid bodies; `fixed`: its root will be bolted down."""
    if len(robot.movable) > MOST_JOINTS:
        raise BadInput(
            f"{robot.source}: robot {robot.name!r} has {len(robot.movable)} joints that move; up to {MOST_JOINTS} are "
            "simulated; make some of them fixed"
        )
    index = {link.name: i for i, link in enumerate(robot.links)}
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

    def made(i: int) -> Body:
        links = [robot.link(name) for name in members[i]]
        inertias = [link.inertia.transformed(pose_in_body[link.name]) for link in links if link.inertia is not None]
        shapes = tuple(
            BodyShape(part.geometry, pose_in_body[name] @ part.pose, part.surface, index[name], part.name or name)
            for name in members[i]
            for part in robot.link(name).collisions
        )
        gravity = _falls(links)
        collides = any(robot.self_collide if link.self_collide is None else link.self_collide for link in links)
        inertia = combine(inertias) or Inertia(0.0)
        return Body(links[0].name, parents[i], carriers[i], poses[i], inertia, shapes, gravity, collides)

    bodies, problems = repaired(robot, [made(i) for i in range(len(members))], fixed or robot.fixed_base)
    loops = tuple(
        Loop(joint, body_of[joint.parent], body_of[joint.child], above @ joint.pose, below)
        for joint in robot.loops
        for above in (pose_in_body[joint.parent],)
        for below in (pose_in_body[joint.child] @ joint.joint_from_child.inverse(),)
    )
    link_body = np.array([body_of[link.name] for link in robot.links], dtype=int)
    link_pose = np.stack([pose_in_body[link.name].matrix for link in robot.links])
    link_body.setflags(write=False)
    link_pose.setflags(write=False)
    return BodyTree(robot, bodies, loops, link_body, link_pose, problems)


def _falls(links: Sequence[Link]) -> bool:
    """Whether links that are one body have weight: as those do that make up most of it.

    Sensors are often told to have none; the base that carries them has, and does not float.
    """
    masses = {falls: sum(max(each.inertia.mass, 0.0) for each in links if each.inertia and each.gravity is falls)
              for falls in (True, False)}  # fmt: skip
    if masses[True] == masses[False]:
        return all(link.gravity for link in links if link.inertia is not None)
    return masses[True] > masses[False]


def repaired(robot: Robot, bodies: Sequence[Body], fixed: bool) -> tuple[tuple[Body, ...], tuple[Problem, ...]]:
    """The bodies with sound masses and tensors, a warning for each that was changed; a fixed root may be anything."""
    total = sum(body.inertia.mass for body in bodies if body.inertia.mass > 0)
    least = least_mass(total)
    out, problems = [], []
    for body in bodies:
        if body.joint is None and fixed:
            out.append(body)
            continue
        inertia, message = _sound(body, least, _ghost(robot, body, least) if total == 0 else _hub(body, least, total))
        out.append(replace(body, inertia=inertia))
        if message and not robot.link(body.name).invented:
            source = robot.link(body.name).source
            problems.append(Problem(Severity.WARNING, f"link {body.name!r} {message}", source))
    return tuple(out), tuple(problems)


def _ghost(robot: Robot, body: Body, least: float) -> Inertia | None:
    """The inertia of a body of a robot without any mass, by what it collides with, else by what it shows."""
    shown = ((visual.geometry, visual.pose) for visual in robot.link(body.name).visuals)
    return even_box(least, ((shape.geometry, shape.pose) for shape in body.shapes)) or even_box(least, shown)


def _hub(body: Body, least: float, total: float) -> Inertia | None:
    """The least mass with a tensor of 1 % of the robot in the size of its shapes, of a body that can touch the ground.

    Wheels turn by servos whose damping engines solve implicitly; beside it a tensor of next to nothing leaves contacts
    no grip: the wheel spins and the robot stays.
    """
    box = even_box(TURNING * total, ((shape.geometry, shape.pose) for shape in body.shapes)) if body.shapes else None
    return None if box is None else Inertia(least, box.com, box.moments)


def _sound(body: Body, least: float, ghost: Inertia | None) -> tuple[Inertia, str]:
    """A usable inertia, and what was wrong with the given one (empty: nothing).

    A body without mass and shapes is a small ball; one with shapes is as large as these (`ghost`), as engines with
    iterative solvers do not hold chains of long bodies that have next to no inertia, nor do wheels grip.
    """
    given = body.inertia
    if given.mass < least:
        remedy = "fix its joint" if body.joint is not None else "bolt it down (--fixed)"
        message = (
            f"moves but weighs {given.mass:g} kg; the engine is given {least:.3g} kg; add an <inertial> or {remedy}"
        )
        return ghost or massless(least, given.com), message
    flaw = flaw_of(given)
    size = size_of((shape.geometry, shape.pose) for shape in body.shapes)
    if flaw is None:
        gyration = float(np.sqrt(np.linalg.eigvalsh(given.matrix)[2] / given.mass))
        if not body.shapes or gyration <= PLACEHOLDER * float(np.linalg.norm(size)):
            return given, ""
        box = repaired_inertia(replace(given, moments=(0.0,) * 6), size)
        told = f"has a radius of gyration of {gyration:.3g} m beside shapes of {_meters(size)}, as no body has"
        return box, f"{told}; the engine is given that of a box of that size; correct its <inertia>"
    made = repaired_inertia(given, size)
    more = float(np.max(np.linalg.eigvalsh(made.matrix) - np.linalg.eigvalsh(given.matrix)))
    instead = (
        f"that of a box of {_meters(size)}" if flaw is Flaw.POINT else f"up to {more:.2g} kg m^2 more about its axes"
    )
    return made, f"{flaw}; the engine is given {instead}; correct its <inertia>"


def _meters(size: Array) -> str:
    return " x ".join(f"{edge:.3g}" for edge in size) + " m"


def in_plane(normal: Vec3) -> tuple[Array, Array]:
    """Two unit vectors that span the plane across a unit normal, right-handed with it."""
    axis = np.asarray(normal, dtype=float)
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)
