"""Triangles of STL, OBJ and COLLADA files as most programs write them, with numpy alone: no looks, no names of parts.

Mesh libraries take longer to import than most robots to be read. Whatever is unusual in a file (relative indices,
skins, strips, broken references) is left to `files.load_mesh_file`, which also says what is wrong with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from andante.description.io.xmltree import Node, read_bytes
from andante.errors import AndanteError
from andante.geometry import Array, so3

from .checks import MAX_TRIANGLES, open_collada
from .files import LARGEST, MAX_BYTES, binary_triangles, is_binary, merged

Triangles: TypeAlias = tuple[Array, np.ndarray]  # vertices (n, 3) [m], faces (m, 3)
READABLE = (".stl", ".obj", ".dae")
OBJ_LINE = re.compile(rb"^[ \t]*(v|f)[ \t]+([^\r\n]*)", re.MULTILINE)
AFTER_SLASH = re.compile(rb"/\S*")
STL_CORNER = re.compile(rb"^\s*vertex\s+(\S+)\s+(\S+)\s+(\S+)\s*$", re.MULTILINE | re.IGNORECASE)
ACTS = {"matrix": 16, "rotate": 4, "translate": 3, "scale": 3}  # and how many numbers they have
NO_SHAPE = ("lines", "linestrips", "source", "vertices", "extra")
UNSEEN = ("extra", "asset", "instance_camera", "instance_light")


class _Unusual(Exception):
    """Not for this reader."""


def plain_triangles(path: Path) -> Triangles | None:
    """Vertices [m] and faces of a mesh file, equal vertices merged; None: it is left to the mesh library."""
    kind = path.suffix.lower()
    if kind not in READABLE:
        return None
    try:
        data = read_bytes(path, MAX_BYTES)
        found = _stl(data) if kind == ".stl" else _obj(data) if kind == ".obj" else _collada(data, str(path))
    except (_Unusual, AndanteError, ValueError, IndexError, OverflowError, RecursionError):
        return None
    vertices, faces = found
    if not 0 < len(faces) <= MAX_TRIANGLES or not np.isfinite(vertices).all() or np.abs(vertices).max() > LARGEST:
        return None
    return merged(vertices, faces)


def _stl(data: bytes) -> Triangles:
    if is_binary(data):
        return binary_triangles(data)
    if data.lstrip()[:5].lower() != b"solid" or b"endsolid" not in data[-1024:].lower():
        raise _Unusual
    corners = np.array(STL_CORNER.findall(data), dtype=float)
    if len(corners) != 3 * data.lower().count(b"endfacet"):
        raise _Unusual
    return corners, np.arange(len(corners)).reshape(-1, 3)


def _obj(data: bytes) -> Triangles:
    if b"\\" in data:
        raise _Unusual  # lines that go on
    lines = OBJ_LINE.findall(data)
    points = [words for what, words in lines if what == b"v"]
    polygons = [AFTER_SLASH.sub(b"", words).split() for what, words in lines if what == b"f"]
    if not points or not polygons:
        raise _Unusual
    columns = len(points[0].split())
    places = np.array(b" ".join(points).split(), dtype=float).reshape(len(points), columns)[:, :3]
    corners = np.array([number for polygon in polygons for number in polygon], dtype=int) - 1
    return places, _fans(corners, np.array([len(polygon) for polygon in polygons]), len(places))


def _fans(corners: np.ndarray, sizes: np.ndarray, count: int) -> np.ndarray:
    """Polygons, one after another, as triangles around the first corner of each."""
    if not len(sizes) or sizes.min() < 3 or sizes.sum() != len(corners) or corners.min() < 0 or corners.max() >= count:
        raise _Unusual
    first = np.cumsum(sizes) - sizes
    each = sizes - 2
    start = np.repeat(first, each)
    along = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    return np.stack([corners[start], corners[start + along + 1], corners[start + along + 2]], axis=1)


# ---- COLLADA -------------------------------------------------------------------------------------
@dataclass
class _Document:
    ids: dict[str, Node]
    shapes: dict[str, list[Triangles]]  # of geometries that were met

    def named(self, node: Node, attribute: str, tag: str) -> Node:
        """The element of that tag that an attribute refers to."""
        found = self.ids.get((node.get(attribute) or "").lstrip("#"))
        if found is None or found.tag != tag:
            raise _Unusual
        return found


def _collada(data: bytes, file: str) -> Triangles:
    root, turn = open_collada(data, file)
    document = _Document({node.attributes["id"]: node for node in root.walk() if "id" in node.attributes}, {})
    shown = next((node for scene in root.all("scene") for node in scene.all("instance_visual_scene")), None)
    if shown is None:
        raise _Unusual
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), dtype=int)], 0
    for (places, corners), at in _placed(document.named(shown, "url", "visual_scene"), np.eye(4), document):
        mirrored = np.linalg.det(at[:3, :3]) < 0
        faces.append((corners[:, ::-1] if mirrored else corners) + count)
        vertices.append(places @ at[:3, :3].T + at[:3, 3])
        count += len(places)
    return np.concatenate(vertices) @ turn.T, np.concatenate(faces)


def _placed(node: Node, at: Array, document: _Document) -> Iterator[tuple[Triangles, Array]]:
    """The shapes below a node, each with its place (4, 4)."""
    for child in node.children:
        if child.tag in ACTS:
            at = at @ _act(child)
        elif child.tag == "node":
            yield from _placed(child, at, document)
        elif child.tag == "instance_node":
            yield from _placed(document.named(child, "url", "node"), at, document)
        elif child.tag == "instance_geometry":
            key = child.get("url") or ""
            if key not in document.shapes:
                document.shapes[key] = [*_shapes(document.named(child, "url", "geometry"), document)]
            yield from ((shape, at) for shape in document.shapes[key])
        elif child.tag not in UNSEEN:
            raise _Unusual


def _act(node: Node) -> Array:
    """The matrix (4, 4) of a transformation."""
    values, out = np.array(node.text.split(), dtype=float), np.eye(4)
    if len(values) != ACTS[node.tag]:
        raise _Unusual
    if node.tag == "matrix":
        return values.reshape(4, 4)
    if node.tag == "rotate":
        out[:3, :3] = so3.from_axis_angle(values[:3], math.radians(values[3]))
    elif node.tag == "translate":
        out[:3, 3] = values
    else:
        out[:3, :3] = np.diag(values)
    return out


def _shapes(geometry: Node, document: _Document) -> Iterator[Triangles]:
    """The triangles of a <geometry>."""
    mesh = geometry.find("mesh")
    for primitive in mesh.children if mesh is not None else ():
        if primitive.tag in NO_SHAPE:
            continue
        if primitive.tag not in ("triangles", "polylist"):
            raise _Unusual
        inputs = list(primitive.all("input"))
        vertex = next((each for each in inputs if each.get("semantic") == "VERTEX"), None)
        if vertex is None:
            raise _Unusual
        width = 1 + max(int(each.get("offset") or 0) for each in inputs)
        corners = _whole_numbers(primitive, "p").reshape(-1, width)[:, int(vertex.get("offset") or 0)]
        if not len(corners):
            continue
        places = _positions(document.named(vertex, "source", "vertices"), document)
        flat = primitive.tag == "triangles"
        sizes = np.full(len(corners) // 3, 3) if flat else _whole_numbers(primitive, "vcount")
        yield places, _fans(corners, sizes, len(places))


def _whole_numbers(node: Node, tag: str) -> np.ndarray:
    """Those in the only child of that tag."""
    found = list(node.all(tag))
    if len(found) != 1:
        raise _Unusual
    return np.array(found[0].text.split(), dtype=int)


def _positions(vertices: Node, document: _Document) -> Array:
    """The places (n, 3) that a <vertices> names."""
    position = next((each for each in vertices.all("input") if each.get("semantic") == "POSITION"), None)
    source = document.named(position, "source", "source") if position is not None else None
    numbers = source.find("float_array") if source is not None else None
    accessor = next((n for n in source.walk() if n.tag == "accessor"), None) if source is not None else None
    if numbers is None or accessor is None or accessor.get("stride") != "3" or accessor.get("offset", "0") != "0":
        raise _Unusual
    return np.array(numbers.text.split(), dtype=float).reshape(-1, 3)
