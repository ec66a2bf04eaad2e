"""Flattens an SDF model with everything nested in it into links, joints and the rest of a `Robot`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from andante.description.io.values import number
from andante.description.io.xmltree import Node
from andante.description.joint import Joint, JointType
from andante.description.link import IDENTITY, Link, SensorSpec
from andante.description.robot import Frame, Plugin, Transmission
from andante.geometry import SE3

from .frames import ANCHOR, Scope
from .include import Reading
from .joint import Gearbox, Placed, apply_gearbox, own_joint, read_joint
from .link import read_link
from .sensor import read_sensor
from .values import flag, name_of, raw_pose

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
    return parts


def _read_links(
    reading: Reading, parts: Parts, scope: Scope, pose: SE3, restored: list[tuple[Scope, SE3, Node]]
) -> None:
    reading.report.leftovers(scope.node, READ, HARMLESS)
    if scope is not parts.scope and flag(scope.node, "static") != parts.static and flag(scope.node, "static"):
        reading.report.warn(scope.node, "a static model nested in a moving one moves with it")
    for child in scope.children:
        name = (child.get("name") or "").strip()
        if child.tag == "link":
            link = read_link(reading, scope, child, parts.static)
            parts.links.append(link)
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
            joint = own_joint(child)
            parts.joints.append(Placed(joint, IDENTITY))
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
    for child in node.walk():
        if child is node or child.children:
            continue
        key = child.get("name") or "" if child.tag == "andante:parameter" else child.tag
        parameters.setdefault(key, []).append(child.text.strip())
    return Plugin(
        name=name_of(node),
        filename="" if node.get("andante:no_file") else (node.get("filename") or "").strip(),
        parameters={tag: " ".join(values) for tag, values in parameters.items()},
        source=node.source,
    )
