"""An MJCF document before its meaning: includes spliced in, compiler settings, default classes, orientations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from andante.description.io.resolver import Resolver
from andante.description.io.values import number, vec3, vector
from andante.description.io.xmltree import Node, parse_xml, read_bytes
from andante.description.source import Problem, Severity, Source
from andante.geometry import SE3, Array, so3

MAX_INCLUDES = 200
MAX_INCLUDE_DEPTH = 20
MAX_INCLUDED_BYTES = 64 * 1024 * 1024
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion")


@dataclass(frozen=True)
class Compiler:
    """What <compiler> says about how the numbers of the file are meant."""

    degrees: bool = True
    eulerseq: str = "xyz"
    meshdir: str = ""
    strippath: bool = False
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    inertiagroups: tuple[int, int] = (0, 5)
    balanceinertia: bool = False
    boundmass: float = 0.0
    boundinertia: float = 0.0
    settotalmass: float = -1.0


# settings that change nothing about the model as such
_COMPILER_QUIET = {
    "texturedir",
    "discardvisual",
    "fusestatic",
    "usethread",
    "alignfree",
    "saveinertial",
    "fitaabb",
    "exactmeshinertia",
    "convexhull",
}


@dataclass
class Document:
    """The tree of a file with what is needed to understand any element, and the problems met on the way."""

    root: Node
    path: Path
    resolver: Resolver
    compiler: Compiler = field(default_factory=Compiler)
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)  # class -> tag -> attributes
    problems: list[Problem] = field(default_factory=list)
    in_parts: bool = False  # read object by object (a world), so references to other parts are no news
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

    def full(self, node: Node, childclass: str | None) -> Node:
        """The element with the attributes of its default class filled in."""
        name = node.get("class") or childclass or "main"
        if name not in self.classes:
            raise node.error(f"default class {name!r} does not exist; classes: {', '.join(self.classes)}")
        tags = ("general", node.tag) if node.tag in ACTUATORS and node.tag != "general" else (node.tag,)
        merged: dict[str, str] = {}
        for tag in tags:
            merged |= self.classes[name].get(tag, {})
        if any(key in node.attributes for key in ORIENTATIONS):
            merged = {key: value for key, value in merged.items() if key not in ORIENTATIONS}
        return replace(node, attributes=merged | node.attributes)

    def pose(self, node: Node) -> SE3:
        """pos and orientation attributes of an element."""
        return SE3.from_parts(self.rotation(node), vec3(node, node.get("pos"), "pos", (0.0, 0.0, 0.0)))

    def angle(self, value: float) -> float:
        """An angle of the file in radians."""
        return math.radians(value) if self.compiler.degrees else value

    def rotation(self, node: Node) -> Array:
        """Rotation (3, 3) of whichever of quat, axisangle, xyaxes, zaxis, euler is given."""
        given = [key for key in ORIENTATIONS if key in node.attributes]
        if not given:
            return np.eye(3)
        if len(given) > 1:
            raise node.error(f"give one orientation, not {' and '.join(given)}")
        key = given[0]
        if key == "euler":
            return self._euler(node)
        count = {"quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3}[key]
        values = np.array(vector(node, node.get(key), count, key))
        if key == "quat":
            _nonzero(node, values, key)
            return so3.from_quaternion([values[1], values[2], values[3], values[0]])
        if key == "axisangle":
            _nonzero(node, values[:3], key)
            return so3.from_axis_angle(values[:3], self.angle(float(values[3])))
        if key == "zaxis":
            _nonzero(node, values, key)
            return z_towards(values)
        x = _nonzero(node, values[:3], key)
        y = _nonzero(node, values[3:] - x * float(values[3:] @ x), key)
        return np.stack([x, y, np.cross(x, y)], axis=1)

    def _euler(self, node: Node) -> Array:
        """Turns in the order of eulerseq: small letters about the moving axes, capitals about the fixed ones."""
        angles = vec3(node, node.get("euler"), "euler")
        rotation = np.eye(3)
        for letter, value in zip(self.compiler.eulerseq, angles, strict=True):
            turn = so3.from_axis_angle(np.eye(3)["xyz".index(letter.lower())], self.angle(value))
            rotation = rotation @ turn if letter.islower() else turn @ rotation
        return rotation


def open_document(root: Node, path: Path, resolver: Resolver) -> Document:
    """Document of a parsed <mujoco> root: includes read, settings and default classes known."""
    if root.tag != "mujoco":
        raise root.error("not MJCF; the root element should be <mujoco>")
    budget = [MAX_INCLUDES, MAX_INCLUDED_BYTES]
    merged = replace(root, children=_included(root, path, resolver, (_key(path),), budget))
    document = Document(merged, path, resolver)
    for node in merged.all("compiler"):
        document.compiler = _compiler(document, node)
    document.classes["main"] = {}
    for node in merged.all("default"):
        _read_defaults(document, node, "main", top=True)
    return document


def _key(path: Path) -> str:
    try:
        return str(path.resolve())
    except (OSError, ValueError, RuntimeError):
        return str(path)


def _included(node: Node, main: Path, resolver: Resolver, open_files: tuple[str, ...], budget: list[int]) -> list[Node]:
    """Children with every <include file=...> replaced by the children of that file's root."""
    out: list[Node] = []
    for child in node.children:
        if child.tag != "include":
            if child.children:
                child = replace(child, children=_included(child, main, resolver, open_files, budget))
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
        out.extend(_included(inner, main, resolver, (*open_files, key), budget))
    return out


def _compiler(document: Document, node: Node) -> Compiler:
    changes: dict[str, object] = {}
    for key, value in node.attributes.items():
        if key == "angle":
            changes["degrees"] = choice(node, key, value, ("degree", "radian")) == "degree"
        elif key == "coordinate":
            if value != "local":
                raise node.error("only coordinate='local' is read; MuJoCo itself dropped global coordinates")
        elif key == "eulerseq":
            if len(value) != 3 or any(letter not in "xyzXYZ" for letter in value):
                raise node.error(f"eulerseq should be three of x y z, got {value[:20]!r}")
            changes["eulerseq"] = value
        elif key in ("meshdir", "assetdir"):
            if key == "meshdir" or "meshdir" not in node.attributes:
                changes["meshdir"] = value
        elif key in ("autolimits", "balanceinertia", "strippath"):
            changes[key] = choice(node, key, value, ("true", "false")) == "true"
        elif key == "inertiafromgeom":
            changes[key] = choice(node, key, value, ("auto", "true", "false"))
        elif key == "inertiagrouprange":
            low, high = vector(node, value, 2, key)
            changes["inertiagroups"] = (int(low), int(high))
        elif key in ("boundmass", "boundinertia", "settotalmass"):
            changes[key] = number(node, value, key)
        elif key not in _COMPILER_QUIET:
            document.warn(f"<compiler {key}> is not understood and has no effect", node.source)
    return replace(document.compiler, **changes)  # type: ignore[arg-type]


def _read_defaults(document: Document, node: Node, parent: str, top: bool = False) -> None:
    name = node.get("class") or ("main" if top else "")
    if not name:
        raise node.error("a nested default needs a class name")
    if top and name != "main":
        inherited: Mapping[str, dict[str, str]] = {}
    else:
        inherited = document.classes[parent]
    own = {tag: dict(values) for tag, values in inherited.items()}
    for tag, values in document.classes.get(name, {}).items():
        own[tag] = own.get(tag, {}) | values
    for child in node.children:
        if child.tag == "default":
            continue
        base = own.get(child.tag, {})
        if any(key in child.attributes for key in ORIENTATIONS):
            base = {key: value for key, value in base.items() if key not in ORIENTATIONS}
        own[child.tag] = base | child.attributes
    document.classes[name] = own
    for child in node.all("default"):
        _read_defaults(document, child, name)


def z_towards(direction: Array) -> Array:
    """The shortest turn of z into a direction; half a turn about x for -z, as MuJoCo does."""
    unit = direction / np.linalg.norm(direction)
    return np.diag([1.0, -1.0, -1.0]) if unit[2] < -1 + 1e-12 else so3.between([0.0, 0.0, 1.0], unit)


def choice(node: Node, what: str, value: str, choices: tuple[str, ...]) -> str:
    """The value if it is one of the choices, an error that lists them otherwise."""
    if value not in choices:
        raise node.error(f"{what} should be one of {', '.join(choices)}, got {value[:40]!r}")
    return value


def _nonzero(node: Node, values: Array, what: str) -> Array:
    norm = float(np.linalg.norm(values))
    if norm < 1e-12:
        raise node.error(f"{what} must not be zero")
    return values / norm


def integer(node: Node, text: str | None, what: str, default: int) -> int:
    """A whole number of an attribute."""
    value = number(node, text, what, float(default))
    if value != int(value):
        raise node.error(f"{what} should be a whole number, got {text!r}")
    return int(value)


def numbers(node: Node, text: str | None, what: str, most: int) -> list[float]:
    """Up to `most` finite numbers; an absent attribute gives none."""
    parts = (text or "").split()
    if len(parts) > most:
        raise node.error(f"{what} takes at most {most} numbers, got {len(parts)}")
    return [number(node, part, what) for part in parts]
