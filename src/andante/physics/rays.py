"""Batched ray casting against collision shapes, for engines without a fast one of their own.

A `Raycaster` is built once from the models of an engine; every cast takes the present poses of their bodies. Shapes
are met analytically, meshes and height maps by their triangles (meshes by their convex hull on moving bodies).

The compiled tests, one per kind of shape, take the ray in the frame of the shape and return the distance to the first
surface point, inf where there is none. A ray that starts inside a solid meets its surface from within; planes are met
from their upper side only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.compiling import njit
from andante.description.mesh.triangles import hull
from andante.description.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere, Vec3
from andante.description.solids import surface
from andante.errors import BadInput
from andante.geometry import Array

from . import rays as kernels
from .state import RayHits
from .tree import BodyTree

BOX, SPHERE, CYLINDER, CAPSULE, ELLIPSOID, PLANE, TRIANGLES = range(7)
LEAF = 4  # triangles in a leaf of a bounding volume tree


@njit()
def _first(enter: float, leave: float) -> float:
    """The first surface of a convex solid that the line is inside of from `enter` to `leave`."""
    if enter > leave or leave < 0.0:
        return math.inf
    return enter if enter >= 0.0 else leave


@njit()
def _slab(o: float, d: float, half: float) -> tuple[float, float]:
    """Where a line is between -half and half along one axis."""
    if d == 0.0:
        if -half <= o <= half:
            return -math.inf, math.inf
        return math.inf, -math.inf
    a, b = (-half - o) / d, (half - o) / d
    return (a, b) if a <= b else (b, a)


@njit()
def _roots(a: float, b: float, c: float) -> tuple[float, float]:
    """Interval where a t^2 + 2 b t + c <= 0; empty as (inf, -inf)."""
    if a <= 1e-300:
        if c <= 0.0:
            return -math.inf, math.inf
        return math.inf, -math.inf
    discriminant = b * b - a * c
    if discriminant < 0.0:
        return math.inf, -math.inf
    q = -(b + math.copysign(math.sqrt(discriminant), b))
    if q == 0.0:
        return 0.0, 0.0
    t1, t2 = q / a, c / q
    return (t1, t2) if t1 <= t2 else (t2, t1)


@njit()
def _ball(ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, radius: float) -> tuple[float, float]:
    """Interval of a line inside a sphere at the origin, measured from the point nearest to it to keep digits."""
    dd = dx * dx + dy * dy + dz * dz
    shift = -(ox * dx + oy * dy + oz * dz) / dd
    px, py, pz = ox + shift * dx, oy + shift * dy, oz + shift * dz
    rest = radius * radius - (px * px + py * py + pz * pz)
    if rest < 0.0:
        return math.inf, -math.inf
    half = math.sqrt(rest / dd)
    return shift - half, shift + half


@njit()
def _solid(kind: int, p: Array, o: Array, d: Array) -> float:
    """Distance to a primitive with sizes p (half edges; radius and half length; radii; normal)."""
    if kind == BOX:
        x0, x1 = _slab(o[0], d[0], p[0])
        y0, y1 = _slab(o[1], d[1], p[1])
        z0, z1 = _slab(o[2], d[2], p[2])
        return _first(max(x0, y0, z0), min(x1, y1, z1))
    if kind == SPHERE:
        t0, t1 = _ball(o[0], o[1], o[2], d[0], d[1], d[2], p[0])
        return _first(t0, t1)
    if kind == ELLIPSOID:
        t0, t1 = _ball(o[0] / p[0], o[1] / p[1], o[2] / p[2], d[0] / p[0], d[1] / p[1], d[2] / p[2], 1.0)
        return _first(t0, t1)
    if kind == PLANE:
        falling = p[0] * d[0] + p[1] * d[1] + p[2] * d[2]
        height = p[0] * o[0] + p[1] * o[1] + p[2] * o[2]
        return -height / falling if falling < 0.0 and height >= 0.0 else math.inf
    side0, side1 = _roots(d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1], o[0] * o[0] + o[1] * o[1] - p[0] * p[0])
    z0, z1 = _slab(o[2], d[2], p[1])
    t0, t1 = max(side0, z0), min(side1, z1)
    if kind == CYLINDER:
        return _first(t0, t1)
    if t0 > t1:
        t0, t1 = math.inf, -math.inf
    for end in (-p[1], p[1]):
        b0, b1 = _ball(o[0], o[1], o[2] - end, d[0], d[1], d[2], p[0])
        t0, t1 = min(t0, b0), max(t1, b1)
    return _first(t0, t1)


@njit()
def _triangle(v: Array, o: Array, d: Array) -> float:
    """Distance to a triangle (3, 3), either side (Möller and Trumbore)."""
    e1x, e1y, e1z = v[1, 0] - v[0, 0], v[1, 1] - v[0, 1], v[1, 2] - v[0, 2]
    e2x, e2y, e2z = v[2, 0] - v[0, 0], v[2, 1] - v[0, 1], v[2, 2] - v[0, 2]
    px, py, pz = d[1] * e2z - d[2] * e2y, d[2] * e2x - d[0] * e2z, d[0] * e2y - d[1] * e2x
    det = e1x * px + e1y * py + e1z * pz
    if det == 0.0:
        return math.inf
    sx, sy, sz = o[0] - v[0, 0], o[1] - v[0, 1], o[2] - v[0, 2]
    u = (sx * px + sy * py + sz * pz) / det
    if not -1e-12 <= u <= 1.0 + 1e-12:
        return math.inf
    qx, qy, qz = sy * e1z - sz * e1y, sz * e1x - sx * e1z, sx * e1y - sy * e1x
    w = (d[0] * qx + d[1] * qy + d[2] * qz) / det
    if w < -1e-12 or u + w > 1.0 + 1e-12:
        return math.inf
    t = (e2x * qx + e2y * qy + e2z * qz) / det
    return t if t >= 0.0 else math.inf


@njit()
def _enters(box: Array, o: Array, d: Array, best: float) -> float:
    """Distance at which a ray enters a bounding box (lows, highs), inf when it misses it or enters beyond `best`."""
    enter, leave = 0.0, best
    for k in range(3):
        low, high = box[k], box[3 + k]
        if d[k] == 0.0:
            if o[k] < low or o[k] > high:
                return math.inf
            continue
        a, b = (low - o[k]) / d[k], (high - o[k]) / d[k]
        if a > b:
            a, b = b, a
        enter, leave = max(enter, a), min(leave, b)
    return enter if enter <= leave * (1 + 1e-12) + 1e-12 else math.inf


@njit()
def _mesh(nodes: Array, corners: Array, first: int, inner: int, o: Array, d: Array, best: float) -> float:
    """Distance to the nearest triangle of a mesh, by its complete binary tree of boxes (children 2i+1, 2i+2)."""
    stack = np.empty(64, dtype=np.int64)
    if _enters(nodes[0], o, d, best) == math.inf:
        return math.inf
    stack[0], top, found = 0, 1, best
    hit = False
    while top > 0:
        top -= 1
        node = stack[top]
        if node >= inner:
            start = first + (node - inner) * LEAF
            for k in range(start, start + LEAF):
                t = _triangle(corners[k], o, d)
                if t <= found:
                    found, hit = t, True
            continue
        left, right = 2 * node + 1, 2 * node + 2
        a, b = _enters(nodes[left], o, d, found), _enters(nodes[right], o, d, found)
        if a > b:
            left, right, a, b = right, left, b, a
        if b != math.inf:
            stack[top] = right
            top += 1
        if a != math.inf:
            stack[top] = left
            top += 1
    return found if hit else math.inf


@njit()
def place(
    poses: Array, body: np.ndarray, local_r: Array, local_t: Array, middle: Array, R: Array, t: Array, center: Array
) -> None:
    """World rotation, position and bounding center of every shape from the poses of the bodies."""
    for s in range(len(body)):
        p = poses[body[s]]
        x, y, z, w = p[3], p[4], p[5], p[6]
        n = 2.0 / (x * x + y * y + z * z + w * w)
        b00, b01, b02 = 1 - n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w)
        b10, b11, b12 = n * (x * y + z * w), 1 - n * (x * x + z * z), n * (y * z - x * w)
        b20, b21, b22 = n * (x * z - y * w), n * (y * z + x * w), 1 - n * (x * x + y * y)
        for k in range(3):
            a0, a1, a2 = local_r[s, 0, k], local_r[s, 1, k], local_r[s, 2, k]
            R[s, 0, k] = b00 * a0 + b01 * a1 + b02 * a2
            R[s, 1, k] = b10 * a0 + b11 * a1 + b12 * a2
            R[s, 2, k] = b20 * a0 + b21 * a1 + b22 * a2
        l0, l1, l2 = local_t[s, 0], local_t[s, 1], local_t[s, 2]
        t[s, 0] = p[0] + b00 * l0 + b01 * l1 + b02 * l2
        t[s, 1] = p[1] + b10 * l0 + b11 * l1 + b12 * l2
        t[s, 2] = p[2] + b20 * l0 + b21 * l1 + b22 * l2
        for k in range(3):
            center[s, k] = t[s, k] + R[s, k, 0] * middle[s, 0] + R[s, k, 1] * middle[s, 1] + R[s, k, 2] * middle[s, 2]


@njit()
def within(center: Array, radius: Array, point: Array, reach: float) -> np.ndarray:
    """Which bounding spheres come within `reach` of a point."""
    out = np.empty(len(radius), dtype=np.bool_)
    for s in range(len(radius)):
        dx, dy, dz = center[s, 0] - point[0], center[s, 1] - point[1], center[s, 2] - point[2]
        limit = reach + radius[s]
        out[s] = dx * dx + dy * dy + dz * dz <= limit * limit
    return out


@njit()
def reachable(center: Array, radius: Array, origins: Array, directions: Array, reach: float) -> np.ndarray:
    """Which bounding spheres a bundle of rays (n, 3) of unit directions may meet nearer than `reach`.

    Spheres beyond the reach of every origin are left out; those beside the narrowest cone around all rays too, where it
    is narrower than a half space. A sphere whose center is at `along` and `across` of the cone's axis lies outside when
    across cos(a) - along sin(a) exceeds its radius, with a the cone's half angle.
    """
    n, spread = len(origins), 0.0
    ax, ay, az = 0.0, 0.0, 0.0
    for i in range(n):
        for k in range(3):
            spread = max(spread, abs(origins[i, k] - origins[0, k]))
        ax, ay, az = ax + directions[i, 0], ay + directions[i, 1], az + directions[i, 2]
    spread *= math.sqrt(3.0)
    cosine, size = -1.0, math.sqrt(ax * ax + ay * ay + az * az)
    if size > 0.1 * n:
        ax, ay, az, cosine = ax / size, ay / size, az / size, 1.0
        for i in range(n):
            cosine = min(cosine, ax * directions[i, 0] + ay * directions[i, 1] + az * directions[i, 2])
        cosine -= 1e-9  # rounding leaves nothing out
    sine = math.sqrt(max(0.0, 1.0 - cosine * cosine))
    out = np.empty(len(radius), dtype=np.bool_)
    for s in range(len(radius)):
        dx, dy, dz = center[s, 0] - origins[0, 0], center[s, 1] - origins[0, 1], center[s, 2] - origins[0, 2]
        limit, away = reach + spread + radius[s], dx * dx + dy * dy + dz * dz
        out[s] = away <= limit * limit
        if out[s] and cosine > 0.0:
            along = dx * ax + dy * ay + dz * az
            across = math.sqrt(max(0.0, away - along * along))
            out[s] = across * cosine - along * sine <= radius[s] + spread
    return out


@njit()
def cast(
    origins: Array, directions: Array, max_range: float, skip: np.ndarray, kind: np.ndarray, sizes: Array, R: Array,
    t: Array, center: Array, radius: Array, spans: np.ndarray, nodes: Array, corners: Array, distance: Array,
    which: np.ndarray,
) -> None:  # fmt: skip
    """Nearest shape of every ray: fills `distance` (inf: nothing) and `which` (-1: nothing).

    A shape is tested only when the ray meets its bounding sphere nearer than what was found before.
    """
    o, d = np.empty(3), np.empty(3)
    there = np.flatnonzero(~skip)
    for i in range(len(origins)):
        gx, gy, gz = origins[i, 0], origins[i, 1], origins[i, 2]
        rx, ry, rz = directions[i, 0], directions[i, 1], directions[i, 2]
        best, found = max_range, -1
        for s in there:
            if radius[s] != math.inf:
                cx, cy, cz = center[s, 0] - gx, center[s, 1] - gy, center[s, 2] - gz
                along = cx * rx + cy * ry + cz * rz
                if along + radius[s] < 0.0 or along - radius[s] > best:
                    continue
                if cx * cx + cy * cy + cz * cz - along * along > radius[s] * radius[s]:
                    continue
            wx, wy, wz = gx - t[s, 0], gy - t[s, 1], gz - t[s, 2]
            for k in range(3):
                o[k] = R[s, 0, k] * wx + R[s, 1, k] * wy + R[s, 2, k] * wz
                d[k] = R[s, 0, k] * rx + R[s, 1, k] * ry + R[s, 2, k] * rz
            if kind[s] == TRIANGLES:
                hit = _mesh(nodes[spans[s, 0] :], corners, spans[s, 2], spans[s, 1], o, d, best)
            else:
                hit = _solid(kind[s], sizes[s], o, d)
            if hit <= best and (hit < best or found < 0):
                best, found = hit, s
        which[i] = found
        distance[i] = best if found >= 0 else math.inf


class Placed(Protocol):
    """What the caster needs of a model."""

    @property
    def tree(self) -> BodyTree:
        """The bodies and their shapes."""

    @property
    def fixed(self) -> bool:
        """Whether the root body never moves (its meshes keep their hollows)."""


class Raycaster:
    """Rays against the collision shapes of placed robots."""

    def __init__(self, models: Iterable[Placed]) -> None:
        shapes = [
            (model, offset + b, shape, placed.fixed and b == 0)
            for (model, placed), offset in _with_offsets(models)
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
        self._model = np.array([model for model, _, _, _ in shapes], dtype=int)
        self._link = np.array([shape.link for _, _, shape, _ in shapes], dtype=int)
        self._body = np.array([body for _, body, _, _ in shapes], dtype=np.int64)
        local = np.array([shape.pose.matrix for _, _, shape, _ in shapes]).reshape(-1, 4, 4)
        self._local_r, self._local_t = local[:, :3, :3].copy(), local[:, :3, 3].copy()
        self._R, self._t, self._center = np.zeros((count, 3, 3)), np.zeros((count, 3)), np.zeros((count, 3))
        self._boxes = np.array(
            [_box(int(kind), sizes) for kind, sizes in zip(self._kind, self._sizes, strict=True)]
        ).reshape(-1, 6)
        triangles = self._kind == kernels.TRIANGLES
        self._boxes[triangles] = self._nodes[self._spans[triangles, 0]]

    def cast(
        self,
        body_poses: Sequence[ArrayLike],
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: float,
        ignore: int | None = None,
    ) -> RayHits:
        """First hits of rays (n, 3) within `max_range` [m].

        `body_poses` holds one (bodies, 7) array per model, x y z qx qy qz qw in the world; directions are normalized;
        `ignore` leaves out a model. One origin for all rays is spread over them.
        """
        o, d = ray_arrays(origins, directions)
        self.place(np.concatenate([np.zeros((0, 7)), *(np.asarray(p, dtype=float).reshape(-1, 7) for p in body_poses)]))
        skip = np.zeros(len(self._kind), dtype=bool) if ignore is None else self._model == ignore
        distance, which = self.nearest(o, d, max_range, skip)
        hit = which >= 0
        model, link = np.full(len(o), -1), np.full(len(o), -1)
        model[hit], link[hit] = self._model[which[hit]], self._link[which[hit]]
        return RayHits(distance, model, link)

    # ---- the parts of a cast, for those who cast often -------------------------------------------
    @property
    def shape_bodies(self) -> np.ndarray:
        """Body of each shape, counted through all models in order (shapes,)."""
        return self._body

    def place(self, poses: Array) -> None:
        """Put the shapes where the bodies of all models are, (bodies, 7)."""
        kernels.place(poses, self._body, self._local_r, self._local_t, self._middle, self._R, self._t, self._center)

    def within(self, point: Array, reach: float) -> np.ndarray:
        """Which shapes may come within a distance [m] of a point (3,): by their bounding spheres, (shapes,) of bool."""
        return kernels.within(self._center, self._radius, point, float(reach))

    def reachable(self, origins: Array, directions: Array, reach: float) -> np.ndarray:
        """Which shapes some rays (n, 3) may meet nearer than `reach` [m], by bounding spheres: (shapes,) of bool."""
        return kernels.reachable(self._center, self._radius, origins, directions, float(reach))

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
                self._kind, self._sizes, self._R, self._t, self._center, self._radius,
                self._spans, self._nodes, self._corners,
                distance, which,
            )  # fmt: skip
        return distance, which

    def depths(
        self, eye: Array, axes: Array, focal: float, size: tuple[int, int], far: float, skip: np.ndarray
    ) -> NDArray[np.float32]:
        """Depths (height, width) [m] that a pinhole camera sees, inf beyond `far` [m]; `skip` as of `nearest`.

        Args:
            eye: place of the camera (3,) [m].
            axes: its axes as rows ahead, left, up (3, 3).
            focal: length [px].
            size: width and height [px].
        """
        from .depth import cast_picture

        depth = np.empty((size[1], size[0]), dtype=np.float32)
        cast_picture(
            np.ascontiguousarray(eye), np.ascontiguousarray(axes), float(focal), float(far), skip, self._kind,
            self._sizes, self._boxes, self._R, self._t, self._spans, self._nodes, self._corners, depth,
        )  # fmt: skip
        return depth


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
    if isinstance(geometry, Mesh) and not static:
        return hull(geometry)
    if isinstance(geometry, Mesh | Heightmap):
        return surface(geometry)
    raise BadInput(f"a {type(geometry).__name__} has no triangles")


def ellipsoid_triangles(radii: Vec3, subdivisions: int = 3) -> tuple[Array, np.ndarray]:
    """Triangles of an ellipsoid: a scaled geodesic sphere (of 642 points: chords within 0.3 % of the radius)."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=subdivisions, radius=1.0)
    return np.asarray(ball.vertices) * np.asarray(radii), np.asarray(ball.faces)


def bounding_tree(triangles: Array) -> tuple[Array, Array, int]:
    """Boxes (nodes, 6), triangles (leaves * LEAF, 3, 3) in leaf order, and the number of inner nodes.

    The triangles are sorted along a Morton curve through their centers and cut into leaves; the tree above is a
    complete binary one (children of i: 2i + 1 and 2i + 2), padded with boxes that nothing enters.
    """
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    center = (low + high) / 2
    extent = np.maximum(np.ptp(center, axis=0), 1e-300)
    cell = np.clip((center - center.min(axis=0)) / extent * 1023, 0, 1023).astype(np.int64)
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


def _box(kind: int, sizes: Array) -> Array:
    """Lows and highs (6,) of a primitive in its own frame; nothing for others."""
    x, y, z = sizes
    half = {
        kernels.SPHERE: (x, x, x),
        kernels.CYLINDER: (x, x, y),
        kernels.CAPSULE: (x, x, x + y),
        kernels.PLANE: (0.0, 0.0, 0.0),
    }.get(kind, (x, y, z))
    return np.array([*(-np.asarray(half, dtype=float)), *half])


def _with_offsets(models: Iterable[Placed]) -> Iterable[tuple[tuple[int, Placed], int]]:
    offset = 0
    for pair in enumerate(models):
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
