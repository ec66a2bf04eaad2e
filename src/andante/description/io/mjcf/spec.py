"""An MJCF document, its includes spliced in, and MuJoCo's own reading of it.

`MjSpec` fills in default classes, its compiler resolves the numbers.

MuJoCo is handed text that we write from the parsed tree, one element a line, so that the line it names leads back to
the file. What it could open, allocate or run without bounds (files, plugins, composites, sizes) is never in that text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.description.io.resolver import Resolver
from andante.description.io.xmltree import LARGEST, MAX_DEPTH, Node, number, parse_xml, quoted, read_bytes
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput
from andante.geometry import SE3, Array, so3

if TYPE_CHECKING:
    import mujoco

MAX_INCLUDES = 200
MAX_INCLUDE_DEPTH = 20
MAX_INCLUDED_BYTES = 64 * 1024 * 1024
BODY_PARTS = {"body", "frame", "joint", "freejoint", "geom", "site", "camera", "light", "inertial"}
SERVOS = {"general", "motor", "position", "velocity"}
CONTAINERS = {
    "mujoco": {"compiler", "default", "asset", "worldbody", "equality", "actuator"},
    "worldbody": BODY_PARTS - {"joint", "freejoint", "inertial"},
    "body": BODY_PARTS,
    "frame": BODY_PARTS,
    "asset": {"mesh", "material"},
    "equality": {"joint", "connect", "weld"},
    "actuator": SERVOS,
}
KEPT = {  # attributes that are handed on, where not all are
    "mujoco": set(),
    "compiler": {
        *("angle", "assetdir", "autolimits", "balanceinertia", "boundinertia", "boundmass", "eulerseq"),
        *("inertiafromgeom", "inertiagrouprange", "meshdir", "settotalmass", "strippath"),
    },
    "mesh": {"name", "class", "scale", "refpos", "refquat", "inertia"},
    "material": {"name", "class", "rgba", "texture", "texrepeat", "texuniform"},
}
COMPILER_QUIET = {  # settings that change nothing about the model as such
    *("texturedir", "discardvisual", "fusestatic", "usethread", "alignfree", "saveinertial", "fitaabb"),
    *("exactmeshinertia", "convexhull", "coordinate"),
}
DROPPED = {"user", "nsample", "delay", "interp", "actdim", "lengthrange"}  # would ask for any amount of memory or time
NAMELESS = {"geom", "site", "camera", "light", "connect", "weld", *SERVOS}  # looked up by nobody: may be named twice
PLACING = frozenset(
    (  # where bodies stand and what they are made of
        *("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "size", "fromto", "axis", "anchor", "qpos", "vertex"),
        *("mass", "fullinertia", "diaginertia", "density"),
    )
)
TEXTS = re.compile(r"name|class|childclass|mesh|material|hfield|target|texture|(joint|body|site)[12]?|jointinparent")
ABSENT = '<default>\n<geom rgba="-1 -1 -1 -1" friction="-1"/>\n<material rgba="-1 -1 -1 -1"/>\n</default>'
COUNTS = {"pos": 3, "quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3, "axis": 3, "range": 2, "fromto": 6}
CHOICES = {
    "geom": "plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf",
    "joint": "hinge, slide, ball, free",
    "angle": "degree, radian",
}
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
MAX_UNKNOWN = 50  # kinds of elements and attributes that MuJoCo does not know, left out one after the other
MAX_PARTS = 20_000  # elements handed to MuJoCo, whose reader takes time with the square of their number
LEAST = 2e-15  # just above what MuJoCo refuses as the mass [kg] or moment [kg m^2] of a moving body


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


def parse_spec(document: Document) -> mujoco.MjSpec:
    """The document as MuJoCo parses it; elements and attributes that it does not know are told and left out."""
    import mujoco

    unknown: set[tuple[str, str]] = set()
    while True:
        text = _Text(document, unknown).text
        try:
            with hushed():
                return mujoco.MjSpec.from_string(text)
        except (ValueError, mujoco.FatalError) as error:
            said = re.match(r"XML Error: Schema violation: unrecognized (?:attribute: '(.*)'|element)\n", str(error))
            if said is None or len(unknown) == MAX_UNKNOWN:
                raise _refused(document, str(error)) from None
            node, key = _node_in(document, str(error)), said.group(1) or ""
            if not key and node.tag in BODY_PARTS:
                raise node.error("this element does not belong here") from None
            unknown.add((node.tag, key))
            what = f"<{node.tag} {key}>" if key else f"<{node.tag}>"
            document.warn(f"{what} is not understood and has no effect", node.source)


def compile_spec(document: Document, spec: mujoco.MjSpec, without: Callable[[Node, str], None]) -> mujoco.MjModel:
    """The compiled model. Bodies may be without mass; meshes that give none are handed to `without` with the reason."""
    import mujoco

    rules = spec.compiler
    rules.boundmass, rules.boundinertia = max(rules.boundmass, LEAST), max(rules.boundinertia, LEAST)
    rules.LRopt.mode = int(mujoco.mjtLRMode.mjLRMODE_NONE)
    while True:
        try:
            with hushed():
                return spec.compile()
        except (ValueError, mujoco.FatalError) as error:
            node = _node_in(document, str(error))
            if node.tag != "mesh":
                raise _refused(document, str(error), spec) from None
            without(node, _reason(str(error)))


@contextmanager
def hushed() -> Iterator[None]:
    """MuJoCo's warnings are not heard; by itself it would write them to a file in the working folder."""
    import mujoco

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _text: None)
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        mujoco.set_mju_user_warning(before)


class _Text:
    """Writes what MuJoCo is to read, an element a line; `document.lines` are their elements."""

    def __init__(self, document: Document, unknown: set[tuple[str, str]]) -> None:
        self.document, self.unknown = document, unknown
        self.rows: list[str] = []
        rules = [node.get("inertiafromgeom") for node in document.root.all("compiler")]
        self.by_geoms = "true" in rules  # whatever <inertial> says does not count
        document.lines.clear()
        self._element(document.root, "")

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    def _row(self, node: Node, row: str) -> None:
        for line in row.split("\n"):
            self.rows.append(line)
            self.document.lines.append(node)

    def _element(self, node: Node, parent: str) -> None:
        tag = node.tag
        if tag not in CONTAINERS.get(parent, {tag}) or (tag, "") in self.unknown:
            if tag not in BODY_PARTS and parent in ("worldbody", "body", "frame"):
                message = f"<{tag}> is not understood and was left out; write its bodies out"
                self.document.warn(message, node.source)
            return
        undriven = parent == "actuator" and not (node.get("joint") or node.get("jointinparent"))
        if undriven or (tag == "inertial" and self.by_geoms):
            return
        if len(self.rows) > 2 * MAX_PARTS:
            raise node.error(f"more than {MAX_PARTS} bodies, joints, geoms and the like; refused")
        self._check(node)
        attributes = "".join(f" {key}={quoted(value)}" for key, value in self._kept(node, parent).items())
        renamed = tag == "default" and parent == "mujoco" and node.get("class", "main") != "main"
        if renamed:  # a class of its own rather than the main one
            self._row(node, "<default>")
        self._row(node, f"<{tag}{attributes}>")
        if tag == "mujoco":
            self._row(node, ABSENT)  # tells values that are given from those that are MuJoCo's own
        if tag in CONTAINERS or tag == "default":
            for child in node.children:
                self._element(child, tag)
        self._row(node, f"</{tag}>")
        if renamed:
            self._row(node, "</default>")

    def _kept(self, node: Node, parent: str) -> dict[str, str]:
        tag = node.tag
        kept = {"name": file_stem(node)} if tag == "mesh" and parent == "asset" else {}
        for key, value in node.attributes.items():
            if tag == "compiler" and key not in KEPT[tag] | COMPILER_QUIET:
                self.document.warn(f"<compiler {key}> is not understood and has no effect", node.source)
            nameless = key == "name" and (tag in NAMELESS or parent == "equality")
            dropped = nameless or key in DROPPED or (tag, key) in self.unknown
            if key in KEPT.get(tag, {key}) and not dropped and not self._beyond(node, key, value):
                kept[key] = value
        return kept

    def _beyond(self, node: Node, key: str, value: str) -> bool:
        """Whether a value is larger than anything real: told, and left out where the body can do without."""
        for part in () if TEXTS.fullmatch(key) else value.split():
            try:
                size = abs(float(part.replace("_", "?")))
            except ValueError:
                continue  # a word, or what MuJoCo calls badly formatted
            if not size <= LARGEST:
                said = f"{key} should be a finite number up to {LARGEST:g}, got {part[:40]}"
                if key in PLACING:
                    raise node.error(said)
                self.document.warn(f"<{node.tag}>: {said}; {key} is taken as not given", node.source)
                return True
        return False

    def _check(self, node: Node) -> None:
        """What MuJoCo does not refuse, or would refuse by other means than a message."""
        if node.tag == "inertial":
            if number(node, node.get("mass"), "mass") < 0:
                raise node.error("mass must not be negative")
            if node.get("fullinertia") is None and node.get("diaginertia") is None:
                raise node.error("diaginertia is missing")
        elif node.tag == "compiler":
            order = node.get("eulerseq", "xyz") or ""
            if len(order) != 3 or any(letter not in "xyzXYZ" for letter in order):
                raise node.error(f"eulerseq should be three of x y z, got {order[:20]!r}")
            if node.get("coordinate", "local") != "local":
                raise node.error("only coordinate='local' is read; MuJoCo itself dropped global coordinates")


def file_stem(node: Node) -> str:
    """Name of a <mesh>, <texture> or <hfield>: its own, or that of its file without suffix."""
    return node.get("name") or PurePosixPath(node.get("file") or "").stem


def _node_in(document: Document, error: str) -> Node:
    found = re.search(r"line (\d+)\s*$", error)
    return document.lines[int(found.group(1)) - 1] if found else document.root


def _reason(error: str) -> str:
    """First line of an error of MuJoCo."""
    return re.sub(r"^(XML )?(Error: )*", "", error.split("\n")[0])[:200]


def _refused(document: Document, error: str, spec: mujoco.MjSpec | None = None) -> BadInput:
    """An error of MuJoCo with file, line and element, in the words of our other readers where they say more."""
    node, reason = _node_in(document, error), _reason(error)
    if found := re.match(r"unknown default class name '(.*)'", reason):
        reason = f"default class {found.group(1)!r} does not exist"
    elif reason.startswith("repeated name") and node.tag == "body":
        reason = "two bodies have this name; rename one"
    elif reason.startswith("multiple orientation"):
        reason = "give one orientation, not several"
    elif found := re.match(r"(?:error ')?(\w+) too small", reason):
        reason = f"{found.group(1)} must not be zero"
    elif found := re.match(r"invalid keyword: '(.*)'", reason):
        key = next((key for key, value in node.attributes.items() if value == found.group(1)), "a word")
        allowed = CHOICES.get(node.tag if key == "type" else key, "the words that MuJoCo knows")
        reason = f"{key} should be one of {allowed}, got {found.group(1)[:40]!r}"
    elif found := re.match(r"attribute '(.*)' (does not have enough|has too much) data", reason):
        key = found.group(1)
        count, most = COUNTS.get(key), "fewer" if "much" in found.group(2) else "more"
        reason = f"{key} needs {count or most} numbers, got {len((node.get(key) or '').split())}"
    elif found := re.match(r"bad format in attribute '(.*)'", reason):
        reason = f"{found.group(1)} should be a number, got {(node.get(found.group(1)) or '')[:40]!r}"
    elif reason.startswith("size") and spec is not None:
        kinds = (g.type.name.removeprefix("mjGEOM_").lower() for g in spec.geoms if document.node(g) is node)
        kind = next(kinds, "geom")
        reason = f"size of a {kind} needs {SIZES.get(kind, 3)} numbers, all positive"
    return node.error(" ".join(reason.split()))
