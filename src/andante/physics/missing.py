"""Meshes that were not found: a collision mesh stops a run, a visual one is left out of pictures and told."""

from __future__ import annotations

from collections.abc import Iterable

from andante.description.robot import Robot
from andante.description.shapes import Mesh
from andante.description.source import Problem, Severity
from andante.errors import BadInput

REMEDY = "put it beside the file or set ROS_PACKAGE_PATH (GAZEBO_MODEL_PATH)"


def require_collision_meshes(robot: Robot) -> None:
    """Raise BadInput that names file, link and mesh when a collision mesh was not found."""
    for link in robot.links:
        for collision in link.collisions:
            if isinstance(collision.geometry, Mesh) and collision.geometry.path is None:
                where = f"{link.source}: " if str(link.source) else ""
                raise BadInput(
                    f"{where}link {link.name!r} of {robot.name!r}: collision mesh {collision.geometry.uri!r} was not "
                    f"found; {REMEDY}"
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
            text = f"{robot.name!r}: visual mesh {mesh.uri!r}{more} not found; pictures do without; {REMEDY}"
            out.append(Problem(Severity.WARNING, text, link.source))
    return tuple(out)
