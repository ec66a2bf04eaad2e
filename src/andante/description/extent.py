"""How far shapes and robots reach: support functions and bounding boxes, exact for primitives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import SE3, Array

from .mesh.triangles import hull
from .robot import Robot
from .shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere


def support(geometry: Geometry, direction: ArrayLike) -> float:
    """Largest d·x over the points x of a shape in its own frame [m]; a plane reaches infinitely far sideways."""
    d = np.asarray(direction, dtype=float)
    match geometry:
        case Box(size):
            return float(np.abs(d) @ np.asarray(size) / 2)
        case Sphere(radius):
            return float(radius * np.linalg.norm(d))
        case Cylinder(radius, length):
            return float(radius * np.hypot(d[0], d[1]) + abs(d[2]) * length / 2)
        case Capsule(radius, length):
            return float(radius * np.linalg.norm(d) + abs(d[2]) * length / 2)
        case Ellipsoid(radii):
            return float(np.linalg.norm(np.asarray(radii) * d))
        case Mesh():
            return float(np.max(hull(geometry)[0] @ d))
        case Heightmap(heights, size):
            flat = np.array([abs(d[0]) * size[0] / 2 + abs(d[1]) * size[1] / 2])
            values = np.asarray(heights)
            return float(flat[0] + max(d[2] * values.max(), d[2] * values.min()))
        case Plane(normal):
            n = np.asarray(normal) / np.linalg.norm(normal)
            return 0.0 if np.allclose(np.cross(n, d), 0.0) and d @ n >= 0 else float("inf")


def support_point(geometry: Geometry, direction: ArrayLike) -> Array:
    """A point of a bounded shape, in its own frame, that lies furthest along a direction (not zero) [m]."""
    d = np.asarray(direction, dtype=float)
    point: Array
    match geometry:
        case Box(size):
            point = np.copysign(np.asarray(size) / 2, d)
        case Sphere(radius):
            point = d * (radius / np.linalg.norm(d))
        case Cylinder(radius, length):
            across = np.hypot(d[0], d[1])
            x, y = (d[:2] * (radius / across)) if across > 0 else (0.0, 0.0)
            point = np.array([x, y, np.copysign(length / 2, d[2])])
        case Capsule(radius, length):
            point = d * (radius / np.linalg.norm(d)) + np.array([0.0, 0.0, np.copysign(length / 2, d[2])])
        case Ellipsoid(radii):
            squared = np.asarray(radii) ** 2
            point = squared * d / np.linalg.norm(np.asarray(radii) * d)
        case Mesh():
            vertices = hull(geometry)[0]
            point = vertices[int(np.argmax(vertices @ d))]
        case Heightmap(heights, size):
            z = np.asarray(heights)
            point = np.array([*np.copysign(np.asarray(size) / 2, d[:2]), z.max() if d[2] >= 0 else z.min()])
        case Plane():
            raise BadInput("a plane has no furthest point")
    return point


def bounds(geometry: Geometry, pose: SE3) -> tuple[Array, Array]:
    """Lower and upper corner of the axis-aligned box around a placed shape, in the frame of the pose [m]."""
    axes = pose.rotation.T  # columns: the outer axes seen from the shape
    upper = np.array([support(geometry, axes[:, i]) for i in range(3)]) + pose.translation
    lower = pose.translation - np.array([support(geometry, -axes[:, i]) for i in range(3)])
    return lower, upper


def robot_bounds(
    robot: Robot, positions: Mapping[str, float] | None = None, root: SE3 | None = None
) -> tuple[Array, Array] | None:
    """Box around all collision shapes of a robot in a joint configuration; `root` places it. None: it has no shapes."""
    place = SE3.identity() if root is None else root
    corners = [
        bounds(collision.geometry, place @ pose @ collision.pose)
        for name, pose in robot.link_poses(positions).items()
        for collision in robot.link(name).collisions
        if not isinstance(collision.geometry, Plane)
    ]
    if not corners:
        return None
    return np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)
