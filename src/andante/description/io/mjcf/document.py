"""An MJCF document: includes spliced in within limits, the problems met, and MuJoCo's own reading of its bodies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from andante.description.io.resolver import Resolver
from andante.description.io.values import number
from andante.description.io.xmltree import MAX_DEPTH, Node, parse_xml, read_bytes
from andante.description.source import Problem, Severity, Source
from andante.geometry import SE3, Array, so3

MAX_INCLUDES = 200
MAX_INCLUDE_DEPTH = 20
MAX_INCLUDED_BYTES = 64 * 1024 * 1024


@dataclass
class Document:
    """The tree of a file, the problems met on the way, and what MuJoCo understood of it."""

    root: Node
    path: Path
    resolver: Resolver
    problems: list[Problem] = field(default_factory=list)
    in_parts: bool = False  # read object by object (a world), so references to other parts are no news
    lines: list[Node] = field(default_factory=list)  # the element on each line of the text that MuJoCo was given
    _told: set[str] = field(default_factory=set)
    _names: dict[tuple[str, ...], set[str]] = field(default_factory=dict)

    def names(self, tags: tuple[str, ...]) -> set[str]:
        """Names of all elements of those tags below <worldbody>."""
        if tags not in self._names:
            tree = (node for section in self.root.all("worldbody") for node in section.walk())
            self._names[tags] = {n.attributes["name"] for n in tree if n.tag in tags and "name" in n.attributes}
        return self._names[tags]

    def tell(self, severity: Severity, message: str, source: Source, once: str = "") -> None:
        """Adds a problem; with `once`, only the first of its kind."""
        if once and once in self._told:
            return
        if once:
            self._told.add(once)
        self.problems.append(Problem(severity, message, source))

    def warn(self, message: str, source: Source, once: str = "") -> None:
        """Adds a warning."""
        self.tell(Severity.WARNING, message, source, once)

    def info(self, message: str, source: Source, once: str = "") -> None:
        """Adds an info."""
        self.tell(Severity.INFO, message, source, once)

    def section(self, tag: str) -> Iterable[Node]:
        """All elements in the top-level sections of that tag."""
        return (child for section in self.root.all(tag) for child in section.children)

    def node(self, element: Any) -> Node:
        """The element of the file that an element of MjSpec came from; its `info` is 'line N' of our text."""
        if not element.info:  # MuJoCo keeps no line of a <freejoint>
            return next(node for node in self.node(element.parent).walk() if node.tag == "freejoint")
        return self.lines[int(element.info.removeprefix("line ")) - 1]


def open_document(root: Node, path: Path, resolver: Resolver) -> Document:
    """Document of a parsed <mujoco> root with its includes read."""
    if root.tag != "mujoco":
        raise root.error("not MJCF; the root element should be <mujoco>")
    budget = [MAX_INCLUDES, MAX_INCLUDED_BYTES]
    return Document(replace(root, children=_included(root, path, resolver, (_key(path),), budget, 0)), path, resolver)


def _key(path: Path) -> str:
    try:
        return str(path.resolve())
    except (OSError, ValueError, RuntimeError):
        return str(path)


def _included(
    node: Node, main: Path, resolver: Resolver, open_files: tuple[str, ...], budget: list[int], depth: int
) -> list[Node]:
    """Children with every <include file=...> replaced by the children of that file's root."""
    if depth > MAX_DEPTH:
        raise node.error(f"more than {MAX_DEPTH} levels of elements; refused")
    out: list[Node] = []
    for child in node.children:
        if child.tag != "include":
            if child.children:
                child = replace(child, children=_included(child, main, resolver, open_files, budget, depth + 1))
            out.append(child)
            continue
        name = child.get("file")
        if not name:
            raise child.error("file is missing")
        budget[0] -= 1
        if budget[0] < 0 or len(open_files) > MAX_INCLUDE_DEPTH:
            raise child.error(f"more than {MAX_INCLUDES} includes or {MAX_INCLUDE_DEPTH} levels of them; refused")
        asking = Path(child.source.file) if child.source.file else main
        found = resolver.resolve(name, main) or resolver.resolve(name, asking)
        if found is None:
            raise child.error(f"file {name!r} was not found beside {main.name}")
        key = _key(found)
        if key in open_files:
            raise child.error(f"file {name!r} includes itself")
        data = read_bytes(found)
        budget[1] -= len(data)
        if budget[1] < 0:
            raise child.error(f"includes of more than {MAX_INCLUDED_BYTES // 2**20} MiB in all; refused")
        inner = parse_xml(data, str(found))
        if inner.tag not in ("mujoco", "mujocoinclude"):
            raise inner.error("an included file needs the root <mujoco> or <mujocoinclude>")
        out.extend(_included(inner, main, resolver, (*open_files, key), budget, depth))
    return out


def pose_of(position: Array, quaternion: Array) -> SE3:
    """Pose of MuJoCo's position and quaternion (w x y z)."""
    w, x, y, z = (float(v) for v in quaternion)
    return SE3.from_xyz_quaternion([float(v) for v in position], (x, y, z, w))


def z_towards(direction: Array) -> Array:
    """The shortest turn of z into a direction; half a turn about x for -z, as MuJoCo does."""
    unit = direction / np.linalg.norm(direction)
    return np.diag([1.0, -1.0, -1.0]) if unit[2] < -1 + 1e-12 else so3.between([0.0, 0.0, 1.0], unit)


def integer(node: Node, text: str | None, what: str, default: int) -> int:
    """A whole number of an attribute."""
    value = number(node, text, what, float(default))
    if value != int(value):
        raise node.error(f"{what} should be a whole number, got {text!r}")
    return int(value)
