"""A robot as the page's URDF: link frames as they are here, each link one painted mesh.

Joints that put their child frame elsewhere get a frame between; kinds that URDF lacks become floating, and the page
puts their links where the simulator says.
"""

from __future__ import annotations

import math
from urllib.parse import quote
from xml.etree import ElementTree as ET

from andante.description.joint import Joint, JointType
from andante.description.link import IDENTITY, Link
from andante.description.robot import Robot
from andante.geometry import SE3, so3

KNOWN = frozenset((JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC, JointType.FIXED, JointType.FLOATING))
MESH, COLLISION = ".mesh", ".collision.mesh"


def page_urdf(robot: Robot, folder: str) -> str:
    """URDF text whose meshes are `folder`/LINK.mesh and `folder`/LINK.collision.mesh."""
    root = ET.Element("robot", name=robot.name)
    for link in robot.links:
        _link(root, link, folder)
    for joint in robot.joints:
        _joint(root, joint)
    return ET.tostring(root, encoding="unicode")


def _link(root: ET.Element, link: Link, folder: str) -> None:
    item = ET.SubElement(root, "link", name=link.name)
    if link.inertia is not None:
        inertial = ET.SubElement(item, "inertial")
        x, y, z = (float(v) for v in link.inertia.com)
        ET.SubElement(inertial, "origin", xyz=f"{x:.9g} {y:.9g} {z:.9g}")
        ET.SubElement(inertial, "mass", value=f"{link.inertia.mass:.9g}")
    if link.visuals or link.collisions:
        _mesh(item, "visual", f"{folder}/{quote(link.name, safe='')}{MESH}")
    if link.collisions:
        _mesh(item, "collision", f"{folder}/{quote(link.name, safe='')}{COLLISION}")


def _mesh(parent: ET.Element, tag: str, filename: str) -> None:
    geometry = ET.SubElement(ET.SubElement(parent, tag), "geometry")
    ET.SubElement(geometry, "mesh", filename=filename)


def _joint(root: ET.Element, joint: Joint) -> None:
    direct = joint.joint_from_child is IDENTITY or joint.joint_from_child.is_identity()
    child = joint.child if direct else f"{joint.name}::frame"
    kind = joint.type.value if joint.type in KNOWN else JointType.FLOATING.value
    item = ET.SubElement(root, "joint", name=joint.name, type=kind)
    ET.SubElement(item, "parent", link=joint.parent)
    ET.SubElement(item, "child", link=child)
    _origin(item, joint.pose)
    if joint.one_dof:
        ET.SubElement(item, "axis", xyz=" ".join(f"{c:.9g}" for c in joint.axis))
        bounds = {
            name: f"{value:.9g}"
            for name in ("lower", "upper", "effort", "velocity")
            if math.isfinite(value := getattr(joint.limits, name))
        }
        ET.SubElement(item, "limit", bounds)
    if joint.mimic is not None:
        follows = joint.mimic
        numbers = {"multiplier": f"{follows.multiplier:.9g}", "offset": f"{follows.offset:.9g}"}
        ET.SubElement(item, "mimic", {"joint": follows.joint, **numbers})
    if not direct:
        ET.SubElement(root, "link", name=child)
        weld = ET.SubElement(root, "joint", name=f"{joint.name}::weld", type="fixed")
        ET.SubElement(weld, "parent", link=child)
        ET.SubElement(weld, "child", link=joint.child)
        _origin(weld, joint.joint_from_child)


def _origin(parent: ET.Element, pose: SE3) -> None:
    x, y, z = (float(v) for v in pose.translation)
    roll, pitch, yaw = (float(v) for v in so3.to_rpy(pose.rotation))
    ET.SubElement(parent, "origin", xyz=f"{x:.9g} {y:.9g} {z:.9g}", rpy=f"{roll:.9g} {pitch:.9g} {yaw:.9g}")
