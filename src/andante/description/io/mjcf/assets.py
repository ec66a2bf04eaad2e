"""Assets of MJCF: meshes, colours of materials and textures, height fields."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description.io.values import number, vec3, vector
from andante.description.io.xmltree import Node, read_bytes
from andante.description.link import Material
from andante.description.shapes import RGBA, Heightmap, Mesh
from andante.errors import BadInput
from andante.geometry import SE3, Array

from .document import Document, integer, pose_of
from .spec import file_stem

if TYPE_CHECKING:
    import mujoco

MAX_CELLS = 4_000_000


@dataclass(frozen=True)
class MeshAsset:
    """A mesh file, and where its frame lies in the geom's."""

    mesh: Mesh
    pose: SE3


@dataclass
class Assets:
    """Assets by name; a mesh that cannot be represented is None."""

    meshes: dict[str, MeshAsset | None] = field(default_factory=dict)
    materials: dict[str, Material] = field(default_factory=dict)
    heights: dict[str, Heightmap] = field(default_factory=dict)


def read_assets(document: Document, spec: mujoco.MjSpec) -> Assets:
    """All assets of a document; unknown kinds are told."""
    assets = Assets()
    textures: dict[str, tuple[RGBA | None, str]] = {}
    for node in document.section("asset"):
        if node.tag == "texture":
            textures[file_stem(node)] = _texture(node)
        elif node.tag == "hfield":
            _heights(document, spec, assets, node)
        elif node.tag not in ("mesh", "material"):
            document.warn(f"asset <{node.tag}> is not understood and was left out", node.source, f"asset {node.tag}")
    for mesh in spec.meshes:
        assets.meshes[mesh.name] = _mesh(document, spec, mesh)
    for material in spec.materials:
        shade, file = textures.get(next(filter(None, material.textures), ""), (None, ""))
        assets.materials[material.name] = Material(material.name, color(material.rgba) or shade, file)
    return assets


def color(rgba: Array) -> RGBA | None:
    """A colour of MjSpec (single precision) cut to 0..1, None where it was not given."""
    r, g, b, a = (float(str(np.float32(v))) for v in rgba)
    return None if a == -1 else (_unit(r), _unit(g), _unit(b), _unit(a))


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _mesh(document: Document, spec: mujoco.MjSpec, mesh: Any) -> MeshAsset | None:
    node = document.node(mesh)
    uri = node.get("file")
    if not uri:
        document.warn(
            f"mesh {mesh.name!r} has its vertices in the file or is built in; save it as an STL or OBJ file",
            node.source,
        )
        return None
    path, uri = find_file(document, spec, uri)
    x, y, z = scale = (float(mesh.scale[0]), float(mesh.scale[1]), float(mesh.scale[2]))
    if 0.0 in scale:
        raise node.error("scale must not be 0")
    turn = pose_of(np.zeros(3), mesh.refquat).rotation.T
    if not np.allclose(turn, np.eye(3)) and not x == y == z > 0:
        document.warn("refquat together with uneven scale is not represented; the turn is left out", node.source)
        turn = np.eye(3)
    return MeshAsset(Mesh(uri, path, scale), SE3.from_parts(turn, -(turn @ (mesh.refpos * np.array(scale)))))


def find_file(document: Document, spec: mujoco.MjSpec, uri: str) -> tuple[Path | None, str]:
    """Path of an asset file (None: not found) and the text that names it, folder included."""
    folder = spec.compiler.meshdir
    if spec.strippath:
        uri = PurePosixPath(uri.replace("\\", "/")).name
    joined = uri if not folder or Path(uri).is_absolute() else str(PurePosixPath(folder) / uri)
    return document.resolver.resolve(joined, document.path) or document.resolver.resolve(uri, document.path), joined


def _texture(node: Node) -> tuple[RGBA | None, str]:
    """Colour of a built-in texture, or the file of one that has a file."""
    if node.get("file"):
        return None, node.get("file") or ""
    first = np.array(vec3(node, node.get("rgb1"), "rgb1", (0.8, 0.8, 0.8)))
    second = np.array(vec3(node, node.get("rgb2"), "rgb2", (0.5, 0.5, 0.5)))
    mixed = first if node.get("builtin") == "flat" else (first + second) / 2
    r, g, b = (float(v) for v in np.clip(mixed, 0, 1))
    return (r, g, b, 1.0), ""


def _heights(document: Document, spec: mujoco.MjSpec, assets: Assets, node: Node) -> None:
    file, name = node.get("file") or "", file_stem(node)
    x, y, rise, base = vector(node, node.get("size"), 4, "size")
    if min(x, y, rise, base) <= 0:
        raise node.error("size needs four positive numbers")
    if file:
        path, _ = find_file(document, spec, file)
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
