"""What can stand in an edited scene, and the solids that each of them is made of.

A thing has a kind, a place on the floor and a size; its solids lie in its own frame: x and y in its middle, z from its
foot upwards. Tables, shelves, stairs and so on are boxes that follow from the size alone, so that the page draws the
same ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from andante.errors import BadInput, UnknownName
from andante.parsing import is_number

Solid = tuple[str, tuple[float, float, float], tuple[float, float, float], float]  # shape, middle, size, pitch [rad]

BOARD = 0.04  # thickness of tops and shelves [m]
LEG = 0.05  # edge of a leg [m]
STEP_HEIGHT = 0.17  # of stairs, about [m]
FARTHEST, LARGEST = 500.0, 200.0  # [m]
COLOR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Thing:
    """Something in the scene."""

    name: str
    kind: str
    x: float = 0.0  # [m]
    y: float = 0.0
    z: float = 0.0  # of its foot
    yaw: float = 0.0  # [rad]
    size: tuple[float, float, float] = (0.5, 0.5, 0.5)  # along x, y, z [m]
    color: str = "#b9895a"
    fixed: bool = True
    mass: float = 1.0  # of one that is not fixed [kg]
    friction: float = 0.8
    group: str = ""

    def __post_init__(self) -> None:
        if self.kind not in SOLIDS:
            raise UnknownName.among("kind of thing", self.kind, SOLIDS)
        if not self.name or len(self.name) > 80 or any(ord(c) < 32 for c in self.name):
            raise BadInput("a thing has a name of 1 to 80 letters")
        place = (self.x, self.y, self.z, self.yaw)
        if not all(math.isfinite(v) and abs(v) <= FARTHEST for v in place):
            raise BadInput(f"{self.name}: a place lies within {FARTHEST:g} m, got {place}")
        if len(self.size) != 3 or not all(math.isfinite(v) and 1e-3 <= v <= LARGEST for v in self.size):
            raise BadInput(f"{self.name}: a size has three numbers from 0.001 to {LARGEST:g} m, got {self.size}")
        if not COLOR.fullmatch(self.color):
            raise BadInput(f"{self.name}: a color is written like #b9895a, got {self.color[:20]!r}")
        if not (math.isfinite(self.mass) and 1e-3 <= self.mass <= 1e5):
            raise BadInput(f"{self.name}: a mass lies from 0.001 to 100000 kg, got {self.mass}")
        if not (math.isfinite(self.friction) and 0 <= self.friction <= 10):
            raise BadInput(f"{self.name}: friction lies from 0 to 10, got {self.friction}")

    @property
    def solids(self) -> list[Solid]:
        """What it is made of, in its own frame."""
        return SOLIDS[self.kind](*self.size)

    @classmethod
    def of(cls, told: Any) -> Thing:
        """From a JSON object; BadInput names what does not fit."""
        if not isinstance(told, Mapping):
            raise BadInput("a thing is an object with name, kind, x, y, ...")
        known = {each.name: each for each in fields(cls)}
        UnknownName.check("field of a thing", told, known)
        values: dict[str, Any] = {}
        for name, value in told.items():
            values[name] = _fitting(name, value)
        if "name" not in values or "kind" not in values:
            raise BadInput("a thing needs a name and a kind")
        return cls(**values)


def _fitting(name: str, value: Any) -> Any:
    if name in ("name", "kind", "color", "group"):
        if not isinstance(value, str):
            raise BadInput(f"{name} of a thing is a text, got {value!r}")
        return value
    if name == "fixed":
        if not isinstance(value, bool):
            raise BadInput(f"fixed of a thing is true or false, got {value!r}")
        return value
    if name == "size":
        if not isinstance(value, list | tuple) or not all(is_number(v) for v in value):
            raise BadInput(f"size of a thing has three numbers, got {value!r}")
        return tuple(float(v) for v in value)
    if not is_number(value):
        raise BadInput(f"{name} of a thing is a number, got {value!r}")
    return float(value)


# ---- kinds ---------------------------------------------------------------------------------------------
def _box(x: float, y: float, z: float) -> list[Solid]:
    return [("box", (0.0, 0.0, z / 2), (x, y, z), 0.0)]


def _cylinder(x: float, y: float, z: float) -> list[Solid]:
    return [("cylinder", (0.0, 0.0, z / 2), (x, x, z), 0.0)]


def _sphere(x: float, y: float, z: float) -> list[Solid]:
    return [("sphere", (0.0, 0.0, x / 2), (x, x, x), 0.0)]


def _legs(x: float, y: float, z: float) -> list[Solid]:
    edge = min(LEG, x / 3, y / 3)
    ends = [(sx * (x - edge) / 2, sy * (y - edge) / 2) for sx in (-1, 1) for sy in (-1, 1)]
    return [("box", (cx, cy, z / 2), (edge, edge, z), 0.0) for cx, cy in ends]


def _table(x: float, y: float, z: float) -> list[Solid]:
    top = min(BOARD, z / 3)
    return [("box", (0.0, 0.0, z - top / 2), (x, y, top), 0.0), *_legs(x, y, z - top)]


def _chair(x: float, y: float, z: float) -> list[Solid]:
    seat, board = 0.5 * z, min(BOARD, z / 6)
    back = ("box", (-(x - board) / 2, 0.0, (seat + z) / 2), (board, y, z - seat), 0.0)
    return [("box", (0.0, 0.0, seat - board / 2), (x, y, board), 0.0), back, *_legs(x, y, seat - board)]


def _shelf(x: float, y: float, z: float) -> list[Solid]:
    board = min(BOARD, x / 4, z / 6)
    sides: list[Solid] = [("box", (0.0, s * (y - board) / 2, z / 2), (x, board, z), 0.0) for s in (-1, 1)]
    count = max(2, round(z / 0.4) + 1)
    levels = [board / 2 + k * (z - board) / (count - 1) for k in range(count)]
    return [*sides, *(("box", (0.0, 0.0, level), (x, y - 2 * board, board), 0.0) for level in levels)]


def _stairs(x: float, y: float, z: float) -> list[Solid]:
    count = max(1, round(z / STEP_HEIGHT))
    rise, run = z / count, x / count
    return [
        ("box", (-x / 2 + (k + 0.5) * run, 0.0, (k + 1) * rise / 2), (run, y, (k + 1) * rise), 0.0)
        for k in range(count)
    ]


def _ramp(x: float, y: float, z: float) -> list[Solid]:
    """A board from the floor up to the height: its upper face begins at the floor."""
    slope, thick = math.atan2(z, x), min(0.05, z)
    length = math.hypot(x, z)
    return [
        (
            "box",
            (thick / 2 * math.sin(slope), 0.0, z / 2 - thick / 2 * math.cos(slope)),
            (length, y, thick),
            -slope,
        )
    ]


def _door(x: float, y: float, z: float) -> list[Solid]:
    """A frame in a wall along x: two posts and a lintel, open between them."""
    post = min(0.08, x / 4)
    posts: list[Solid] = [("box", (s * (x - post) / 2, 0.0, z / 2), (post, y, z), 0.0) for s in (-1, 1)]
    return [*posts, ("box", (0.0, 0.0, z - post / 2), (x - 2 * post, y, post), 0.0)]


def _person(x: float, y: float, z: float) -> list[Solid]:
    """Somebody who stands: two legs, a trunk and a head."""
    head = 0.13 * z
    legs: list[Solid] = [("cylinder", (0.0, s * y / 5, 0.24 * z), (x / 3, x / 3, 0.48 * z), 0.0) for s in (-1, 1)]
    trunk: Solid = ("box", (0.0, 0.0, 0.48 * z + 0.18 * z), (x / 2, y, 0.36 * z), 0.0)
    return [*legs, trunk, ("sphere", (0.0, 0.0, z - head / 2), (head, head, head), 0.0)]


SOLIDS: dict[str, Callable[[float, float, float], list[Solid]]] = {
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "ball": _sphere,
    "wall": _box,
    "ramp": _ramp,
    "stairs": _stairs,
    "table": _table,
    "chair": _chair,
    "shelf": _shelf,
    "door": _door,
    "person": _person,
}
