"""A world as the page reads it: floors, one mesh of everything that never moves, one per link that may."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import numpy as np

from andante.description.link import Visual
from andante.description.world import Placement, World
from andante.geometry import SE3, so3
from andante.physics.rendering import GROUND

from .mesh_bytes import Part, mesh_bytes
from .scene_parts import moved, planes, visual_parts

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
