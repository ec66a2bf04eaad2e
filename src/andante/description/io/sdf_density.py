"""<inertial auto="true"> of SDF 1.11: mass and inertia from the collision shapes and their densities."""

from __future__ import annotations

import math

import numpy as np

from andante.description.inertia import Inertia, combine
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Sphere
from andante.errors import BadInput

WATER = 1000.0  # density that the standard assumes [kg/m^3]


def solid_inertia(geometry: Geometry, density: float) -> Inertia | None:
    """Inertia of a homogeneous solid in its own frame; None for shapes without a volume."""
    if isinstance(geometry, Box):
        x, y, z = geometry.size
        m = density * x * y * z
        return _diagonal(m, m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12)
    if isinstance(geometry, Sphere):
        m = density * 4 / 3 * math.pi * geometry.radius**3
        moment = 0.4 * m * geometry.radius**2
        return _diagonal(m, moment, moment, moment)
    if isinstance(geometry, Ellipsoid):
        a, b, c = geometry.radii
        m = density * 4 / 3 * math.pi * a * b * c
        return _diagonal(m, m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5)
    if isinstance(geometry, Cylinder):
        return _cylinder(density, geometry.radius, geometry.length)
    if isinstance(geometry, Capsule):
        r, length = geometry.radius, geometry.length
        tube = _cylinder(density, r, length)
        m = density * 2 / 3 * math.pi * r**3  # one half sphere, centre of mass 3/8 r from its flat face
        offset = length / 2 + 3 * r / 8
        across = m * r * r * (2 / 5 - 9 / 64)
        caps = [
            Inertia(m, (0.0, 0.0, s * offset), (across, 0.0, 0.0, across, 0.0, 0.4 * m * r * r)) for s in (1.0, -1.0)
        ]
        return combine([tube, *caps])
    if isinstance(geometry, Mesh):
        return _mesh(geometry, density)
    return None


def _diagonal(mass: float, ixx: float, iyy: float, izz: float) -> Inertia:
    return Inertia(mass, (0.0, 0.0, 0.0), (ixx, 0.0, 0.0, iyy, 0.0, izz))


def _cylinder(density: float, r: float, length: float) -> Inertia:
    m = density * math.pi * r * r * length
    across = m * (3 * r * r + length * length) / 12
    return _diagonal(m, across, across, m * r * r / 2)


def _mesh(mesh: Mesh, density: float) -> Inertia | None:
    import trimesh

    from andante.description.meshes import hull, triangles

    if mesh.path is None:
        return None
    vertices, faces = triangles(mesh)
    body = trimesh.Trimesh(vertices, faces)
    if not body.is_watertight or body.volume <= 0:
        body = trimesh.Trimesh(*hull(mesh))
    body.density = density
    if not (math.isfinite(body.mass) and body.mass > 0 and np.all(np.isfinite(body.moment_inertia))):
        raise BadInput(f"mesh {mesh.uri!r} has no volume, so no inertia can be computed from it; state an <inertial>")
    return Inertia.from_matrix(body.mass, body.center_mass, body.moment_inertia)
