"""Painted triangles as one flat buffer, which the page reads without parsing.

Layout, little endian: magic "ANDM", uint32 vertices, uint32 indices, uint32 flags (1: some of it is transparent), then
float32 positions (n, 3), int8 normals (n, 4) with the fourth 0, uint8 colors (n, 4), uint32 indices. A part with a
picture follows as a piece of its own: magic "ANDT", the same three numbers, uint32 bytes of the picture, the same four
arrays, float32 places in the picture (n, 2) from its upper left corner, and the picture (PNG or JPEG), filled up with
zeros to a multiple of four bytes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

import numpy as np

from andante.description.mesh.textures import Texture
from andante.geometry import Array

MAGIC = b"ANDM"
PICTURED = b"ANDT"
CREASE = float(np.radians(38.0))  # faces that meet at a larger angle keep an edge between them
TRANSPARENT = 1
FEWEST = 48  # triangles that a coarse part keeps


@dataclass(frozen=True)
class Part:
    """A painted piece: vertices (n, 3) [m], faces (m, 3), rgba (4,) in 0..1.

    corner_colors (m, 3, 4) uint8 stand in place of one color; a texture lies at uv (m, 3, 2), v upwards, and is tinted.
    """

    vertices: Array
    faces: np.ndarray
    rgba: tuple[float, float, float, float]
    corner_colors: np.ndarray | None = None
    texture: Texture | None = None
    uv: Array | None = None

    @property
    def paint(self) -> np.ndarray:
        """The color as uint8 (4,)."""
        return np.clip(np.round(np.asarray(self.rgba) * 255), 0, 255).astype(np.uint8)


def mesh_bytes(parts: list[Part], crease: float = CREASE) -> bytes:
    """All parts as one buffer; no parts give a mesh without triangles. Parts that share a picture become one."""
    plain = [part for part in parts if part.texture is None or part.uv is None]
    pictured: dict[str, list[Part]] = {}
    for part in parts:
        if part.texture is not None and part.uv is not None:
            pictured.setdefault(part.texture.key, []).append(part)
    pieces = [_piece(MAGIC, plain, crease), *(_piece(PICTURED, group, crease) for group in pictured.values())]
    return b"".join(pieces)


def _piece(magic: bytes, parts: list[Part], crease: float) -> bytes:
    positions, normals, colors, indices, places = [], [], [], [], []
    count, flags = 0, 0
    for part in parts:
        if len(part.faces) == 0:
            continue
        along = part.uv if magic == PICTURED else part.corner_colors
        points, directions, faces, rest = shaded(part.vertices, part.faces, crease, along)
        painted = rest.astype(np.uint8) if magic == MAGIC and rest is not None else None
        positions.append(points)
        normals.append(directions)
        colors.append(np.broadcast_to(part.paint, (len(points), 4)) if painted is None else painted)
        if magic == PICTURED and rest is not None:
            places.append(rest * [1.0, -1.0] + [0.0, 1.0])
        indices.append(faces + count)
        count += len(points)
        glassy = painted is not None and bool((painted[:, 3] < 250).any())
        glassy |= magic == PICTURED and part.texture is not None and part.texture.transparent
        flags |= TRANSPARENT if part.rgba[3] < 0.99 or glassy else 0
    picture = parts[0].texture.encoded() if magic == PICTURED and parts[0].texture is not None else b""
    head = magic + struct.pack("<III", count, sum(f.size for f in indices), flags)
    head += struct.pack("<I", len(picture)) if magic == PICTURED else b""
    if not count:
        return head if magic == MAGIC else b""
    arrays = [
        np.concatenate(positions).astype("<f4").tobytes(),
        np.concatenate(normals).astype(np.int8).tobytes(),
        np.ascontiguousarray(np.concatenate(colors)).tobytes(),
        np.concatenate(indices).astype("<u4").tobytes(),
    ]
    if magic == PICTURED:
        arrays += [np.concatenate(places).astype("<f4").tobytes(), picture, bytes(-len(picture) % 4)]
    return head + b"".join(arrays)


def coarse(part: Part, fraction: float) -> Part:
    """The part with about that fraction of its triangles, by edge collapses of least quadric error.

    Garland and Heckbert, "Surface simplification using quadric error metrics", 1997. Paint and pictures become the
    colors that the nearest corners had.
    """
    target = max(FEWEST, round(fraction * len(part.faces)))
    if target >= len(part.faces):
        return part
    from fast_simplification import simplify

    vertices, faces = _welded(np.asarray(part.vertices, dtype=float), np.asarray(part.faces))
    vertices, faces = simplify(vertices.astype(np.float32), faces.astype(np.int32), target_count=target)
    if not len(faces):
        return part
    made = Part(np.asarray(vertices, dtype=float), faces, part.rgba)
    painted = _sampled(part)
    if painted is None:
        return made
    from scipy.spatial import cKDTree

    corners = np.asarray(part.vertices, dtype=float)[part.faces]
    middles = (corners + corners.mean(axis=1, keepdims=True)) / 2  # inside the faces, so that seams keep their sides
    _, nearest = cKDTree(middles.reshape(-1, 3)).query(made.vertices[faces].reshape(-1, 3))
    return replace(made, corner_colors=painted.reshape(-1, 4)[nearest].reshape(-1, 3, 4))


def _sampled(part: Part) -> np.ndarray | None:
    """Colors (m, 3, 4) of the corners of a part that has paint or a picture."""
    if part.texture is None or part.uv is None:
        return part.corner_colors
    inside = (part.uv + part.uv.mean(axis=1, keepdims=True)) / 2
    sampled: np.ndarray = np.round(part.texture.at(inside) * np.asarray(part.rgba)).astype(np.uint8)
    return sampled


def smooth(vertices: Array, faces: np.ndarray, crease: float = CREASE) -> tuple[Array, np.ndarray, np.ndarray]:
    """Vertices with normals that are smooth over gentle edges and sharp at creases.

    The normal of a corner is the sum of the area-weighted normals of the faces at its vertex that lie within `crease`
    [rad] of its own face. Returns positions (k, 3), normals as int8 (k, 4) of length 127, faces (m, 3).
    """
    return shaded(vertices, faces, crease)[:3]


def shaded(
    vertices: Array, faces: np.ndarray, crease: float = CREASE, along: np.ndarray | None = None
) -> tuple[Array, np.ndarray, np.ndarray, np.ndarray | None]:
    """`smooth`, and values `along` the corners (m, 3, c) as values of the new vertices (k, c)."""
    points, faces = _welded(np.asarray(vertices, dtype=float), np.asarray(faces))
    triangles = points[faces]
    area = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(area, axis=1)
    keep = size > 0
    faces, area = faces[keep], area[keep]
    values = along[keep].reshape(-1, along.shape[-1]) if along is not None else None
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
    if values is not None:
        _, which = np.unique(values, axis=0, return_inverse=True)
        _, key = np.unique(key, return_inverse=True)
        key = key * (int(which.max(initial=0)) + 1) + which.ravel()
    _, index, inverse = np.unique(key, return_index=True, return_inverse=True)
    directions = np.zeros((len(index), 4), dtype=np.int8)
    directions[:, :3] = coded[index] - 128
    told = values[index] if values is not None else None
    return points[corner_vertex[index]], directions, inverse.reshape(-1, 3), told


def _welded(vertices: Array, faces: np.ndarray) -> tuple[Array, np.ndarray]:
    """The same triangles with equal vertices made one (to a micrometer)."""
    coded = np.round(vertices * 1e6).astype(np.int64)
    _, index, inverse = np.unique(coded, axis=0, return_index=True, return_inverse=True)
    return vertices[index], inverse.ravel()[faces]
