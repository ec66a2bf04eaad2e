"""What each leg of the folded Shell can do to the ground: how far it reaches, by how far it is open.

Every leg has one stroke, a line of two pieces in joint space that starts in the ball pose. A lower leg stretches its
knee, then lifts its hip, the petal above making room for its tile. An upper leg opens its petal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.description import Robot
from andante.description.inertia import combine
from andante.description.mesh.triangles import hull
from andante.description.shapes import Mesh, Sphere
from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.gravity import GRAVITY

LEGS = 6
HALF = 0.5  # opening at which the second piece of a stroke begins
ROOM = 0.12  # by which a petal opens for the lower leg of its gore [rad]
SAMPLES = 11  # openings at which a stroke is tabulated
SKIN = 0.010  # collision points this near to the surface of the ball can touch the floor [m]


@dataclass(frozen=True)
class Stroke:
    """Where the outer points of one leg are while it opens, in the body frame of the leg that points along x."""

    openings: Array  # (n,) from 0 to 1
    points: Array  # (n, p, 3) [m]
    radius: Array  # (p,) of the sphere round each point [m]


@dataclass(frozen=True)
class Strokes:
    """The two kinds of stroke of the Shell, and where they sit among its joints."""

    ball: Array  # joint positions of the closed ball (joints,)
    lower: Stroke
    upper: Stroke
    first: Array  # (12, joints) what the first half of the opening adds; six lower legs, then six upper
    second: Array  # (12, joints) and the second half
    azimuth: Array  # (12,) of the middle of each leg's gore in the body frame [rad]
    radius: float  # of the ball [m]
    lift: float  # what the squared speed gains from lying on its side to its heavy side down [m^2/s^2]

    def positions(self, opening: Array) -> Array:
        """Joint positions (joints,) with the legs open by fractions (12,)."""
        return self.ball + np.minimum(1.0, 2 * opening) @ self.first + np.maximum(0.0, 2 * opening - 1) @ self.second

    def kept_apart(self, opening: Array) -> Array:
        """Openings (12,) with no two lower neighbors in their second half, where their tiles would meet."""
        lower = opening[:LEGS]
        most = np.maximum(np.roll(lower, 1), np.roll(lower, -1))
        loses = (lower < most) | ((lower == most) & (np.arange(LEGS) % 2 == 1))
        out = opening.copy()
        out[:LEGS] = np.where(loses & (most > HALF), np.minimum(lower, HALF), lower)
        return out


def strokes_of(robot: Robot, tibia: float = 0.57, femur: float = 0.8, petal: float = 1.6) -> Strokes:
    """The strokes of a Shell whose legs open by these angles at most [rad], measured on its own collision shapes."""
    if "ball" not in {name.casefold() for name in robot.poses}:
        raise BadInput(f"robot {robot.name!r} has no pose 'ball'; rolling is for robots that fold into a ball")
    ball, names = robot.pose("ball"), robot.joint_names
    first, second = np.zeros((2 * LEGS, len(names))), np.zeros((2 * LEGS, len(names)))
    for k in range(1, LEGS + 1):
        above = k % LEGS + 1  # the upper leg of the same gore
        first[k - 1, names.index(f"q1{k}4")] = tibia
        second[k - 1, names.index(f"q1{k}3")] = femur
        second[k - 1, names.index(f"q2{above}2")] = ROOM
        first[LEGS + k - 1, names.index(f"q2{k}2")] = petal / 2
        second[LEGS + k - 1, names.index(f"q2{k}2")] = petal / 2
    start = np.array([ball[name] for name in names])
    lower, upper = np.arange(1, LEGS + 1) + 1, np.arange(1, LEGS + 1)
    azimuth = np.concatenate([lower, upper]) * math.pi / 3
    parts = [("lower_femur_1", "lower_tibia_1", "lower_foot_1"), ("upper_petal_1", "upper_thigh_1")]
    strokes = [
        _stroke(robot, start, first[k], second[k], part, azimuth[k]) for k, part in ((0, parts[0]), (LEGS, parts[1]))
    ]
    reach = [np.linalg.norm(s.points[0], axis=1) + s.radius for s in strokes]
    radius = float(max(r.max() for r in reach))
    return Strokes(start, strokes[0], strokes[1], first, second, azimuth, radius, _lift(robot, ball, radius))


def _lift(robot: Robot, ball: Mapping[str, float], radius: float) -> float:
    """2 m g h / (m + I / r^2), with h the depth of the center of mass below the center and I about the center."""
    poses = robot.link_poses(ball)
    whole = combine(link.inertia.transformed(poses[link.name]) for link in robot.links if link.inertia is not None)
    if whole is None:
        raise BadInput(f"robot {robot.name!r} has no mass and cannot roll")
    height = -whole.com[2]
    about_center = float(whole.matrix[0, 0]) + whole.mass * height**2
    return 2 * whole.mass * GRAVITY * height / (whole.mass + about_center / radius**2)


def _stroke(robot: Robot, start: Array, first: Array, second: Array, links: tuple[str, ...], azimuth: float) -> Stroke:
    """Tabulate the collision points of links, turned so that the leg points along x."""
    openings = np.linspace(0.0, 1.0, SAMPLES)
    back = so3.from_rpy((0.0, 0.0, -azimuth))
    rows = []
    for opening in openings:
        q = start + min(1.0, 2 * opening) * first + max(0.0, 2 * opening - 1) * second
        poses = robot.link_poses(dict(zip(robot.joint_names, q, strict=True)))
        cloud, radii = [], []
        for link in links:
            for collision in robot.link(link).collisions:
                pose = poses[link] @ collision.pose
                match collision.geometry:
                    case Mesh() as mesh:
                        local, size = hull(mesh)[0], 0.0
                    case Sphere(size):
                        local = np.zeros((1, 3))
                    case other:
                        raise BadInput(f"link {link!r}: a leg of the ball is made of meshes and spheres, not {other}")
                cloud.append((local @ pose.rotation.T + pose.translation) @ back.T)
                radii.append(np.full(len(local), size))
        rows.append(np.concatenate(cloud))
    keep = _outer(np.array(rows))
    return Stroke(openings, np.ascontiguousarray(np.array(rows)[:, keep]), np.concatenate(radii)[keep])


def _outer(points: Array) -> NDArray[np.bool_]:
    """Which points can ever touch a floor: those on the outside of the closed ball, (p,) bool."""
    away = np.linalg.norm(points[0], axis=1)
    outer: NDArray[np.bool_] = away > away.max() - SKIN
    return outer
