"""Are all mesh files there, readable and of a sensible size, and do shapes of links that are no neighbors overlap?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from andante.description import Geometry, Heightmap, JointType, Mesh, Plane, Problem, Robot, Severity
from andante.description.mesh.triangles import mesh_remedy, triangles
from andante.description.solids import bounds, support_point
from andante.errors import AndanteError
from andante.geometry import SE3, Array

HUGE = 20.0  # [m]
TINY = 0.001  # [m]
OUTSIZED = 30.0  # times as large as the robot
SMALLEST_OUTSIZED = 2.0  # [m]
MANY_FACES = 200_000
MAX_REPORTED = 12
MAX_COUNTED = 200  # pairs after which the search ends
TOUCHING = 1e-4  # shapes are shrunk by this much: touching is not overlapping [m]


def mesh_problems(robot: Robot) -> Iterator[Problem]:
    """Missing, broken and suspicious meshes."""
    limit = largest_mesh(robot)
    for link in robot.links:
        for role, shape in [("visual", v) for v in link.visuals] + [("collision", c) for c in link.collisions]:
            if not isinstance(shape.geometry, Mesh):
                continue
            mesh = shape.geometry
            told = f"link {link.name!r}: {role} mesh {mesh.uri!r}"
            warning = partial(Problem, Severity.WARNING, source=link.source)
            try:
                vertices, faces = triangles(mesh)
            except AndanteError as error:
                missing = mesh.path is None
                fault = f"was not found; {mesh_remedy(mesh, link.source)}" if missing else f"cannot be used: {error}"
                severity = Severity.WARNING if role == "visual" and not missing else Severity.ERROR
                yield Problem(severity, f"{told} {fault}", link.source)
                continue
            size = float(np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0)))
            if size > limit:
                yield warning(f"{told} {outsized_told(size)}")
            elif size < TINY:
                yield warning(f"{told} measures {1000 * size:.2g} mm; was a mesh in metres scaled by 0.001?")
            if len(faces) > MANY_FACES:
                yield warning(f"{told} has {len(faces)} triangles; a lighter one draws faster")


def largest_mesh(robot: Robot) -> float:
    """Size beyond which a mesh is taken for one in millimeters [m]: far larger than what its joints span."""
    places = np.array([pose.translation for pose in robot.link_poses().values()])
    span = float(np.linalg.norm(np.ptp(places, axis=0)))
    return min(HUGE, max(OUTSIZED * span, SMALLEST_OUTSIZED)) if span > TINY else HUGE


def outsized_told(size: float) -> str:
    """What is said of a mesh of that size [m]."""
    return f'measures {size:.3g} m; in millimeters? write scale="0.001 0.001 0.001" beside its name'


def is_outsized(geometry: Geometry, limit: float) -> bool:
    """Whether a shape is a mesh beyond that size: what else is said of it would only follow from that."""
    return mesh_size(geometry) > limit


def mesh_size(geometry: Geometry) -> float:
    """Diagonal of the box around a mesh [m]; 0 for other shapes and meshes that cannot be read."""
    if not isinstance(geometry, Mesh) or geometry.path is None:
        return 0.0
    try:
        low, high = bounds(geometry, SE3.identity())
    except AndanteError:
        return 0.0
    return float(np.linalg.norm(high - low))


def overlap_problems(robot: Robot) -> Iterator[Problem]:
    """One line per pair of links; neighbors over one joint and pairs that never collide are left out.

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
    return Problem(
        Severity.WARNING if robot.self_collide else Severity.INFO,
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
