"""What is checked in a mesh file before a mesh library may see it: entities, bombs, foreign files."""

from __future__ import annotations

import json
import re
import struct
from typing import Any

import numpy as np

from andante.description.io.xmltree import Node, parse_xml
from andante.errors import BadInput
from andante.geometry import Array

MAX_VERTICES = 15_000_000
MAX_TRIANGLES = 5_000_000
MAX_INSTANCES = 5_000
MAX_NODES = 50_000
MAX_OBJECTS = 5_000  # beyond this many, the objects of an OBJ file are read as one
LISTS = ("buffers", "bufferViews", "accessors", "nodes", "meshes", "materials", "scenes", "images", "textures")
MAX_JSON = 16 * 1024 * 1024
_GLB_JSON, _GLB_BINARY = 0x4E4F534A, 0x004E4942
# rows: z-up coordinates of the file's axes, after the table of <up_axis> in the COLLADA specification
UP_AXES = {
    "Z_UP": np.eye(3),
    "Y_UP": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "X_UP": np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]),
}


def check_collada(data: bytes, file: str) -> tuple[bytes, Array, dict[str, set[str]]]:
    """A COLLADA document, the matrix (3, 3) that brings it to meters with z up, and the names of its geometries.

    Documents that grow without bound are refused. Materials that do not exist are taken out: the library would leave
    out all parts that name one. Names: geometry id -> its name and those of its nodes.
    """
    root, turn = open_collada(data, file)
    return _without_broken(data, root), turn, _names(root)


def open_collada(data: bytes, file: str) -> tuple[Node, Array]:
    """The tree of a COLLADA document that has bounds, and the matrix (3, 3) that brings it to meters with z up."""
    root = _local(parse_xml(data, file))
    if root.tag != "COLLADA":
        raise BadInput(f"mesh {file} is not a DAE file: the root element is <{root.tag}>, not <COLLADA>")
    asset = root.find("asset")
    unit, axis = 1.0, "Y_UP"
    if asset is not None:
        node = asset.find("unit")
        if node is not None and node.get("meter") is not None:
            try:
                unit = float(node.get("meter") or "")
            except ValueError:
                unit = float("nan")
            if not (np.isfinite(unit) and 0 < unit < 1e6):
                raise node.error(f"meter should be a positive number, got {str(node.get('meter'))[:40]!r}")
        node = asset.find("up_axis")
        axis = node.text.strip().upper() if node is not None and node.text.strip() else axis
    if axis not in UP_AXES:
        raise BadInput(f"mesh {file}: up_axis should be one of {', '.join(UP_AXES)}, got {axis[:20]!r}")
    _count_instances(root, file)
    for node in root.walk():
        if node.tag == "vcount":
            _check_corners(node)
    return root, unit * UP_AXES[axis]


def _without_broken(data: bytes, root: Node) -> bytes:
    """The document without references to materials that are not there, or have no effect."""
    effects = {node.get("id") for node in root.walk() if node.tag == "effect"}
    sound = set()
    for node in root.walk():
        if node.tag == "material":
            url = next((child.get("url") or "" for child in node.children if child.tag == "instance_effect"), "")
            sound |= {node.get("id")} if url.lstrip("#") in effects else set()
    named = {node.get("target") or "" for node in root.walk() if node.tag == "instance_material"}
    for target in (each for each in named if each.lstrip("#") not in sound):
        place = rb"<instance_material\b[^>]*target=[\"']" + re.escape(target.encode()) + rb"[\"'][^>]*?"
        data = re.sub(place + rb"(/>|>.*?</instance_material>)", b"", data, flags=re.DOTALL)
    return data


def _check_corners(node: Node) -> None:
    """Polygon sizes are small whole numbers, and not more in all than a mesh may have corners."""
    try:
        counts = [int(part) for part in node.text.split()]
    except ValueError:
        raise node.error("polygon sizes should be whole numbers") from None
    if counts and (min(counts) < 0 or sum(counts) > MAX_VERTICES):
        raise node.error(f"polygons with more than {MAX_VERTICES} corners in all; refused")


def _names(root: Node) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for node in root.walk():
        if node.tag == "geometry" and node.get("id"):
            names.setdefault(node.attributes["id"], set()).add(node.get("name") or node.attributes["id"])
        elif node.tag == "node":
            for instance in node.all("instance_geometry"):
                shown = {node.attributes[key] for key in ("id", "name") if node.get(key)}
                names.setdefault((instance.get("url") or "").lstrip("#"), set()).update(shown)
    return names


def _local(root: Node) -> Node:
    """The tree with XML name space prefixes taken from the tags."""
    for node in root.walk():
        node.tag = node.tag.rpartition(":")[2]
    return root


def _count_instances(root: Node, file: str) -> None:
    """Refuses documents whose <instance_node> references repeat parts without bound or run in a circle."""
    by_id = {node.attributes["id"]: node for node in root.walk() if node.tag == "node" and "id" in node.attributes}
    counts: dict[int, int] = {}
    open_nodes: set[int] = set()

    def count(node: Node) -> int:
        key = id(node)
        if key in counts:
            return counts[key]
        if key in open_nodes or len(open_nodes) > 150:
            raise BadInput(f"{node.source}: <instance_node> references run in a circle or too deep")
        open_nodes.add(key)
        total = 0
        for child in node.children:
            if child.tag in ("instance_geometry", "instance_controller"):
                total += 1
            elif child.tag == "node":
                total += count(child)
            elif child.tag == "instance_node":
                target = by_id.get((child.get("url") or "").lstrip("#"))
                total += count(target) if target is not None else 0
            if total > MAX_INSTANCES:
                raise BadInput(f"{file}: more than {MAX_INSTANCES} instances of parts; refused")
        open_nodes.discard(key)
        counts[key] = total
        return total

    for library in root.all("library_visual_scenes"):
        for scene in library.all("visual_scene"):
            count(scene)


def clean_gltf(data: bytes, kind: str, file: str) -> bytes:
    """The glTF or GLB file with no more than colors and their pictures, once sizes and references are in order."""
    if kind == ".gltf":
        return json.dumps(check_gltf(_json(data, file), file, 0)).encode()
    if len(data) < 20 or data[:4] != b"glTF":
        raise BadInput(f"mesh {file} is not a GLB file: it should begin with 'glTF'")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise BadInput(f"mesh {file}: GLB version {version}; only version 2 is read")
    if length > len(data):
        raise BadInput(f"mesh {file} is truncated: {len(data)} of {length} bytes")
    chunks: dict[int, bytes] = {}
    at = 12
    while at + 8 <= length:
        size, chunk = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            raise BadInput(f"mesh {file} is truncated inside a chunk")
        chunks.setdefault(chunk, data[at + 8 : at + 8 + size])
        at += 8 + size
    if _GLB_JSON not in chunks:
        raise BadInput(f"mesh {file}: the GLB has no JSON chunk")
    binary = chunks.get(_GLB_BINARY, b"")
    text = json.dumps(check_gltf(_json(chunks[_GLB_JSON], file), file, len(binary))).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<II", len(text), _GLB_JSON) + text
    if binary:
        binary += b"\0" * (-len(binary) % 4)
        body += struct.pack("<II", len(binary), _GLB_BINARY) + binary
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def _json(data: bytes, file: str) -> dict[str, Any]:
    if len(data) > MAX_JSON and b"base64," not in data[:MAX_JSON]:
        raise BadInput(f"mesh {file}: the glTF text has {len(data) / 1e6:.0f} MB; refused")
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"mesh {file} is not glTF: {' '.join(str(error).split())[:100]}") from None
    if not isinstance(tree, dict):
        raise BadInput(f"mesh {file} is not glTF: a JSON object is wanted")
    return tree


def check_gltf(tree: dict[str, Any], file: str, binary: int) -> dict[str, Any]:
    """The glTF tree with no picture but of base colors; accessors in buffers, nodes in a tree, no foreign address."""
    for key in LISTS:
        listed = tree.get(key, [])
        if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
            raise BadInput(f"mesh {file}: {key} should be a list of objects")
    required = tree.get("extensionsRequired", [])
    if required:
        raise BadInput(f"mesh {file} needs glTF extensions ({str(required)[:80]}); export it without compression")
    for buffer in tree.get("buffers", []):
        uri = buffer.get("uri")
        if uri is not None and (not isinstance(uri, str) or ("://" in uri) or uri.startswith(("/", "\\"))):
            raise BadInput(f"mesh {file}: buffer address {str(uri)[:60]!r} is refused; only files beside it are read")
    largest = 3 * MAX_VERTICES
    for accessor in tree.get("accessors", []):
        count = accessor.get("count")
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= largest:
            raise BadInput(f"mesh {file}: an accessor counts {str(count)[:20]} elements; up to {largest} are read")
        if "sparse" in accessor or "bufferView" not in accessor:
            raise BadInput(f"mesh {file}: an accessor without a plain buffer view is not supported")
    _check_nodes(tree.get("nodes", []), file)
    cleaned = {k: v for k, v in tree.items() if k not in ("samplers", "animations", "skins")}
    cleaned["materials"] = [_plain(material) for material in tree.get("materials", [])]
    cleaned["images"] = [_picture(image) for image in tree.get("images", [])]
    cleaned["textures"] = [{k: v for k, v in each.items() if k == "source"} for each in tree.get("textures", [])]
    return {k: v for k, v in cleaned.items() if v or k not in ("materials", "images", "textures")}


def _plain(value: Any) -> Any:
    """A material without extensions and without pictures other than that of the base color."""
    if isinstance(value, dict):
        unwanted = [k for k in value if k.endswith("Texture") and k != "baseColorTexture"]
        return {k: _plain(v) for k, v in value.items() if k not in unwanted and k != "extensions"}
    return value


def _picture(image: dict[str, Any]) -> dict[str, Any]:
    """An image in a buffer of the file, in its text, or beside it; nothing where it is elsewhere."""
    uri = image.get("uri")
    if isinstance(uri, str) and ("://" in uri or (":" in uri and not uri.startswith("data:image/"))):
        return {}
    return {k: v for k, v in image.items() if k in ("uri", "bufferView", "mimeType")}


def _check_nodes(nodes: list[dict[str, Any]], file: str) -> None:
    """glTF nodes form a forest: every node has at most one parent and none is its own ancestor."""
    if len(nodes) > MAX_NODES:
        raise BadInput(f"mesh {file}: more than {MAX_NODES} nodes; refused")
    parent = [-1] * len(nodes)
    for i, node in enumerate(nodes):
        children = node.get("children", [])
        if not isinstance(children, list):
            raise BadInput(f"mesh {file}: children of node {i} should be a list")
        for child in children:
            if not isinstance(child, int) or isinstance(child, bool) or not 0 <= child < len(nodes):
                raise BadInput(f"mesh {file}: node {i} names child {str(child)[:20]}, which does not exist")
            if parent[child] != -1:
                raise BadInput(f"mesh {file}: node {child} has two parents; glTF nodes form a tree")
            parent[child] = i
    for start in range(len(nodes)):
        at, steps = start, 0
        while parent[at] != -1:
            at, steps = parent[at], steps + 1
            if steps > 200 or at == start:
                raise BadInput(f"mesh {file}: the nodes run in a circle or are nested too deeply")


def check_obj(data: bytes) -> tuple[bytes, list[str]]:
    """The OBJ text with relative (negative) indices made absolute, and the names of its objects."""
    if re.search(rb"^f[^\n]*[\s/]-\d", data, re.MULTILINE):
        data = _absolute(data)
    names = re.findall(r"^o[ \t]+(\S+)", data.decode("latin-1"), re.MULTILINE)
    return data, names


def _absolute(data: bytes) -> bytes:
    """-1 is the last vertex (texture point, normal) before the face's own line."""
    counts = {b"v": 0, b"vt": 0, b"vn": 0}
    order = (b"v", b"vt", b"vn")
    out = []
    for line in data.splitlines():
        head, *fields = line.split() or [b""]
        if head in counts:
            counts[head] += 1
        elif head == b"f":
            corners = []
            for field in fields:
                fixed = [
                    str(int(part) + counts[kind] + 1).encode() if part[:1] == b"-" and part[1:].isdigit() else part
                    for part, kind in zip(field.split(b"/"), order, strict=False)
                ]
                corners.append(b"/".join(fixed))
            line = b"f " + b" ".join(corners)
        out.append(line)
    return b"\n".join(out) + b"\n"


def ply_counts(data: bytes, file: str) -> tuple[int, int]:
    """Vertices and faces that a PLY header announces."""
    if not data.startswith(b"ply"):
        raise BadInput(f"mesh {file} is not a PLY file: the first line should be 'ply'")
    found = dict(re.findall(rb"^element[ \t]+(vertex|face)[ \t]+(\d{1,12})[ \t\r]*$", data[:20_000], re.MULTILINE))
    return int(found.get(b"vertex", 0)), int(found.get(b"face", 0))
