"""Meshes that were not found: a collision mesh stops a run, a visual one is left out of pictures with a warning.

A collision mesh of an absurd size is used, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterable

from andante.description.check.shapes import largest_mesh, mesh_size, outsized_told
from andante.description.mesh.triangles import mesh_remedy
from andante.description.robot import Robot
from andante.description.shapes import Mesh
from andante.description.source import Problem, Severity
from andante.errors import BadInput


def require_collision_meshes(robot: Robot) -> None:
    """Raise BadInput that names file, link and mesh when a collision mesh was not found."""
    for link in robot.links:
        for collision in link.collisions:
            if isinstance(collision.geometry, Mesh) and collision.geometry.path is None:
                where = f"{link.source}: " if str(link.source) else ""
                raise BadInput(
                    f"{where}link {link.name!r} of {robot.name!r}: collision mesh {collision.geometry.uri!r} was not "
                    f"found; {mesh_remedy(collision.geometry, link.source)}"
                )


def missing_visuals(robots: Iterable[Robot]) -> tuple[Problem, ...]:
    """One warning per robot whose visual meshes were not found."""
    out = []
    for robot in robots:
        lost = [
            (link, visual.geometry)
            for link in robot.links
            for visual in link.visuals
            if isinstance(visual.geometry, Mesh) and visual.geometry.path is None
        ]
        if lost:
            link, mesh = lost[0]
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            remedy = mesh_remedy(mesh, link.source)
            text = f"{robot.name!r}: visual mesh {mesh.uri!r}{more} not found; pictures do without; {remedy}"
            out.append(Problem(Severity.WARNING, text, link.source))
    return tuple(out)


def absurd_meshes(robots: Iterable[Robot]) -> tuple[Problem, ...]:
    """A warning per collision mesh of a robot that is far larger than the robot itself."""
    out = []
    for robot in robots:
        limit = largest_mesh(robot) if robot.joints else float("inf")  # a building may be of any size
        for link in robot.links:
            for collision in link.collisions:
                if isinstance(collision.geometry, Mesh) and (size := mesh_size(collision.geometry)) > limit:
                    text = f"link {link.name!r}: collision mesh {collision.geometry.uri!r} {outsized_told(size)}"
                    out.append(Problem(Severity.WARNING, text, link.source))
    return tuple(out)
