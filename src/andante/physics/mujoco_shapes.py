"""Shapes as MuJoCo takes them, for what collides and for what is drawn."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Sphere
from andante.geometry import SE3, Array


def quaternion(pose: SE3) -> Array:
    """Quaternion w x y z of a pose, MuJoCo's order."""
    x, y, z, w = pose.quaternion
    return np.array([w, x, y, z])


def set_solid(geom: Any, geometry: Geometry) -> bool:
    """Set type and half sizes of a geom to a solid; False, and nothing set, for planes, meshes and height fields."""
    kinds = mujoco.mjtGeom
    match geometry:
        case Box(size):
            geom.type, geom.size = kinds.mjGEOM_BOX, [s / 2 for s in size]
        case Sphere(radius):
            geom.type, geom.size = kinds.mjGEOM_SPHERE, [radius, 0, 0]
        case Cylinder(radius, length):
            geom.type, geom.size = kinds.mjGEOM_CYLINDER, [radius, length / 2, 0]
        case Capsule(radius, length):
            geom.type, geom.size = kinds.mjGEOM_CAPSULE, [radius, length / 2, 0]
        case Ellipsoid(radii):
            geom.type, geom.size = kinds.mjGEOM_ELLIPSOID, list(radii)
        case _:
            return False
    return True


def add_field(spec: Any, name: str, field: Heightmap, thickness: float = 0.0) -> None:
    """Add a height field under a name; its zero is the lowest height, below it stands as much as it rises.

    thickness: of that lower part, where another is wanted [m].
    """
    heights = np.asarray(field.heights, dtype=float)
    rise = max(float(np.ptp(heights)), 1e-6)
    asset = spec.add_hfield()
    asset.name = name
    asset.nrow, asset.ncol = heights.shape
    asset.size = [field.size[0] / 2, field.size[1] / 2, rise, thickness or max(0.5, rise)]
    asset.userdata = ((heights - heights.min()) / rise).ravel()


def field_pose(pose: SE3, field: Heightmap) -> SE3:
    """Where MuJoCo wants a height field whose pose is told of the height zero."""
    return pose @ SE3.from_xyz_rpy((0, 0, min(min(row) for row in field.heights)))
