"""Writes robots and worlds as SDF, in the oldest version from 1.7 on that can say what there is to say.

What SDF has no words for (massless links, rotor inertia, mimic before 1.11, safety limits, transmissions, masks,
sensors of our own kinds) stands in elements and attributes of the namespace `andante`, which other programs skip.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path

from andante.description import Dynamics, Joint, JointType, Light, Limits, Placement, Robot, World

from .physics import write_physics
from .write_link import write_link, write_plugin, write_sensor
from .xml import Element, Names, Version, add_pose, document, label, write_numbers

WELD = "andante_fixed_base"
NATIVE = frozenset(JointType) - {JointType.FLOATING, JointType.PLANAR}  # the types that SDF has


def write_sdf(thing: Robot | World, path: Path) -> str:
    """SDF text of a robot or world; `path` is where the caller will put it (for relative mesh names)."""
    version = Version()
    if isinstance(thing, Robot):
        return document(version, write_model(thing, path, version, welded=thing.fixed_base))
    return document(version, _world(thing, path, version))


def _world(world: World, path: Path, version: Version) -> Element:
    element = Element("world")
    label(element, Names().fresh("world", world.name), world.name)
    element.add("gravity", write_numbers(world.gravity))
    names = Names()
    write_physics(element, world.physics, names)
    scene = element.add("scene")
    scene.add("ambient", write_numbers(world.ambient))
    scene.add("background", write_numbers(world.background))
    for light in world.lights:
        _light(element, light, names, version)
    for placement in world.models:
        element.children.append(_placed(placement, path, names, version))
    return element


def _placed(placement: Placement, path: Path, names: Names, version: Version) -> Element:
    """The model of a placement: static where nothing in it can move, else welded to the world by a fixed joint."""
    robot = placement.robot
    fixed = placement.fixed or robot.fixed_base
    rigid = not robot.loops and all(joint.type is JointType.FIXED for joint in robot.joints)
    model = write_model(robot, path, version, static=fixed and rigid, welded=fixed and not rigid)
    for key in ("name", "andante:name"):
        model.attributes.pop(key, None)
    label(model, names.fresh("model", placement.name), placement.name)
    if robot.name != placement.name:
        model.attributes["andante:robot"] = robot.name
    if fixed and not robot.fixed_base:
        model.attributes["andante:fixed_base"] = "false"
    pose = Element("holder")
    add_pose(pose, placement.pose, version)
    model.children[:0] = pose.children
    return model


def _light(element: Element, light: Light, names: Names, version: Version) -> None:
    node = element.add("light")
    label(node, names.fresh("light", light.name), light.name)
    node.attributes["type"] = light.kind
    add_pose(node, light.pose, version)
    node.add("cast_shadows", light.cast_shadows)
    node.add("diffuse", write_numbers(light.diffuse))
    node.add("specular", write_numbers(light.specular))
    node.add("direction", write_numbers(light.direction))


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
    for t in robot.transmissions:
        node = own.add("andante:transmission", name=t.name, type=t.type, reduction=repr(t.reduction))
        for tag, listed in (("joint", t.joints), ("actuator", t.actuators), ("interface", t.interfaces)):
            for name in listed:
                node.add(f"andante:{tag}", name=name)
    if own.children:
        model.children.append(own)


def write_joint(element: Element, joint: Joint, parent: str, child: str, version: Version, loop: bool) -> None:
    """Contents of a <joint>; `parent` and `child` are names in the file."""
    element.attributes["type"] = str(joint.type)
    add_pose(element, joint.pose, version, relative_to=parent)
    element.add("parent", parent)
    element.add("child", child)
    if joint.type is JointType.SCREW and abs(joint.screw_pitch) > 1e-8:  # the exact pitch stands in <andante:joint>
        element.add("thread_pitch", -1.0 / joint.screw_pitch)
    if joint.type not in (JointType.FIXED, JointType.BALL):
        _write_axis(element.add("axis"), joint)
    _write_own_joint(element, joint, version, loop)


def _write_axis(axis: Element, joint: Joint) -> None:
    axis.add("xyz", write_numbers(joint.axis))
    limits, dynamics = joint.limits, joint.dynamics
    node = axis.add("limit")
    if joint.type is not JointType.CONTINUOUS:
        for tag, value in (("lower", limits.lower), ("upper", limits.upper)):
            node.add(tag, value if math.isfinite(value) else "1e16" if value > 0 else "-1e16")
    for tag, value in (("effort", limits.effort), ("velocity", limits.velocity)):
        if math.isfinite(value):
            node.add(tag, value)
    if not node.children:
        axis.children.remove(node)
    if dynamics != Dynamics(armature=dynamics.armature):
        node = axis.add("dynamics")
        node.add("damping", dynamics.damping)
        node.add("friction", dynamics.friction)
        node.add("spring_reference", dynamics.reference)
        node.add("spring_stiffness", dynamics.stiffness)


def _write_own_joint(element: Element, joint: Joint, version: Version, loop: bool) -> None:
    own = Element("andante:joint")
    if joint.dynamics.armature:
        own.attributes["armature"] = repr(joint.dynamics.armature)
    if joint.initial:
        own.attributes["initial"] = repr(joint.initial)
    if joint.type is JointType.SCREW:
        own.attributes["screw_pitch"] = repr(joint.screw_pitch)
    _write_unsaid(own, joint)
    if joint.mimic is not None:
        mimic = joint.mimic
        own.add("andante:mimic", joint=mimic.joint, multiplier=repr(mimic.multiplier), offset=repr(mimic.offset))
    if joint.safety is not None:
        own.add("andante:safety", **{name: repr(value) for name, value in asdict(joint.safety).items()})
    if joint.calibration:
        own.add("andante:calibration", **{name: repr(float(value)) for name, value in joint.calibration.items()})
    if loop:
        add_pose(own, joint.joint_from_child, version, "andante:child_pose")
        if joint.joint_from_child.is_identity():
            own.add("andante:child_pose", "0 0 0 0 0 0")
    if own.attributes or own.children:
        element.children.append(own)


def _write_unsaid(own: Element, joint: Joint) -> None:
    """Limits and losses that a joint of this type cannot state natively (a fixed joint with an effort limit)."""
    silent = joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.SCREW)
    limits, dynamics = joint.limits, joint.dynamics
    bounded = math.isfinite(limits.lower) or math.isfinite(limits.upper)
    if (silent and limits != Limits()) or (joint.type is JointType.CONTINUOUS and bounded):
        own.attributes["limits"] = write_numbers((limits.lower, limits.upper, limits.effort, limits.velocity))
    if silent and dynamics != Dynamics(armature=dynamics.armature):
        own.attributes["dynamics"] = write_numbers(
            (dynamics.damping, dynamics.friction, dynamics.stiffness, dynamics.reference)
        )


def is_plain(joint: Joint) -> bool:
    """Whether a fixed joint holds nothing but its place."""
    own = Element("")
    _write_own_joint(own, joint, Version(), False)
    return not own.children


def write_foreign_joint(element: Element, joint: Joint, version: Version) -> None:
    """<andante:joint> of the model for a type that SDF lacks (floating, planar); its links stand there unjoined."""
    own = element.add(
        "andante:joint",
        name=joint.name,
        type=str(joint.type),
        parent=joint.parent,
        child=joint.child,
        axis=write_numbers(joint.axis),
    )
    add_pose(own, joint.pose, version, "andante:pose")
    add_pose(own, joint.joint_from_child, version, "andante:child_pose")
    _write_own_joint(own, joint, version, False)
