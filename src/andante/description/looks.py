"""How a visual looks: triangles in pieces of one color, painted corner by corner, or with a picture on them.

Whoever draws (the renderer, the page) asks `pieces` and never a mesh library. What the description states goes before
what the mesh file says; a picture that the mesh carries stays under a stated color, as it does in Gazebo.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from andante.geometry import Array, so3

from .link import Material, Visual
from .mesh.files import MeshPart, chosen_parts, load_mesh_parts, merged
from .mesh.textures import Texture, decoded, load_texture
from .mesh.triangles import file_key
from .shapes import RGBA, Box, Cylinder, Geometry, Heightmap, Mesh, Plane
from .solids import surface

MOST_COLORS = 24  # beyond this many, the plain parts of a mesh are one piece that is painted face by face
WHITE: RGBA = (1.0, 1.0, 1.0, 1.0)
SECTIONS = 40  # sides of round shapes that carry a picture


@dataclass(frozen=True, eq=False)
class Piece:
    """Triangles of one look: vertices (n, 3) [m], faces (m, 3) and a color that tints the rest.

    uv: places (m, 3, 2) of the corners in the texture, u to the right and v upwards from its lower left corner.
    corner_colors: (m, 3, 4) uint8 in place of a texture.
    """

    vertices: Array
    faces: np.ndarray
    rgba: RGBA | None = None  # None: nothing is known
    texture: Texture | None = None
    uv: Array | None = None
    corner_colors: np.ndarray | None = None

    @property
    def flat(self) -> RGBA | None:
        """One color for all of it."""
        if self.texture is not None:
            return _times(self.rgba or WHITE, self.texture.mean)
        if self.corner_colors is not None:
            r, g, b, a = (float(v) for v in self.corner_colors.reshape(-1, 4).mean(axis=0) / 255)
            return _times(self.rgba or WHITE, (r, g, b, a))
        return self.rgba


def _times(a: RGBA, b: RGBA) -> RGBA:
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3])


def picture_of(material: Material) -> Texture | None:
    """The picture that a material states; None where there is none or it cannot be read."""
    return load_texture(material.path) if material.path is not None else None


def pieces(visual: Visual) -> tuple[Piece, ...]:
    """The pieces of a visual in its own frame, before its pose; of planes only those with a picture."""
    material, geometry = visual.material, visual.geometry
    stated = picture_of(material)
    if isinstance(geometry, Mesh):
        found = _scaled(_mesh_pieces(*file_key(geometry)), geometry)
        return tuple(_stated(piece, material, stated) for piece in found)
    if stated is None:
        return () if isinstance(geometry, Plane) else (Piece(*surface(geometry, SECTIONS), material.rgba),)
    vertices, faces = _quad(geometry) if isinstance(geometry, Plane) else surface(geometry, SECTIONS)
    return (Piece(vertices, faces, material.rgba or WHITE, stated, _wrapped(geometry, vertices[faces], material)),)


def _stated(piece: Piece, material: Material, picture: Texture | None) -> Piece:
    """A piece of a mesh as the description wants it."""
    if picture is not None and piece.uv is not None:
        return replace(piece, rgba=material.rgba or WHITE, texture=picture, corner_colors=None)
    if picture is not None:  # nobody knows where it lies
        color = _times(material.rgba or WHITE, picture.mean)
        return replace(piece, rgba=color, texture=None, corner_colors=None)
    if material.rgba is None:
        return piece if piece.texture is not None or piece.uv is None else replace(piece, uv=None)
    if piece.texture is not None:
        return replace(piece, rgba=(1.0, 1.0, 1.0, material.rgba[3]))
    return replace(piece, rgba=material.rgba, uv=None, corner_colors=None)


def _scaled(found: Iterable[Piece], mesh: Mesh) -> list[Piece]:
    scale = np.asarray(mesh.scale, dtype=float)
    if np.prod(scale) > 0:
        return [replace(piece, vertices=piece.vertices * scale) for piece in found]

    def turned(values: np.ndarray | None) -> np.ndarray | None:
        return values[:, ::-1] if values is not None else None

    return [
        replace(
            piece,
            vertices=piece.vertices * scale,
            faces=piece.faces[:, ::-1],
            uv=turned(piece.uv),
            corner_colors=turned(piece.corner_colors),
        )
        for piece in found
    ]


@lru_cache(maxsize=256)
def _mesh_pieces(path: Path, changed: int, size: int, submesh: str, center: bool) -> tuple[Piece, ...]:
    """Pieces of a mesh file, not scaled: one per picture and color, the painted ones together."""
    groups: dict[tuple[object, ...], list[MeshPart]] = defaultdict(list)
    textures: dict[object, Texture] = {}
    parts = chosen_parts(load_mesh_parts(path), path, submesh, center)
    for part in parts:
        picture = part.picture
        if picture is not None and id(picture) not in textures:
            texture = load_texture(picture) if isinstance(picture, Path) else decoded(picture)
            if texture is not None:
                textures[id(picture)] = texture
        if id(picture) in textures:
            groups["picture", textures[id(picture)].key, part.color].append(part)
        elif part.corner_colors is not None:
            groups[("painted",)].append(part)
        else:
            groups["plain", part.uv is not None, part.color].append(part)
    plain = [key for key in groups if key[0] == "plain"]
    if len(plain) > MOST_COLORS:
        groups["painted",] += [part for key in plain for part in groups.pop(key)]
    out = []
    for key, members in groups.items():
        vertices, faces = _joined(members)
        uv = (
            np.concatenate([p.uv for p in members if p.uv is not None])
            if all(p.uv is not None for p in members)
            else None
        )
        if key[0] == "picture":
            out.append(Piece(vertices, faces, members[0].color, textures[id(members[0].picture)], uv))
        elif key[0] == "painted":
            out.append(Piece(vertices, faces, corner_colors=np.concatenate([_painted(part) for part in members])))
        else:
            out.append(Piece(vertices, faces, members[0].color, uv=uv))
    return tuple(out)


def _painted(part: MeshPart) -> np.ndarray:
    if part.corner_colors is not None:
        return part.corner_colors
    paint = np.round(np.multiply(part.color or (0.8, 0.8, 0.8, 1.0), 255)).astype(np.uint8)
    return np.broadcast_to(paint, (len(part.faces), 3, 4))


def _joined(parts: list[MeshPart]) -> tuple[Array, np.ndarray]:
    """One list of triangles of several parts, equal vertices told once; the triangles keep their order."""
    offsets = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    faces = np.concatenate([part.faces + offset for part, offset in zip(parts, offsets, strict=True)])
    return merged(np.concatenate([part.vertices for part in parts]), faces)


def _quad(plane: Plane) -> tuple[Array, np.ndarray]:
    """Two triangles of the size that a picture of the plane shows."""
    x, y = plane.size[0] / 2, plane.size[1] / 2
    corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    return corners @ np.asarray(so3.between([0, 0, 1], plane.normal)).T, np.array([[0, 1, 2], [0, 2, 3]])


def _wrapped(geometry: Geometry, corners: Array, material: Material) -> Array:
    """Places (m, 3, 2) in a picture of the corners (m, 3, 3) of a simple shape.

    Once over every side of a box, over a plane (or over each of its tiles) and a height map; once around round shapes,
    whose flat ends show it from above.
    """
    low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    extent = np.where(high - low > 0, high - low, 1.0)
    place: Array = (corners - low) / extent
    if isinstance(geometry, Plane):
        once = np.array([[[0.0, 0], [1, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]]])
        return np.asarray(once * (np.asarray(geometry.size) / np.asarray(material.tile or geometry.size)))
    if isinstance(geometry, Heightmap):
        return np.asarray(place[..., :2] if material.tile is None else (corners - low)[..., :2] / material.tile)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    axis = np.argmax(np.abs(normal), axis=1)
    if isinstance(geometry, Box):
        across = np.stack([place[..., 1], place[..., 0], place[..., 0]], axis=-1)
        up = np.stack([place[..., 2], place[..., 2], place[..., 1]], axis=-1)
        chosen = axis[:, None, None]
        uv = np.concatenate([np.take_along_axis(part, chosen, axis=2) for part in (across, up)], axis=2)
        mirrored = (normal[np.arange(len(axis)), axis] < 0) ^ (axis == 1)
        uv[mirrored, :, 0] = 1.0 - uv[mirrored, :, 0]
        return uv
    turn = np.arctan2(corners[..., 1], corners[..., 0]) / (2 * np.pi) + 0.5
    turn = np.where((turn.max(axis=1) - turn.min(axis=1) > 0.5)[:, None] & (turn < 0.5), turn + 1.0, turn)
    uv = np.stack([turn, place[..., 2]], axis=-1)
    if isinstance(geometry, Cylinder):
        ends = np.abs(normal[:, 2]) > 0.9 * np.linalg.norm(normal, axis=1)
        uv[ends] = place[ends][..., :2]
    return uv
