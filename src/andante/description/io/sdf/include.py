"""Finds and opens what <include> names: model:// folders with model.config, files, Fuel models in a local cache.

Ground planes and the sun are built in. What a world includes and is not there becomes a box that stands for it.

Includes are counted, their depth and total size are bounded, and a cycle is refused by name.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from andante.description.io.fuel import VARIABLES as FUEL
from andante.description.io.fuel import fuel_address, fuel_folder
from andante.description.io.resolver import VARIABLES, Resolver
from andante.description.io.xmltree import Node, parse_xml, read_bytes
from andante.description.source import Problem, Severity, Source
from andante.description.trajectory import Trajectory
from andante.errors import BadInput

from .common import BUILT_IN, short_name

MAX_INCLUDES = 5000
MAX_INCLUDE_DEPTH = 20
MAX_INCLUDED_ELEMENTS = 1_000_000


class Absent(BadInput):
    """What an include names is not there, or cannot be read."""


@dataclass(frozen=True)
class Document:
    """A parsed SDF file: root element, version as a number that compares (1.12 > 1.9), and its path."""

    root: Node
    version: tuple[int, int]
    path: Path


@dataclass
class Report:
    """Problems in the order found; findings with the same text are told once and counted."""

    _found: dict[tuple[Severity, str], list[Source]] = field(default_factory=dict)

    def add(self, severity: Severity, message: str, source: Source) -> None:
        """One finding."""
        self._found.setdefault((severity, message), []).append(source)

    def info(self, node: Node, message: str) -> None:
        """Something the user should know."""
        self.add(Severity.INFO, message, node.source)

    def warn(self, node: Node, message: str) -> None:
        """Something that changes what the file means."""
        self.add(Severity.WARNING, message, node.source)

    def leftovers(self, node: Node | None, known: Collection[str], harmless: Collection[str] = ()) -> None:
        """Report the children that nobody reads: harmless ones as info, unknown ones as warning."""
        if node is None:
            return
        for child in node.children:
            if child.tag in known or child.tag.startswith("andante:"):
                continue
            if child.tag in harmless:
                self.info(child, f"<{child.tag}> in <{node.tag}> is not used")
            elif ":" in child.tag and not child.tag.startswith("experimental:"):
                self.info(child, f"<{child.tag}> in <{node.tag}> is an extension of another program and is not used")
            else:
                self.warn(child, f"<{child.tag}> in <{node.tag}> is not understood and is left out")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The findings as problems."""
        return tuple(
            Problem(severity, message + (f" ({len(places)} places)" if len(places) > 1 else ""), places[0])
            for (severity, message), places in self._found.items()
        )


@dataclass
class Reading:
    """One run of the reader: where files are found, what was opened, what is to be told."""

    resolver: Resolver
    report: Report = field(default_factory=Report)
    parsed: dict[Path, tuple[Node, int]] = field(default_factory=dict)
    includes: int = 0
    elements: int = 0
    stand_ins: int = 0  # boxes for models that are not there
    motions: dict[str, Trajectory] = field(default_factory=dict)  # of actors, by the names of their models

    def document(self, root: Node, path: Path) -> Document:
        """The document of a root element, its version checked."""
        return Document(root, self._version(root), path)

    def _version(self, root: Node) -> tuple[int, int]:
        text = (root.get("version") or "").strip()
        major, dot, minor = text.partition(".")
        if not text:
            self.report.warn(root, "<sdf> states no version; it is read as 1.6")
            return (1, 6)
        numbers = (major, minor) if dot else (major,)
        if len(text) > 8 or not all(part.isascii() and part.isdigit() for part in numbers):
            raise root.error(f"version should look like 1.9, got {text[:20]!r}")
        version = (int(major), int(minor or 0))
        if version < (1, 4):
            self.report.warn(root, f"SDF {text} is older than 1.4 and is read as 1.4; convert it with a Gazebo tool")
            return (1, 4)
        if version > (1, 12):
            self.report.warn(root, f"SDF {text} is newer than 1.12 and is read as 1.12")
            return (1, 12)
        return version

    def included(self, include: Node, asking: Path, chain: tuple[Path, ...]) -> Document:
        """The document that an <include> names; `chain` is the files being read, outermost first."""
        node = include.find("uri")
        uri = node.text.strip() if node is not None else ""
        if not uri:
            raise include.error("<include> needs a <uri>, like <uri>model://my_model</uri>")
        self.includes += 1
        if self.includes > MAX_INCLUDES or len(chain) > MAX_INCLUDE_DEPTH:
            raise include.error(f"more than {MAX_INCLUDES} includes or {MAX_INCLUDE_DEPTH} levels of them; refused")
        path = self._find(include, uri, asking)
        if path is None:
            name = short_name(uri)
            path = Path(f"{name}.sdf")
            root, size = self._parse(path, BUILT_IN[name])
        else:
            path = path.resolve()
            if path in chain:
                cycle = " -> ".join(p.name for p in (*chain[chain.index(path) :], path))
                raise include.error(f"includes itself: {cycle}; remove one of these includes")
            try:
                root, size = self._parse(path, None)
            except BadInput as error:
                raise Absent(str(error)) from None
        self.elements += size
        if self.elements > MAX_INCLUDED_ELEMENTS:
            raise include.error(f"the includes bring more than {MAX_INCLUDED_ELEMENTS} elements; refused")
        if root.tag != "sdf":
            raise Absent(f"{include.source}: {path} is not an SDF file, its root element is <{root.tag}>")
        return self.document(root, path)

    def _parse(self, path: Path, data: bytes | None) -> tuple[Node, int]:
        if path not in self.parsed:
            root = self.resolver.opened.get(path) or parse_xml(read_bytes(path) if data is None else data, str(path))
            self.resolver.opened[path] = root
            self._tell(root)
            self.parsed[path] = (root, sum(1 for _ in root.walk()))
        return self.parsed[path]

    def _tell(self, root: Node) -> None:
        """Note what had to be mended to read a file."""
        for problem in root.problems:
            self.report.add(problem.severity, problem.message, problem.source)

    def _find(self, include: Node, uri: str, asking: Path) -> Path | None:
        """File of a URI; None for a built-in model that no folder offers."""
        scheme, separator, rest = uri.partition("://")
        if scheme in ("http", "https"):
            return self._find_fuel(include, uri)
        try:
            found = self.resolver.resolve(uri, asking)
            if found is not None:
                return found
            folder = self._folder(scheme if separator else "", rest if separator else uri, asking)
        except (OSError, ValueError) as error:
            raise Absent(f"{include.source}: {uri[:200]!r} is not a usable path ({error})") from None
        if folder is not None:
            return self._model_file(include, folder)
        if scheme == "model" and short_name(uri) in BUILT_IN:
            return None
        raise Absent(
            f"{include.source}: <include>: {uri} was not found; put it beside the file or set {VARIABLES[1]} "
            f"(or {VARIABLES[4]}) to the folder that holds it"
        )

    def _find_fuel(self, include: Node, uri: str) -> Path | None:
        """File of a Fuel model in a local cache; None for a built-in one that no cache has."""
        address = fuel_address(uri)
        folder = fuel_folder(address) if address is not None else None
        if folder is not None:
            return self._model_file(include, folder)
        if short_name(uri) in BUILT_IN:
            return None
        raise Absent(
            f"{include.source}: <include>: {uri} is in no local cache, and nothing is fetched from the net; "
            f"download it ('gz fuel download -u URL') or name the folder that has it with --fuel-cache ({FUEL[0]})"
        )

    def folder_of(self, uri: str, asking: Path) -> Path | None:
        """Folder that a URI names, None where there is none."""
        scheme, separator, rest = uri.partition("://")
        try:
            return self._folder(scheme if separator else "", rest if separator else uri, asking)
        except (OSError, ValueError):
            return None

    def _folder(self, scheme: str, rest: str, asking: Path) -> Path | None:
        if scheme in ("model", "package"):
            name, _, inside = rest.rstrip("/").partition("/")
            base = self.resolver.package(name, asking)
            candidates = [base / inside] if base is not None else []
        elif Path(rest).is_absolute():
            candidates = [Path(rest)]
        else:
            candidates = [base / rest for base in (asking.parent, *self.resolver.folders)]
        return next((folder for folder in candidates if folder.is_dir()), None)

    def _model_file(self, include: Node, folder: Path) -> Path:
        """The newest SDF file that model.config (or manifest.xml) of a model folder names, else model.sdf."""
        config = next((folder / n for n in ("model.config", "manifest.xml") if (folder / n).is_file()), None)
        if config is not None:
            try:
                root = parse_xml(read_bytes(config, 1024 * 1024), str(config))
            except BadInput as error:
                if (folder / "model.sdf").is_file():  # what it would name, as good as always
                    return folder / "model.sdf"
                raise Absent(str(error)) from None
            self._tell(root)
            offers = [((_version_key(node.get("version") or "")), node.text.strip()) for node in root.all("sdf")]
            for _, name in sorted((o for o in offers if o[1]), key=lambda offer: offer[0], reverse=True):
                if (folder / name).is_file():
                    return folder / name
            if offers:
                raise Absent(f"{config}: names {offers[0][1]!r}, which is not in the folder")
        if (folder / "model.sdf").is_file():
            return folder / "model.sdf"
        raise Absent(
            f"{include.source}: <include>: {folder} holds neither a model.config that names an SDF file nor a model.sdf"
        )


def _version_key(text: str) -> tuple[int, ...]:
    key = tuple(int(p) for p in text.strip().split(".") if p.isascii() and p.isdigit() and len(p) < 6)
    return key if key and key <= (1, 12) else (0,)
