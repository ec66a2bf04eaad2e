"""Robots and worlds as the page reads them.

A robot is a URDF with link frames as they are here and one painted mesh per link. Joints that put their child frame
elsewhere get a frame between; kinds that URDF lacks become floating, and the page puts their links where the simulator
says. A world is JSON: floors, one mesh of everything that never moves, one per link that may.
"""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import numpy as np

from andante.description.joint import Joint, JointType
from andante.description.link import IDENTITY, Link, Visual
from andante.description.robot import Robot
from andante.description.world import Placement, World
from andante.geometry import SE3, so3
from andante.physics.rendering import GROUND

from .meshes import Part, mesh_bytes, moved, planes, visual_parts

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


STATIC = "static.mesh"


def still(placement: Placement) -> bool:
    """Whether nothing of a model can move."""
    return placement.fixed and not any(joint.type.value != "fixed" for joint in placement.robot.joints)


def page_world(world: World, folder: str) -> dict[str, Any]:
    """The page's description of a world; its meshes stand in `folder`."""
    floors: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    for placement in world.models:
        poses = placement.robot.link_poses()
        for link in placement.robot.links:
            pose = placement.pose @ poses[link.name]
            floors += [_floor(plane.normal, plane.size, item, pose) for plane, item in planes(link)]
            if not still(placement) and visual_parts(link):
                name = f"{placement.name}::{link.name}"
                mesh = f"{folder}/{quote(name, safe='')}.mesh"
                parts.append({"name": name, "pose": [float(v) for v in pose.vector], "mesh": mesh})
    box = _bounds(static_parts(world))
    return {
        "name": world.name,
        "gravity": list(world.gravity),
        "ambient": list(world.ambient),
        "background": list(world.background),
        "lights": [
            {
                "kind": light.kind,
                "position": [float(v) for v in light.pose.translation],
                "direction": [float(v) for v in light.pose.rotation @ np.asarray(light.direction)],
                "color": list(light.diffuse[:3]),
                "shadows": light.cast_shadows,
            }
            for light in world.lights
        ],
        "floors": floors,
        "static": f"{folder}/{STATIC}" if box else None,
        "bounds": box,
        "parts": parts,
    }


def static_parts(world: World) -> list[Part]:
    """Everything that never moves, in the world frame."""
    found: list[Part] = []
    for placement in world.models:
        if still(placement):
            poses = placement.robot.link_poses()
            for link in placement.robot.links:
                found += moved(visual_parts(link), placement.pose @ poses[link.name])
    return found


def moving_parts(world: World) -> list[str]:
    """Names MODEL::LINK of the links that may move."""
    return [f"{p.name}::{link.name}" for p in world.models if not still(p) for link in p.robot.links]


def world_mesh(world: World, name: str) -> bytes | None:
    """One mesh file of a world's folder, None where there is no such."""
    if name == STATIC:
        return mesh_bytes(static_parts(world))
    for placement in world.models:
        if not still(placement):
            for link in placement.robot.links:
                if name == f"{placement.name}::{link.name}.mesh":
                    return mesh_bytes(visual_parts(link))
    return None


def _floor(normal: tuple[float, ...], size: tuple[float, float], item: Any, pose: SE3) -> dict[str, Any]:
    turned = pose @ item.pose @ SE3.from_parts(so3.between([0, 0, 1], normal), np.zeros(3))
    color = item.material.rgba if isinstance(item, Visual) else None
    return {"pose": [float(v) for v in turned.vector], "size": list(size), "color": list(color or GROUND)}


def _bounds(parts: list[Part]) -> list[list[float]] | None:
    if not parts:
        return None
    corners = np.concatenate([part.vertices for part in parts])
    return [[float(v) for v in corners.min(axis=0)], [float(v) for v in corners.max(axis=0)]]
