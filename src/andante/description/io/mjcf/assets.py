"""Assets of MJCF: meshes, colours of materials and textures, height fields."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from andante.description.io.values import number, vec3, vector
from andante.description.io.xmltree import Node, read_bytes
from andante.description.link import Material
from andante.description.shapes import RGBA, Heightmap, Mesh
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .document import Document, integer

MAX_CELLS = 4_000_000


@dataclass(frozen=True)
class MeshAsset:
    """A mesh file, where its frame lies in the geom's, and how MuJoCo integrates its inertia."""

    mesh: Mesh
    pose: SE3
    inertia: str = "legacy"


@dataclass
class Assets:
    """Assets by name."""

    meshes: dict[str, MeshAsset] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    heights: dict[str, Heightmap] = field(default_factory=dict)


def read_assets(document: Document) -> Assets:
    """All assets of a document; unknown kinds are told."""
    assets = Assets()
    textures: dict[str, tuple[RGBA | None, str]] = {}
    readers: dict[str, Callable[[Node], None]] = {
        "mesh": lambda node: _mesh(document, assets, node),
        "texture": lambda node: _texture(document, textures, node),
        "hfield": lambda node: _heights(document, assets, node),
    }
    for node in document.section("asset"):
        if node.tag == "material":
            continue
        if node.tag in readers:
            readers[node.tag](document.full(node, None))
        else:
            document.warn(f"asset <{node.tag}> is not understood and was left out", node.source, f"asset {node.tag}")
    for node in document.section("asset"):
        if node.tag == "material":
            _material(assets, document.full(node, None), textures)
    return assets


def color(node: Node, text: str | None, what: str) -> RGBA | None:
    """Four numbers cut to 0..1, None when absent."""
    if text is None:
        return None
    r, g, b, a = (min(max(v, 0.0), 1.0) for v in vector(node, text, 4, what))
    return (r, g, b, a)


def _mesh(document: Document, assets: Assets, node: Node) -> None:
    uri = node.get("file")
    name = node.get("name") or (PurePosixPath(uri).stem if uri else "")
    if not uri:
        document.warn(
            f"mesh {name!r} has its vertices in the file or is built in; save it as an STL or OBJ file", node.source
        )
        return
    path, uri = find_file(document, uri, document.compiler.meshdir)
    scale = vec3(node, node.get("scale"), "scale", (1.0, 1.0, 1.0))
    if 0.0 in scale:
        raise node.error("scale must not be 0")
    shift = np.array(vec3(node, node.get("refpos"), "refpos", (0.0, 0.0, 0.0)))
    turn = (
        document.rotation(Node(node.tag, {"quat": node.attributes["refquat"]}, source=node.source)).T
        if node.get("refquat")
        else np.eye(3)
    )
    if not np.allclose(turn, np.eye(3)) and len({abs(s) for s in scale} | set(scale)) > 1:
        document.warn("refquat together with uneven scale is not represented; the turn is left out", node.source)
        turn = np.eye(3)
    pose = SE3.from_parts(turn, -(turn @ (shift * np.array(scale))))
    inertia = node.get("inertia") or "legacy"
    if inertia not in ("legacy", "exact", "convex", "shell"):
        document.warn(f"mesh inertia {inertia!r} is not understood; the solid is taken", node.source)
        inertia = "exact"
    assets.meshes[name] = MeshAsset(Mesh(uri, path, scale), pose, inertia)


def find_file(document: Document, uri: str, folder: str) -> tuple[Path | None, str]:
    """Path of an asset file (None: not found) and the text that names it, folder included."""
    if document.compiler.strippath:
        uri = PurePosixPath(uri.replace("\\", "/")).name
    joined = uri if not folder or Path(uri).is_absolute() else str(PurePosixPath(folder) / uri)
    return document.resolver.resolve(joined, document.path) or document.resolver.resolve(uri, document.path), joined


def _texture(document: Document, textures: dict[str, tuple[RGBA | None, str]], node: Node) -> None:
    file = node.get("file") or ""
    name = node.get("name") or (PurePosixPath(file).stem if file else "")
    if file:
        textures[name] = (None, file)
        return
    first = np.array(vec3(node, node.get("rgb1"), "rgb1", (0.8, 0.8, 0.8)))
    second = np.array(vec3(node, node.get("rgb2"), "rgb2", (0.5, 0.5, 0.5)))
    mixed = first if node.get("builtin") == "flat" else (first + second) / 2
    r, g, b = (float(v) for v in np.clip(mixed, 0, 1))
    textures[name] = ((r, g, b, 1.0), "")


def _material(assets: Assets, node: Node, textures: dict[str, tuple[RGBA | None, str]]) -> None:
    name = node.get("name") or ""
    rgba = color(node, node.get("rgba"), "rgba")
    shade, file = textures.get(node.get("texture") or "", (None, ""))
    assets.materials[name] = Material(name, rgba or shade, file)


def _heights(document: Document, assets: Assets, node: Node) -> None:
    file = node.get("file") or ""
    name = node.get("name") or (PurePosixPath(file).stem if file else "")
    x, y, rise, base = vector(node, node.get("size"), 4, "size")
    if min(x, y, rise, base) <= 0:
        raise node.error("size needs four positive numbers")
    if file:
        path, _ = find_file(document, file, document.compiler.meshdir)
        if path is None:
            document.warn(f"height field file {file!r} was not found; it is left out", node.source)
            return
        grid = _height_file(node, path)
    else:
        rows, columns = integer(node, node.get("nrow"), "nrow", 0), integer(node, node.get("ncol"), "ncol", 0)
        if rows < 2 or columns < 2 or rows * columns > MAX_CELLS:
            raise node.error(f"nrow and ncol should be at least 2 and at most {MAX_CELLS} together")
        text = (node.get("elevation") or "").split()
        if text and len(text) != rows * columns:
            raise node.error(f"elevation needs {rows * columns} numbers, got {len(text)}")
        flat = np.array([number(node, t, "elevation") for t in text]) if text else np.zeros(rows * columns)
        grid = flat.reshape(rows, columns)[::-1]  # the text runs from the top row (+y) down
    spread = float(np.ptp(grid))
    unit = (grid - grid.min()) / spread if spread > 0 else np.zeros_like(grid)
    heights = tuple(tuple(float(v) for v in row) for row in unit * rise)
    assets.heights[name] = Heightmap(heights, (2 * x, 2 * y), file or name)


def _height_file(node: Node, path: Path) -> Array:
    """Grid of a PNG (top row at +y) or of MuJoCo's own binary form: rows, columns, float32 values."""
    data = read_bytes(path)
    if path.suffix.lower() == ".png":
        from PIL import Image

        try:
            with Image.open(io.BytesIO(data), formats=("PNG",)) as image:
                if image.width * image.height > MAX_CELLS or min(image.size) < 2:
                    raise BadInput(f"{path} should have 2 x 2 to {MAX_CELLS} pixels, has {image.size}")
                return np.asarray(image.convert("L"), dtype=float)[::-1]
        except BadInput:
            raise
        except Exception as error:  # Pillow raises many types for broken pictures
            raise node.error(f"{path} is not a readable PNG: {' '.join(str(error).split())[:80]}") from None
    if len(data) < 8:
        raise node.error(f"{path} is not a height field file")
    rows, columns = struct.unpack_from("<ii", data)
    if min(rows, columns) < 2 or rows * columns > MAX_CELLS or len(data) != 8 + 4 * rows * columns:
        raise node.error(f"{path} is not a height field file: {rows} x {columns} values in {len(data)} bytes")
    grid = np.frombuffer(data, dtype="<f4", offset=8).reshape(rows, columns).astype(float)
    if not np.isfinite(grid).all():
        raise node.error(f"{path} holds heights that are not finite")
    return grid
