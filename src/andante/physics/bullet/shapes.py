"""Collision shapes of Bullet from those of a description.

Moving bodies carry primitives and convex hulls, several of them as one compound. Fixed bodies get every shape as an
object of its own, with meshes and height maps as triangles.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from andante.description.mesh import triangles as meshes
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.errors import Unsupported
from andante.geometry import SE3, Array, so3
from andante.physics.rays import ellipsoid_triangles, shape_triangles
from andante.physics.tree import BodyShape

from .api import Client, pybullet

MOST_PARTS = 16  # of one compound in Bullet's interface
MOST_TRIANGLES = 40_000  # of one triangle mesh; larger ones are cut up
SKIN = 1e-4  # collision margin of meshes [m]


def static_shapes(shape: BodyShape, client: Client) -> Iterator[tuple[int, SE3]]:
    """Bullet shapes of one shape that never moves, each with body_from_shape."""
    geometry = shape.geometry
    if isinstance(geometry, Plane):
        turn = SE3.from_parts(so3.between([0, 0, 1], geometry.normal), np.zeros(3))
        made = client.createCollisionShape(pybullet.GEOM_PLANE, planeNormal=[0, 0, 1])
        yield made, shape.pose @ turn
    elif isinstance(geometry, Mesh | Heightmap):
        vertices, faces = shape_triangles(geometry, static=True)
        for start in range(0, len(faces), MOST_TRIANGLES):
            used, local = np.unique(faces[start : start + MOST_TRIANGLES], return_inverse=True)
            made = client.createCollisionShape(
                pybullet.GEOM_MESH,
                vertices=np.asarray(vertices)[used].tolist(),
                indices=local.ravel().tolist(),
                flags=pybullet.GEOM_FORCE_CONCAVE_TRIMESH,
            )
            yield made, shape.pose
    else:
        yield client.createCollisionShape(**_primitive(shape)), shape.pose


def moving_shape(shapes: Sequence[BodyShape], owner: str, client: Client) -> int:
    """One Bullet shape for all shapes of a moving body, -1 for none."""
    if not shapes:
        return -1
    for shape in shapes:
        if isinstance(shape.geometry, Plane | Heightmap):
            raise Unsupported(
                f"bullet: collision {shape.name!r} of {owner!r} is a {type(shape.geometry).__name__.lower()} on a body "
                "that moves; fix the body or use a box or mesh"
            )
    if len(shapes) > MOST_PARTS:
        raise Unsupported(f"bullet: {owner!r} has {len(shapes)} collision shapes; at most {MOST_PARTS} are possible")
    if len(shapes) == 1:
        placed = _frame(shapes[0].pose, "collisionFramePosition", "collisionFrameOrientation")
        made = int(client.createCollisionShape(**_primitive(shapes[0]), **placed))
    else:
        made = _compound(shapes, client)
    if has_skin(shapes):
        _thin_skin(made, client)
    return made


def has_skin(shapes: Sequence[BodyShape]) -> bool:
    """Whether a shape is a mesh to Bullet, which lies inside a skin of 1 mm unless set otherwise; other shapes count
    it into their size."""
    return any(isinstance(shape.geometry, Mesh | Heightmap | Ellipsoid) for shape in shapes)


def _thin_skin(made: int, client: Client) -> None:
    """Set the margin of a shape. Bullet does so for the base of a body only, not for links, hence by a helper that
    shares the shape and goes again."""
    helper = client.createMultiBody(baseMass=0.0, baseCollisionShapeIndex=made)
    client.changeDynamics(helper, -1, collisionMargin=SKIN)
    client.removeBody(helper)


def _primitive(shape: BodyShape) -> dict[str, Any]:
    """Arguments of `createCollisionShape` without the frame."""
    geometry = shape.geometry
    if isinstance(geometry, Box):
        return {"shapeType": pybullet.GEOM_BOX, "halfExtents": [side / 2 for side in geometry.size]}
    if isinstance(geometry, Sphere):
        return {"shapeType": pybullet.GEOM_SPHERE, "radius": geometry.radius}
    if isinstance(geometry, Cylinder):
        return {"shapeType": pybullet.GEOM_CYLINDER, "radius": geometry.radius, "height": geometry.length}
    if isinstance(geometry, Capsule):
        return {"shapeType": pybullet.GEOM_CAPSULE, "radius": geometry.radius, "height": geometry.length}
    return {"shapeType": pybullet.GEOM_MESH, "vertices": hull_points(geometry).tolist()}


def _compound(shapes: Sequence[BodyShape], client: Client) -> int:
    """Several shapes as one; hulls pass through files of a folder that is gone afterwards."""
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="andante-") as folder:
        for i, shape in enumerate(shapes):
            simple, file = _primitive(shape), Path(folder) / f"{i}.obj"
            if "vertices" in simple:
                file.write_text(_hull_text(np.array(simple["vertices"])), encoding="ascii")
            rows.append(
                {
                    "shapeTypes": simple["shapeType"],
                    "halfExtents": simple.get("halfExtents", [0.0, 0.0, 0.0]),
                    "radii": simple.get("radius", 0.0),
                    "lengths": simple.get("height", 0.0),
                    "fileNames": str(file) if "vertices" in simple else "",
                    **_frame(shape.pose, "collisionFramePositions", "collisionFrameOrientations"),
                }
            )
        return int(client.createCollisionShapeArray(**{name: [row[name] for row in rows] for name in rows[0]}))


def _hull_text(points: Array) -> str:
    """OBJ text of the convex hull of points."""
    lines = ["o hull", *(f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in points)]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in ConvexHull(points).simplices]
    return "\n".join(lines) + "\n"


def hull_points(geometry: Geometry) -> Array:
    """Corners of the convex form of an ellipsoid or a mesh, (n, 3) [m]."""
    if isinstance(geometry, Mesh):
        return np.asarray(meshes.hull(geometry)[0])
    if isinstance(geometry, Ellipsoid):
        return ellipsoid_triangles(geometry.radii)[0]
    raise Unsupported(f"bullet: a {type(geometry).__name__.lower()} has no convex form")


def _frame(pose: SE3, position: str, orientation: str) -> dict[str, list[float]]:
    return {position: pose.translation.tolist(), orientation: pose.quaternion.tolist()}


def distance(geometry: Geometry, point: Array) -> float:
    """About how far a point lies outside a shape [m], negative inside; for telling which of several was touched."""
    p = np.asarray(point)
    if isinstance(geometry, Sphere):
        return float(np.linalg.norm(p)) - geometry.radius
    if isinstance(geometry, Capsule):
        return math.hypot(p[0], p[1], max(abs(p[2]) - geometry.length / 2, 0.0)) - geometry.radius
    if isinstance(geometry, Cylinder):
        gap = np.array([math.hypot(p[0], p[1]) - geometry.radius, abs(p[2]) - geometry.length / 2])
    elif isinstance(geometry, Box):
        gap = np.abs(p) - np.asarray(geometry.size) / 2
    elif isinstance(geometry, Plane):
        normal = np.asarray(geometry.normal)
        return float(p @ normal / np.linalg.norm(normal))
    elif isinstance(geometry, Heightmap):
        return 0.0
    else:
        corners = hull_points(geometry)
        low, high = corners.min(axis=0), corners.max(axis=0)
        gap = np.maximum(low - p, p - high)
    return float(np.linalg.norm(np.maximum(gap, 0.0)) + min(gap.max(), 0.0))
