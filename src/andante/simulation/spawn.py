"""Before a run begins: are all meshes there, and how high must the root stand for the robot to stand on the ground.

Meshes that were not found are left out with a warning, of pictures and of what touches (`description.stand_ins`). A
collision mesh of an absurd size is used, with a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from andante.control.start import first_positions, holds_still, lying_side
from andante.description.check.shapes import largest_mesh, mesh_size, outsized_told
from andante.description.joint import JointType
from andante.description.mesh.triangles import mesh_remedy
from andante.description.robot import Robot
from andante.description.shapes import Plane
from andante.description.solids import robot_bounds, surface
from andante.description.source import Problem, Severity
from andante.description.stand_ins import meshes_of, without_lost_meshes
from andante.description.world import Placement
from andante.errors import BadInput
from andante.geometry import SE3, Array, so3
from andante.geometry.hull import convex_hull
from andante.physics import Engine, Mode
from andante.physics.identified import servo_drive

from .body import stiffen_wheels
from .truth import Stance, stance


def solid(models: Iterable[Placement]) -> tuple[Placement, ...]:
    """Models without collision meshes that were not found; the same ones where all are there."""
    made = [(model, without_lost_meshes(model.robot, scenery=True)) for model in models]
    return tuple(model if robot is model.robot else replace(model, robot=robot) for model, robot in made)


def missing_visuals(robots: Iterable[Robot]) -> tuple[Problem, ...]:
    """One warning per robot whose visual meshes were not found."""
    out = []
    for robot in robots:
        lost = [(link, mesh) for link, mesh in meshes_of(robot, visual=True) if mesh.path is None]
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
        for link, mesh in meshes_of(robot, visual=False):
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


def bolted_if_weightless(robot: Robot) -> Robot:
    """A robot whose root weighs nothing and carries one joint, as an arm's does, bolted down; told in its problems.

    Without weight nothing holds it upright. Robots with wheels or legs have more joints there and are left free, as are
    those whose only joint there is free itself.
    """
    base = robot.welded(robot.root)
    inertias = (robot.link(name).inertia for name in base)
    heavy = any(inertia is not None and inertia.mass > 0 for inertia in inertias)
    carried = [joint for name in base for joint in robot.carried(name) if joint.type is not JointType.FIXED]
    if heavy or robot.fixed_base or len(carried) != 1 or not carried[0].one_dof:
        return robot
    root = f"its root link {robot.root!r} is bolted down"
    told = (
        f"robot {robot.name!r}: {root}, as it weighs nothing and carries all else by one joint; give it an <inertial>"
        if robot.mass > 0
        else f"robot {robot.name!r} weighs nothing: {root}; give its links <inertial>"
    )
    problem = Problem(Severity.WARNING, told, robot.link(robot.root).source)
    return replace(robot, fixed_base=True, problems=(*robot.problems, problem))


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
