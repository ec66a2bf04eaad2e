"""Robots and worlds as the page reads them.

A robot is a URDF with link frames as they are here and one painted mesh per link. Joints that put their child frame
elsewhere get a frame between; kinds that URDF lacks become floating, and the page puts their links where the simulator
says. A world is JSON: floors, one mesh of everything that never moves, one per link that may.

A mesh is one flat buffer of painted triangles. Layout, little endian: magic "ANDM", uint32 vertices, uint32 indices,
uint32 flags (1: some of it is transparent), then float32 positions (n, 3), int8 normals (n, 4) with the fourth 0, uint8
colors (n, 4), uint32 indices.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import numpy as np

from andante.description.joint import Joint, JointType
from andante.description.link import IDENTITY, Collision, Link, Visual
from andante.description.mesh import triangles as meshes
from andante.description.robot import Robot
from andante.description.shapes import RGBA, Geometry, Mesh, Plane
from andante.description.solids import surface
from andante.description.world import Placement, World
from andante.errors import AndanteError
from andante.geometry import SE3, Array, so3
from andante.physics.rendering import GROUND, PLAIN, shown

MAGIC = b"ANDM"
CREASE = float(np.radians(38.0))  # faces that meet at a larger angle keep an edge between them
TRANSPARENT = 1
FEWEST = 48  # triangles that a coarse part keeps


@dataclass(frozen=True)
class Part:
    """A painted piece: vertices (n, 3) [m], faces (m, 3), rgba (4,) in 0..1."""

    vertices: Array
    faces: np.ndarray
    rgba: tuple[float, float, float, float]


def mesh_bytes(parts: list[Part], crease: float = CREASE) -> bytes:
    """All parts as one buffer; no parts give a mesh without triangles."""
    positions, normals, colors, indices = [], [], [], []
    count, flags = 0, 0
    for part in parts:
        if len(part.faces) == 0:
            continue
        points, directions, faces = smooth(part.vertices, part.faces, crease)
        paint = np.clip(np.round(np.asarray(part.rgba) * 255), 0, 255).astype(np.uint8)
        positions.append(points)
        normals.append(directions)
        colors.append(np.broadcast_to(paint, (len(points), 4)))
        indices.append(faces + count)
        count += len(points)
        flags |= TRANSPARENT if part.rgba[3] < 0.99 else 0
    body = b""
    if count:
        body = b"".join(
            (
                np.concatenate(positions).astype("<f4").tobytes(),
                np.concatenate(normals).astype(np.int8).tobytes(),
                np.ascontiguousarray(np.concatenate(colors)).tobytes(),
                np.concatenate(indices).astype("<u4").tobytes(),
            )
        )
    return MAGIC + struct.pack("<III", count, sum(f.size for f in indices), flags) + body


def coarse(part: Part, fraction: float) -> Part:
    """The part with about that fraction of its triangles, by edge collapses of least quadric error.

    Garland and Heckbert, "Surface simplification using quadric error metrics", 1997.
    """
    target = max(FEWEST, round(fraction * len(part.faces)))
    if target >= len(part.faces):
        return part
    from fast_simplification import simplify

    vertices, faces = _welded(np.asarray(part.vertices, dtype=float), np.asarray(part.faces))
    vertices, faces = simplify(vertices.astype(np.float32), faces.astype(np.int32), target_count=target)
    return Part(np.asarray(vertices, dtype=float), faces, part.rgba) if len(faces) else part


def smooth(vertices: Array, faces: np.ndarray, crease: float = CREASE) -> tuple[Array, np.ndarray, np.ndarray]:
    """Vertices with normals that are smooth over gentle edges and sharp at creases.

    The normal of a corner is the sum of the area-weighted normals of the faces at its vertex that lie within `crease`
    [rad] of its own face. Returns positions (k, 3), normals as int8 (k, 4) of length 127, faces (m, 3).
    """
    points, faces = _welded(np.asarray(vertices, dtype=float), np.asarray(faces))
    triangles = points[faces]
    area = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(area, axis=1)
    keep = size > 0
    faces, area = faces[keep], area[keep]
    unit = area / size[keep, None]
    corner_vertex = faces.ravel()
    corner_face = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(corner_vertex, kind="stable")
    valence = np.bincount(corner_vertex, minlength=len(points))
    first = np.concatenate([[0], np.cumsum(valence)[:-1]])
    # every corner with every face at the same vertex
    repeat = valence[corner_vertex]
    left = np.repeat(np.arange(len(corner_vertex)), repeat)
    within = np.arange(len(left)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    right = corner_face[order[first[corner_vertex[left]] + within]]
    gentle = np.einsum("ij,ij->i", unit[corner_face[left]], unit[right]) >= np.cos(crease)
    total = np.zeros((len(corner_vertex), 3))
    for axis in range(3):
        total[:, axis] = np.bincount(left[gentle], area[right[gentle], axis], minlength=len(corner_vertex))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    normal = np.where(length > 0, total / np.where(length > 0, length, 1.0), unit[corner_face])
    coded = np.round(normal * 127).astype(np.int64) + 128
    key = ((corner_vertex * 256 + coded[:, 0]) * 256 + coded[:, 1]) * 256 + coded[:, 2]
    _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
    directions = np.zeros((len(index), 4), dtype=np.int8)
    directions[:, :3] = coded[index] - 128
    return points[corner_vertex[index]], directions, inverse.reshape(-1, 3)


def _welded(vertices: Array, faces: np.ndarray) -> tuple[Array, np.ndarray]:
    """The same triangles with equal vertices made one (to a micrometer)."""
    coded = np.round(vertices * 1e6).astype(np.int64)
    _, index, inverse = np.unique(coded, axis=0, return_index=True, return_inverse=True)
    return vertices[index], inverse.ravel()[faces]


SECTIONS = 40  # faces around a cylinder
COLLISION_COLOR: RGBA = (0.12, 0.75, 0.55, 0.45)


def visual_parts(link: Link) -> list[Part]:
    """What is to be seen of a link, in its own frame; planes are left out."""
    return [part for visual in shown(link) for part in _part(visual.geometry, visual.pose, color_of(visual))]


def collision_parts(link: Link) -> list[Part]:
    """What a link collides with, in its own frame: meshes as their convex hulls; planes are left out."""
    found = []
    for item in link.collisions:
        if isinstance(item.geometry, Mesh) and item.geometry.path is None:
            continue
        found += _part(item.geometry, item.pose, COLLISION_COLOR, hull=True)
    return found


def color_of(visual: Visual) -> RGBA:
    """Color of a visual: as stated, as the mesh file says, or plain gray."""
    if visual.material.rgba is not None:
        return visual.material.rgba
    if isinstance(visual.geometry, Mesh):
        return meshes.mesh_color(visual.geometry) or PLAIN
    return PLAIN


def planes(link: Link) -> Iterable[tuple[Plane, Visual | Collision]]:
    """The planes among what is shown of a link."""
    for visual in shown(link):
        if isinstance(visual.geometry, Plane):
            yield visual.geometry, visual


def _part(geometry: Geometry, pose: SE3, rgba: RGBA, hull: bool = False) -> list[Part]:
    if isinstance(geometry, Plane):
        return []
    if isinstance(geometry, Mesh):
        try:
            vertices, faces = meshes.hull(geometry) if hull else meshes.triangles(geometry)
        except AndanteError:  # a flat mesh has no hull, a broken one no triangles: the rest is still shown
            return []
    else:
        vertices, faces = surface(geometry, SECTIONS)
    return [Part(pose @ vertices, faces, rgba)]


def moved(parts: Iterable[Part], pose: SE3) -> list[Part]:
    """The same parts in another frame."""
    return [Part(pose @ part.vertices, part.faces, part.rgba) for part in parts]


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
