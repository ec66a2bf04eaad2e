"""The <gazebo> elements of a written URDF: surfaces, gravity, springs, sensors, plugins, frames."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from xml.etree import ElementTree as ET

import numpy as np

from andante.description.joint import Joint
from andante.description.link import Link, SensorSpec, Surface
from andante.description.robot import Robot
from andante.errors import Unsupported
from andante.geometry import SE3

from .gazebo import SURFACE_PATHS
from .parts import rotation_rpy
from .sensors import WRITTEN

SIMPLE_TAGS = {
    "mu": "mu1",
    "mu2": "mu2",
    "kp": "kp",
    "kd": "kd",
    "max_velocity": "maxVel",
    "min_depth": "minDepth",
    "fdir1": "fdir1",
}
PATH_OF = {name: path for path, name in SURFACE_PATHS.items()}
TYPE_OF = {"lidar": "ray", "depth_camera": "depth"}
ROUNDING = 5e-16  # of the entries of a rotation matrix
NAME = re.compile(r"[A-Za-z_][\w.\-]*")


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


def write_gazebo(root: ET.Element, robot: Robot) -> None:
    """Append everything that URDF itself has no element for."""
    for link in robot.links:
        element = ET.Element("gazebo", reference=link.name)
        _link(element, link)
        if len(element):
            root.append(element)
    for joint in robot.joints:
        element = ET.Element("gazebo", reference=joint.name)
        _joint(element, joint)
        if len(element):
            root.append(element)
    links = {link.name for link in robot.links}
    for sensor in robot.sensors:
        joint_name = str(sensor.parameters.get("joint", ""))
        at_joint = joint_name not in links and any(
            joint.name == joint_name and joint.child == sensor.link for joint in robot.joints
        )
        _sensor(add(root, "gazebo", reference=joint_name if at_joint else sensor.link), sensor, at_joint)
    model = ET.Element("gazebo")
    _model(model, robot)
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


def _pose(pose: SE3) -> str:
    return numbers(*pose.translation, *rpy_of(pose))


def _link(element: ET.Element, link: Link) -> None:
    if not link.gravity:
        _text(element, "turnGravityOff", "true")
    if link.self_collide is not None:
        _text(element, "selfCollide", "true" if link.self_collide else "false")
    surfaces = [item.surface for item in link.collisions]
    if not any(surface != Surface() for surface in surfaces):
        return
    values = _given(surfaces[0])
    if all(surface == surfaces[0] for surface in surfaces) and set(values) <= set(SIMPLE_TAGS):
        for key, text in values.items():
            _text(element, SIMPLE_TAGS[key], text)
        return
    for index, item in enumerate(link.collisions):
        values = _given(item.surface)
        if values:
            holder = add(element, "collision", index=str(index), **({"name": item.name} if item.name else {}))
            for key, text in values.items():
                nested(holder, PATH_OF[key], text)


def _given(surface: Surface) -> dict[str, str]:
    """What a surface says, as texts by field name."""
    out = {}
    for field in fields(surface):
        value = getattr(surface, field.name)
        if value is not None:
            out[field.name] = str(value) if isinstance(value, int) else numbers(*_flat(value))
    return out


def _flat(value: float | tuple[float, ...]) -> tuple[float, ...]:
    return value if isinstance(value, tuple) else (value,)


def nested(parent: ET.Element, path: str, text: str) -> None:
    """Write a leaf at a path a/b/c, sharing the elements that stand there already."""
    *folders, leaf = path.split("/")
    for tag in folders:
        found = parent.find(tag)
        parent = found if found is not None else add(parent, tag)
    _text(parent, leaf, text)


def _joint(element: ET.Element, joint: Joint) -> None:
    if joint.dynamics.stiffness or joint.dynamics.reference:
        _text(element, "springStiffness", numbers(joint.dynamics.stiffness))
        _text(element, "springReference", numbers(joint.dynamics.reference))
    if joint.initial:
        _text(element, "initial_position", numbers(joint.initial))


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
