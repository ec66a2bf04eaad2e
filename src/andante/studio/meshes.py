"""Links as painted triangles, and triangles as the page reads them: one flat buffer with positions, smooth normals,
colors and indices.

Layout, little endian: magic "ANDM", uint32 vertices, uint32 indices, uint32 flags (1: some of it is transparent), then
float32 positions (n, 3), int8 normals (n, 4) with the fourth 0, uint8 colors (n, 4), uint32 indices.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from andante.description.link import Collision, Link, Visual
from andante.description.mesh import triangles as meshes
from andante.description.shapes import RGBA, Geometry, Mesh, Plane
from andante.description.solids import surface
from andante.errors import AndanteError
from andante.geometry import SE3, Array
from andante.physics.rendering import PLAIN, shown

MAGIC = b"ANDM"
CREASE = float(np.radians(38.0))  # faces that meet at a larger angle keep an edge between them
TRANSPARENT = 1
FEWEST = 48  # triangles that a coarse part keeps


@dataclass(frozen=True)
class Part:
    """A painted piece: vertices (n, 3) [m], faces (m, 3), rgba (4,) in 0..1."""

    vertices: Array
    faces: np.ndarray
    rgba: tuple[float, float, float, float]


def mesh_bytes(parts: list[Part], crease: float = CREASE) -> bytes:
    """All parts as one buffer; no parts give a mesh without triangles."""
    positions, normals, colors, indices = [], [], [], []
    count, flags = 0, 0
    for part in parts:
        if len(part.faces) == 0:
            continue
        points, directions, faces = smooth(part.vertices, part.faces, crease)
        paint = np.clip(np.round(np.asarray(part.rgba) * 255), 0, 255).astype(np.uint8)
        positions.append(points)
        normals.append(directions)
        colors.append(np.broadcast_to(paint, (len(points), 4)))
        indices.append(faces + count)
        count += len(points)
        flags |= TRANSPARENT if part.rgba[3] < 0.99 else 0
    body = b""
    if count:
        body = b"".join(
            (
                np.concatenate(positions).astype("<f4").tobytes(),
                np.concatenate(normals).astype(np.int8).tobytes(),
                np.ascontiguousarray(np.concatenate(colors)).tobytes(),
                np.concatenate(indices).astype("<u4").tobytes(),
            )
        )
    return MAGIC + struct.pack("<III", count, sum(f.size for f in indices), flags) + body


def coarse(part: Part, fraction: float) -> Part:
    """The part with about that fraction of its triangles, by edge collapses of least quadric error.

    Garland and Heckbert, "Surface simplification using quadric error metrics", 1997.
    """
    target = max(FEWEST, round(fraction * len(part.faces)))
    if target >= len(part.faces):
        return part
    from fast_simplification import simplify

    vertices, faces = _welded(np.asarray(part.vertices, dtype=float), np.asarray(part.faces))
    vertices, faces = simplify(vertices.astype(np.float32), faces.astype(np.int32), target_count=target)
    return Part(np.asarray(vertices, dtype=float), faces, part.rgba) if len(faces) else part


def smooth(vertices: Array, faces: np.ndarray, crease: float = CREASE) -> tuple[Array, np.ndarray, np.ndarray]:
    """Vertices with normals that are smooth over gentle edges and sharp at creases.

    The normal of a corner is the sum of the area-weighted normals of the faces at its vertex that lie within `crease`
    [rad] of its own face. Returns positions (k, 3), normals as int8 (k, 4) of length 127, faces (m, 3).
    """
    points, faces = _welded(np.asarray(vertices, dtype=float), np.asarray(faces))
    triangles = points[faces]
    area = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(area, axis=1)
    keep = size > 0
    faces, area = faces[keep], area[keep]
    unit = area / size[keep, None]
    corner_vertex = faces.ravel()
    corner_face = np.repeat(np.arange(len(faces)), 3)
    order = np.argsort(corner_vertex, kind="stable")
    valence = np.bincount(corner_vertex, minlength=len(points))
    first = np.concatenate([[0], np.cumsum(valence)[:-1]])
    # every corner with every face at the same vertex
    repeat = valence[corner_vertex]
    left = np.repeat(np.arange(len(corner_vertex)), repeat)
    within = np.arange(len(left)) - np.repeat(np.cumsum(repeat) - repeat, repeat)
    right = corner_face[order[first[corner_vertex[left]] + within]]
    gentle = np.einsum("ij,ij->i", unit[corner_face[left]], unit[right]) >= np.cos(crease)
    total = np.zeros((len(corner_vertex), 3))
    for axis in range(3):
        total[:, axis] = np.bincount(left[gentle], area[right[gentle], axis], minlength=len(corner_vertex))
    length = np.linalg.norm(total, axis=1, keepdims=True)
    normal = np.where(length > 0, total / np.where(length > 0, length, 1.0), unit[corner_face])
    coded = np.round(normal * 127).astype(np.int64) + 128
    key = ((corner_vertex * 256 + coded[:, 0]) * 256 + coded[:, 1]) * 256 + coded[:, 2]
    _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
    directions = np.zeros((len(index), 4), dtype=np.int8)
    directions[:, :3] = coded[index] - 128
    return points[corner_vertex[index]], directions, inverse.reshape(-1, 3)


def _welded(vertices: Array, faces: np.ndarray) -> tuple[Array, np.ndarray]:
    """The same triangles with equal vertices made one (to a micrometer)."""
    coded = np.round(vertices * 1e6).astype(np.int64)
    _, index, inverse = np.unique(coded, axis=0, return_index=True, return_inverse=True)
    return vertices[index], inverse.ravel()[faces]


SECTIONS = 40  # faces around a cylinder
COLLISION: RGBA = (0.12, 0.75, 0.55, 0.45)


def visual_parts(link: Link) -> list[Part]:
    """What is to be seen of a link, in its own frame; planes are left out."""
    return [part for visual in shown(link) for part in _part(visual.geometry, visual.pose, color_of(visual))]


def collision_parts(link: Link) -> list[Part]:
    """What a link collides with, in its own frame: meshes as their convex hulls; planes are left out."""
    found = []
    for item in link.collisions:
        if isinstance(item.geometry, Mesh) and item.geometry.path is None:
            continue
        found += _part(item.geometry, item.pose, COLLISION, hull=True)
    return found


def color_of(visual: Visual) -> RGBA:
    """Color of a visual: as stated, as the mesh file says, or plain gray."""
    if visual.material.rgba is not None:
        return visual.material.rgba
    if isinstance(visual.geometry, Mesh):
        return meshes.mesh_color(visual.geometry) or PLAIN
    return PLAIN


def planes(link: Link) -> Iterable[tuple[Plane, Visual | Collision]]:
    """The planes among what is shown of a link."""
    for visual in shown(link):
        if isinstance(visual.geometry, Plane):
            yield visual.geometry, visual


def _part(geometry: Geometry, pose: SE3, rgba: RGBA, hull: bool = False) -> list[Part]:
    if isinstance(geometry, Plane):
        return []
    if isinstance(geometry, Mesh):
        try:
            vertices, faces = meshes.hull(geometry) if hull else meshes.triangles(geometry)
        except AndanteError:  # a flat mesh has no hull, a broken one no triangles: the rest is still shown
            return []
    else:
        vertices, faces = surface(geometry, SECTIONS)
    return [Part(pose @ vertices, faces, rgba)]


def moved(parts: Iterable[Part], pose: SE3) -> list[Part]:
    """The same parts in another frame."""
    return [Part(pose @ part.vertices, part.faces, part.rgba) for part in parts]
