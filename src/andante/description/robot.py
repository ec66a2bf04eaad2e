"""`Robot`: links and joints as plain immutable data, the one form that every reader ends in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from andante.errors import BadInput, UnknownName
from andante.geometry import SE3, Array, so3

from .joint import Joint, JointType
from .link import IDENTITY, Link, SensorSpec
from .source import Problem, Source

if TYPE_CHECKING:
    from ._above import Chain

STANDING_POSES = ("standinit", "stand", "standing", "init", "home", "ready")  # the first that a robot has; any case


@dataclass(frozen=True)
class Plugin:
    """A simulator plugin that the file names (drives, controllers): kept, never loaded.

    `parameters` are the leaf elements below it; repeated names are joined by a blank.
    """

    name: str
    filename: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True)
class Transmission:
    """URDF transmission: actuator to joint by a reduction."""

    name: str
    type: str
    joints: tuple[str, ...]
    actuators: tuple[str, ...] = ()
    reduction: float = 1.0
    interfaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frame:
    """A named pose on a link without a body of its own (SDF frame, MJCF site)."""

    name: str
    link: str
    pose: SE3 = IDENTITY  # link_from_frame


@dataclass(frozen=True)
class Robot:
    """A robot (or any jointed object of a world).

    The joints in `joints` form a tree with one root; joints that close a loop are in `loops`.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...] = ()
    loops: tuple[Joint, ...] = ()
    sensors: tuple[SensorSpec, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    transmissions: tuple[Transmission, ...] = ()
    frames: tuple[Frame, ...] = ()
    poses: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # names ignore case in `pose()`
    servos: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # joint name or glob -> gains
    self_collide: bool = False
    no_collision: frozenset[frozenset[str]] = frozenset()  # pairs of links that never collide
    fixed_base: bool = False  # the file welds the root to the world
    source: Source = field(default=Source(), compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)  # found by the reader

    def __post_init__(self) -> None:
        _check_tree(self)

    # ---- lookups ------------------------------------------------------------------------------
    @cached_property
    def _links(self) -> dict[str, Link]:
        return {link.name: link for link in self.links}

    @cached_property
    def _joints(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in (*self.joints, *self.loops)}

    @cached_property
    def _parent_joint(self) -> dict[str, Joint]:
        return {joint.child: joint for joint in self.joints}

    @cached_property
    def _carried_joints(self) -> dict[str, list[Joint]]:
        out: dict[str, list[Joint]] = {}
        for joint in self.joints:
            out.setdefault(joint.parent, []).append(joint)
        return out

    def link(self, name: str) -> Link:
        """The link of that name.

        Args:
            name: of the link.

        Returns:
            The link; `UnknownName` where there is none.
        """
        try:
            return self._links[name]
        except KeyError:
            raise UnknownName.among("link", name, self._links, f"robot {self.name!r}") from None

    def joint(self, name: str) -> Joint:
        """The joint of that name (tree or loop).

        Args:
            name: of the joint.

        Returns:
            The joint; `UnknownName` where there is none.
        """
        try:
            return self._joints[name]
        except KeyError:
            raise UnknownName.among("joint", name, self._joints, f"robot {self.name!r}") from None

    @property
    def standing(self) -> str | None:
        """Name of the pose in which the robot stands, by the names that are usual; None where it has none of them."""
        known = {name.casefold(): name for name in self.poses}
        return next((known[name] for name in STANDING_POSES if name in known), None)

    def pose(self, name: str) -> dict[str, float]:
        """Joint positions of a named pose.

        Args:
            name: of the pose; case does not matter.

        Returns:
            Positions by joint [rad, m].
        """
        folded = {key.casefold(): value for key, value in self.poses.items()}
        try:
            return dict(folded[name.casefold()])
        except KeyError:
            raise UnknownName.among("pose", name, self.poses, f"robot {self.name!r}") from None

    def parent_joint(self, link: str) -> Joint | None:
        """The joint that carries a link.

        Args:
            link: name of the link.

        Returns:
            The joint; None for the root.
        """
        return self._parent_joint.get(link)

    def ancestors(self, link: str) -> list[Joint]:
        """The joints that carry a link.

        Args:
            link: name of the link.

        Returns:
            The joints from the link up to the root.
        """
        found: list[Joint] = []
        while (joint := self.parent_joint(link)) is not None:
            found.append(joint)
            link = joint.parent
        return found

    def carried(self, link: str) -> Sequence[Joint]:
        """The joints whose parent a link is.

        Args:
            link: name of the link.

        Returns:
            The joints, in the order of the file.
        """
        return self._carried_joints.get(link, ())

    def welded(self, link: str) -> list[str]:
        """A link and everything that fixed joints hold on it, further out.

        Args:
            link: name of the link.

        Returns:
            Names of the links, that one first.
        """
        group = [link]
        for name in group:
            group += [joint.child for joint in self.carried(name) if joint.type is JointType.FIXED]
        return group

    @cached_property
    def root(self) -> str:
        """Name of the one link without a parent."""
        return next(link.name for link in self.links if link.name not in self._parent_joint)

    @cached_property
    def mass(self) -> float:
        """Sum of all link masses [kg]."""
        return sum(link.inertia.mass for link in self.links if link.inertia is not None)

    @cached_property
    def movable(self) -> tuple[Joint, ...]:
        """The one-degree joints in file order: the layout of every joint vector (mimics included)."""
        return tuple(joint for joint in self.joints if joint.one_dof)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of `movable`."""
        return tuple(joint.name for joint in self.movable)

    @cached_property
    def independent(self) -> tuple[Joint, ...]:
        """`movable` without those that mimic another."""
        return tuple(joint for joint in self.movable if joint.mimic is None)

    @cached_property
    def passive(self) -> frozenset[str]:
        """Names of joints that follow the others through closed loops and have no motor; none without loops."""
        from .closure import passive_joints  # which needs `Robot`

        return passive_joints(self)

    # ---- kinematics at the level of the description --------------------------------------------
    def link_poses(self, positions: Mapping[str, float] | None = None) -> dict[str, SE3]:
        """Pose of every link in the root frame.

        Loops are not looked at: `andante.description.closure.close_loops` gives positions in which they are closed.

        Args:
            positions: of joints [rad, m]; those that are not named stay at 0, mimic joints follow.

        Returns:
            Poses by link.
        """
        q = self.complete(positions or {})
        poses = {self.root: IDENTITY}
        for joint in self.topological:
            pose, motion = poses[joint.parent] @ joint.pose, joint_motion(joint, q.get(joint.name, 0.0))
            for step in (motion, joint.joint_from_child):
                pose = pose if step is IDENTITY else pose @ step
            poses[joint.child] = pose
        return poses

    def center_of_mass(self, positions: Mapping[str, float] | None = None) -> Array:
        """Of all links in the root frame [m]; the root's origin where nothing weighs.

        Args:
            positions: of joints [rad, m]; those that are not named are at 0.

        Returns:
            (3,) sum(m_i c_i) / sum(m_i).
        """
        poses = self.link_poses(positions)
        weighed = [(link.inertia, poses[link.name]) for link in self.links if link.inertia is not None]
        total = sum(inertia.mass for inertia, _ in weighed)
        if not total > 0:
            return np.zeros(3)
        return np.asarray(np.sum([i.mass * (pose @ i.com) for i, pose in weighed], axis=0) / total, dtype=float)

    def complete(self, positions: Mapping[str, float]) -> dict[str, float]:
        """Positions of all movable joints.

        Args:
            positions: of some joints [rad, m].

        Returns:
            The given ones, 0 for the rest, mimic joints by their source [rad, m].
        """
        unknown = [name for name in positions if name not in self._joints]
        if unknown:
            raise UnknownName.among("joint", unknown[0], self.joint_names, f"robot {self.name!r}")
        q = {joint.name: float(positions.get(joint.name, 0.0)) for joint in self.movable}
        for _ in self.movable:  # chains of mimics settle in at most as many sweeps as joints
            changed = False
            for joint in self.movable:
                if joint.mimic is not None and joint.mimic.joint in q:
                    value = joint.mimic.multiplier * q[joint.mimic.joint] + joint.mimic.offset
                    changed = changed or value != q[joint.name]
                    q[joint.name] = value
            if not changed:
                break
        return q

    @cached_property
    def topological(self) -> tuple[Joint, ...]:
        """Tree joints ordered so that every parent link comes before its children."""
        return tuple(_topological(self.root, self.joints))

    # ---- sugar ---------------------------------------------------------------------------------
    def chain(self, base: str, tip: str) -> Chain:
        """The joints from one link to another as a kinematic chain: fk, jacobian, ik.

        Kinematics stand above descriptions, so that room is looked up by name when this is called.

        Args:
            base: link or named frame that the chain begins at; poses are told in its axes.
            tip: link or named frame at its end.

        Returns:
            The chain; `Unsupported` where a joint between the two has more than one axis.
        """
        made: Chain = import_module("andante.kinematics").chain(self, base, tip)
        return made

    @property
    def folder(self) -> Path | None:
        """Folder of the file that the robot was read from."""
        return Path(self.source.file).parent if self.source.file else None


def joint_motion(joint: Joint, q: float) -> SE3:
    """Motion of a one-degree joint at position q [rad or m]; other joints rest at identity."""
    if q == 0:
        return IDENTITY
    axis = np.asarray(joint.axis)
    if joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS):
        return SE3.from_parts(so3.exp(axis * q), np.zeros(3))
    if joint.type is JointType.PRISMATIC:
        return SE3.from_parts(np.eye(3), axis * q)
    return IDENTITY


def _topological(root: str, joints: Iterable[Joint]) -> Iterable[Joint]:
    children: dict[str, list[Joint]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint)
    stack = list(reversed(children.get(root, [])))
    while stack:
        joint = stack.pop()
        yield joint
        stack.extend(reversed(children.get(joint.child, [])))


def _check_tree(robot: Robot) -> None:
    """A bad tree cannot exist: names unique, links known, one parent each, one root, no cycle."""
    where = f"robot {robot.name!r}"
    names = [link.name for link in robot.links]
    if not names:
        raise BadInput(f"{where} has no links")
    known = set(names)
    for label, listed in (("link", names), ("joint", [j.name for j in (*robot.joints, *robot.loops)])):
        seen: set[str] = set()
        for name in listed:
            if name in seen:
                raise BadInput(f"{where}: two {label}s are named {name!r}; rename one")
            seen.add(name)
    parents: dict[str, str] = {}
    for joint in (*robot.joints, *robot.loops):
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in known:
                raise BadInput(f"{where}: joint {joint.name!r} names {role} link {link!r}, which does not exist")
    for joint in robot.joints:
        if joint.child in parents:
            raise BadInput(
                f"{where}: link {joint.child!r} has two parent joints, {parents[joint.child]!r} and {joint.name!r}"
            )
        parents[joint.child] = joint.name
    roots = [name for name in names if name not in parents]
    if not roots:
        raise BadInput(f"{where}: every link has a parent joint, so the joints form a cycle")
    if len(roots) > 1:
        raise BadInput(f"{where} has {len(roots)} root links ({', '.join(roots[:5])}); connect them with joints")
    if 1 + sum(1 for _ in _topological(roots[0], robot.joints)) != len(names):
        raise BadInput(f"{where}: some links form a cycle that is not connected to the root {roots[0]!r}")
