"""Writes a robot as a <model>: the model frame is that of the root link, every pose is told in its neighbour."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from andante.description.joint import Joint, JointType
from andante.description.robot import Robot

from .sdf_write_joint import NATIVE, is_plain, write_foreign_joint, write_joint
from .sdf_write_link import write_link
from .sdf_write_sensor import write_plugin, write_sensor
from .sdf_xml import Element, Names, Version, add_pose, label

WELD = "andante_fixed_base"


def write_model(robot: Robot, path: Path, version: Version, static: bool = False, welded: bool = False) -> Element:
    """The <model> of a robot; `static` for things without joints, `welded` for a root fixed to the world."""
    model = Element("model")
    label(model, Names().fresh("model", robot.name), robot.name)
    names = Names()
    if robot.links[0].name != robot.root:
        model.attributes["canonical_link"] = names.give("link", robot.root)
    if static:
        model.add("static", True)
    if robot.self_collide:
        model.add("self_collide", True)
    frames = _frame_links(robot)
    for link in robot.links:
        names.give("link", link.name)
    for joint in (*robot.joints, *robot.loops):
        if joint.type in NATIVE and joint.child not in frames:
            names.give("joint", joint.name)
    elements: dict[str, Element] = {}
    inside: dict[int, Names] = {}  # names taken inside each link and joint
    for link in robot.links:
        carrier = robot.parent_joint(link.name)
        if carrier is not None and link.name in frames:
            _write_frame_link(model, carrier, names, version)
            continue
        element = elements[link.name] = model.add("link")
        label(element, names.give("link", link.name), link.name)
        if carrier is not None and carrier.type in NATIVE:
            add_pose(element, carrier.joint_from_child, version, relative_to=names.give("joint", carrier.name))
        elif carrier is not None:
            pose = carrier.pose @ carrier.joint_from_child
            add_pose(element, pose, version, relative_to=names.give("link", carrier.parent))
        write_link(element, link, path, version, inside.setdefault(id(element), Names()))
    joints: dict[str, Element] = {}
    for loop, group in ((False, robot.joints), (True, robot.loops)):
        for joint in group:
            if joint.type in NATIVE and joint.child not in frames:
                element = joints[joint.name] = model.add("joint")
                label(element, names.give("joint", joint.name), joint.name)
                ends = names.give("link", joint.parent), names.give("link", joint.child)
                write_joint(element, joint, *ends, version, loop)
    if welded:
        weld = model.add("joint", name=names.fresh("joint", WELD), type="fixed")
        weld.add("parent", "world")
        weld.add("child", names.give("link", robot.root))
    for frame in robot.frames:
        element = model.add("frame")
        label(element, names.fresh("frame", frame.name), frame.name)
        element.attributes["attached_to"] = names.give("link", frame.link)
        add_pose(element, frame.pose, version)
    _write_sensors(robot, elements, joints, inside, version)
    for plugin in robot.plugins:
        write_plugin(model, plugin)
    _write_own(model, robot, version)
    return model


def _frame_links(robot: Robot) -> frozenset[str]:
    """Links that are nothing but frames: no body, no shape, fixed, with only such links behind them.

    They are written as <frame>, so that Gazebo is spared bodies of no mass.
    """
    busy = {sensor.link for sensor in robot.sensors} | {frame.link for frame in robot.frames}
    busy |= {end for loop in robot.loops for end in (loop.parent, loop.child)}
    chosen: set[str] = set()
    bearers: set[str] = set()
    for joint in reversed(robot.topological):
        link = robot.link(joint.child)
        bare = link.inertia is None and not link.visuals and not link.collisions
        plain = link.gravity and link.self_collide is None and link.name not in busy
        if bare and plain and joint.type is JointType.FIXED and is_plain(joint) and link.name not in bearers:
            chosen.add(link.name)
        else:
            bearers.add(joint.parent)  # carries something that is more than a frame
    return frozenset(chosen)


def _write_frame_link(model: Element, joint: Joint, names: Names, version: Version) -> None:
    element = model.add("frame")
    label(element, names.give("link", joint.child), joint.child)
    element.attributes["attached_to"] = names.give("link", joint.parent)
    element.attributes["andante:joint"] = joint.name
    if joint.joint_from_child.is_identity():
        add_pose(element, joint.pose, version)
        return
    add_pose(element, joint.pose @ joint.joint_from_child, version)
    add_pose(element, joint.pose, version, "andante:joint_pose")
    add_pose(element, joint.joint_from_child, version, "andante:child_pose")


def _write_sensors(
    robot: Robot, links: dict[str, Element], joints: dict[str, Element], inside: dict[int, Names], version: Version
) -> None:
    """Sensors into their links; force-torque sensors that name their joint into that joint."""
    for sensor in robot.sensors:
        owner, pose = links[sensor.link], sensor.pose
        wish = sensor.parameters.get("joint")
        if isinstance(wish, str) and wish in joints and robot.joint(wish).child == sensor.link:
            owner, pose = joints[wish], robot.joint(wish).joint_from_child @ sensor.pose
        write_sensor(owner, sensor, pose, inside.setdefault(id(owner), Names()), version)


def _write_own(model: Element, robot: Robot, version: Version) -> None:
    own = Element("andante:robot")
    for pair in sorted(sorted(pair) for pair in robot.no_collision):
        own.add("andante:no_collision", first=pair[0], second=pair[-1])
    for joint in robot.joints:
        if joint.type not in NATIVE:
            write_foreign_joint(own, joint, version)
    for transmission in robot.transmissions:
        node = own.add(
            "andante:transmission",
            name=transmission.name,
            type=transmission.type,
            reduction=repr(transmission.reduction),
        )
        parts: Iterable[tuple[str, tuple[str, ...]]] = (
            ("joint", transmission.joints),
            ("actuator", transmission.actuators),
            ("interface", transmission.interfaces),
        )
        for tag, listed in parts:
            for name in listed:
                node.add(f"andante:{tag}", name=name)
    if own.children:
        model.children.append(own)
