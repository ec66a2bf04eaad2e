"""COLLADA meshes of wheeled robots whose `<up_axis>` nobody looked at.

COLLADA turns a mesh by its `<up_axis>`, and so do we. RViz, MoveIt and Gazebo do not, so files whose header is wrong
look right there. Turned as they say, the hull of such a robot lies across and reaches below the ground that its wheels
stand on. Where a mesh does so and would not without the turn, it is taken as those programs show it, and that is told.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from andante.description.check.recognize import find_wheels, spins
from andante.description.link import Collision, Link, Visual
from andante.description.robot import Robot
from andante.description.shapes import Mesh
from andante.description.solids import bounds
from andante.description.source import Problem, Severity
from andante.errors import AndanteError
from andante.geometry import SE3

from .checks import UP_AXES

BELOW = 0.02  # a hull that reaches so far below the wheels cannot be meant [m]
HEADER = 65536  # bytes in which the header lies
UP_AXIS = re.compile(rb"<up_axis>\s*([XYZ]_UP)\s*</up_axis>", re.IGNORECASE)


def upright(robot: Robot) -> Robot:
    """The robot with hulls that lie below its wheels turned back; itself where there are none."""
    tilted = [link for link in robot.links if any(_axis(each) != "Z_UP" for each in link.collisions)]
    if not tilted or sum(map(spins, robot.joints)) < 2:
        return robot
    wheels = find_wheels(robot)
    turned = {name for wheel in wheels for name in robot.welded(robot.joint(wheel.joint).child)}
    if len(wheels) < 2:
        return robot
    floor = min(float(wheel.center[2]) - wheel.radius for wheel in wheels)
    poses, links, told = robot.link_poses(), dict[str, Link](), list[Problem]()
    for link in tilted:
        mended = tuple(_mended(each, poses[link.name], floor) for each in link.collisions)
        if link.name in turned or mended == link.collisions:
            continue
        visuals = tuple(replace(each, pose=each.pose @ _back(each)) for each in link.visuals)
        links[link.name] = replace(link, collisions=mended, visuals=visuals)
        text = (
            f"link {link.name!r}: its mesh, turned by its <up_axis>, would reach below the wheels; it is taken as it "
            "stands, as RViz and Gazebo do; write Z_UP into the mesh file"
        )
        told.append(Problem(Severity.WARNING, text, link.source))
    if not links:
        return robot
    whole = tuple(links.get(link.name, link) for link in robot.links)
    return replace(robot, links=whole, problems=(*robot.problems, *told))


def _mended(part: Collision, pose: SE3, floor: float) -> Collision:
    """A shape turned back where it is below the floor [m] and would not be then."""
    if _axis(part) == "Z_UP":
        return part
    back = replace(part, pose=part.pose @ _back(part))
    try:
        low, new = (float(bounds(each.geometry, pose @ each.pose)[0][2]) for each in (part, back))
    except AndanteError:
        return part
    return back if low < floor - BELOW <= new else part


def _back(part: Collision | Visual) -> SE3:
    """The turn that undoes that of the mesh's header."""
    return SE3.from_parts(UP_AXES[_axis(part)].T, np.zeros(3))


def _axis(part: Collision | Visual) -> str:
    """The axis that the header of a COLLADA mesh names; Z_UP of all other shapes."""
    shape = part.geometry
    if not isinstance(shape, Mesh) or shape.path is None or shape.path.suffix.lower() != ".dae":
        return "Z_UP"
    try:
        with shape.path.open("rb") as file:
            found = UP_AXIS.search(file.read(HEADER))
    except OSError:
        return "Z_UP"
    return found.group(1).decode().upper() if found else "Y_UP"
