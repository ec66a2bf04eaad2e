"""Turns the flattened parts of an SDF model into robots: tree and loops, welds to the world, unconnected pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from andante.description.joint import Joint, JointType
from andante.description.link import IDENTITY, Link
from andante.description.robot import Robot
from andante.geometry import SE3

from .frames import ANCHOR
from .include import Reading
from .model import Parts

T = TypeVar("T")


@dataclass(frozen=True)
class Component:
    """One connected piece of a model: a robot and where its root stands in the model frame."""

    name: str  # of the model, or of the piece of it
    robot: Robot
    pose: SE3  # model_from_root
    fixed: bool  # the root is welded to the world


class _Forest:
    """Links and the joint that carries each; answers the root of a link in nearly constant time."""

    def __init__(self, joints: list[Joint]) -> None:
        self.tree: list[Joint] = []
        self.loops: list[Joint] = []
        self._above: dict[str, str] = {}
        self.carried: set[str] = set()
        for joint in joints:
            self.add(joint)
        closing, self.loops = self.loops, []
        for joint in closing:
            if joint.parent not in self.carried and self.root(joint.child) != joint.parent:
                self.add(_reversed(joint))
            else:
                self.loops.append(joint)

    def add(self, joint: Joint) -> None:
        """Put a joint into the tree, or among the loops when its child is carried already."""
        if joint.child in self.carried or self.root(joint.parent) == joint.child:
            self.loops.append(joint)
            return
        self.carried.add(joint.child)
        self._above[joint.child] = joint.parent
        self.tree.append(joint)

    def root(self, link: str) -> str:
        """Root of the piece that a link belongs to; the paths walked are shortened."""
        path = []
        while link in self._above:
            path.append(link)
            link = self._above[link]
        for passed in path:
            self._above[passed] = link
        return link


def assemble(reading: Reading, parts: Parts, split: bool) -> list[Component]:
    """Robots of a flattened model.

    Pieces that no joint connects become several robots when `split`; else they hang on the canonical link by
    floating joints. Pieces that are all welded to the world, or static, hang on it by fixed joints. The piece of the
    canonical link comes first.
    """
    node = parts.scope.node
    if not parts.links:
        raise node.error("the model has no links")
    links, poses, joints, welded = _with_world(parts)
    forest = _Forest(joints)
    if parts.static:
        if any(j.type is not JointType.FIXED for j in (*forest.tree, *forest.loops)):
            reading.report.info(node, "the joints of a static model do not move; they are held as fixed joints")
        forest.tree, forest.loops = [_frozen(j) for j in forest.tree], []
        welded = {forest.root(link.name) for link in links}
    roots = [link.name for link in links if link.name not in forest.carried]
    if not roots:
        raise node.error("every link has a parent joint, so the joints form a circle")
    canonical = parts.scope.link_of("__model__")
    main = roots[0] if roots[0] in welded and roots[0] not in parts.poses else forest.root(canonical)
    roots.sort(key=lambda name: name != main)
    tied = {forest.root(end) for j in forest.loops for end in (j.parent, j.child) if _across(forest, j)}
    taken = {j.name for j in (*forest.tree, *forest.loops)}
    kept = [main]
    for root in roots[1:]:
        if root in welded and main in welded:
            kind = JointType.FIXED
        elif split and not (tied & {root, main}):
            kept.append(root)
            continue
        else:
            kind = JointType.FLOATING
            reading.report.warn(
                node, f"no joint holds link {root!r}; it is held as floating on {main!r}, the root of the model"
            )
        name = _free(f"{root}_{kind}", taken)
        forest.add(Joint(name, kind, main, root, pose=poses[main].inverse() @ poses[root], source=node.source))
    return _components(parts, kept, links, poses, forest, welded)


def _with_world(parts: Parts) -> tuple[list[Link], dict[str, SE3], list[Joint], set[str]]:
    """Links, poses and joints with the world either left out (plain welds) or as a massless root link."""
    links, poses = list(parts.links), dict(parts.poses)
    joints = [placed.joint for placed in parts.joints]
    to_world = [j for j in joints if j.parent == ANCHOR]
    carried = {j.child for j in joints if j.parent != ANCHOR}
    if all(j.type is JointType.FIXED and j.child not in carried for j in to_world):
        return links, poses, [j for j in joints if j.parent != ANCHOR], {j.child for j in to_world}
    name = _free("world", {link.name for link in links})
    links.insert(0, Link(name, None, source=parts.scope.node.source))
    poses[name] = IDENTITY
    joints = [replace(j, parent=name) if j.parent == ANCHOR else j for j in joints]
    return links, poses, joints, {name}


def _components(
    parts: Parts, roots: list[str], links: list[Link], poses: dict[str, SE3], forest: _Forest, welded: set[str]
) -> list[Component]:
    scope = parts.scope
    name = scope.node.get("andante:name") or scope.name or "model"
    home = {link.name: forest.root(link.name) for link in links}
    fixed_base = scope.node.get("andante:fixed_base")
    links_of = _grouped(links, lambda link: home[link.name])
    tree_of = _grouped(forest.tree, lambda joint: home[joint.child])
    loops_of = _grouped(forest.loops, lambda joint: home[joint.child])
    sensors_of = _grouped(parts.sensors, lambda sensor: home[sensor.link])
    frames_of = _grouped(parts.frames, lambda frame: home[frame.link])
    pairs = [pair for pair in parts.no_collision if len({home.get(name, "") for name in pair}) == 1]
    pairs_of = _grouped(pairs, lambda pair: home.get(next(iter(pair)), ""))
    out = []
    for i, root in enumerate(roots):
        label = f"{name}::{root}" if i else name
        robot = Robot(
            name=scope.node.get("andante:robot") or label,
            links=tuple(links_of.get(root, ())),
            joints=tuple(tree_of.get(root, ())),
            loops=tuple(loops_of.get(root, ())),
            sensors=tuple(sensors_of.get(root, ())),
            plugins=() if i else tuple(parts.plugins),
            transmissions=() if i else tuple(parts.transmissions),
            frames=tuple(frames_of.get(root, ())),
            self_collide=parts.self_collide,
            no_collision=frozenset(pairs_of.get(root, ())),
            fixed_base=root in welded and fixed_base != "false",
            source=scope.node.source,
        )
        out.append(Component(label, robot, poses[root], root in welded))
    return out


def _grouped(items: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """Items by their key, in order."""
    out: dict[str, list[T]] = {}
    for item in items:
        out.setdefault(key(item), []).append(item)
    return out


def _across(forest: _Forest, joint: Joint) -> bool:
    return forest.root(joint.parent) != forest.root(joint.child)


def _reversed(joint: Joint) -> Joint:
    """The same joint seen from its child: the position keeps its sign because the axis turns round."""
    x, y, z = joint.axis
    return replace(
        joint,
        parent=joint.child,
        child=joint.parent,
        pose=joint.joint_from_child.inverse(),
        joint_from_child=joint.pose.inverse(),
        axis=(-x, -y, -z),
    )


def _frozen(joint: Joint) -> Joint:
    """A fixed joint in the same place."""
    return Joint(
        joint.name,
        JointType.FIXED,
        joint.parent,
        joint.child,
        pose=joint.pose,
        joint_from_child=joint.joint_from_child,
        source=joint.source,
    )


def _free(name: str, taken: set[str]) -> str:
    """A name that is not taken yet; it is taken from then on."""
    unique, count = name, 2
    while unique in taken:
        unique, count = f"{name}_{count}", count + 1
    taken.add(unique)
    return unique
