"""Contacts that this ODE does badly or not at all: convex hulls, cylinders on cylinders and capsules.

ODE here has no convex geom, and its triangle meshes against planes, boxes and each other give crowds of points with
odd normals. Such pairs are kept from ODE and met here as polytopes, with the corners of the patch where they touch
(`patches`); spheres, capsules and cylinders on hulls are left to ODE's triangle meshes, which do them well. Hulls of
more than `MAX_CORNERS` corners are thinned to the outermost corners in evenly spread directions; cylinders and
capsules stand as prisms and hulls of spheres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from andante.compiling import njit
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane
from andante.geometry import Array
from andante.physics.rays import ellipsoid_triangles, shape_triangles

from .build import SUBDIVISIONS
from .patches import MOST_POINTS, below, copy3, reach, touch

MAX_CORNERS = 96
SIDES = 20  # of the prism that stands for a cylinder
MAX_CONTACTS = 1024


def is_own(a: Geometry, b: Geometry, a_free: bool, b_free: bool) -> bool:
    """Whether a pair of shapes is met here and not by ODE."""
    hull_a, hull_b = _is_hull(a, a_free), _is_hull(b, b_free)
    if hull_a or hull_b:
        other = b if hull_a else a
        return (hull_a and hull_b) or isinstance(other, (Box, Plane, Mesh, Heightmap, Ellipsoid))
    kinds = {type(a), type(b)}
    return kinds in ({Cylinder}, {Cylinder, Capsule})


def _is_hull(geometry: Geometry, free: bool) -> bool:
    return isinstance(geometry, Ellipsoid) or (isinstance(geometry, Mesh) and free)


@dataclass(frozen=True)
class Polytope:
    """Corners, outward face normals and edge directions, without repetitions."""

    corners: Array
    normals: Array
    edges: Array


def polytope(points: Array) -> Polytope:
    """Convex hull of points; flat or thin ones are thickened by a thousandth of their size."""
    points = np.asarray(points, dtype=float)
    if len(points) > MAX_CORNERS:
        points = points[np.unique(np.argmax(_directions() @ points.T, axis=1))]
    try:
        hull = ConvexHull(points)
    except QhullError:
        size = max(float(np.ptp(points, axis=0).max()), 1e-6) * 5e-4
        offsets = size * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        points = (points[:, None] + offsets).reshape(-1, 3)
        hull = ConvexHull(points)
    plane = _alike(hull.equations[:, :3], signed=True)
    normals = hull.equations[np.unique(plane, return_index=True)[1], :3]
    sides = np.sort(hull.simplices[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    lines, times = np.unique(np.column_stack([np.repeat(plane, 3), sides]), axis=0, return_counts=True)
    lines = np.unique(lines[times == 1][:, 1:], axis=0)  # a side inside a face belongs to it twice
    ways = points[lines[:, 1]] - points[lines[:, 0]]
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    edges = ways[np.unique(_alike(ways, signed=False), return_index=True)[1]]
    return Polytope(points[hull.vertices], normals, edges)


def _alike(units: Array, signed: bool) -> np.ndarray:
    """For each unit vector the first one of nearly the same direction (or, unsigned, of the same line)."""
    cosine = units @ units.T
    return np.asarray(np.argmax((cosine if signed else np.abs(cosine)) > 1 - 1e-6, axis=1))


def _directions() -> Array:
    """Evenly spread unit vectors, as many as corners are kept (golden spiral)."""
    i = np.arange(MAX_CORNERS) + 0.5
    z, angle = 1 - 2 * i / MAX_CORNERS, math.pi * (1 + math.sqrt(5)) * i
    r = np.sqrt(1 - z * z)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def shape_points(geometry: Geometry) -> Array:
    """Points whose hull stands for a shape."""
    match geometry:
        case Box(size=size):
            return np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
        case Cylinder(radius=radius, length=length):
            angle = 2 * math.pi * np.arange(SIDES) / SIDES
            mean = radius * (1 + 1 / math.cos(math.pi / SIDES)) / 2  # between the prism inside and the one around
            ring = mean * np.stack([np.cos(angle), np.sin(angle)], axis=1)
            return np.column_stack([np.tile(ring, (2, 1)), np.repeat([-length / 2, length / 2], SIDES)])
        case Capsule(radius=radius, length=length):
            ball = _directions() * radius
            return np.asarray(ball + np.where(ball[:, 2:] > 0, 1.0, -1.0) * [0.0, 0.0, length / 2])
        case Ellipsoid(radii=radii):
            return ellipsoid_triangles(radii, SUBDIVISIONS)[0]
        case _:
            return shape_triangles(geometry, False)[0]


HALF_SPACE, POLYTOPE, MESH = range(3)
EDGE_BIAS = 0.95  # an axis of two edges must be this much better than that of a face
EDGE_AXES = 4096  # pairs of edges beyond which only face normals are tested (round hulls)


@njit(error_model="numpy")
def rotate(q: Array, v: Array, out: Array) -> None:
    """v turned by the quaternion x y z w."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    out[0] = v[0] + w * tx + y * tz - z * ty
    out[1] = v[1] + w * ty + z * tx - x * tz
    out[2] = v[2] + w * tz + x * ty - y * tx


@njit(error_model="numpy")
def place_shapes(
    position: np.ndarray, quaternion: np.ndarray, owner: np.ndarray, offset: Array, turn: Array, poses: Array
) -> None:
    """Poses x y z qx qy qz qw of shapes on bodies (quaternions of bodies w first); owner -1 keeps its pose."""
    q = np.empty(4)
    for s in range(len(owner)):
        if owner[s] < 0:
            continue
        b, h = position[owner[s]], quaternion[owner[s]]
        q[0], q[1], q[2], q[3] = h[1], h[2], h[3], h[0]
        rotate(q, offset[s], poses[s, :3])
        for k in range(3):
            poses[s, k] += b[k]
        x, y, z, w = turn[s, 0], turn[s, 1], turn[s, 2], turn[s, 3]
        poses[s, 3] = q[3] * x + q[0] * w + q[1] * z - q[2] * y
        poses[s, 4] = q[3] * y - q[0] * z + q[1] * w + q[2] * x
        poses[s, 5] = q[3] * z + q[0] * y - q[1] * x + q[2] * w
        poses[s, 6] = q[3] * w - q[0] * x - q[1] * y - q[2] * z


@njit(error_model="numpy")
def least_overlap(
    a: Array, a_normals: Array, a_edges: Array, b: Array, b_normals: Array, b_edges: Array, guess: Array, best_n: Array
) -> float:
    """Least overlap of two polytopes over all separating axes, negative when they are apart.

    `best_n` is filled with the axis, from B to A. `guess` is tried first and replaced by the axis that separated.
    """
    n = np.empty(3)
    low, _ = reach(a, guess)
    _, high = reach(b, guess)
    if high < low:
        copy3(guess, best_n)
        return high - low
    best = math.inf
    for side in range(2):
        normals = b_normals if side == 0 else a_normals
        sign = 1.0 if side == 0 else -1.0
        for i in range(len(normals)):
            for k in range(3):
                n[k] = sign * normals[i, k]
            low, _ = reach(a, n)
            _, high = reach(b, n)
            depth = high - low
            if depth < best:
                best = depth
                copy3(n, best_n)
                if depth < 0:
                    copy3(n, guess)
                    return depth
    if len(a_edges) * len(b_edges) > EDGE_AXES:
        return best
    for i in range(len(a_edges)):
        for j in range(len(b_edges)):
            e, f = a_edges[i], b_edges[j]
            n[0], n[1], n[2] = e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]
            length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            if length < 1e-4:
                continue
            for k in range(3):
                n[k] /= length
            a_low, a_high = reach(a, n)
            b_low, b_high = reach(b, n)
            depth, sign = b_high - a_low, 1.0
            if a_high - b_low < depth:
                depth, sign = a_high - b_low, -1.0
            if depth < 0 or depth < best * EDGE_BIAS - 1e-6:
                best = depth
                for k in range(3):
                    best_n[k] = sign * n[k]
                if depth < 0:
                    copy3(best_n, guess)
                    return depth
    return best


@njit(error_model="numpy")
def collide(
    pairs: np.ndarray, guesses: Array, kind: np.ndarray, spans: np.ndarray, corners: Array, normals: Array,
    edges: Array, poses: Array, center: Array, radius: Array, triangle: Array, hits: np.ndarray, points: Array,
) -> int:  # fmt: skip
    """Contacts of all pairs: `hits` gets the pair of each point, `points` x y z, normal, depth. Gives their number.

    `spans` holds first and number of corners, normals and edges of each shape (for a mesh: of its triangles in
    `triangle`, already in the world); `poses` are x y z qx qy qz qw of the shapes.
    """
    world = np.empty((len(corners), 3))
    turned = np.empty((len(normals), 3))
    along = np.empty((len(edges), 3))
    middle = np.empty((len(kind), 3))
    for s in range(len(kind)):
        q = poses[s, 3:]
        rotate(q, center[s], middle[s])
        for k in range(3):
            middle[s, k] += poses[s, k]
        if kind[s] == MESH:
            continue
        for i in range(spans[s, 0], spans[s, 0] + spans[s, 1]):
            rotate(q, corners[i], world[i])
            for k in range(3):
                world[i, k] += poses[s, k]
        for i in range(spans[s, 2], spans[s, 2] + spans[s, 3]):
            rotate(q, normals[i], turned[i])
        for i in range(spans[s, 4], spans[s, 4] + spans[s, 5]):
            rotate(q, edges[i], along[i])
    total = 0
    n, patch = np.empty(3), np.empty((MOST_POINTS, 4))
    flat, face, sides, first = np.empty((3, 3)), np.empty((1, 3)), np.empty((3, 3)), np.empty(3)
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        A = world[spans[a, 0] : spans[a, 0] + spans[a, 1]]
        if kind[b] == HALF_SPACE:
            copy3(turned[spans[b, 2]], n)
            offset = n[0] * poses[b, 0] + n[1] * poses[b, 1] + n[2] * poses[b, 2]
            height = n[0] * middle[a, 0] + n[1] * middle[a, 1] + n[2] * middle[a, 2] - offset
            if height > radius[a]:
                continue
            total = _write(p, n, patch, below(A, n, offset, patch), hits, points, total)
            continue
        gap = 0.0
        for k in range(3):
            gap += (middle[a, k] - middle[b, k]) ** 2
        if gap > (radius[a] + radius[b]) ** 2:
            continue
        NA = turned[spans[a, 2] : spans[a, 2] + spans[a, 3]]
        EA = along[spans[a, 4] : spans[a, 4] + spans[a, 5]]
        if kind[b] == POLYTOPE:
            B = world[spans[b, 0] : spans[b, 0] + spans[b, 1]]
            NB = turned[spans[b, 2] : spans[b, 2] + spans[b, 3]]
            EB = along[spans[b, 4] : spans[b, 4] + spans[b, 5]]
            depth = least_overlap(A, NA, EA, B, NB, EB, guesses[p], n)
            if depth > 0:
                total = _write(p, n, patch, touch(A, B, n, depth, patch), hits, points, total)
            continue
        for t in range(spans[b, 0], spans[b, 0] + spans[b, 1]):
            for k in range(3):
                rotate(poses[b, 3:], triangle[t, k], flat[k])
                for c in range(3):
                    flat[k, c] += poses[b, c]
            far = False
            for c in range(3):
                low, high = min(flat[0, c], flat[1, c], flat[2, c]), max(flat[0, c], flat[1, c], flat[2, c])
                far = far or low > middle[a, c] + radius[a] or high < middle[a, c] - radius[a]
            if far:
                continue
            for k in range(3):
                for c in range(3):
                    sides[k, c] = flat[(k + 1) % 3, c] - flat[k, c]
            face[0, 0] = sides[0, 1] * sides[1, 2] - sides[0, 2] * sides[1, 1]
            face[0, 1] = sides[0, 2] * sides[1, 0] - sides[0, 0] * sides[1, 2]
            face[0, 2] = sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0]
            size = math.sqrt(face[0, 0] ** 2 + face[0, 1] ** 2 + face[0, 2] ** 2)
            if size < 1e-14:
                continue
            for c in range(3):
                face[0, c] /= size
            copy3(face[0], first)
            depth = least_overlap(A, NA, EA, flat, face, sides, first, n)
            if depth > 0 and n[0] * face[0, 0] + n[1] * face[0, 1] + n[2] * face[0, 2] > 0.7:
                low, _ = reach(A, face[0])
                _, high = reach(flat, face[0])
                total = _write(p, face[0], patch, touch(A, flat, face[0], high - low, patch), hits, points, total)
    return total


@njit(error_model="numpy")
def _write(pair: int, n: Array, patch: Array, count: int, hits: np.ndarray, points: Array, total: int) -> int:
    for i in range(count):
        if total == len(hits):
            return total
        hits[total] = pair
        for k in range(3):
            points[total, k], points[total, 3 + k] = patch[i, k], n[k]
        points[total, 6] = patch[i, 3]
        total += 1
    return total


class ConvexPairs:
    """The pairs of a scene that are met here."""

    def __init__(self, geometries: Sequence[Geometry], free: np.ndarray, allowed: np.ndarray) -> None:
        pairs = [
            (i, k)
            for i in range(len(geometries))
            for k in range(i + 1, len(geometries))
            if allowed[i, k] and is_own(geometries[i], geometries[k], bool(free[i]), bool(free[k]))
        ]
        self.geoms = sorted({g for pair in pairs for g in pair})
        local = {g: i for i, g in enumerate(self.geoms)}
        self.kind = np.array([_kind(geometries[g], bool(free[g])) for g in self.geoms], dtype=np.int64)
        # side A is a polytope always; half spaces and meshes are side B
        self.pairs = np.array(
            [(k, i) if self.kind[local[i]] != POLYTOPE else (i, k) for i, k in pairs], dtype=np.int64
        ).reshape(-1, 2)
        self._local_pairs = np.array([[local[int(a)], local[int(b)]] for a, b in self.pairs], dtype=np.int64)
        self._local_pairs = self._local_pairs.reshape(-1, 2)
        self._guesses = np.tile([0.0, 0.0, 1.0], (len(self.pairs), 1))
        self.spans = np.zeros((len(self.geoms), 6), dtype=np.int64)
        self.center, self.radius = np.zeros((len(self.geoms), 3)), np.full(len(self.geoms), math.inf)
        corners, normals, edges, triangles = [np.zeros((0, 3))], [np.zeros((0, 3))], [np.zeros((0, 3))], []
        known: dict[int, Polytope] = {}
        counts = [0, 0, 0, 0]
        for i, g in enumerate(self.geoms):
            geometry = geometries[g]
            if self.kind[i] == MESH:
                vertices, faces = shape_triangles(geometry, True)
                triangles.append(vertices[faces])
                self.spans[i, :2] = counts[3], len(faces)
                counts[3] += len(faces)
                points = vertices
            elif self.kind[i] == HALF_SPACE:
                assert isinstance(geometry, Plane)
                normals.append(np.asarray(geometry.normal)[None] / np.linalg.norm(geometry.normal))
                self.spans[i, 2:4] = counts[1], 1
                counts[1] += 1
                continue
            else:
                shape = known.setdefault(id(geometry), polytope(shape_points(geometry)))
                parts = ((corners, shape.corners), (normals, shape.normals), (edges, shape.edges))
                for k, (block, rows) in enumerate(parts):
                    self.spans[i, 2 * k : 2 * k + 2] = counts[k], len(rows)
                    block.append(rows)
                    counts[k] += len(rows)
                points = shape.corners
            self.center[i] = (points.min(axis=0) + points.max(axis=0)) / 2
            self.radius[i] = float(np.linalg.norm(points - self.center[i], axis=1).max())
        self.corners, self.normals, self.edges = np.concatenate(corners), np.concatenate(normals), np.concatenate(edges)
        self.triangles = np.concatenate(triangles) if triangles else np.zeros((0, 3, 3))
        self._hits, self._points = np.zeros(MAX_CONTACTS, dtype=np.int64), np.zeros((MAX_CONTACTS, 7))

    def contacts(self, poses: Array) -> tuple[np.ndarray, Array]:
        """Pairs (n,) as rows of `pairs`, and points (n, 7): position, normal from B to A, depth.

        `poses` (geoms, 7) are those of the shapes `geoms`, x y z qx qy qz qw.
        """
        count = collide(
            self._local_pairs, self._guesses, self.kind, self.spans, self.corners, self.normals, self.edges,
            poses, self.center, self.radius, self.triangles, self._hits, self._points,
        )  # fmt: skip
        return self._hits[:count], self._points[:count]


def _kind(geometry: Geometry, free: bool) -> int:
    if isinstance(geometry, Plane):
        return HALF_SPACE
    if isinstance(geometry, Heightmap) or (isinstance(geometry, Mesh) and not free):
        return MESH
    return POLYTOPE
