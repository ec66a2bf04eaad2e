"""Soles: the flat undersides of feet, found in their collision shapes."""

from __future__ import annotations

import math

import numpy as np

from andante.description import JointType, Robot
from andante.description.shapes import Heightmap, Plane
from andante.description.solids import surface
from andante.errors import AndanteError, BadInput
from andante.geometry import SE3, Array, so3
from andante.geometry.hull import convex_hull

FLAT = 3e-3  # corners of a foot this near to its lowest belong to the sole [m]
ALIKE, FLUSH = 0.999, 1.0 - 1e-8  # cosine between faces of a sole, and between parts of one face
FACE = 0.3  # a face this large is the sole of a foot, in its outline seen from above


def foot_body(robot: Robot, foot: str) -> str:
    """The first of the links that are welded into one body with a foot: that which the last joint carries."""
    while (joint := robot.parent_joint(foot)) is not None and joint.type is JointType.FIXED:
        foot = joint.parent
    return foot


def foot_corners(robot: Robot, foot: str) -> Array:
    """Corners (n, 3) of all collision shapes of a foot and of what is welded to it, its frame [m]; (0, 3): none."""
    first = foot_body(robot, foot)
    placed, out = {first: SE3.identity()}, [np.zeros((0, 3))]
    for name in robot.welded(first):
        if name != first:
            joint = robot.parent_joint(name)
            assert joint is not None
            placed[name] = placed[joint.parent] @ joint.pose @ joint.joint_from_child
        for shape in robot.link(name).collisions:
            if isinstance(shape.geometry, Plane | Heightmap):
                continue
            try:
                out.append(placed[name] @ shape.pose @ surface(shape.geometry)[0])
            except AndanteError:  # a mesh that cannot be read
                continue
    return placed[foot].inverse() @ np.concatenate(out)


def leveling(points: Array, name: str) -> Array:
    """Shortest rotation (3, 3) that lays the largest face of a foot level, if it faces down within 45 degrees."""
    hull = convex_hull(points)
    if hull is None:
        raise BadInput(f"foot {name!r} has no flat sole; a walk on two legs needs one")
    normals = hull.equations[:, :3]
    corner = points[hull.simplices]
    area = 0.5 * np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    same = (normals @ normals.T > ALIKE) @ area
    down = normals[:, 2] < -math.cos(math.pi / 4)
    same[~down] = 0.0
    if not same.max() > 0:
        raise BadInput(f"foot {name!r} has no face that looks down; a walk on two legs needs a sole")
    like = normals @ normals[int(np.argmax(same))] > ALIKE
    flat = (normals @ normals.T > FLUSH) @ area  # of round feet many are alike: the largest flat one is meant
    best = normals[int(np.argmax(np.where(like, flat, 0.0)))]
    if same.max() < FACE * _area(points @ so3.between(best, (0.0, 0.0, -1.0)).T):  # round: no face is the sole
        ways = np.unique(np.round(normals[down], 3), axis=0)
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        best = max(ways, key=lambda way: _resting_area(points @ so3.between(way, (0.0, 0.0, -1.0)).T))
    return so3.between(best, (0.0, 0.0, -1.0))


def _area(points: Array) -> float:
    """Of the convex hull of points (n, 2 or 3) seen from above [m²]; 0 where they lie on a line."""
    hull = convex_hull(points[:, :2])
    return 0.0 if hull is None else float(hull.volume)


def _resting_area(points: Array) -> float:
    """Of what lies on the ground when points (n, 3) stand on it [m²]."""
    return _area(points[points[:, 2] < points[:, 2].min() + FLAT])
