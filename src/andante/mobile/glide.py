"""Fixed casters and skids under a base on wheels: what the file states no friction for glides."""

from __future__ import annotations

from dataclasses import replace

from andante.description import Problem, Robot, Severity
from andante.description.check.recognize import find_wheels
from andante.description.link import Collision
from andante.description.shapes import Plane
from andante.description.solids import bounds
from andante.errors import AndanteError

FRICTION = 0.05  # of a ball caster
NEAR = 1.0  # of the radius of a wheel, up to which above the ground a shape carries: below the axle


def gliding(robot: Robot) -> Robot:
    """The robot with little friction under what stands on the ground beside its wheels and cannot roll.

    A ball or a block that is fixed below a base stands for a caster; with the friction that shapes have where nothing
    is stated it brakes the base so that its wheels slip, and turns otherwise than they say. Stated friction counts.
    """
    wheels = find_wheels(robot)
    if not wheels:
        return robot
    floor = min(float(wheel.center[2]) - wheel.radius for wheel in wheels)
    near = floor + NEAR * min(wheel.radius for wheel in wheels)
    poses, names = robot.link_poses(), list[str]()

    def glides(link: str, part: Collision) -> bool:
        if part.surface.mu is not None or isinstance(part.geometry, Plane):
            return False
        try:
            return float(bounds(part.geometry, poses[link] @ part.pose)[0][2]) < near
        except AndanteError:
            return False

    links = []
    for link in robot.links:
        moved = any(joint.one_dof for joint in robot.ancestors(link.name))
        found = [not moved and glides(link.name, part) for part in link.collisions]
        if any(found):
            names.append(link.name)
            parts = zip(link.collisions, found, strict=True)
            shapes = tuple(replace(p, surface=replace(p.surface, mu=FRICTION)) if g else p for p, g in parts)
            link = replace(link, collisions=shapes)
        links.append(link)
    if not names:
        return robot
    told = f"{', '.join(names[:3])} reaches below the axle and states no friction; it glides as a caster"
    problem = Problem(Severity.INFO, f"{told}, mu {FRICTION:g}", robot.link(names[0]).source)
    return replace(robot, links=tuple(links), problems=(*robot.problems, problem))
