"""VRML files (.wrl; 1.0 and 97) as parts of triangles: face sets, boxes, spheres, cylinders and cones with their paint.

Only the shapes are taken. Scripts, prototypes, routes, sensors, lights, lines and Inline files are passed over, nothing
named by the file is opened except the pictures of its textures. ISO/IEC 14772-1:1997 is the standard of VRML 97.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, so3

from . import textures
from .checks import MAX_INSTANCES, MAX_NODES, MAX_TRIANGLES, MAX_VERTICES
from .files import LARGEST, MeshPart

MAX_DEPTH = 100
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[{}\[\]]|[^\s,{}\[\]"]+')
PAINT_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n\r]*')
NUMBERS = re.compile(r"[\s,0-9+\-.eE]*\]")
GROUPS = ("Group", "Transform", "Anchor", "Collision", "Billboard", "LOD", "Switch", "Separator", "TransformSeparator")
SHAPES = ("IndexedFaceSet", "Box", "Cube", "Sphere", "Cylinder", "Cone")


@dataclass
class Node:
    """A node: its type, fields by name (numbers as arrays, words and nodes as lists), and nodes without a field."""

    type: str
    fields: dict[str, Any] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    def numbers(self, name: str, *usual: float) -> Array:
        """Numbers of a field, or the usual ones."""
        value = self.fields.get(name)
        return value if isinstance(value, np.ndarray) and len(value) else np.array(usual, dtype=float)

    def nodes(self, name: str) -> list[Node]:
        """Nodes of a field."""
        value = self.fields.get(name)
        return [each for each in value if isinstance(each, Node)] if isinstance(value, list) else []

    def node(self, name: str) -> Node:
        """The node of a field, an empty one where there is none."""
        return next(iter(self.nodes(name)), Node(""))

    def flag(self, name: str, usual: bool) -> bool:
        """TRUE or FALSE."""
        value = self.fields.get(name)
        return value[0] == "TRUE" if isinstance(value, list) and value else usual


class _Parser:
    """The nodes of a text; DEF gives a name, USE stands for the node of that name."""

    def __init__(self, text: str) -> None:
        self.text = PAINT_OR_COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
        self.at = 0
        self.named: dict[str, Node] = {}
        self.count = 0

    def peek(self) -> str:
        found = TOKEN.search(self.text, self.at)
        return found[0] if found else ""

    def next(self) -> str:
        found = TOKEN.search(self.text, self.at)
        if found is None:
            raise ValueError("the file breaks off")
        self.at = found.end()
        return found[0]

    def scene(self) -> list[Node]:
        """All nodes of the file."""
        found = []
        while self.peek():
            node = self.statement(0)
            found += [node] if node is not None else []
        return found

    def statement(self, depth: int) -> Node | None:
        """A node, or None for what is passed over (prototypes, routes)."""
        word = self.next()
        if word == "ROUTE":
            for _ in range(3):
                self.next()
            return None
        if word in ("PROTO", "EXTERNPROTO"):
            self.next()
            for bracket in ("[", "{") if word == "PROTO" else ("[",):
                self._skip(bracket)
            return None
        return self.node(word, depth)

    def node(self, word: str, depth: int) -> Node:
        """The node that begins with a word already taken."""
        if word == "USE":
            name = self.next()
            if name not in self.named:
                raise ValueError(f"USE {name[:40]} comes before its DEF")
            return self.named[name]
        name = self.next() if word == "DEF" else ""
        kind = self.next() if name else word
        self.count += 1
        if depth > MAX_DEPTH or self.count > MAX_NODES:
            raise ValueError(f"more than {MAX_NODES} nodes or {MAX_DEPTH} levels of them; refused")
        if self.next() != "{":
            raise ValueError(f"{kind[:40]!r} should be followed by '{{'")
        made = Node(kind)
        while (word := self.next()) != "}":
            if word in "{[]" or word[0] == '"':
                raise ValueError(f"{word[:20]!r} is out of place in {kind[:40]}")
            following = self.peek()
            if word in ("DEF", "USE") or (following == "{" and word[0].isupper()):
                made.children.append(self.node(word, depth + 1))  # VRML 1.0
            elif word in ("eventIn", "eventOut", "field", "exposedField"):
                continue
            else:
                made.fields[word] = self.value(depth)
        if name:
            self.named[name] = made
        return made

    def value(self, depth: int) -> Any:
        """The value of a field: an array of numbers, or a list of words and nodes."""
        if self.peek() == "[":
            self.next()
            plain = NUMBERS.match(self.text, self.at)
            if plain is not None:
                self.at = plain.end()
                return _array(plain[0][:-1].replace(",", " ").split())
            found: list[Any] = []
            while (word := self.next()) != "]":
                follows = word in ("DEF", "USE") or self.peek() == "{"
                found.append(self.node(word, depth + 1) if follows else word.strip('"'))
            return found
        word = self.peek()
        if _is_number(word):
            words = []
            while _is_number(self.peek()):
                words.append(self.next())
            return _array(words)
        word = self.next()
        if word in ("DEF", "USE") or self.peek() == "{":
            return [self.node(word, depth + 1)]
        return [word.strip('"')]

    def _skip(self, bracket: str) -> None:
        """Pass a bracket with all that is in it."""
        closing, level = {"[": "]", "{": "}"}[bracket], 0
        while True:
            word = self.next()
            level += (word == bracket) - (word == closing)
            if level <= 0:
                return


def _is_number(word: str) -> bool:
    return bool(word) and (word[0].isdigit() or (word[0] in "+-." and len(word) > 1))


def _array(words: list[str]) -> Array:
    if len(words) > 3 * MAX_VERTICES:
        raise ValueError(f"a list of more than {3 * MAX_VERTICES} numbers; refused")
    try:
        return np.array([float(int(w, 16)) if w[:2] in ("0x", "0X") else float(w) for w in words])
    except ValueError:
        raise ValueError("a list holds something that is no number") from None


@dataclass(frozen=True)
class _State:
    """What holds for the shapes of a group: where they are and how they look."""

    pose: Array  # (4, 4)
    material: Node = field(default_factory=lambda: Node("Material"))
    texture: Node = field(default_factory=lambda: Node(""))
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))
    places: Array = field(default_factory=lambda: np.zeros((0, 2)))


def read_vrml(data: bytes, path: Path) -> Iterator[MeshPart]:
    """The shapes of a VRML file, coordinates as they stand."""
    if not data.startswith(b"#VRML"):
        raise BadInput(f"mesh {path} is not a VRML file: it should begin with '#VRML'")
    counted = 0
    for number, (shape, state) in enumerate(_shapes(_Parser(data.decode("utf-8", errors="replace")).scene(), 0)):
        if number >= MAX_INSTANCES:
            raise BadInput(f"mesh {path}: more than {MAX_INSTANCES} shapes; refused")
        part = _part(shape, state, path, f"{path.stem}_{number}" if number else path.stem)
        if part is not None:
            counted += len(part.faces)
            if counted > MAX_TRIANGLES:
                raise BadInput(f"mesh {path} has more than {MAX_TRIANGLES} triangles; simplify it first")
            yield part


def _shapes(
    nodes: list[Node], depth: int, state: _State | None = None, visited: list[int] | None = None
) -> Iterator[tuple[Node, _State]]:
    """Every geometry below some nodes and the state that holds for it; properties of VRML 1.0 hold for what follows."""
    now = state or _State(np.eye(4))
    visited = [0] if visited is None else visited
    visited[0] += len(nodes)
    if depth > MAX_DEPTH or visited[0] > MAX_NODES:  # USE may repeat nodes that repeat others
        raise ValueError(f"more than {MAX_NODES} nodes or {MAX_DEPTH} levels of them; refused")
    for node in nodes:
        if node.type == "Shape":
            look = node.node("appearance")
            painted = replace(now, material=look.node("material"), texture=look.node("texture"))
            yield from ((each, painted) for each in node.nodes("geometry") if each.type in SHAPES)
        elif node.type in SHAPES:
            yield node, now
        elif node.type in GROUPS:
            inner = now if node.type == "Group" else replace(now, pose=now.pose @ _motion(node))
            below = [*node.nodes("children"), *node.children]
            if node.type in ("LOD", "Switch"):
                levels = [*node.nodes("level"), *node.nodes("choice"), *node.nodes("children"), *node.children]
                which = 0 if node.type == "LOD" else int(node.numbers("whichChoice", -1)[0])
                below = levels[which : which + 1] if which >= 0 else []
            if node.type == "Transform" and not below:
                now = inner  # VRML 1.0: it moves what follows
            yield from _shapes(below, depth + 1, inner, visited)
        elif node.type in ("Translation", "Rotation", "Scale", "MatrixTransform"):
            now = replace(now, pose=now.pose @ _motion(node))
        elif node.type == "Material":
            now = replace(now, material=node)
        elif node.type == "Texture2":
            now = replace(now, texture=node)
        elif node.type == "Coordinate3":
            now = replace(now, points=_rows(node.numbers("point"), 3))
        elif node.type == "TextureCoordinate2":
            now = replace(now, places=_rows(node.numbers("point"), 2))


def _motion(node: Node) -> Array:
    """T C R SR S SR⁻¹ C⁻¹ of a Transform; the matrix of the older nodes."""
    if node.type == "MatrixTransform":
        matrix = node.numbers("matrix", *np.eye(4).ravel())
        return np.asarray(matrix.reshape(4, 4).T) if len(matrix) == 16 else np.eye(4)
    turn = _turn(node.numbers("rotation", 0, 0, 1, 0))
    slanted = _turn(node.numbers("scaleOrientation", 0, 0, 1, 0))
    scale = node.numbers("scale" if node.type == "Transform" else "scaleFactor", 1, 1, 1)
    linear = turn @ slanted @ np.diag(scale[:3] if len(scale) >= 3 else np.ones(3)) @ slanted.T
    center = node.numbers("center", 0, 0, 0)[:3]
    out = np.eye(4)
    out[:3, :3] = linear
    out[:3, 3] = node.numbers("translation", 0, 0, 0)[:3] + center - linear @ center
    return out


def _turn(axis_angle: Array) -> Array:
    if len(axis_angle) != 4 or not np.isfinite(axis_angle).all() or np.linalg.norm(axis_angle[:3]) < 1e-12:
        return np.eye(3)
    return np.asarray(so3.exp(axis_angle[:3] / np.linalg.norm(axis_angle[:3]) * axis_angle[3]))


def _rows(values: Array, width: int) -> Array:
    return values[: len(values) // width * width].reshape(-1, width)


def _part(shape: Node, state: _State, path: Path, name: str) -> MeshPart | None:
    """The triangles of one geometry with its paint, moved to their place."""
    uv = colors = None
    if shape.type == "IndexedFaceSet":
        points = _rows(shape.node("coord").numbers("point"), 3)
        points = points if len(points) else state.points
        faces, corners, polygon = _triangles(shape.numbers("coordIndex"))
        if len(faces) == 0:
            return None
        if faces.min() < 0 or faces.max() >= len(points):
            raise BadInput(f"mesh {path}: a face names vertex {int(faces.max())} of {len(points)}")
        places = _rows(shape.node("texCoord").numbers("point"), 2)
        places = places if len(places) else state.places
        if len(places):
            uv = _picked(
                places, shape.fields.get("texCoordIndex", shape.fields.get("textureCoordIndex")), faces, corners
            )
        paint = _rows(shape.node("color").numbers("color"), 3)
        if len(paint) and shape.flag("colorPerVertex", True):
            colors = _picked(paint, shape.fields.get("colorIndex"), faces, corners)
        elif len(paint):
            index = shape.numbers("colorIndex", *range(len(paint))).astype(int)
            chosen = index[polygon] if len(index) > polygon.max() else np.zeros(len(polygon), dtype=int)
            colors = np.repeat(paint[np.clip(chosen, 0, len(paint) - 1)][:, None], 3, axis=1)
        if not shape.flag("ccw", True):
            faces = faces[:, ::-1]
            uv, colors = (each[:, ::-1] if each is not None else None for each in (uv, colors))
    else:
        points, faces = _solid(shape)
    points = points @ state.pose[:3, :3].T + state.pose[:3, 3]
    if not np.isfinite(points).all() or (len(points) and np.abs(points).max() > LARGEST):
        raise BadInput(f"mesh {path}: a coordinate is not a finite number up to {LARGEST:g}")
    if np.linalg.det(state.pose[:3, :3]) < 0:
        faces = faces[:, ::-1]
        uv, colors = (each[:, ::-1] if each is not None else None for each in (uv, colors))
    picture = _picture(state.texture, path) if uv is not None else None
    painted = None
    if colors is not None:
        painted = np.full((len(faces), 3, 4), 255, dtype=np.uint8)
        painted[..., :3] = np.round(np.clip(colors, 0, 1) * 255)
    return MeshPart(name, points, faces, _color(state.material), corner_colors=painted, uv=uv, picture=picture)


def _picked(values: Array, index: Any, faces: np.ndarray, corners: np.ndarray) -> Array | None:
    """A value for every corner: by an index list of its own, else by the vertex."""
    chosen = faces
    if isinstance(index, np.ndarray) and len(index):
        if len(index) <= corners.max():
            return None
        chosen = index.astype(int)[corners]
    return values[chosen] if chosen.min() >= 0 and chosen.max() < len(values) else None


def _triangles(index: Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fans of the polygons between -1: faces (m, 3), places in the list (m, 3) and polygon (m,) of each."""
    whole = index.astype(int)
    faces: list[tuple[int, int, int]] = []
    polygon: list[int] = []
    ends = [*np.flatnonzero(whole < 0).tolist(), len(whole)]
    begin = 0
    for number, end in enumerate(ends):
        faces += [(begin, k, k + 1) for k in range(begin + 1, end - 1)]
        polygon += [number] * max(0, end - begin - 2)
        begin = end + 1
    corners = np.array(faces, dtype=int).reshape(-1, 3)
    return whole[corners] if len(corners) else corners, corners, np.array(polygon, dtype=int)


def _solid(shape: Node) -> tuple[Array, np.ndarray]:
    """A primitive about the y axis, as VRML has them."""
    import trimesh

    if shape.type in ("Box", "Cube"):
        sides = shape.numbers("size", 2, 2, 2)
        if shape.type == "Cube":
            sides = np.array([shape.numbers(name, 2)[0] for name in ("width", "height", "depth")])
        made = trimesh.creation.box(np.abs(sides[:3]))
    elif shape.type == "Sphere":
        made = trimesh.creation.icosphere(3, float(abs(shape.numbers("radius", 1)[0])))
    else:
        height = float(abs(shape.numbers("height", 2)[0]))
        if shape.type == "Cone":
            made = trimesh.creation.cone(float(abs(shape.numbers("bottomRadius", 1)[0])), height)
            made.apply_translation([0, 0, -height / 2])
        else:
            made = trimesh.creation.cylinder(float(abs(shape.numbers("radius", 1)[0])), height)
    points = np.asarray(made.vertices)
    if shape.type in ("Cone", "Cylinder"):
        points = points @ np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # z becomes y
    return points, np.asarray(made.faces)


def _color(material: Node) -> tuple[float, float, float, float] | None:
    if material.type != "Material":
        return None
    r, g, b = (float(v) for v in np.clip(material.numbers("diffuseColor", 0.8, 0.8, 0.8)[:3], 0, 1))
    return (r, g, b, 1.0 - float(np.clip(material.numbers("transparency", 0)[0], 0, 1)))


def _picture(texture: Node, path: Path) -> Path | None:
    names = texture.fields.get("url") or texture.fields.get("filename") or []
    found = (textures.find_texture(path, name) for name in names if isinstance(name, str))
    return next((each for each in found if each is not None), None)
