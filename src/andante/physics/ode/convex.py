"""Contacts that this ODE does badly or not at all: convex hulls, cylinders on cylinders and capsules.

ODE here has no convex geom, and its triangle meshes against planes, boxes and each other give crowds of points with
odd normals. Such pairs are kept from ODE and met here as polytopes; spheres, capsules and cylinders on hulls are left
to ODE's triangle meshes, which do them well. Hulls of more than `MAX_CORNERS` corners are thinned to the outermost
corners in evenly spread directions; cylinders and capsules stand as prisms and hulls of spheres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane
from andante.geometry import Array
from andante.physics.rays import ellipsoid_triangles, shape_triangles

from . import convex_kernels as kernels
from .build import SUBDIVISIONS

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
    keys = np.column_stack([np.repeat(plane, 3), sides])
    lines, times = np.unique(keys, axis=0, return_counts=True)
    lines = np.unique(lines[times == 1][:, 1:], axis=0)  # a side inside a face belongs to it twice
    ways = points[lines[:, 1]] - points[lines[:, 0]]
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    edges = ways[np.unique(_alike(ways, signed=False), return_index=True)[1]]
    return Polytope(points[hull.vertices], normals, edges)


def _alike(units: Array, signed: bool) -> np.ndarray:
    """For each unit vector the first one of nearly the same direction (or, unsigned, of the same line)."""
    cosine = units @ units.T
    first: np.ndarray = np.argmax((cosine if signed else np.abs(cosine)) > 1 - 1e-6, axis=1)
    return first


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
            ends = np.repeat([-length / 2, length / 2], SIDES)
            return np.column_stack([np.tile(ring, (2, 1)), ends])
        case Capsule(radius=radius, length=length):
            ball = _directions() * radius
            capsule: Array = ball + np.where(ball[:, 2:] > 0, 1.0, -1.0) * [0.0, 0.0, length / 2]
            return capsule
        case Ellipsoid(radii=radii):
            return ellipsoid_triangles(radii, SUBDIVISIONS)[0]
        case _:
            return shape_triangles(geometry, False)[0]


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
            [(k, i) if self.kind[local[i]] != kernels.POLYTOPE else (i, k) for i, k in pairs],
            dtype=np.int64,
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
            if self.kind[i] == kernels.MESH:
                vertices, faces = shape_triangles(geometry, True)
                triangles.append(vertices[faces])
                self.spans[i, :2] = counts[3], len(faces)
                counts[3] += len(faces)
                points = vertices
            elif self.kind[i] == kernels.HALF_SPACE:
                assert isinstance(geometry, Plane)
                normals.append(np.asarray(geometry.normal)[None] / np.linalg.norm(geometry.normal))
                self.spans[i, 2:4] = counts[1], 1
                counts[1] += 1
                continue
            else:
                shape = known.setdefault(id(geometry), polytope(shape_points(geometry)))
                self.spans[i] = (
                    counts[0],
                    len(shape.corners),
                    counts[1],
                    len(shape.normals),
                    counts[2],
                    len(shape.edges),
                )
                for block, rows, k in (
                    (corners, shape.corners, 0),
                    (normals, shape.normals, 1),
                    (edges, shape.edges, 2),
                ):
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
        count = kernels.collide(
            self._local_pairs, self._guesses, self.kind, self.spans, self.corners, self.normals, self.edges,
            poses, self.center, self.radius, self.triangles, self._hits, self._points,
        )  # fmt: skip
        return self._hits[:count], self._points[:count]


def _kind(geometry: Geometry, free: bool) -> int:
    if isinstance(geometry, Plane):
        return kernels.HALF_SPACE
    if isinstance(geometry, Heightmap) or (isinstance(geometry, Mesh) and not free):
        return kernels.MESH
    return kernels.POLYTOPE
