"""Are all mesh files there, readable, and of a sensible size?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from andante.description.meshes import triangles
from andante.description.robot import Robot
from andante.description.shapes import Mesh
from andante.description.source import Problem, Severity
from andante.errors import AndanteError

HUGE = 20.0  # [m]
MANY_FACES = 200_000


def mesh_problems(robot: Robot) -> Iterator[Problem]:
    """Missing, broken and suspicious meshes."""
    for link in robot.links:
        for role, shape in [("visual", v) for v in link.visuals] + [("collision", c) for c in link.collisions]:
            if not isinstance(shape.geometry, Mesh):
                continue
            mesh = shape.geometry
            told = f"link {link.name!r}: {role} mesh {mesh.uri!r}"
            if mesh.path is None:
                message = f"{told} was not found; put it beside the file or set ROS_PACKAGE_PATH"
                yield Problem(Severity.ERROR, message, link.source)
                continue
            try:
                vertices, faces = triangles(mesh)
            except AndanteError as error:
                yield Problem(Severity.ERROR, f"{told} cannot be used: {error}", link.source)
                continue
            size = float(np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0)))
            if size > HUGE:
                yield Problem(
                    Severity.WARNING, f"{told} measures {size:.3g} m; in millimetres? use scale 0.001", link.source
                )
            if len(faces) > MANY_FACES:
                yield Problem(
                    Severity.WARNING, f"{told} has {len(faces)} triangles; a lighter one draws faster", link.source
                )
