"""An SDF model with everything nested in it, flattened and put together as robots.

Joints form the tree and its loops, welds to the world fix a base, unconnected pieces become robots of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from andante.description import Frame, Joint, JointType, Link, Plugin, Robot, SensorSpec, Transmission
from andante.description.io.mimic import leader_fault
from andante.description.io.xmltree import Node, free_name, number
from andante.description.link import IDENTITY
from andante.description.source import Severity
from andante.geometry import SE3

from .frames import ANCHOR, Scope
from .include import Reading
from .joint import Gearbox, Placed, apply_gearbox, own_joint, read_joint
from .link import read_link
from .sensor import read_sensor
from .values import flag, name_of, raw_pose

T = TypeVar("T")
READ = ("link", "joint", "frame", "model", "plugin", "static", "self_collide", "pose", "include")
HARMLESS = ("allow_auto_disable", "enable_wind", "gripper", "projector", "sensor", "config", "description", "author")


@dataclass
class Parts:
    """A model flattened: everything under its flattened name, link poses in the top model frame."""

    scope: Scope
    links: list[Link] = field(default_factory=list)
    poses: dict[str, SE3] = field(default_factory=dict)
    joints: list[Placed] = field(default_factory=list)
    sensors: list[SensorSpec] = field(default_factory=list)
    plugins: list[Plugin] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    transmissions: list[Transmission] = field(default_factory=list)
    no_collision: set[frozenset[str]] = field(default_factory=set)
    held: list[str] = field(default_factory=list)  # links of static models inside a moving one
    static: bool = False
    self_collide: bool = False


def flatten(reading: Reading, scope: Scope) -> Parts:
    """All parts of a model and its nested models."""
    parts = Parts(scope, static=flag(scope.node, "static"), self_collide=flag(scope.node, "self_collide"))
    scopes: list[tuple[Scope, SE3]] = []
    stack = [(scope, IDENTITY)]
    while stack:
        inner, pose = stack.pop()
        scopes.append((inner, pose))
        stack.extend((child, pose @ inner.where(name)) for name, child in reversed(inner.nested.items()))
    restored: list[tuple[Scope, SE3, Node]] = []
    for inner, pose in scopes:
        _read_links(reading, parts, inner, pose, restored)
    gearboxes: list[Gearbox] = []
    for inner, pose in scopes:
        for node in inner.all("joint"):
            found = read_joint(reading, inner, pose, parts.poses, node)
            parts.joints += found.joints
            parts.links += found.links
            for link in found.links:
                parts.poses[link.name] = found.joints[0].pose
            gearboxes += [found.gearbox] if found.gearbox is not None else []
            _joint_sensors(reading, parts, found.joints, node, inner.prefix)
        _read_frames(parts, inner, pose)
    for inner, pose, node in restored:
        parts.joints.append(_frame_joint(inner, pose, parts, node))
    for gearbox in gearboxes:
        parts.joints = apply_gearbox(reading, parts.joints, gearbox)
    _hold(reading, parts)
    return parts


def _hold(reading: Reading, parts: Parts) -> None:
    """Weld the links of static models inside a moving one to the world, as Gazebo does; what a joint carries moves."""
    carried = {placed.joint.child for placed in parts.joints}
    taken = {placed.joint.name for placed in parts.joints}
    for name in parts.held:
        if name in carried:
            reading.report.warn(
                parts.scope.node, f"link {name!r} is static, but a joint carries it: it moves with that"
            )
            continue
        joint = Joint(free_name(f"{name}_static", taken), JointType.FIXED, ANCHOR, name, source=parts.scope.node.source)
        parts.joints.append(Placed(joint, parts.poses[name]))


def _read_links(
    reading: Reading, parts: Parts, scope: Scope, pose: SE3, restored: list[tuple[Scope, SE3, Node]]
) -> None:
    reading.report.leftovers(scope.node, READ, HARMLESS)
    held = not parts.static and scope is not parts.scope and flag(scope.node, "static")
    for child in scope.children:
        name = (child.get("name") or "").strip()
        if child.tag == "link":
            link = read_link(reading, scope, child, parts.static or held)
            parts.links.append(link)
            parts.held += [link.name] if held else []
            parts.poses[link.name] = pose @ scope.where(name)
            for node in child.all("sensor"):
                sensor_pose = scope.locate(raw_pose(node), name)
                parts.sensors += read_sensor(reading, node, link.name, sensor_pose, scope.prefix)
            for owner in (child, *child.all("sensor"), *child.all("visual")):
                parts.plugins += [read_plugin(node) for node in owner.all("plugin")]
        elif child.tag == "frame" and child.get("andante:joint"):
            restored.append((scope, pose, child))
            link = Link(scope.flat(name), None, source=child.source)
            parts.links.append(link)
            parts.poses[link.name] = pose @ scope.where(name)
        elif child.tag == "plugin":
            parts.plugins.append(read_plugin(child))
        elif child.tag == "andante:robot":
            _read_own(parts, child)


def _joint_sensors(reading: Reading, parts: Parts, joints: tuple[Placed, ...], node: Node, prefix: str) -> None:
    for sensor in node.all("sensor"):
        if not joints:
            reading.report.warn(sensor, "a sensor on a gearbox joint is left out")
            continue
        joint = joints[-1].joint
        pose = joint.joint_from_child.inverse() @ raw_pose(sensor).motion
        for spec in read_sensor(reading, sensor, joint.child, pose, prefix):
            parts.sensors.append(replace(spec, parameters={**spec.parameters, "joint": joint.name}))
        parts.plugins += [read_plugin(plugin) for plugin in sensor.all("plugin")]


def _read_frames(parts: Parts, scope: Scope, pose: SE3) -> None:
    for node in scope.all("frame"):
        name = (node.get("name") or "").strip()
        if node.get("andante:joint") or scope.entries[name].node is not node:
            continue
        link = scope.link_of(name)
        if link == ANCHOR:
            continue
        entry = scope.entries[name]
        direct = entry.attached_to == entry.relative_to and scope.entries.get(entry.attached_to)
        if direct and direct.kind == "link":
            link_from_frame = entry.raw
        else:
            link_from_frame = parts.poses[link].inverse() @ pose @ scope.where(name)
        parts.frames.append(Frame(scope.flat(name), link, link_from_frame))


def _frame_joint(scope: Scope, pose: SE3, parts: Parts, node: Node) -> Placed:
    """The fixed joint of a massless link that our writer wrote as a frame."""
    name = (node.get("name") or "").strip()
    entry = scope.entries[name]
    attached = scope.entries.get(entry.attached_to)
    parent = scope.link_of(entry.attached_to or "__model__")
    if attached is not None and attached.kind == "frame" and attached.node.get("andante:joint"):
        parent = scope.flat(entry.attached_to)
    top_from_frame = pose @ scope.where(name)
    same = entry.relative_to == entry.attached_to
    parent_from_joint = entry.raw if same else parts.poses[parent].inverse() @ top_from_frame
    joint = Joint(node.get("andante:joint") or "", JointType.FIXED, parent, scope.flat(name), source=node.source)
    child_pose = raw_pose(node, "andante:child_pose").motion
    if not child_pose.is_identity():
        parent_from_joint = raw_pose(node, "andante:joint_pose").motion
    return Placed(replace(joint, pose=parent_from_joint, joint_from_child=child_pose), top_from_frame)


def _read_own(parts: Parts, node: Node) -> None:
    """What our writer keeps beyond the standard, in <andante:robot>."""
    for child in node.children:
        if child.tag == "andante:no_collision":
            parts.no_collision.add(frozenset((child.get("first") or "", child.get("second") or "")))
        elif child.tag == "andante:joint":
            parts.joints.append(Placed(own_joint(child), IDENTITY))
        elif child.tag == "andante:transmission":

            def names(tag: str, owner: Node = child) -> tuple[str, ...]:
                return tuple((c.get("name") or "") for c in owner.all(f"andante:{tag}"))

            parts.transmissions.append(
                Transmission(
                    child.get("name") or "",
                    child.get("type") or "",
                    names("joint"),
                    names("actuator"),
                    number(child, child.get("reduction"), "reduction", 1.0),
                    names("interface"),
                )
            )


def read_plugin(node: Node) -> Plugin:
    """The plugin of an element; repeated leaf names are joined by a blank."""
    parameters: dict[str, list[str]] = {}
    for child in node.leaves():
        key = child.get("name") or "" if child.tag == "andante:parameter" else child.tag
        parameters.setdefault(key, []).append(child.text.strip())
    return Plugin(
        name=name_of(node),
        filename="" if node.get("andante:no_file") else (node.get("filename") or "").strip(),
        parameters={tag: " ".join(values) for tag, values in parameters.items()},
        source=node.source,
    )


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
    joints = [_with_leader(reading, joint, joints) for joint in joints]
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
    ends = [(forest.root(j.parent), forest.root(j.child)) for j in forest.loops]
    tied = {root for pair in ends if pair[0] != pair[1] for root in pair}
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
        name = free_name(f"{root}_{kind}", taken)
        forest.add(Joint(name, kind, main, root, pose=poses[main].inverse() @ poses[root], source=node.source))
    return _components(parts, kept, links, poses, forest, welded)


def _with_leader(reading: Reading, joint: Joint, joints: list[Joint]) -> Joint:
    """The joint, free where what it mimics cannot lead it."""
    fault = leader_fault(joint, joints)
    if fault:
        reading.report.add(Severity.WARNING, f"joint {joint.name!r} mimics {fault}", joint.source)
    return replace(joint, mimic=None) if fault else joint


def _with_world(parts: Parts) -> tuple[list[Link], dict[str, SE3], list[Joint], set[str]]:
    """Links, poses and joints with the world either left out (plain welds) or as a massless root link."""
    links, poses = list(parts.links), dict(parts.poses)
    joints = [placed.joint for placed in parts.joints]
    to_world = [j for j in joints if j.parent == ANCHOR]
    carried = {j.child for j in joints if j.parent != ANCHOR}
    if all(j.type is JointType.FIXED and j.child not in carried for j in to_world):
        return links, poses, [j for j in joints if j.parent != ANCHOR], {j.child for j in to_world}
    name = free_name("world", {link.name for link in links})
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
    plain = Joint(joint.name, JointType.FIXED, joint.parent, joint.child, joint.pose, source=joint.source)
    return replace(plain, joint_from_child=joint.joint_from_child)
