"""Robots and worlds as the page reads them.

A robot is a URDF with link frames as they are here and one painted mesh per link. Joints that put their child frame
elsewhere get a frame between; kinds that URDF lacks become floating, and the page puts their links where the simulator
says. A world is JSON: floors, one mesh of everything that never moves, one per link that may.

Meshes are flat buffers of painted triangles (buffers.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import numpy as np

from andante.description.joint import Joint, JointType
from andante.description.link import IDENTITY, Collision, Link, Visual
from andante.description.looks import WHITE, picture_of, pieces
from andante.description.mesh import triangles as meshes
from andante.description.robot import Robot
from andante.description.shapes import RGBA, Mesh, Plane
from andante.description.solids import surface
from andante.description.world import Placement, World
from andante.errors import AndanteError
from andante.geometry import SE3, so3
from andante.physics.rendering import GROUND, PLAIN, shown

from .buffers import Part, mesh_bytes

SECTIONS = 40  # faces around a cylinder
COLLISION_COLOR: RGBA = (0.12, 0.75, 0.55, 0.45)


def visual_parts(link: Link, robot: Robot, grounds: bool = True) -> list[Part]:
    """What is to be seen of a link, in its own frame; of planes those with a picture, or none."""
    visuals = (v for v in shown(link, robot) if grounds or not isinstance(v.geometry, Plane))
    return [part for visual in visuals for part in _drawn(visual)]


def _drawn(visual: Visual) -> list[Part]:
    try:
        found = pieces(visual)
    except AndanteError:  # a broken mesh, which `check` tells: the rest is still shown
        return []
    return [
        Part(
            visual.pose @ piece.vertices,
            piece.faces,
            piece.rgba or (PLAIN if piece.texture is None and piece.corner_colors is None else WHITE),
            piece.corner_colors,
            piece.texture,
            piece.uv if piece.texture is not None else None,
        )
        for piece in found
    ]


def collision_parts(link: Link) -> list[Part]:
    """What a link collides with, in its own frame: meshes as their convex hulls; planes are left out."""
    found = []
    for item in link.collisions:
        geometry = item.geometry
        if isinstance(geometry, Plane) or (isinstance(geometry, Mesh) and geometry.path is None):
            continue
        try:
            shape = meshes.hull(geometry) if isinstance(geometry, Mesh) else surface(geometry, SECTIONS)
        except AndanteError:  # a flat mesh has no hull, a broken one no triangles: the rest is still shown
            continue
        found.append(Part(item.pose @ shape[0], shape[1], COLLISION_COLOR))
    return found


def planes(link: Link, robot: Robot) -> Iterable[tuple[Plane, Visual | Collision]]:
    """The planes among what is shown of a link, those with a picture left out."""
    for visual in shown(link, robot):
        if isinstance(visual.geometry, Plane) and picture_of(visual.material) is None:
            yield visual.geometry, visual


def moved(parts: Iterable[Part], pose: SE3) -> list[Part]:
    """The same parts in another frame."""
    return [replace(part, vertices=pose @ part.vertices) for part in parts]


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
            floors += [_floor(plane.normal, plane.size, item, pose) for plane, item in planes(link, placement.robot)]
            if not still(placement) and visual_parts(link, placement.robot):
                name = f"{placement.name}::{link.name}"
                mesh = f"{folder}/{quote(name, safe='')}.mesh"
                parts.append({"name": name, "pose": [float(v) for v in pose.vector], "mesh": mesh})
    box = _bounds(static_parts(world, grounds=False))
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
        "static": f"{folder}/{STATIC}" if static_parts(world) else None,
        "bounds": box,
        "parts": parts,
    }


def static_parts(world: World, grounds: bool = True) -> list[Part]:
    """Everything that never moves, in the world frame, with or without planes."""
    found: list[Part] = []
    for placement in world.models:
        if still(placement):
            poses = placement.robot.link_poses()
            for link in placement.robot.links:
                found += moved(visual_parts(link, placement.robot, grounds), placement.pose @ poses[link.name])
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
                    return mesh_bytes(visual_parts(link, placement.robot))
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
