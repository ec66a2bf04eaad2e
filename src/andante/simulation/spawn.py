"""Before a run begins: are all meshes there, and how high must the root stand for the robot to stand on the ground.

Meshes that were not found are left out with a warning, of pictures and of what touches; where nothing solid would be
left of a robot, boxes that have the inertia of its links stand in for them. A collision mesh of an absurd size is used,
with a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from andante.control.start import first_positions, holds_still, lying_side
from andante.description.check.shapes import largest_mesh, mesh_size, outsized_told
from andante.description.joint import JointType
from andante.description.link import Collision, Link
from andante.description.mesh.triangles import mesh_remedy
from andante.description.robot import Robot
from andante.description.shapes import Box, Cylinder, Mesh, Plane, Sphere, vec3_of
from andante.description.solids import robot_bounds, surface
from andante.description.source import Problem, Severity
from andante.description.world import Placement
from andante.errors import BadInput
from andante.geometry import SE3, Array, so3
from andante.geometry.hull import convex_hull
from andante.physics import Engine, Mode
from andante.physics.identified import servo_drive

from .body import stiffen_wheels
from .truth import Stance, stance

LEAST_EDGE = 0.01  # of boxes that stand in for meshes [m]
ROUND = 0.1  # by which the moments of a ball may differ


def _meshes(robot: Robot, visual: bool) -> Iterator[tuple[Link, Mesh]]:
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
    lost = [(link, mesh) for link, mesh in _meshes(robot, visual=False) if mesh.path is None]
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
            replace(each, collisions=_stand_in(each, axes.get(each.name))) if each.name in names else each
            for each in robot.links
        )
        instead = "boxes that have the inertia of its links stand in, and balls or cylinders of links that go round"
        if not any(each.collisions for each in links):
            where = f"{link.source}: " if str(link.source) else ""
            raise BadInput(f"{where}{told}{more} was not found, and nothing solid is left of it; {remedy}")
    text = f"{told}{more} was not found; {instead}; {remedy}"
    return replace(robot, links=links, problems=(*robot.problems, Problem(Severity.WARNING, text, link.source)))


def _stand_in(link: Link, axis: Array | None = None) -> tuple[Collision, ...]:
    """A solid of even density with the mass and the tensor of a link; none without.

    It is a box, edges a_i² = 6 (I_j + I_k - I_i) / m. Of a link that goes round an axis (3,) without limits, as wheels
    do, a ball, r² = 5 I / (2 m), or a cylinder about it, r² = 2 I_a / m, l² = 12 I_t / m - 3 r². A mesh of such a link
    is about as large as this, and often somewhat larger.
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
    turn = axes * np.sign(np.linalg.det(axes))
    return (Collision(Box(vec3_of(edges)), SE3.from_parts(turn, center)),)


def solid(models: Iterable[Placement]) -> tuple[Placement, ...]:
    """Models without collision meshes that were not found; the same ones where all are there."""
    made = [(model, without_lost_meshes(model.robot, scenery=True)) for model in models]
    return tuple(model if robot is model.robot else replace(model, robot=robot) for model, robot in made)


def _found(part: Collision) -> bool:
    return not isinstance(part.geometry, Mesh) or part.geometry.path is not None


def missing_visuals(robots: Iterable[Robot]) -> tuple[Problem, ...]:
    """One warning per robot whose visual meshes were not found."""
    out = []
    for robot in robots:
        lost = [(link, mesh) for link, mesh in _meshes(robot, visual=True) if mesh.path is None]
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
        for link, mesh in _meshes(robot, visual=False):
            if (size := mesh_size(mesh)) > limit:
                text = f"link {link.name!r}: collision mesh {mesh.uri!r} {outsized_told(size)}"
                out.append(Problem(Severity.WARNING, text, link.source))
    return tuple(out)


RAYS_PER_SIDE = 9
RAY_HEIGHT = 1.0  # above the top of the robot [m]
FLAT = 2e-3  # corners this near to a face count as lying on it [m]
LEAST_LEAN, MOST_LEAN = math.radians(0.3), math.radians(30)
CLEARANCE = 5e-4  # so that nothing starts inside the ground [m]
LYING = {  # roll, pitch, yaw of a root (x ahead, z up) that lies on that side [rad]
    "belly": (0.0, math.pi / 2, 0.0),
    "back": (0.0, -math.pi / 2, 0.0),
    "left": (-math.pi / 2, 0.0, 0.0),
    "right": (math.pi / 2, 0.0, 0.0),
}


def stand_heights(
    engine: Engine, model: int, positions: Mapping[str, float], start: Array, turn: Array
) -> tuple[float, float]:
    """Height of the root at which the robot's lowest point stands on the highest ground below it, and of that ground.

    `start` is x, y of the root, `turn` its rotation. The ground is felt by rays from above, the robot itself left
    out; no ground counts as z = 0.
    """
    robot = engine.models[model].tree.robot
    box = robot_bounds(robot, positions, SE3.from_parts(turn, np.zeros(3)))
    if box is None:
        return 0.0, 0.0
    low, high = box
    xs = np.linspace(low[0], high[0], RAYS_PER_SIDE) + start[0]
    ys = np.linspace(low[1], high[1], RAYS_PER_SIDE) + start[1]
    grid = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2)
    top = (high[2] - low[2]) + RAY_HEIGHT
    origins = np.column_stack([grid, np.full(len(grid), top)])
    hits = engine.cast_rays(origins, np.tile([0.0, 0.0, -1.0], (len(grid), 1)), 100.0, ignore=model)
    found = np.isfinite(hits.distance)
    ground = float(np.max(top - hits.distance[found])) if found.any() else 0.0
    return ground - float(low[2]) + CLEARANCE, ground


def put_on_ground(
    engine: Engine,
    model: int,
    positions: Mapping[str, float],
    start: Array,
    above: float = 0.0,
    lying: str | None = None,
) -> float:
    """Set joints and base so that a robot stands at x, y, yaw, `above` meters over the ground; height of the ground.

    lying: the side that it lies on instead (a key of LYING).
    """
    robot = engine.models[model].tree.robot
    q = robot.complete(positions)
    engine.set_joints(model, np.array([q[name] for name in robot.joint_names]))
    yaw = so3.from_rpy((0.0, 0.0, float(start[2])))
    turn = yaw if engine.models[model].fixed else yaw @ resting_rotation(robot, q, lying)
    z, ground = stand_heights(engine, model, q, start, turn)
    engine.set_base(model, SE3.from_parts(turn, (start[0], start[1], z + above)).vector)
    return ground


def put_to_stand(
    engine: Engine,
    model: int,
    robot: Robot,
    pose: str | Mapping[str, float] | None,
    start: Sequence[float],
    drop: float = 0.0,
    fixed: bool = False,
) -> tuple[float, Stance | None]:
    """Put a robot of a scene to its start, its servos holding its first pose.

    Returns:
        Height of the ground below it [m], and how it would stand if it starts lying (else None).
    """
    if not (math.isfinite(drop) and drop >= 0):
        raise BadInput(f"drop must be a height >= 0 m, got {drop}")
    positions = first_positions(robot, pose)
    where, side, stood = np.asarray(start, dtype=float), None if fixed else lying_side(pose), None
    ground = put_on_ground(engine, model, positions, where, drop)
    if side is not None:
        stood = stance(engine, model, ground)
        put_on_ground(engine, model, positions, where, drop, side)
    if robot.movable:
        hold = holds_still(robot)
        target = np.array([positions[joint] for joint in robot.joint_names])
        if hold.any():
            engine.command(model, target[hold], Mode.POSITION, np.flatnonzero(hold))
        if not hold.all():
            engine.command(model, np.zeros(int((~hold).sum())), Mode.VELOCITY, np.flatnonzero(~hold))
    stiffen_wheels(engine, model)
    drive = servo_drive(robot)
    if drive is not None:
        engine.set_drives(model, drive)
    return ground, stood


def resting_rotation(robot: Robot, positions: Mapping[str, float], lying: str | None = None) -> Array:
    """Rotation of the root with which the robot rests flat on level ground, as near to upright as can be, (3, 3).

    With `lying` as near as can be to lying straight on that side.

    Of the faces of the convex hull of all collision shapes, the one nearest to facing down that has the center of
    mass above it. A robot that would have to lean by more than `MOST_LEAN` is left upright.
    """
    points, center = _outline(robot, positions)
    if lying is not None:
        laid = so3.from_rpy(LYING[lying])
        return _resting(points @ laid.T, laid @ center) @ laid
    return _resting(points, center)


def _resting(points: Array, center: Array) -> Array:
    """Smallest rotation after which points (n, 3) with that center of mass (3,) rest on a face of their hull."""
    upright = np.eye(3)
    hull = convex_hull(points) if len(points) >= 4 else None
    if hull is None:
        return upright
    downwards = -hull.equations[:, 2]
    for face in np.argsort(-downwards):
        if downwards[face] < math.cos(MOST_LEAN):
            break
        normal, offset = hull.equations[face, :3], hull.equations[face, 3]
        turn = so3.between(normal, (0.0, 0.0, -1.0))
        on_face = points[np.abs(points @ normal + offset) < FLAT] @ turn.T
        if _inside((turn @ center)[:2], on_face[:, :2]):
            return upright if downwards[face] > math.cos(LEAST_LEAN) else turn
    return upright


def _outline(robot: Robot, positions: Mapping[str, float]) -> tuple[Array, Array]:
    """Corner points of all collision shapes (n, 3) and the center of mass, in the root frame [m]."""
    poses = robot.link_poses(positions)
    corners = [
        poses[link.name] @ collision.pose @ surface(collision.geometry)[0]
        for link in robot.links
        for collision in link.collisions
        if not isinstance(collision.geometry, Plane)
    ]
    weighed = [(link.inertia, poses[link.name]) for link in robot.links if link.inertia is not None]
    mass = sum(inertia.mass for inertia, _ in weighed)
    center = sum((i.mass * (pose @ np.asarray(i.com)) for i, pose in weighed), np.zeros(3)) / max(mass, 1e-12)
    return (np.concatenate(corners) if corners else np.zeros((0, 3))), center


def _inside(point: Array, polygon: Array) -> bool:
    """Whether a point lies in the convex hull of others in the plane."""
    hull = convex_hull(polygon)
    return hull is not None and bool(np.all(hull.equations[:, :2] @ point + hull.equations[:, 2] <= 0))
