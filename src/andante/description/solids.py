"""Solids of the description: volume, mass properties at even density, surfaces as triangles, and how far they reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import AndanteError, BadInput
from andante.geometry import SE3, Array

from .inertia import LEAST_RADIUS, Inertia
from .mesh.triangles import farthest, hull, reach, triangles
from .robot import Robot
from .shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere, Vec3

if TYPE_CHECKING:
    import trimesh

SECTIONS = 32  # sides of round shapes as triangles
BOX = np.stack(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5], indexing="ij"), axis=-1).reshape(-1, 3)
BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


@dataclass(frozen=True)
class Moments:
    """Volume [m^3], its center [m] and second moments about it per unit density: the tensor [m^5]."""

    volume: float
    com: Array  # (3,)
    tensor: Array  # (3, 3)


@dataclass(frozen=True)
class SolidInertia:
    """Mass properties of a solid. `exact` is False when a hull stood in for an open mesh; `note` says so."""

    inertia: Inertia
    volume: float  # [m^3]
    exact: bool = True
    note: str = ""


def inertia_of(geometry: Geometry, *, mass: float | None = None, density: float | None = None) -> SolidInertia:
    """Mass properties of a solid of even density, of a total mass [kg] or a density [kg/m^3]: give one of them.

    Closed formulas for primitives; for meshes the exact integral over the tetrahedra under their triangles
    (Mirtich, 1996, in the covariance form), or that of the convex hull where the mesh does not close.
    """
    if (mass is None) == (density is None):
        raise BadInput("give either a mass or a density")
    given, what = (mass, "mass") if mass is not None else (density, "density")
    assert given is not None
    if not (math.isfinite(given) and given >= 0):
        raise BadInput(f"{what} must be a finite number >= 0, got {given}")
    moments, note = _moments(geometry)
    factor = given if mass is None else given / moments.volume
    inertia = Inertia.from_matrix(factor * moments.volume, moments.com, factor * moments.tensor)
    return SolidInertia(inertia, moments.volume, not note, note)


def volume(geometry: Geometry) -> float:
    """Volume of a solid [m^3]; that of the convex hull for a mesh that does not close."""
    return _moments(geometry)[0].volume


def as_trimesh(geometry: Geometry, sections: int = SECTIONS) -> trimesh.Trimesh:
    """`surface` as an object of the mesh library."""
    import trimesh

    return trimesh.Trimesh(*surface(geometry, sections), process=False)


def mesh_moments(mesh: trimesh.Trimesh) -> Moments:
    """Moments of the solid that a closed, consistently wound mesh encloses."""
    origin = np.mean(mesh.bounds, axis=0)  # near the middle: fewer digits lost
    return _tetrahedra((np.asarray(mesh.vertices) - origin)[np.asarray(mesh.faces)], origin)


def _tetrahedra(corners: Array, origin: Array) -> Moments:
    """Sum over the tetrahedra of each triangle (m, 3, 3) with the origin, signed by its winding.

    With A = [a b c] as columns: V = det A / 6 and the covariance is det A · A C Aᵀ, C = (1 + δij) / 120.
    """
    determinant = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    total = determinant.sum() / 6
    if abs(total) < 1e-300:
        raise BadInput("the mesh encloses no volume")
    com = np.einsum("i,ij->j", determinant, corners.sum(axis=1)) / 24 / total
    summed = corners.sum(axis=1)
    covariance = (
        np.einsum("i,ikj,ikl->jl", determinant, corners, corners)
        + np.einsum("i,ij,il->jl", determinant, summed, summed)
    ) / 120
    covariance = covariance - total * np.outer(com, com)
    tensor = np.trace(covariance) * np.eye(3) - covariance
    return Moments(abs(float(total)), com + origin, tensor * math.copysign(1.0, total))


def _moments(geometry: Geometry) -> tuple[Moments, str]:
    match geometry:
        case Plane() | Heightmap():
            raise BadInput(f"a {type(geometry).__name__.lower()} is a surface without volume; give it no mass")
        case Mesh():
            return _mesh_moments(geometry)
    size, squares = _second_moments(geometry)
    tensor = size * np.diag([squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]])
    return Moments(size, np.zeros(3), tensor), ""


def _second_moments(geometry: Geometry) -> tuple[float, Vec3]:
    """Volume and mean x², y², z² of a primitive about its center."""
    match geometry:
        case Box(size=(x, y, z)):
            return x * y * z, (x * x / 12, y * y / 12, z * z / 12)
        case Sphere(radius=r):
            return 4 / 3 * math.pi * r**3, (r * r / 5, r * r / 5, r * r / 5)
        case Ellipsoid(radii=(a, b, c)):
            return 4 / 3 * math.pi * a * b * c, (a * a / 5, b * b / 5, c * c / 5)
        case Cylinder(radius=r, length=h):
            return math.pi * r * r * h, (r * r / 4, r * r / 4, h * h / 12)
        case Capsule(radius=r, length=h):
            tube, caps = math.pi * r * r * h, 4 / 3 * math.pi * r**3
            # half spheres: mean z² about the end of the tube is r²/5, their center is 3r/8 beyond it
            along = tube * h * h / 12 + caps * (r * r / 5 + h * h / 4 + 3 * r * h / 8)
            across = tube * r * r / 4 + caps * r * r / 5
            size = tube + caps
            return size, (across / size, across / size, along / size)
    raise BadInput(f"no closed formula for {type(geometry).__name__}")


def _mesh_moments(mesh: Mesh) -> tuple[Moments, str]:
    vertices, faces = triangles(mesh)
    note = ""
    if not _closed(faces, len(vertices)):
        vertices, faces = hull(mesh)
        note = f"mesh {mesh.uri!r} does not close; its convex hull was integrated instead"
    origin = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    return _tetrahedra((vertices - origin)[faces], origin), note


def _closed(faces: np.ndarray, count: int) -> bool:
    """Whether triangles enclose a solid: each edge once in each direction."""
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    there, back = (np.sort(edges[:, a] * count + edges[:, b]) for a, b in ((0, 1), (1, 0)))
    return bool((there == back).all() and (np.diff(there) > 0).all())


def surface(geometry: Geometry, sections: int = SECTIONS) -> tuple[Array, np.ndarray]:
    """Vertices (n, 3) [m] and faces (m, 3); round shapes inscribed with that many sides. Planes are refused.

    Nothing but numpy is needed, except for mesh files other than binary STL.
    """
    match geometry:
        case Plane():
            raise BadInput("a plane is infinite and has no triangles; use a thin box")
        case Mesh():
            return triangles(geometry)
        case Heightmap():
            return _heights(geometry)
        case Box():
            return BOX * geometry.size, BOX_FACES
        case Cylinder(radius=r, length=h):
            return revolved([(r, -h / 2), (r, h / 2)], -h / 2, h / 2, sections)
        case Sphere(radius=r):
            return revolved(r * _meridian(sections), -r, r, sections)
        case Ellipsoid():
            vertices, faces = revolved(_meridian(sections), -1.0, 1.0, sections)
            return vertices * geometry.radii, faces
        case Capsule(radius=r, length=h):
            sides = sections + sections % 2
            line = r * np.vstack([_meridian(sides)[: sides // 2 - 1], [(1.0, 0.0)]])
            upper = line[::-1] * (1.0, -1.0)
            ends = np.array([0.0, h / 2])
            return revolved(np.vstack([line - ends, upper + ends]), -h / 2 - r, h / 2 + r, sides)


def revolved(profile: ArrayLike, bottom: float, top: float, sections: int) -> tuple[Array, np.ndarray]:
    """Surface of a profile, rows r, z from below upwards, turned about the z axis and closed at two points on it."""
    rows = np.asarray(profile, dtype=float)
    turn = np.linspace(0, 2 * math.pi, sections, endpoint=False)
    rings = np.stack(
        [np.outer(rows[:, 0], np.cos(turn)), np.outer(rows[:, 0], np.sin(turn)), np.tile(rows[:, 1:], (1, sections))],
        axis=-1,
    ).reshape(-1, 3)
    vertices = np.concatenate([rings, [[0.0, 0.0, bottom], [0.0, 0.0, top]]])
    here, last = np.arange(sections), (len(rows) - 1) * sections
    after = np.roll(here, -1)
    faces = [np.stack([after, here, np.full(sections, len(rings))], axis=1)]
    for low in range(0, last, sections):
        high = low + sections
        faces.append(np.stack([low + here, low + after, high + after], axis=1))
        faces.append(np.stack([low + here, high + after, high + here], axis=1))
    faces.append(np.stack([last + here, last + after, np.full(sections, len(rings) + 1)], axis=1))
    return vertices, np.concatenate(faces)


def _meridian(sections: int) -> Array:
    """Rows r, z of the unit ball between its poles, from below upwards."""
    angle = np.linspace(-math.pi / 2, math.pi / 2, max(sections, 4) + 1)[1:-1]
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _heights(geometry: Heightmap) -> tuple[Array, np.ndarray]:
    """Vertices and upward faces of a height map's surface."""
    heights = np.asarray(geometry.heights, dtype=float)
    if heights.ndim != 2 or min(heights.shape) < 2 or not np.isfinite(heights).all():
        raise BadInput(f"a height map needs at least 2 x 2 finite heights, got shape {heights.shape}")
    rows, columns = heights.shape
    y, x = np.meshgrid(
        np.linspace(-geometry.size[1] / 2, geometry.size[1] / 2, rows),
        np.linspace(-geometry.size[0] / 2, geometry.size[0] / 2, columns),
        indexing="ij",
    )
    index = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = (corner.ravel() for corner in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return np.stack([x, y, heights], axis=-1).reshape(-1, 3), faces


def support(geometry: Geometry, direction: ArrayLike) -> float:
    """Largest d·x over the points x of a shape in its own frame [m]; a plane reaches infinitely far sideways."""
    d = np.asarray(direction, dtype=float)
    match geometry:
        case Box(size):
            return float(np.abs(d) @ np.asarray(size) / 2)
        case Sphere(radius):
            return float(radius * np.linalg.norm(d))
        case Cylinder(radius, length):
            return float(radius * np.hypot(d[0], d[1]) + abs(d[2]) * length / 2)
        case Capsule(radius, length):
            return float(radius * np.linalg.norm(d) + abs(d[2]) * length / 2)
        case Ellipsoid(radii):
            return float(np.linalg.norm(np.asarray(radii) * d))
        case Mesh():
            return reach(geometry, d)
        case Heightmap(heights, size):
            flat = np.array([abs(d[0]) * size[0] / 2 + abs(d[1]) * size[1] / 2])
            values = np.asarray(heights)
            return float(flat[0] + max(d[2] * values.max(), d[2] * values.min()))
        case Plane(normal):
            n = np.asarray(normal) / np.linalg.norm(normal)
            return 0.0 if np.allclose(np.cross(n, d), 0.0) and d @ n >= 0 else float("inf")


def support_point(geometry: Geometry, direction: ArrayLike) -> Array:
    """A point of a bounded shape, in its own frame, that lies furthest along a direction (not zero) [m]."""
    d = np.asarray(direction, dtype=float)
    point: Array
    match geometry:
        case Box(size):
            point = np.copysign(np.asarray(size) / 2, d)
        case Sphere(radius):
            point = d * (radius / np.linalg.norm(d))
        case Cylinder(radius, length):
            across = np.hypot(d[0], d[1])
            x, y = (d[:2] * (radius / across)) if across > 0 else (0.0, 0.0)
            point = np.array([x, y, np.copysign(length / 2, d[2])])
        case Capsule(radius, length):
            point = d * (radius / np.linalg.norm(d)) + np.array([0.0, 0.0, np.copysign(length / 2, d[2])])
        case Ellipsoid(radii):
            squared = np.asarray(radii) ** 2
            point = squared * d / np.linalg.norm(np.asarray(radii) * d)
        case Mesh():
            point = farthest(geometry, d)
        case Heightmap(heights, size):
            z = np.asarray(heights)
            point = np.array([*np.copysign(np.asarray(size) / 2, d[:2]), z.max() if d[2] >= 0 else z.min()])
        case Plane():
            raise BadInput("a plane has no furthest point")
    return point


def bounds(geometry: Geometry, pose: SE3) -> tuple[Array, Array]:
    """Lower and upper corner of the axis-aligned box around a placed shape, in the frame of the pose [m]."""
    axes = pose.rotation.T  # columns: the outer axes seen from the shape
    upper = np.array([support(geometry, axes[:, i]) for i in range(3)]) + pose.translation
    lower = pose.translation - np.array([support(geometry, -axes[:, i]) for i in range(3)])
    return lower, upper


def robot_bounds(
    robot: Robot, positions: Mapping[str, float] | None = None, root: SE3 | None = None
) -> tuple[Array, Array] | None:
    """Box around all collision shapes of a robot in a joint configuration; `root` places it. None: it has no shapes."""
    place = SE3.identity() if root is None else root
    return box_around(
        (
            (collision.geometry, place @ pose @ collision.pose)
            for name, pose in robot.link_poses(positions).items()
            for collision in robot.link(name).collisions
        ),
        strict=True,
    )


def box_around(shapes: Iterable[tuple[Geometry, SE3]], strict: bool = False) -> tuple[Array, Array] | None:
    """Lower and upper corner of the box around placed shapes, planes left out [m]; None: there are none.

    A mesh that cannot be read is left out too unless `strict`.
    """
    corners = []
    for geometry, pose in shapes:
        if isinstance(geometry, Plane):
            continue
        try:
            corners.append(bounds(geometry, pose))
        except AndanteError:
            if strict:
                raise
    if not corners:
        return None
    return np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)


def size_of(shapes: Iterable[tuple[Geometry, SE3]]) -> Array:
    """Edges of the box around placed shapes [m]; a small cube where there are none."""
    box = box_around(shapes)
    return np.full(3, LEAST_RADIUS * np.sqrt(6.0)) if box is None else np.maximum(box[1] - box[0], 1e-3)


def even_box(mass: float, shapes: Iterable[tuple[Geometry, SE3]]) -> Inertia | None:
    """Inertia of a box of even density [kg] around placed shapes; None: there are none."""
    box = box_around(shapes)
    if box is None:
        return None
    size = np.maximum(box[1] - box[0], LEAST_RADIUS)
    return Inertia.from_matrix(mass, (box[0] + box[1]) / 2, mass / 12 * np.diag(size @ size - size**2))
