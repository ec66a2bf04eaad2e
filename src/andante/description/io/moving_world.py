"""Worlds that move, written as TOML: what stands still by its name or file, and who moves in it by a script.

world = "lab"                   # or a file; by default an empty floor
[[people]]
path = [[0, 0], [4, 1]]         # x, y [m]
speed = 1.2                     # [m/s]
[[carts]]
path = [[0, 2], [3, 2], [3, -2]]
size = [0.8, 0.5, 0.6]
back = false                    # round and round instead of there and back
[[doors]]
hinge = [1.0, 0.0]
width = 0.9
times = [3, 1, 3, 1]            # closed, opening, open, closing [s]
[[movers]]
size = [1.0, 1.0, 0.1]
waypoints = [[0, 0, 0, 0], [5, 2, 0, 90]]   # t [s], x, y [m], yaw [deg]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from andante.description import Placement, Robot, World
from andante.description.link import Collision, Link, Material, Visual
from andante.description.shapes import Box, Cylinder, Geometry
from andante.description.source import Source
from andante.description.trajectory import Trajectory, along
from andante.errors import BadInput, UnknownName
from andante.files import read_toml
from andante.geometry import SE3

MAX_BYTES = 1024 * 1024
MOST = 500  # things that move
PERSON = (0.22, 1.7)  # radius and height [m]
COLORS = {
    "people": (0.25, 0.45, 0.75, 1.0), "carts": (0.85, 0.55, 0.15, 1.0), "doors": (0.55, 0.4, 0.25, 1.0),
    "movers": (0.5, 0.5, 0.55, 1.0),
}  # fmt: skip
WALK = {"name", "path", "speed", "back", "phase", "pause"}
KEYS = {
    "people": {*WALK, "radius", "height"},
    "carts": {*WALK, "size"},
    "doors": {"name", "hinge", "width", "closed", "swing", "times", "phase", "height", "thickness"},
    "movers": {"name", "size", "waypoints", "loop", "delay", "z"},
}


def solid_body(name: str, geometry: Geometry, pose: SE3, color: tuple[float, float, float, float]) -> Robot:
    """One rigid part that is seen and touched."""
    shape = Visual(geometry, pose, Material(rgba=color))
    body = Link("body", visuals=(shape,), collisions=(Collision(geometry, pose),))
    return Robot(name, (body,), (), fixed_base=True)


def person(name: str, radius: float = PERSON[0], height: float = PERSON[1]) -> Robot:
    """A standing person: a cylinder, root at the feet."""
    return solid_body(name, Cylinder(radius, height), SE3.from_parts(_EYE, (0.0, 0.0, height / 2)), COLORS["people"])


def placed(name: str, body: Robot, motion: Trajectory) -> Placement:
    """A thing on its scripted way."""
    return Placement(name, body, motion.at(0.0)[0], fixed=True, motion=motion)


def read_moving_world(path: Path, load: Callable[[str], World]) -> World:
    """The world of a TOML file; `load` gives the one that stands still."""
    data = read_toml(path, MAX_BYTES)
    UnknownName.check("section", sorted(data), ("name", "world", *KEYS), str(path))
    base = str(data.get("world", "empty"))
    beside = path.parent / base
    world = load(str(beside) if beside.is_file() else base)
    taken = {placement.name for placement in world.models}
    out: list[Placement] = []
    for section, keys in KEYS.items():
        entries = data.get(section, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise BadInput(f"{path}: {section} is written as [[{section}]] sections")
        for k, entry in enumerate(entries):
            where = f"{path}: [[{section}]] {k + 1}"
            UnknownName.check("key", sorted(entry), sorted(keys), where)
            name = str(entry.get("name") or f"{section.removesuffix('s').replace('people', 'person')}_{k + 1}")
            if name in taken:
                raise BadInput(f"{where}: the world has a model {name!r} already; give it another name")
            taken.add(name)
            try:
                out.append(_MAKE[section](name, entry))
            except (BadInput, TypeError, ValueError, KeyError) as error:
                told = str(error) if isinstance(error, BadInput) else f"{type(error).__name__} {error}"
                raise BadInput(f"{where}: {told}") from None
    if len(out) > MOST:
        raise BadInput(f"{path}: up to {MOST} things move, got {len(out)}")
    return replace(world, name=str(data.get("name", path.stem)), models=(*world.models, *out), source=Source(str(path)))


def _walk(entry: Mapping[str, Any], height: float = 0.0) -> Trajectory:
    if "path" not in entry:
        raise BadInput("path is missing, like [[0, 0], [4, 1]]")
    return along(
        entry["path"], _number(entry, "speed", 1.0), back=bool(entry.get("back", True)),
        phase=_number(entry, "phase", 0.0), pause=_number(entry, "pause", 0.0), height=height,
    )  # fmt: skip


def _person(name: str, entry: Mapping[str, Any]) -> Placement:
    body = person(name, _size(entry, "radius", PERSON[0]), _size(entry, "height", PERSON[1]))
    return placed(name, body, _walk(entry))


def _cart(name: str, entry: Mapping[str, Any]) -> Placement:
    box = _box(entry, [0.8, 0.5, 0.6])
    body = solid_body(name, box, SE3.from_parts(_EYE, (0.0, 0.0, box.size[2] / 2)), COLORS["carts"])
    return placed(name, body, _walk(entry))


def _door(name: str, entry: Mapping[str, Any]) -> Placement:
    """A leaf that hangs at a hinge and swings open and shut: closed, opening, open, closing."""
    x, y = (float(v) for v in entry["hinge"])
    width, height = _size(entry, "width", 0.9), _size(entry, "height", 2.0)
    times = [float(v) for v in entry.get("times", (3.0, 1.0, 3.0, 1.0))]
    if len(times) != 4 or not all(math.isfinite(v) and v > 0 for v in times):
        raise BadInput(f"times are four spans > 0 s: closed, opening, open, closing; got {times}")
    shut = math.radians(_number(entry, "closed", 0.0))
    wide = shut + math.radians(_number(entry, "swing", 90.0))
    marks = [0.0]
    for span in times:
        marks.append(marks[-1] + span)
    turns = (shut, shut, wide, wide, shut)
    motion = Trajectory(tuple(marks), tuple((x, y, 0.0, 0.0, 0.0, turn) for turn in turns))
    leaf = Box((width, _size(entry, "thickness", 0.05), height))
    body = solid_body(name, leaf, SE3.from_parts(_EYE, (width / 2, 0.0, height / 2 + 0.01)), COLORS["doors"])
    return placed(name, body, motion)


def _mover(name: str, entry: Mapping[str, Any]) -> Placement:
    box, z = _box(entry, [0.5, 0.5, 0.5]), _number(entry, "z", 0.0)
    rows = [[float(v) for v in row] for row in entry["waypoints"]]
    if any(len(row) != 4 for row in rows):
        raise BadInput("waypoints are [t, x, y, yaw] in s, m, m and degrees")
    poses = tuple((x, y, z, 0.0, 0.0, math.radians(yaw)) for _, x, y, yaw in rows)
    motion = Trajectory(
        tuple(row[0] for row in rows), poses, bool(entry.get("loop", True)), _number(entry, "delay", 0.0)
    )
    body = solid_body(name, box, SE3.from_parts(_EYE, (0.0, 0.0, box.size[2] / 2)), COLORS["movers"])
    return placed(name, body, motion)


def _box(entry: Mapping[str, Any], usual: list[float]) -> Box:
    x, y, z = (float(v) for v in entry.get("size", usual))
    if not all(math.isfinite(v) and v > 0 for v in (x, y, z)):
        raise BadInput(f"size is three lengths > 0 m, got {entry.get('size')}")
    return Box((x, y, z))


def _number(entry: Mapping[str, Any], key: str, usual: float) -> float:
    value = entry.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"{key} should be a number, got {value!r}")
    return float(value)


def _size(entry: Mapping[str, Any], key: str, usual: float) -> float:
    value = _number(entry, key, usual)
    if not value > 0:
        raise BadInput(f"{key} should be a length > 0 m, got {value:g}")
    return value


_EYE = SE3.from_vector([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]).rotation
_MAKE: dict[str, Callable[[str, Mapping[str, Any]], Placement]] = {
    "people": _person, "carts": _cart, "doors": _door, "movers": _mover,
}  # fmt: skip
