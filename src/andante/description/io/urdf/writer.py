"""`Robot` to URDF text that reads back as the same physics, and that other URDF parsers accept.

Link frames are the joint frames in URDF: where a joint puts its child frame elsewhere, everything on the child is told
in the joint frame instead. What URDF lacks stands in <gazebo> elements; what has no place there either is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from andante.description import Dynamics, Joint, JointType, Limits, Robot, Transmission
from andante.description.io.gazebo import same
from andante.description.link import IDENTITY, Collision, Link, Material, SensorSpec, Surface, Visual
from andante.description.shapes import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from andante.errors import Unsupported
from andante.geometry import SE3

from .gazebo import SURFACE_PATHS
from .joints import UNBOUNDED
from .loops import LOOP_TYPES, WORLD
from .parts import rotation_rpy
from .sensors import WRITTEN

SIMPLE_TAGS = {
    "mu": "mu1",
    **same("mu2", "kp", "kd", "fdir1", "slip1", "slip2"),
    "max_velocity": "maxVel",
    "min_depth": "minDepth",
}
PATH_OF = {name: path for path, name in SURFACE_PATHS.items()}
TYPE_OF = {"lidar": "ray", "depth_camera": "depth"}
ROUNDING = 5e-16  # of the entries of a rotation matrix
NAME = re.compile(r"[A-Za-z_][\w.\-]*")
AXIS_TYPES = frozenset((JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.PLANAR))


def add(parent: ET.Element, tag: str, /, **attributes: str) -> ET.Element:
    """A new element at the end of its parent."""
    return ET.SubElement(parent, tag, attributes)


def numbers(*values: float) -> str:
    """Numbers in the shortest form that reads back as the same bits."""
    return " ".join(repr(float(value)) for value in values)


def _plain(value: float) -> str:
    """A number of a sensor; whole ones without a point, since simulators want `640` samples."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else numbers(value)


def rpy_of(pose: SE3) -> tuple[float, float, float]:
    """Roll, pitch, yaw [rad] that rebuild the rotation to rounding, at a pitch of 90 degrees too.

    Angles with few decimals are preferred where they rebuild it as well. The yaw is taken after the roll is undone:
    atan2(s R02 - c R01, c R11 - s R12) with s, c of the roll.
    """
    R = pose.rotation
    roll = math.atan2(R[2, 1], R[2, 2]) if R[2, 1] or R[2, 2] else 0.0
    s, c = math.sin(roll), math.cos(roll)
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    yaw = math.atan2(s * R[0, 2] - c * R[0, 1], c * R[1, 1] - s * R[1, 2])
    tidy = (round(roll, 14) + 0.0, round(pitch, 14) + 0.0, round(yaw, 14) + 0.0)
    error = float(np.abs(np.array(rotation_rpy(*tidy)) - R).max())
    return tidy if error <= ROUNDING else (roll, pitch, yaw)


def write_urdf(robot: Robot, path: Path) -> str:
    """Text of a URDF file that is to stand at `path` (meshes below its folder get relative names)."""
    _refuse(robot)
    robot = in_joint_frames(robot)
    root = ET.Element("robot", name=robot.name)
    if robot.fixed_base and robot.root != WORLD:
        add(root, "link", name=WORLD)
        weld = add(root, "joint", name=_free_name(robot, f"{WORLD}_joint"), type="fixed")
        add(weld, "parent", link=WORLD)
        add(weld, "child", link=robot.root)
    for link in robot.links:
        _link(root, link, path)
    for joint in robot.joints:
        _joint(root, joint)
    for loop in robot.loops:
        _loop(root, loop)
    for transmission in robot.transmissions:
        _transmission(root, transmission)
    write_gazebo(root, robot)
    ET.indent(root, "  ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def in_joint_frames(robot: Robot) -> Robot:
    """The same robot with joint_from_child = identity everywhere: link frames moved into their joints."""
    moved = {joint.child: joint.joint_from_child for joint in robot.joints if not joint.joint_from_child.is_identity()}
    if not moved:
        return robot

    def told(link: str, pose: SE3) -> SE3:
        return moved[link] @ pose if link in moved else pose

    def moved_link(link: Link) -> Link:
        if link.name not in moved:
            return link
        return replace(
            link,
            inertia=link.inertia.transformed(moved[link.name]) if link.inertia is not None else None,
            visuals=tuple(replace(item, pose=told(link.name, item.pose)) for item in link.visuals),
            collisions=tuple(replace(item, pose=told(link.name, item.pose)) for item in link.collisions),
        )

    return replace(
        robot,
        links=tuple(moved_link(link) for link in robot.links),
        joints=tuple(
            replace(joint, pose=told(joint.parent, joint.pose), joint_from_child=IDENTITY) for joint in robot.joints
        ),
        loops=tuple(
            replace(
                loop,
                pose=told(loop.parent, loop.pose),
                joint_from_child=loop.joint_from_child @ moved.get(loop.child, IDENTITY).inverse(),
            )
            for loop in robot.loops
        ),
        sensors=tuple(replace(item, pose=told(item.link, item.pose)) for item in robot.sensors),
        frames=tuple(replace(item, pose=told(item.link, item.pose)) for item in robot.frames),
    )


def _refuse(robot: Robot) -> None:
    for loop in robot.loops:
        if loop.type not in LOOP_TYPES.values():
            raise Unsupported(
                f"a URDF file closes no loop by a {loop.type} joint such as {loop.name!r}; write SDF instead"
            )
    for joint in robot.joints:
        if joint.type in (JointType.BALL, JointType.SCREW):
            raise Unsupported(f"URDF has no {joint.type} joint such as {joint.name!r}; write SDF instead")
    names = {link.name for link in robot.links}
    if robot.fixed_base and WORLD in names and robot.root != WORLD:
        raise Unsupported(
            f"a fixed base is the link 'world' in URDF, but robot {robot.name!r} has another link so named"
        )
    if robot.root == WORLD and not robot.fixed_base:
        raise Unsupported(f"the root link 'world' means a fixed base in URDF; rename it in robot {robot.name!r}")


def _free_name(robot: Robot, name: str) -> str:
    taken = {joint.name for joint in robot.joints}
    while name in taken:
        name += "_"
    return name


def _origin(parent: ET.Element, pose: SE3) -> None:
    if pose.is_identity():
        return
    element = add(parent, "origin", xyz=numbers(*pose.translation))
    rpy = rpy_of(pose)
    if any(rpy):
        element.set("rpy", numbers(*rpy))


def _link(root: ET.Element, link: Link, path: Path) -> None:
    element = add(root, "link", name=link.name)
    if link.inertia is not None:
        inertial = add(element, "inertial")
        if any(link.inertia.com):
            add(inertial, "origin", xyz=numbers(*link.inertia.com))
        add(inertial, "mass", value=numbers(link.inertia.mass))
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        add(inertial, "inertia", **dict(zip(keys, (numbers(v) for v in link.inertia.moments), strict=True)))
    for visual in link.visuals:
        _material(_shape(element, "visual", visual, link, path), visual.material, path)
    for collision in link.collisions:
        _shape(element, "collision", collision, link, path)


def _shape(parent: ET.Element, tag: str, item: Visual | Collision, link: Link, path: Path) -> ET.Element:
    element = add(parent, tag, **({"name": item.name} if item.name else {}))
    _origin(element, item.pose)
    _geometry(add(element, "geometry"), item.geometry, link, path)
    return element


def _geometry(parent: ET.Element, shape: Geometry, link: Link, path: Path) -> None:
    if isinstance(shape, Box):
        add(parent, "box", size=numbers(*shape.size))
    elif isinstance(shape, Sphere):
        add(parent, "sphere", radius=numbers(shape.radius))
    elif isinstance(shape, Cylinder | Capsule):
        add(parent, type(shape).__name__.lower(), radius=numbers(shape.radius), length=numbers(shape.length))
    elif isinstance(shape, Mesh) and not shape.submesh:
        element = add(parent, "mesh", filename=mesh_uri(shape, path))
        if shape.scale != (1.0, 1.0, 1.0):
            element.set("scale", numbers(*shape.scale))
    else:
        what = "submesh" if isinstance(shape, Mesh) else type(shape).__name__.lower()
        raise Unsupported(f"URDF has no {what}, which link {link.name!r} uses; write SDF or MJCF instead")


def mesh_uri(mesh: Mesh, path: Path) -> str:
    """Name of a mesh in a file at `path`: package:// kept, relative below its folder, otherwise absolute."""
    if mesh.path is None or mesh.uri.startswith("package://"):
        return mesh.uri
    found, folder = mesh.path.resolve(), path.resolve().parent
    return found.relative_to(folder).as_posix() if found.is_relative_to(folder) else found.as_posix()


def _material(parent: ET.Element, material: Material, path: Path) -> None:
    if material == Material():
        return
    element = add(parent, "material", name=material.name)
    if material.rgba is not None:
        add(element, "color", rgba=numbers(*material.rgba))
    if material.texture:
        add(element, "texture", filename=mesh_uri(Mesh(material.texture, material.path), path))


def _joint(root: ET.Element, joint: Joint) -> None:
    element = add(root, "joint", name=joint.name, type=str(joint.type))
    _origin(element, joint.pose)
    add(element, "parent", link=joint.parent)
    add(element, "child", link=joint.child)
    if joint.type in AXIS_TYPES:
        add(element, "axis", xyz=numbers(*joint.axis))
    if joint.calibration:
        add(element, "calibration", **{key: numbers(value) for key, value in sorted(joint.calibration.items())})
    if (joint.dynamics.damping, joint.dynamics.friction, joint.dynamics.armature) != (0.0, 0.0, 0.0):
        _dynamics(element, joint.dynamics)
    _limits(element, joint.type, joint.limits)
    if joint.mimic is not None:
        multiplier, offset = numbers(joint.mimic.multiplier), numbers(joint.mimic.offset)
        add(element, "mimic", joint=joint.mimic.joint, multiplier=multiplier, offset=offset)
    if joint.safety is not None:
        safety = joint.safety
        soft = {"soft_lower_limit": safety.soft_lower, "soft_upper_limit": safety.soft_upper}
        gains = {"k_position": safety.k_position, "k_velocity": safety.k_velocity}
        add(element, "safety_controller", **{key: numbers(value) for key, value in (soft | gains).items()})


def _loop(root: ET.Element, loop: Joint) -> None:
    """<loop_joint> with the frame on both links."""
    kind = "spherical" if loop.type is JointType.BALL else str(loop.type)
    element = add(root, "loop_joint", name=loop.name, type=kind)
    ends = ((loop.parent, loop.pose), (loop.child, loop.joint_from_child.inverse()))
    for number, (link, pose) in enumerate(ends, start=1):
        xyz, rpy = numbers(*pose.translation), numbers(*rpy_of(pose))
        add(element, f"link{number}", link=link, xyz=xyz, rpy=rpy)
    if loop.type in AXIS_TYPES:
        add(element, "axis", xyz=numbers(*loop.axis))
    if loop.dynamics != Dynamics():
        _dynamics(element, loop.dynamics)
    if loop.limits != Limits():
        _limits(element, loop.type, loop.limits)


def _dynamics(parent: ET.Element, dynamics: Dynamics) -> None:
    element = add(parent, "dynamics", damping=numbers(dynamics.damping), friction=numbers(dynamics.friction))
    if dynamics.armature:
        element.set("armature", numbers(dynamics.armature))


def _limits(parent: ET.Element, kind: JointType, limits: Limits) -> None:
    """Limits; URDF wants effort and velocity wherever there is a <limit>, so unbounded ones are a large number."""
    ranged = kind in (JointType.REVOLUTE, JointType.PRISMATIC)
    values: Mapping[str, float] = {"effort": limits.effort, "velocity": limits.velocity}
    if ranged:
        values = {"lower": limits.lower, "upper": limits.upper, **values}
    elif all(math.isinf(value) for value in values.values()):
        return
    finite = {key: math.copysign(UNBOUNDED, v) if math.isinf(v) else v for key, v in values.items()}
    add(parent, "limit", **{key: numbers(value) for key, value in finite.items()})


def _transmission(root: ET.Element, item: Transmission) -> None:
    element = add(root, "transmission", name=item.name)
    add(element, "type").text = item.type
    joints = [add(element, "joint", name=name) for name in item.joints]
    actuators = [add(element, "actuator", name=name) for name in item.actuators]
    for interface in item.interfaces:
        for holder in joints or [element]:
            add(holder, "hardwareInterface").text = interface
    for holder in actuators or [element]:
        add(holder, "mechanicalReduction").text = numbers(item.reduction)


def write_gazebo(root: ET.Element, robot: Robot) -> None:
    """Append everything that URDF itself has no element for."""
    elements = [*(_gazebo_link(link) for link in robot.links), *(_gazebo_joint(joint) for joint in robot.joints)]
    root.extend(element for element in elements if len(element))
    links = {link.name for link in robot.links}
    for sensor in robot.sensors:
        joint_name = str(sensor.parameters.get("joint", ""))
        at_joint = joint_name not in links and any(
            joint.name == joint_name and joint.child == sensor.link for joint in robot.joints
        )
        _sensor(add(root, "gazebo", reference=joint_name if at_joint else sensor.link), sensor, at_joint)
    model = ET.Element("gazebo")
    _model(model, robot)
    _gazebo_loops(model, robot)
    if len(model):
        root.append(model)


def _text(parent: ET.Element, tag: str, text: str) -> None:
    if not NAME.fullmatch(tag):
        raise Unsupported(f"{tag!r} cannot be the name of an XML element")
    add(parent, tag).text = text


def _model(element: ET.Element, robot: Robot) -> None:
    if robot.self_collide:
        _text(element, "self_collide", "true")
    for pair in sorted(sorted(pair) for pair in robot.no_collision):
        add(element, "disable_collisions", link1=pair[0], link2=pair[-1])
    for frame in robot.frames:
        holder = add(element, "frame", name=frame.name, attached_to=frame.link)
        _text(holder, "pose", _pose(frame.pose))
    for plugin in robot.plugins:
        holder = add(element, "plugin", name=plugin.name, filename=plugin.filename)
        for key, value in plugin.parameters.items():
            _text(holder, key, value)


def _gazebo_loops(element: ET.Element, robot: Robot) -> None:
    """Loops once more as joints of SDF, which Gazebo adds to what it makes of a URDF; they fit in the zero pose."""
    poses = robot.link_poses() if robot.loops else {}
    for loop in robot.loops:
        child_from_joint = loop.joint_from_child.inverse()
        gap = (poses[loop.parent] @ loop.pose).inverse() @ poses[loop.child] @ child_from_joint
        if not np.allclose(gap.matrix, np.eye(4), atol=1e-6):
            continue
        kind = "revolute" if loop.type is JointType.CONTINUOUS else str(loop.type)
        holder = add(element, "joint", name=loop.name, type=kind)
        for tag, text in (("pose", _pose(child_from_joint)), ("parent", loop.parent), ("child", loop.child)):
            _text(holder, tag, text)
        if loop.type in AXIS_TYPES:
            nested(holder, "axis/xyz", numbers(*loop.axis))
            bounds = {"lower": loop.limits.lower, "upper": loop.limits.upper}
            for key, value in bounds.items():
                if math.isfinite(value):
                    nested(holder, f"axis/limit/{key}", numbers(value))


def _pose(pose: SE3) -> str:
    return numbers(*pose.translation, *rpy_of(pose))


def _gazebo_link(link: Link) -> ET.Element:
    element = ET.Element("gazebo", reference=link.name)
    if not link.gravity:
        _text(element, "turnGravityOff", "true")
    if link.self_collide is not None:
        _text(element, "selfCollide", "true" if link.self_collide else "false")
    given = [_given(item.surface) for item in link.collisions]
    if given and all(values == given[0] for values in given) and set(given[0]) <= set(SIMPLE_TAGS):
        for key, text in given[0].items():
            _text(element, SIMPLE_TAGS[key], text)
        return element
    for index, (item, values) in enumerate(zip(link.collisions, given, strict=True)):
        if values:
            holder = add(element, "collision", index=str(index), **({"name": item.name} if item.name else {}))
            for key, text in values.items():
                nested(holder, PATH_OF[key], text)
    return element


def _given(surface: Surface) -> dict[str, str]:
    """What a surface says, as texts by field name."""
    stated = {name: value for name, value in vars(surface).items() if value is not None}
    vectors = {name: value if isinstance(value, tuple) else (value,) for name, value in stated.items()}
    return {k: str(stated[k]) if isinstance(stated[k], int) else numbers(*v) for k, v in vectors.items()}


def nested(parent: ET.Element, path: str, text: str) -> None:
    """Write a leaf at a path a/b/c, sharing the elements that stand there already."""
    *folders, leaf = path.split("/")
    for tag in folders:
        found = parent.find(tag)
        parent = found if found is not None else add(parent, tag)
    _text(parent, leaf, text)


def _gazebo_joint(joint: Joint) -> ET.Element:
    element = ET.Element("gazebo", reference=joint.name)
    if joint.dynamics.stiffness or joint.dynamics.reference:
        _text(element, "springStiffness", numbers(joint.dynamics.stiffness))
        _text(element, "springReference", numbers(joint.dynamics.reference))
    if joint.initial:
        _text(element, "initial_position", numbers(joint.initial))
    return element


def _sensor(parent: ET.Element, sensor: SensorSpec, at_joint: bool) -> None:
    element = add(parent, "sensor", name=sensor.name, type=TYPE_OF.get(sensor.kind, sensor.kind))
    if not sensor.pose.is_identity():
        _text(element, "pose", _pose(sensor.pose))
    if sensor.rate:
        _text(element, "update_rate", numbers(sensor.rate))
    if sensor.topic:
        _text(element, "topic", sensor.topic)
    paths = {name: path for path, name in WRITTEN.get(sensor.kind, {}).items()}
    for key, value in sensor.parameters.items():
        if key != "joint" or not at_joint:
            nested(element, paths.get(key, key), value if isinstance(value, str) else _plain(value))
