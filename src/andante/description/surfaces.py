"""Surfaces of the description's solids as triangles, wound outwards; meshes and nothing else are read from files."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Heightmap, Mesh, Plane, Sphere

SECTIONS = 32  # sides of round shapes as triangles
BOX = np.stack(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5], indexing="ij"), axis=-1).reshape(-1, 3)
BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


def surface(geometry: Geometry, sections: int = SECTIONS) -> tuple[Array, np.ndarray]:
    """Vertices (n, 3) [m] and faces (m, 3); round shapes inscribed with that many sides. Planes are refused.

    Nothing but numpy is needed, except for mesh files other than binary STL.
    """
    match geometry:
        case Plane():
            raise BadInput("a plane is infinite and has no triangles; use a thin box")
        case Mesh():
            from .mesh.triangles import triangles

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
