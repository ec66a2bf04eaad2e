"""Collision shapes for DART's ODE collision detector.

That detector has planes, boxes, spheres, cylinders, capsules and triangle meshes, all against all. Ellipsoids and
convex hulls become closed meshes, height maps and the meshes of fixed bodies stay open or hollow as they are.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import dartpy
import numpy as np

from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.errors import BadInput, Unsupported
from andante.geometry import Array
from andante.physics.rays import shape_triangles

LARGEST = 1e7  # [m]; the detector ends the process when a shape reaches beyond some 1e9
ELLIPSOID_SUBDIVISIONS = 3  # 642 vertices on the surface, chords within 0.3 % of the radius


class ShapeMaker:
    """Makes DART shapes from geometry; shapes of equal geometry are shared."""

    def __init__(self) -> None:
        self._made: dict[tuple[Geometry, bool], Any] = {}

    def shape(self, geometry: Geometry, static: bool) -> Any:
        """The DART shape of a geometry; `static` keeps the hollows of meshes (bodies that never move)."""
        if not _size(geometry) < LARGEST:
            raise BadInput(f"engine 'dart' takes shapes up to {LARGEST:g} m, got {str(geometry)[:120]}")
        key = (geometry, static and isinstance(geometry, Mesh))
        if key not in self._made:
            self._made[key] = _make(geometry, static)
        return self._made[key]


def _size(geometry: Geometry) -> float:
    """The largest number that a shape is given by [m]; meshes are measured by their triangles."""
    match geometry:
        case Box(size=size) | Ellipsoid(radii=size):
            return max(size)
        case Sphere(radius=radius):
            return radius
        case Cylinder(radius=radius, length=length) | Capsule(radius=radius, length=length):
            return max(radius, length)
    return 0.0


def _make(geometry: Geometry, static: bool) -> Any:
    shapes = dartpy.dynamics
    match geometry:
        case Box(size=size):
            return shapes.BoxShape(list(size))
        case Sphere(radius=radius):
            return shapes.SphereShape(radius)
        case Cylinder(radius=radius, length=length):
            return shapes.CylinderShape(radius, length)
        case Capsule(radius=radius, length=length):
            return shapes.CapsuleShape(radius, length)
        case Plane(normal=normal):
            direction = np.asarray(normal, dtype=float)
            return shapes.PlaneShape(direction / np.linalg.norm(direction), 0.0)
        case Ellipsoid(radii=radii):
            if len(set(radii)) == 1:
                return shapes.SphereShape(radii[0])
            return mesh_shape(*_ellipsoid_triangles(np.asarray(radii)))
        case Mesh() | Heightmap():
            return mesh_shape(*shape_triangles(geometry, static))
    raise Unsupported(f"engine 'dart' has no shape for a {type(geometry).__name__}")


def _ellipsoid_triangles(radii: Array) -> tuple[Array, np.ndarray]:
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=ELLIPSOID_SUBDIVISIONS, radius=1.0)
    return np.asarray(ball.vertices) * radii, np.asarray(ball.faces)


def mesh_shape(vertices: Array, faces: np.ndarray) -> Any:
    """A DART mesh of vertices (n, 3) [m] and faces (m, 3).

    dartpy makes meshes from files only, and only by its URDF reader, so the triangles go through a private folder that
    is gone when this returns.
    """
    if not (np.abs(vertices) < LARGEST).all():
        raise BadInput(f"engine 'dart' takes meshes up to {LARGEST:g} m; check the scale of the mesh")
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in np.asarray(vertices, dtype=float)]
    lines.append("vn 0 0 1")  # one normal for all: with their own, faces do not share vertices, and contacts double
    lines += [f"f {a}//1 {b}//1 {c}//1" for a, b, c in np.asarray(faces, dtype=int) + 1]
    with tempfile.TemporaryDirectory(prefix="andante-") as folder:
        path = Path(folder) / "mesh.obj"
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        urdf = (
            '<robot name="m"><link name="m"><collision><geometry>'
            f'<mesh filename="{path.as_uri()}"/></geometry></collision></link></robot>'
        )
        skeleton = dartpy.utils.DartLoader().parseSkeletonString(urdf, folder)
        if skeleton is None or skeleton.getBodyNode(0).getNumShapeNodes() == 0:
            raise BadInput(f"engine 'dart' cannot take a mesh of {len(faces)} triangles; check the mesh file")
        return skeleton.getBodyNode(0).getShapeNode(0).getShape()
