"""Batched ray casting against collision shapes, for engines without a fast one of their own.

A `Raycaster` is built once from the actors of an engine; every cast takes the present poses of their bodies. Shapes
are met analytically, meshes and height maps by their triangles (meshes by their convex hull on moving bodies).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante.description.mesh import triangles as meshes
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere
from andante.errors import BadInput
from andante.geometry import Array

from . import _ray_kernels as kernels
from .state import RayHits
from .tree import BodyTree


class Placed(Protocol):
    """What the caster needs of an actor."""

    @property
    def tree(self) -> BodyTree:
        """The bodies and their shapes."""
        ...

    @property
    def fixed(self) -> bool:
        """Whether the root body never moves (its meshes keep their hollows)."""
        ...


class Raycaster:
    """Rays against the collision shapes of placed robots."""

    def __init__(self, actors: Iterable[Placed]) -> None:
        shapes = [
            (actor, offset + b, shape, placed.fixed and b == 0)
            for (actor, placed), offset in _with_offsets(actors)
            for b, body in enumerate(placed.tree.bodies)
            for shape in body.shapes
        ]
        count = len(shapes)
        self._kind, self._sizes = np.zeros(count, dtype=np.int64), np.zeros((count, 3))
        self._middle, self._radius = np.zeros((count, 3)), np.full(count, math.inf)
        self._spans = np.zeros((count, 3), dtype=np.int64)  # first node, inner nodes, first triangle
        node_blocks: list[Array] = []
        corner_blocks: list[Array] = []
        nodes = corners = 0
        for i, (_, _, shape, static) in enumerate(shapes):
            kind, sizes, radius = _primitive(shape.geometry)
            self._kind[i], self._sizes[i], self._radius[i] = kind, sizes, radius
            if kind == kernels.TRIANGLES:
                vertices, faces = shape_triangles(shape.geometry, static)
                boxes, ordered, inner = bounding_tree(vertices[faces])
                self._spans[i] = nodes, inner, corners
                node_blocks.append(boxes)
                corner_blocks.append(ordered)
                nodes, corners = nodes + len(boxes), corners + len(ordered)
                self._middle[i] = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
                self._radius[i] = float(np.linalg.norm(vertices - self._middle[i], axis=1).max()) * (1 + 1e-12)
        self._nodes = np.concatenate(node_blocks) if node_blocks else np.zeros((1, 6))
        self._corners = np.concatenate(corner_blocks) if corner_blocks else np.zeros((1, 3, 3))
        self._actor = np.array([actor for actor, _, _, _ in shapes], dtype=int)
        self._link = np.array([shape.link for _, _, shape, _ in shapes], dtype=int)
        self._body = np.array([body for _, body, _, _ in shapes], dtype=np.int64)
        local = np.array([shape.pose.matrix for _, _, shape, _ in shapes]).reshape(-1, 4, 4)
        self._local_r, self._local_t = local[:, :3, :3].copy(), local[:, :3, 3].copy()
        self._R, self._t, self._centre = np.zeros((count, 3, 3)), np.zeros((count, 3)), np.zeros((count, 3))

    def cast(
        self,
        body_poses: Sequence[ArrayLike],
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: float,
        ignore: int | None = None,
    ) -> RayHits:
        """First hits of rays (n, 3) within `max_range` [m].

        `body_poses` holds one (bodies, 7) array per actor, x y z qx qy qz qw in the world; directions are normalised;
        `ignore` leaves out an actor. One origin for all rays is spread over them.
        """
        o, d = ray_arrays(origins, directions)
        self.place(np.concatenate([np.zeros((0, 7)), *(np.asarray(p, dtype=float).reshape(-1, 7) for p in body_poses)]))
        skip = np.zeros(len(self._kind), dtype=bool) if ignore is None else self._actor == ignore
        distance, which = self.nearest(o, d, max_range, skip)
        hit = which >= 0
        actor, link = np.full(len(o), -1), np.full(len(o), -1)
        actor[hit], link[hit] = self._actor[which[hit]], self._link[which[hit]]
        return RayHits(distance, actor, link)

    # ---- the parts of a cast, for those who cast often -------------------------------------------
    @property
    def shape_bodies(self) -> np.ndarray:
        """Body of each shape, counted through all actors in order (shapes,)."""
        return self._body

    def place(self, poses: Array) -> None:
        """Put the shapes where the bodies of all actors are, (bodies, 7)."""
        kernels.place(poses, self._body, self._local_r, self._local_t, self._middle, self._R, self._t, self._centre)

    def within(self, point: Array, reach: float) -> np.ndarray:
        """Which shapes may come within a distance [m] of a point (3,): by their bounding spheres, (shapes,) of bool."""
        return kernels.within(self._centre, self._radius, point, float(reach))

    def nearest(
        self, origins: Array, directions: Array, max_range: float, skip: np.ndarray
    ) -> tuple[Array, np.ndarray]:
        """Distances (n,) and shapes (n,) that rays from origins along unit directions (n, 3) meet; inf and -1: none.

        Shapes are where `place` put them; those marked in `skip` (shapes,) are not there.
        """
        distance, which = np.full(len(origins), math.inf), np.full(len(origins), -1, dtype=np.int64)
        if len(self._kind) and len(origins):
            kernels.cast(
                origins, directions, float(max_range), skip,
                self._kind, self._sizes, self._R, self._t, self._centre, self._radius,
                self._spans, self._nodes, self._corners,
                distance, which,
            )  # fmt: skip
        return distance, which


def ray_arrays(origins: ArrayLike, directions: ArrayLike) -> tuple[Array, Array]:
    """Origins and unit directions of rays, both (n, 3), contiguous; refuses what is not finite or has no direction."""
    o, d = np.atleast_2d(np.asarray(origins, dtype=float)), np.atleast_2d(np.asarray(directions, dtype=float))
    if o.shape[-1] != 3 or d.shape[-1] != 3 or o.ndim != 2 or d.ndim != 2 or len(o) not in (1, len(d)):
        raise BadInput(f"rays need origins and directions of shape (n, 3), got {o.shape} and {d.shape}")
    norm = np.linalg.norm(d, axis=1, keepdims=True)
    if not (np.isfinite(o).all() and np.isfinite(norm).all() and (norm > 0).all()):
        raise BadInput("ray origins and directions must be finite, and no direction may be zero")
    return np.ascontiguousarray(np.broadcast_to(o, d.shape)), d / norm


def shape_triangles(geometry: Geometry, static: bool) -> tuple[Array, np.ndarray]:
    """Vertices (n, 3) [m] and faces (m, 3) of a mesh or height map; a mesh that moves gives its convex hull."""
    if isinstance(geometry, Mesh):
        return meshes.triangles(geometry) if static else meshes.hull(geometry)
    if isinstance(geometry, Heightmap):
        return heightmap_triangles(geometry)
    raise BadInput(f"a {type(geometry).__name__} has no triangles")


def heightmap_triangles(field: Heightmap) -> tuple[Array, np.ndarray]:
    """Surface of a height map: every cell is cut from its (-x, -y) corner to its (+x, +y) corner."""
    z = np.asarray(field.heights, dtype=float)
    if z.ndim != 2 or min(z.shape) < 2:
        raise BadInput(f"a height map needs at least 2 rows and 2 columns of equal length, got shape {z.shape}")
    rows, columns = z.shape
    x = np.linspace(-field.size[0] / 2, field.size[0] / 2, columns)
    y = np.linspace(-field.size[1] / 2, field.size[1] / 2, rows)
    vertices = np.stack([np.tile(x, rows), np.repeat(y, columns), z.ravel()], axis=1)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.stack([corner, corner + 1, corner + columns + 1], axis=1)
    upper = np.stack([corner, corner + columns + 1, corner + columns], axis=1)
    return vertices, np.concatenate([lower, upper])


def bounding_tree(triangles: Array) -> tuple[Array, Array, int]:
    """Boxes (nodes, 6), triangles (leaves * LEAF, 3, 3) in leaf order, and the number of inner nodes.

    The triangles are sorted along a Morton curve through their centres and cut into leaves; the tree above is a
    complete binary one (children of i: 2i + 1 and 2i + 2), padded with boxes that nothing enters.
    """
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    centre = (low + high) / 2
    extent = np.maximum(np.ptp(centre, axis=0), 1e-300)
    cell = np.clip((centre - centre.min(axis=0)) / extent * 1023, 0, 1023).astype(np.int64)
    code = np.zeros(len(triangles), dtype=np.int64)
    for bit in range(10):
        for axis in range(3):
            code |= ((cell[:, axis] >> bit) & 1) << (3 * bit + axis)
    order = np.argsort(code, kind="stable")
    leaves = 1 << max(0, math.ceil(math.log2(max(1, math.ceil(len(order) / kernels.LEAF)))))
    ordered = np.full((leaves * kernels.LEAF, 3, 3), np.nan)
    ordered[: len(order)] = triangles[order]
    empty = np.isnan(ordered[:, 0, 0])
    lows = np.where(empty[:, None], math.inf, ordered.min(axis=1)).reshape(leaves, kernels.LEAF, 3).min(axis=1)
    highs = np.where(empty[:, None], -math.inf, ordered.max(axis=1)).reshape(leaves, kernels.LEAF, 3).max(axis=1)
    levels = [np.concatenate([lows, highs], axis=1)]
    while len(levels[0]) > 1:
        pairs = levels[0].reshape(-1, 2, 6)
        levels.insert(0, np.concatenate([pairs[:, :, :3].min(axis=1), pairs[:, :, 3:].max(axis=1)], axis=1))
    return np.concatenate(levels), ordered, leaves - 1


def _with_offsets(actors: Iterable[Placed]) -> Iterable[tuple[tuple[int, Placed], int]]:
    offset = 0
    for pair in enumerate(actors):
        yield pair, offset
        offset += len(pair[1].tree.bodies)


def _primitive(geometry: Geometry) -> tuple[int, tuple[float, float, float], float]:
    """Kind, sizes and bounding radius of a shape for the kernels."""
    match geometry:
        case Box(size=(x, y, z)):
            return kernels.BOX, (x / 2, y / 2, z / 2), math.sqrt(x * x + y * y + z * z) / 2 * (1 + 1e-12)
        case Sphere(radius=r):
            return kernels.SPHERE, (r, 0.0, 0.0), r * (1 + 1e-12)
        case Cylinder(radius=r, length=length):
            return kernels.CYLINDER, (r, length / 2, 0.0), math.hypot(r, length / 2) * (1 + 1e-12)
        case Capsule(radius=r, length=length):
            return kernels.CAPSULE, (r, length / 2, 0.0), (r + length / 2) * (1 + 1e-12)
        case Ellipsoid(radii=radii):
            return kernels.ELLIPSOID, radii, max(radii) * (1 + 1e-12)
        case Plane(normal=normal):
            unit = np.asarray(normal, dtype=float) / np.linalg.norm(normal)
            return kernels.PLANE, (float(unit[0]), float(unit[1]), float(unit[2])), math.inf
        case _:
            return kernels.TRIANGLES, (0.0, 0.0, 0.0), math.inf
