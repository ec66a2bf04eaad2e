"""Putting a robot on the ground: its first pose, and how high its root must stand."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from andante.description.extent import robot_bounds
from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.geometry import SE3, Array, se2
from andante.physics import Engine

STANDING_POSES = ("StandInit", "Stand", "standing", "init", "home", "ready")
RAYS_PER_SIDE = 9
RAY_HEIGHT = 1.0  # above the top of the robot [m]
CLEARANCE = 5e-4  # so that nothing starts inside the ground [m]


def first_positions(robot: Robot, pose: str | Mapping[str, float] | None) -> dict[str, float]:
    """Joint positions to start from: a named pose, given positions, else the robot's standing pose or its zero.

    Positions are brought inside the joint limits; joints that are not named start at `Joint.initial`.
    """
    if pose is None:
        known = {name.casefold(): name for name in robot.poses}
        pose = next((known[name.casefold()] for name in STANDING_POSES if name.casefold() in known), None)
    named = {} if pose is None else robot.pose(pose) if isinstance(pose, str) else dict(pose)
    start = {joint.name: joint.initial for joint in robot.movable} | named
    inside = {
        joint.name: min(max(start[joint.name], joint.limits.lower), joint.limits.upper) for joint in robot.movable
    }
    unknown = {name: value for name, value in named.items() if name not in inside}
    return robot.complete(inside | unknown)


def root_height(engine: Engine, actor: int, positions: Mapping[str, float], place: Array) -> float:
    """Height of the root link at which the robot's lowest point stands on the highest ground below it [m].

    `place` is x, y, yaw. The ground is felt by rays from above, the robot itself left out; no ground counts as z = 0.
    """
    robot = engine.actors[actor].tree.robot
    root = SE3.from_xyz_rpy((0, 0, 0), (0, 0, float(place[2])))
    box = robot_bounds(robot, positions, root)
    if box is None:
        return 0.0
    low, high = box
    xs = np.linspace(low[0], high[0], RAYS_PER_SIDE) + place[0]
    ys = np.linspace(low[1], high[1], RAYS_PER_SIDE) + place[1]
    grid = np.stack(np.meshgrid(xs, ys, indexing="ij"), axis=-1).reshape(-1, 2)
    top = (high[2] - low[2]) + RAY_HEIGHT
    origins = np.column_stack([grid, np.full(len(grid), top)])
    hits = engine.cast_rays(origins, np.tile([0.0, 0.0, -1.0], (len(grid), 1)), 100.0, ignore=actor)
    found = np.isfinite(hits.distance)
    ground = float(np.max(top - hits.distance[found])) if found.any() else 0.0
    return ground - float(low[2]) + CLEARANCE


def put_on_ground(engine: Engine, actor: int, positions: Mapping[str, float], place: Array, above: float = 0.0) -> None:
    """Set joints and base of a robot so that it stands at x, y, yaw, `above` metres over the ground."""
    robot = engine.actors[actor].tree.robot
    q = robot.complete(positions)
    engine.set_joints(actor, np.array([q[name] for name in robot.joint_names]))
    z = root_height(engine, actor, q, place) + above
    pose = SE3.from_xyz_rpy((place[0], place[1], z), (0, 0, float(se2.wrap(place[2]))))
    engine.set_base(actor, pose.vector)


def holds_still(robot: Robot) -> np.ndarray:
    """Which joints a resting robot holds by position (the rest, wheels, by velocity 0), (joints,) of bool."""
    return np.array(
        [joint.type is not JointType.CONTINUOUS or math.isfinite(joint.limits.upper) for joint in robot.movable],
        dtype=bool,
    )
