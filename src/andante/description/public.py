"""Robots that other packages bring, by name: what is on this disk already, nothing is fetched.

- folders in ANDANTE_ROBOTS, such as a checkout of MuJoCo Menagerie: spot/spot.xml there is `spot_menagerie`;
- the package pybullet_data: r2d2.urdf there is `r2d2_bullet`;
- what robot_descriptions has in its cache, under the names of its modules: `go1_description`, `go1_mj_description`.

A name without its ending (`spot`) does where only one robot has it, and so does its folder (`boston_dynamics_spot`).
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

VARIABLE = "ANDANTE_ROBOTS"
CACHE = ("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")
LEVELS, MOST_FOLDERS, MOST_HEAD = 6, 4000, 1024 * 1024
MOST_ALIKE = 6  # names that are told where one is unknown
SUFFIXES = (".urdf", ".xml", ".mjcf", ".sdf")
OBJECTS = frozenset(("random_urdfs", "objects", "meshes", "assets", "worlds"))  # folders without robots
ROBOT = re.compile(rb"<(robot|mujoco|sdf|model)\b")
MOVES = re.compile(rb"<(joint|freejoint)\b")
ENDINGS = re.compile(r"(\.urdf|[_-](description|main|master|robot))$")


@dataclass(frozen=True)
class PublicRobot:
    """A robot on this disk that is no part of Andante."""

    name: str
    source: str  # what brought it
    file: Path


def public_robots() -> Mapping[str, PublicRobot]:
    """All of them, sorted by name."""
    settings = os.environ.get(VARIABLE, ""), os.environ.get(CACHE[0]) or CACHE[1]
    return _public(*settings)


def public_file(name: str) -> Path | None:
    """The file of a public robot; None where there is none of that name, or several of that beginning."""
    robots = public_robots()
    if name in robots:
        return robots[name].file
    like = [robot for robot in robots.values() if robot.name.startswith(f"{name}_")]
    same = [robot for robot in like if _stem(robot.file) == name or robot.name == f"{name}_description"]
    same = same or [robot for robot in robots.values() if robot.file.parent.name == name]
    return same[0].file if len(same) == 1 else None


def public_alike(name: str) -> tuple[str, ...]:
    """Some names of public robots that have a name in theirs, or the first word of one, or else are spelled like it."""
    robots, first = public_robots(), re.split(r"[_-]", name)[0]
    for text in (name, first):
        if len(text) > 1 and (found := [other for other in robots if text.casefold() in other.casefold()]):
            return tuple(found[:MOST_ALIKE])
    return tuple(get_close_matches(name, robots, MOST_ALIKE))


@cache
def _public(folders: str, cached: str) -> Mapping[str, PublicRobot]:
    found: dict[str, PublicRobot] = {}
    for part in filter(None, folders.split(os.pathsep)):
        folder = Path(part).expanduser().absolute()
        label = "menagerie" if "menagerie" in folder.name else ENDINGS.sub("", folder.name)
        found |= _named(folder, label, str(folder))
    bullet = _package("pybullet_data")
    if bullet is not None:
        found |= _named(bullet, "bullet", "pybullet_data")
    described = _package("robot_descriptions")
    if described is not None:
        found |= {robot.name: robot for robot in _described(described, Path(cached).expanduser())}
    return dict(sorted(found.items()))


def _package(name: str) -> Path | None:
    """Folder of an installed package, which is not imported."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _stem(file: Path) -> str:
    """What a robot is called after: its file, or the folder of a file that is called like any other."""
    stem = ENDINGS.sub("", ENDINGS.sub("", file.stem))
    return ENDINGS.sub("", file.parent.name) if stem in ("model", "robot") else stem


def _named(folder: Path, label: str, source: str) -> dict[str, PublicRobot]:
    """The robots of a folder; files of one name have the name of their folder in front."""
    files = [*_robot_files(folder)]
    counts = Counter(_stem(file) for file in files)
    out: dict[str, PublicRobot] = {}
    for file in files:
        stem = _stem(file)
        name = f"{stem}_{label}" if counts[stem] == 1 else f"{file.parent.name}_{stem}_{label}"
        out.setdefault(name, PublicRobot(name, source, file))
    return out


def _robot_files(folder: Path) -> Iterator[Path]:
    """Description files below a folder that hold a robot with joints; scenes around a robot are left out."""
    queue, looked = [(folder, 0)], 0
    while queue and looked < MOST_FOLDERS:
        place, depth = queue.pop(0)
        looked += 1
        try:
            entries = sorted(place.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir():
                if depth < LEVELS and entry.name[0] not in "._" and entry.name not in OBJECTS:
                    queue.append((entry, depth + 1))
            elif entry.suffix.lower() in SUFFIXES and not entry.stem.startswith("scene") and _holds_robot(entry):
                yield entry


def _holds_robot(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            head = stream.read(MOST_HEAD)
    except OSError:
        return False
    return ROBOT.search(head) is not None and MOVES.search(head) is not None


# ---- robot_descriptions --------------------------------------------------------------------------
def _described(package: Path, cached: Path) -> Iterator[PublicRobot]:
    """Descriptions whose repository is in the cache; modules are read, not run, as running one fetches it."""
    places = _repositories(package / "_repositories.py")
    for module in sorted(package.glob("*_description.py")):
        values = _values(module, places, cached)
        path = next((values[key] for key in ("URDF_PATH", "MJCF_PATH") if key in values), None)
        if path is not None and Path(path).is_file():
            yield PublicRobot(module.stem, "robot_descriptions", Path(path))


def _repositories(file: Path) -> dict[str, str]:
    """Folder in the cache of each repository, by the name that modules ask for it."""
    places: dict[str, str] = {}
    for node in ast.walk(_tree(file)):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(value, ast.Call):
                paths = [word.value for word in value.keywords if word.arg == "cache_path"]
                if paths and isinstance(paths[0], ast.Constant):
                    places[str(key.value)] = str(paths[0].value)
    return places


def _values(file: Path, places: Mapping[str, str], cached: Path) -> dict[str, str]:
    """The paths that a module gives names to."""
    values: dict[str, str] = {}
    for node in _tree(file).body:
        target = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
        if isinstance(target, ast.Name) and isinstance(node, ast.AnnAssign | ast.Assign) and node.value is not None:
            value = _value(node.value, values, places, cached)
            if value is not None:
                values[target.id] = value
    return values


def _value(node: Any, values: Mapping[str, str], places: Mapping[str, str], cached: Path) -> str | None:
    """A text, a name given before, `path.join(...)` or `clone_to_cache(...)`; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return values.get(node.id)
    if not isinstance(node, ast.Call) or not node.args:
        return None
    parts = [_value(each, values, places, cached) for each in node.args]
    if isinstance(node.func, ast.Attribute) and node.func.attr == "join":
        return os.path.join(*(part for part in parts if part)) if all(parts) else None
    called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    place = places.get(parts[0] or "") if "clone_to_cache" in called else None
    return None if place is None else str(cached / place)


def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return ast.Module([], [])
