"""Collision shapes that overlap in the zero pose although their links are no neighbours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from andante.description.extent import bounds, support_point
from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.description.shapes import Geometry, Heightmap, Plane
from andante.description.source import Problem, Severity
from andante.errors import AndanteError
from andante.geometry import SE3, Array

from .meshes import is_outsized, largest_mesh

MAX_REPORTED = 12
MAX_COUNTED = 200  # pairs after which the search ends
TOUCHING = 1e-4  # shapes are shrunk by this much: touching is not overlapping [m]


def overlap_problems(robot: Robot) -> Iterator[Problem]:
    """One line per pair of links; neighbours over one joint and pairs that never collide are left out.

    So are meshes that are far too large: they overlap everything, and the mesh check tells what to do about them.
    """
    limit = largest_mesh(robot)
    poses = robot.link_poses()
    body = _rigid_bodies(robot)
    neighbors = {frozenset((body[j.parent], body[j.child])) for j in robot.joints if j.type is not JointType.FIXED}
    placed: list[tuple[str, Geometry, SE3, Array, Array]] = []
    for link in robot.links:
        for collision in link.collisions:
            if isinstance(collision.geometry, Plane | Heightmap) or is_outsized(collision.geometry, limit):
                continue
            pose = poses[link.name] @ collision.pose
            try:
                low, high = bounds(collision.geometry, pose)
            except AndanteError:
                continue  # the mesh check tells about it
            placed.append((link.name, collision.geometry, pose, low, high))
    if not placed:
        return
    lows, highs = np.array([p[3] for p in placed]), np.array([p[4] for p in placed])
    found: set[frozenset[str]] = set()
    for i, (name, shape, pose, low, high) in enumerate(placed):
        touching = np.all((lows[i + 1 :] < high - TOUCHING) & (highs[i + 1 :] > low + TOUCHING), axis=1)
        for k in np.flatnonzero(touching) + i + 1:
            other, other_shape, other_pose = placed[k][:3]
            ends = frozenset((body[name], body[other]))
            pair = frozenset((name, other))
            if len(ends) == 1 or ends in neighbors or pair in robot.no_collision or pair in found:
                continue
            if shapes_overlap(shape, pose, other_shape, other_pose):
                found.add(pair)
                if len(found) <= MAX_REPORTED:
                    yield _told(robot, name, other)
        if len(found) >= MAX_COUNTED:
            break
    if len(found) > MAX_REPORTED:
        more = f"{len(found) - MAX_REPORTED}{' or more' if len(found) >= MAX_COUNTED else ''}"
        yield Problem(Severity.INFO, f"and {more} other pairs of links overlap", robot.source)


def _told(robot: Robot, name: str, other: str) -> Problem:
    severity = Severity.WARNING if robot.self_collide else Severity.INFO
    return Problem(
        severity,
        f"links {name!r} and {other!r} overlap in the zero pose; with self-collision on they push each other apart; "
        "shrink a shape or list the pair under [collisions] never",
        robot.link(name).source,
    )


def _rigid_bodies(robot: Robot) -> dict[str, str]:
    """Leading link of the rigid body that each link belongs to."""
    lead = {robot.root: robot.root}
    for joint in robot.topological:
        lead[joint.child] = lead[joint.parent] if joint.type is JointType.FIXED else joint.child
    return lead


def shapes_overlap(a: Geometry, a_pose: SE3, b: Geometry, b_pose: SE3, iterations: int = 48) -> bool:
    """Whether two convex shapes share a volume (Gilbert, Johnson, Keerthi 1988, on the Minkowski difference).

    Frank-Wolfe steps towards the origin: the answer is no as soon as a separating direction is found.
    """
    direction = b_pose.translation - a_pose.translation
    if not np.any(direction):
        return True
    simplex: list[Array] = []
    for _ in range(iterations):
        point = _furthest(a, a_pose, direction) - _furthest(b, b_pose, -direction)
        if point @ direction < TOUCHING * np.linalg.norm(direction):
            return False
        simplex.append(point)
        simplex, direction = _nearest(simplex)
        if len(simplex) == 4 or not np.any(direction) or np.linalg.norm(direction) < 1e-9:
            return True
    return True


def _furthest(shape: Geometry, pose: SE3, direction: Array) -> Array:
    """Point of a placed convex shape furthest along a direction."""
    return pose.rotation @ support_point(shape, pose.rotation.T @ direction) + pose.translation


def _nearest(simplex: list[Array]) -> tuple[list[Array], Array]:
    """The face of a simplex nearest to the origin, and the direction from it towards the origin."""
    best: tuple[float, list[Array], Array] | None = None
    count = len(simplex)
    for mask in range(1, 2**count):
        chosen = [simplex[i] for i in range(count) if mask >> i & 1]
        base, edges = chosen[0], np.array([p - chosen[0] for p in chosen[1:]])
        if len(edges):
            weights = np.linalg.lstsq(edges @ edges.T, -edges @ base, rcond=None)[0]
            if (weights < -1e-12).any() or weights.sum() > 1 + 1e-12:
                continue
            nearest = base + weights @ edges
        else:
            nearest = base
        distance = float(nearest @ nearest)
        if best is None or distance < best[0] - 1e-18 or (distance <= best[0] + 1e-18 and len(chosen) < len(best[1])):
            best = (distance, chosen, -nearest)
    assert best is not None
    return best[1], best[2]
