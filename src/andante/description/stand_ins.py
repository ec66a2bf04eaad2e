"""Solids that stand in where a file has none: for lost collision meshes, and for robots that have only looks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from andante.errors import AndanteError, BadInput
from andante.geometry import SE3, Array, so3

from .joint import JointType
from .link import Collision, Link, Visual
from .mesh.triangles import fault_of, mesh_remedy
from .robot import Robot
from .round_wheels import with_round_wheels
from .shapes import Box, Cylinder, Mesh, Plane, Sphere, vec3_of
from .solids import bounds
from .source import Problem, Severity

LEAST_EDGE = 0.01  # of boxes that stand in for meshes [m]
ROOM = 4.0  # longest edge of such a box, in distances from its link to the joints it carries, else across the robot
SUNK = 0.1  # of its height, by which a robot would sink without the links that it is seen to stand on
ROUND = 0.1  # by which the moments of a ball may differ


def made_solid(robot: Robot) -> Robot:
    """The robot with something to touch the ground with, where its file has nothing; told in its problems.

    Lost meshes: see `without_lost_meshes`, flat ones: `without_flat_meshes`; wheels with a box for a shape:
    `with_round_wheels`. A robot that is free to move and has masses and looks but no <collision> at all, made for
    viewers only, would fall through every floor, and one whose feet or wheels have none sinks to its belly: what is
    seen of such links then touches too.
    """
    robot = with_round_wheels(without_flat_meshes(without_lost_meshes(robot)))
    if robot.fixed_base or not robot.joints or not robot.mass > 0:
        return robot
    some = any(each.collisions for each in robot.links)
    bare = _sinking(robot) if some else [each for each in robot.links if any(map(_solid, each.visuals))]
    if not bare:
        return robot
    names = {each.name for each in bare}
    links = tuple(
        replace(each, collisions=tuple(Collision(part.geometry, part.pose) for part in each.visuals if _solid(part)))
        if each.name in names
        else each
        for each in robot.links
    )
    source = bare[0].source if some else robot.links[0].source
    more = f" and {len(bare) - 1} more" if len(bare) > 1 else ""
    text = (
        f"link {bare[0].name!r} of {robot.name!r}{more} has no <collision>, and nothing else reaches the ground; what "
        "is seen of it touches instead; give it one"
        if some
        else f"robot {robot.name!r} has no <collision> at all; what is seen of it touches instead; give its links some"
    )
    return replace(robot, links=links, problems=(*robot.problems, Problem(Severity.WARNING, text, source)))


def _sinking(robot: Robot) -> list[Link]:
    """Moving links without collision shapes that are seen below all others that have some, in the file's own pose."""
    bare = [
        link
        for link in robot.links
        if not link.collisions
        and any(map(_solid, link.visuals))
        and any(joint.one_dof for joint in robot.ancestors(link.name))
    ]
    if not bare:
        return []
    poses = robot.link_poses(robot.complete({joint.name: joint.initial for joint in robot.movable}))
    solid = [_span(link, poses[link.name]) for link in robot.links if link.collisions]
    low = min((span[0] for span in solid if span is not None), default=math.inf)
    high = max((span[1] for span in solid if span is not None), default=-math.inf)
    seen = [(link, _span(link, poses[link.name])) for link in bare]
    return [link for link, span in seen if span is not None and span[0] < low - SUNK * (high - span[0])]


def _span(link: Link, pose: SE3) -> tuple[float, float] | None:
    """Lowest and highest point of what a link touches with, else of what is seen of it [m]; None without solids."""
    shapes = [(part.geometry, part.pose) for part in link.collisions]
    shapes = shapes or [(part.geometry, part.pose) for part in link.visuals if _solid(part)]
    try:
        boxes = [bounds(shape, pose @ at) for shape, at in shapes if not isinstance(shape, Plane)]
    except AndanteError:  # a mesh that cannot be read
        return None
    return (min(float(low[2]) for low, _ in boxes), max(float(high[2]) for _, high in boxes)) if boxes else None


def solid_or_same(robot: Robot) -> Robot:
    """`made_solid`, or the robot itself where there is nothing to go by."""
    try:
        return made_solid(robot)
    except BadInput:
        return robot


def _solid(part: Visual) -> bool:
    shape = part.geometry
    return not isinstance(shape, Plane) and (not isinstance(shape, Mesh) or shape.path is not None)


def meshes_of(robot: Robot, visual: bool) -> Iterator[tuple[Link, Mesh]]:
    """The meshes that a robot shows, or those that it collides with, each with its link."""
    for link in robot.links:
        for part in link.visuals if visual else link.collisions:
            if isinstance(part.geometry, Mesh):
                yield link, part.geometry


def without_lost_meshes(robot: Robot, scenery: bool = False) -> Robot:
    """The robot without collision meshes that were not found, told in its problems; itself where all are there.

    Where nothing solid would be left of it, a box of its inertia stands in for each; BadInput where there is no mass
    either, unless it is `scenery`.
    """
    lost = [(link, mesh) for link, mesh in meshes_of(robot, visual=False) if mesh.path is None]
    if not lost:
        return robot
    link, mesh = lost[0]
    told = f"link {link.name!r} of {robot.name!r}: collision mesh {mesh.uri!r}"
    more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
    links = tuple(replace(each, collisions=tuple(filter(_found, each.collisions))) for each in robot.links)
    instead, remedy = "it touches nothing there", mesh_remedy(mesh, link.source)
    if not scenery and not any(each.collisions for each in links):
        names = {each.name for each, _ in lost}
        axes = {joint.child: np.asarray(joint.axis) for joint in robot.joints if joint.type is JointType.CONTINUOUS}
        links = tuple(
            replace(each, collisions=_stand_in(each, axes.get(each.name), _room(robot, each)))
            if each.name in names
            else each
            for each in robot.links
        )
        instead = "boxes that have the inertia of its links stand in, and balls or cylinders of links that go round"
        if not any(each.collisions for each in links):
            where = f"{link.source}: " if str(link.source) else ""
            raise BadInput(f"{where}{told}{more} was not found, and nothing solid is left of it; {remedy}")
    text = f"{told}{more} was not found; {instead}; {remedy}"
    return replace(robot, links=links, problems=(*robot.problems, Problem(Severity.WARNING, text, link.source)))


def without_flat_meshes(robot: Robot) -> Robot:
    """The robot without collision meshes that enclose nothing, such as stickers, or cannot be read; told once."""
    faults = {mesh: fault for _, mesh in meshes_of(robot, visual=False) if mesh.path and (fault := fault_of(mesh))}
    if not faults:
        return robot
    links = tuple(
        replace(each, collisions=tuple(part for part in each.collisions if part.geometry not in faults))
        if any(part.geometry in faults for part in each.collisions)
        else each
        for each in robot.links
    )
    link, mesh = next(pair for pair in meshes_of(robot, visual=False) if pair[1] in faults)
    more = f"; so are {len(faults) - 1} more" if len(faults) > 1 else ""
    said = f"link {link.name!r} of {robot.name!r}: {faults[mesh]}; it is left out of what touches{more}"
    return replace(robot, links=links, problems=(*robot.problems, Problem(Severity.WARNING, said, link.source)))


def _room(robot: Robot, link: Link) -> float:
    """The longest edge of a solid for a link that can be believed [m]: by how far its joints are, else by the robot."""
    reach = max((float(np.linalg.norm(joint.pose.translation)) for joint in robot.carried(link.name)), default=0.0)
    if reach > LEAST_EDGE:
        return ROOM * reach
    places = np.array([pose.translation for pose in robot.link_poses().values()])
    span = float(np.linalg.norm(np.ptp(places, axis=0)))
    return ROOM * span if span > LEAST_EDGE else math.inf


def _stand_in(link: Link, axis: Array | None = None, most: float = math.inf) -> tuple[Collision, ...]:
    """A solid of even density with the mass and the tensor of a link; none without.

    It is a box, edges a_i² = 6 (I_j + I_k - I_i) / m. Of a link that goes round an axis (3,) without limits, as wheels
    do, a ball, r² = 5 I / (2 m), or a cylinder about it, r² = 2 I_a / m, l² = 12 I_t / m - 3 r². A mesh of such a link
    is about as large as this, and often somewhat larger. Boxes longer than `most` [m], of tensors that are mere
    placeholders, are made smaller as a whole.
    """
    if link.inertia is None or not link.inertia.mass > 0:
        return ()
    mass, center = link.inertia.mass, link.inertia.com
    moments, axes = np.linalg.eigh(link.inertia.matrix)
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass
    if not squares.max() > LEAST_EDGE**2:
        return ()
    if axis is not None and moments[2] - moments[0] < ROUND * moments[2]:
        return (Collision(Sphere(math.sqrt(2.5 * float(moments.mean()) / mass)), SE3.from_parts(np.eye(3), center)),)
    if axis is not None:
        along = float(axis @ link.inertia.matrix @ axis)
        radius = math.sqrt(2.0 * along / mass)
        length = math.sqrt(max(6.0 * float(moments.sum() - along) / mass - 3.0 * radius**2, LEAST_EDGE**2))
        turn = so3.between((0.0, 0.0, 1.0), axis)
        return (Collision(Cylinder(radius, length), SE3.from_parts(turn, center)),)
    edges = np.sqrt(np.maximum(squares, LEAST_EDGE**2))
    edges = np.maximum(edges * min(1.0, most / float(edges.max())), LEAST_EDGE)
    turn = axes * np.sign(np.linalg.det(axes))
    return (Collision(Box(vec3_of(edges)), SE3.from_parts(turn, center)),)


def _found(part: Collision) -> bool:
    return not isinstance(part.geometry, Mesh) or part.geometry.path is not None
