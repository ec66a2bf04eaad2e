"""Are all mesh files there, readable, and of a sensible size?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from andante.description.extent import bounds
from andante.description.mesh.triangles import mesh_remedy, triangles
from andante.description.robot import Robot
from andante.description.shapes import Geometry, Mesh
from andante.description.source import Problem, Severity
from andante.errors import AndanteError
from andante.geometry import SE3

HUGE = 20.0  # [m]
TINY = 0.001  # [m]
OUTSIZED = 30.0  # times as large as the robot
SMALLEST_OUTSIZED = 2.0  # [m]
MANY_FACES = 200_000


def mesh_problems(robot: Robot) -> Iterator[Problem]:
    """Missing, broken and suspicious meshes."""
    limit = largest_mesh(robot)
    for link in robot.links:
        for role, shape in [("visual", v) for v in link.visuals] + [("collision", c) for c in link.collisions]:
            if not isinstance(shape.geometry, Mesh):
                continue
            mesh = shape.geometry
            told = f"link {link.name!r}: {role} mesh {mesh.uri!r}"
            if mesh.path is None:
                message = f"{told} was not found; {mesh_remedy(mesh, link.source)}"
                yield Problem(Severity.ERROR, message, link.source)
                continue
            try:
                vertices, faces = triangles(mesh)
            except AndanteError as error:
                yield Problem(Severity.ERROR, f"{told} cannot be used: {error}", link.source)
                continue
            size = float(np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0)))
            if size > limit:
                yield Problem(Severity.WARNING, f"{told} {outsized_told(size)}", link.source)
            elif size < TINY:
                message = f"{told} measures {1000 * size:.2g} mm; was a mesh in metres scaled by 0.001?"
                yield Problem(Severity.WARNING, message, link.source)
            if len(faces) > MANY_FACES:
                yield Problem(
                    Severity.WARNING, f"{told} has {len(faces)} triangles; a lighter one draws faster", link.source
                )


def largest_mesh(robot: Robot) -> float:
    """Size beyond which a mesh is taken for one in millimetres [m]: far larger than what its joints span."""
    places = np.array([pose.translation for pose in robot.link_poses().values()])
    span = float(np.linalg.norm(np.ptp(places, axis=0)))
    return min(HUGE, max(OUTSIZED * span, SMALLEST_OUTSIZED)) if span > TINY else HUGE


def outsized_told(size: float) -> str:
    """What is said of a mesh of that size [m]."""
    return f'measures {size:.3g} m; in millimetres? write scale="0.001 0.001 0.001" beside its name'


def is_outsized(geometry: Geometry, limit: float) -> bool:
    """Whether a shape is a mesh beyond that size: what else is said of it would only follow from that."""
    return mesh_size(geometry) > limit


def mesh_size(geometry: Geometry) -> float:
    """Diagonal of the box around a mesh [m]; 0 for other shapes and meshes that cannot be read."""
    if not isinstance(geometry, Mesh) or geometry.path is None:
        return 0.0
    try:
        low, high = bounds(geometry, SE3.identity())
    except AndanteError:
        return 0.0
    return float(np.linalg.norm(high - low))
