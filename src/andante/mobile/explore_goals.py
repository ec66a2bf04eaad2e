"""Where an exploring robot drives next: to frontiers of its own map, or along given waypoints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from andante.description.io.xmltree import read_bytes
from andante.errors import BadInput, MissingFile
from andante.geometry import Array
from andante.mapping import UNKNOWN, OccupancyGrid
from andante.navigation import Explorer, Inflation, Vehicle
from andante.navigation import Path as DrivenPath
from andante.navigation.frontier import Frontier, frontiers

SEEN = 0.35  # a goal is done when no frontier lies within this distance of its own [m]
LEAST = 0.4  # shorter frontiers are cracks of the map; those narrower than the robot are left out too [m]


@dataclass(frozen=True)
class Missed:
    """A place that could not be reached, and why."""

    place: tuple[float, float]  # on the map [m]
    size: float  # length of the frontier [m]; 0: a waypoint
    reason: str


class Errand(Protocol):
    """Gives one goal after the other."""

    reason: str  # what is left, or why there is no further goal
    tight: bool  # the present goal may need gaps in which the robot cannot turn

    @property
    def missed(self) -> Sequence[Missed]:
        """What could not be reached so far."""

    def next(self, grid: OccupancyGrid, pose: Array) -> Array | None:
        """The goal to drive to now (3,), x, y, yaw or NaN; None: there is none left."""

    def worth(self, grid: OccupancyGrid) -> bool:
        """Whether the present goal is still worth driving to."""

    def over(self, arrived: bool, reason: str) -> None:
        """The robot stands at the present goal, or has given it up for a reason."""


class Frontiers:
    """Goals at the borders between free and unknown space, until none can be reached.

    Which way the robot faces there does not matter: its lidar looks all around. Places that are reached with room for
    every heading come first, tighter ones when no such place is left.
    """

    def __init__(self, vehicle: Vehicle, least: float = LEAST) -> None:
        least = max(least, 2 * vehicle.inscribed)
        wide = roomy(vehicle) if vehicle.drive == "ackermann" else vehicle
        self._explorers = [
            Explorer(wide, inflation(wide, False), least),
            Explorer(vehicle, inflation(vehicle, True), least),
        ]
        self.tight = False
        self._least = least
        self._aim: Array | None = None  # middle of the frontier that is driven to
        self._goal: Array | None = None
        self._given_up: list[Missed] = []
        self._left: tuple[Frontier, ...] = ()
        self.reason = ""

    def next(self, grid: OccupancyGrid, pose: Array) -> Array | None:
        """The goal with the best balance of way and length of the frontier."""
        self._goal = self._aim = None
        for tight, explorer in zip((False, True), self._explorers, strict=True):
            target = explorer.next_goal(grid, pose)
            self.tight, self._left, self.reason = tight, target.frontiers, target.reason
            if target.goal is not None:
                self._goal = np.array([target.goal[0], target.goal[1], np.nan])
                gaps = [float(np.hypot(*(each.middle - self._goal[:2]))) for each in target.frontiers]
                self._aim = target.frontiers[int(np.argmin(gaps))].middle
                break
        return self._goal

    def worth(self, grid: OccupancyGrid) -> bool:
        """Whether a frontier still lies where the goal was chosen for."""
        if self._aim is None:
            return False
        return any(
            float(np.min(np.linalg.norm(grid.point_of(each.cells) - self._aim, axis=1))) < SEEN
            for each in frontiers(grid, self._least)
        )

    def over(self, arrived: bool, reason: str) -> None:
        """A place that was visited or given up is never asked for again."""
        if self._goal is None or self._aim is None:
            return
        place = (float(self._aim[0]), float(self._aim[1]))
        if arrived:
            reason = "visited, but the area behind it cannot be seen from there"
        for explorer in self._explorers:
            explorer.give_up(self._goal)
        self._given_up.append(Missed(place, 0.0, reason))

    @property
    def missed(self) -> list[Missed]:
        """The frontiers that are left, each with the reason why."""
        out = []
        for each in self._left:
            place = (float(each.middle[0]), float(each.middle[1]))
            reason = "not attempted" if self._goal is not None else "no collision-free path to it"
            for other in self._given_up:
                if np.hypot(*(np.array(other.place) - each.middle)) < 2 * SEEN:
                    reason = other.reason
            out.append(Missed(place, each.size, reason))
        return out


def roomy(vehicle: Vehicle) -> Vehicle:
    """The vehicle as a square about its reference point that is as wide as its longest side is far away."""
    half = float(np.abs(vehicle.footprint).max())
    return replace(vehicle, footprint=np.array([[-half, -half], [half, -half], [half, half], [-half, half]]))


def inflation(vehicle: Vehicle, tight: bool) -> Inflation:
    """Costs for planning: a robot that turns on the spot keeps to where it can, unless it must be tight."""
    if tight or vehicle.drive == "ackermann":
        return Inflation()
    return Inflation(padding=vehicle.circumscribed - vehicle.inscribed)


def grown(vehicle: Vehicle, margin: float) -> Vehicle:
    """The vehicle with a footprint that reaches further by a margin [m] to all sides: steered wheels stand out."""
    return replace(vehicle, footprint=vehicle.footprint + margin * np.sign(vehicle.footprint))


def decided(grid: OccupancyGrid) -> OccupancyGrid:
    """The map as it will be saved: free, occupied, and unknown where neither is sure."""
    cells = np.where(grid.free(), 0, np.where(grid.occupied(), 100, UNKNOWN))
    return OccupancyGrid(grid.resolution, grid.origin, cells.astype(np.int8))


class Waypoints:
    """Given places, one after the other; those that cannot be reached are left out."""

    tight = True

    def __init__(self, places: Array) -> None:
        self._places = [np.array(place, dtype=float) for place in places]
        self._next = 0
        self.missed: list[Missed] = []
        self.reason = f"{len(places)} waypoints are left"

    def next(self, grid: OccupancyGrid, pose: Array) -> Array | None:
        """The next place of the list."""
        left = len(self._places) - self._next
        self.reason = f"{left} waypoints are left" if left else "all waypoints were visited"
        if not left and self.missed:
            self.reason = f"{len(self.missed)} of {len(self._places)} waypoints could not be reached"
        return self._places[self._next] if left else None

    def worth(self, grid: OccupancyGrid) -> bool:
        """A waypoint is always worth it."""
        return True

    def over(self, arrived: bool, reason: str) -> None:
        """Go on to the next."""
        x, y, _ = self._places[self._next]
        if not arrived:
            self.missed.append(Missed((float(x), float(y)), 0.0, reason))
        self._next += 1


STEP = 0.05  # between places of a trail [m]
KEPT = 2000  # places of a trail


class Trail:
    """Where a robot has driven, as it believes."""

    def __init__(self) -> None:
        self._places: list[Array] = []

    def add(self, pose: Array) -> None:
        """Keep a pose (3,) when it lies a step away from the last one."""
        if not self._places or float(np.hypot(*(pose - self._places[-1])[:2])) >= STEP:
            self._places.append(np.array(pose, dtype=float))
            del self._places[:-KEPT]

    def back(self, length: float) -> DrivenPath | None:
        """The last `length` meters the other way round, driven backwards; they leave the trail. None: too few."""
        count = min(len(self._places), round(length / STEP) + 1)
        if count < 3:
            return None
        points = np.array(self._places[-count:])[::-1, :2]
        del self._places[-count:]
        gone = np.diff(points, axis=0, append=points[-1:] + (points[-1:] - points[-2:-1]))
        yaw = np.arctan2(-gone[:, 1], -gone[:, 0])
        return DrivenPath(np.column_stack([points, yaw]), -np.ones(count, dtype=np.int8))


MAX_BYTES = 1024 * 1024
FARTHEST = 10_000.0  # [m]


def read_waypoints(path: Path) -> Array:
    """Places (n, 3) x, y [m] and yaw [rad] of a file; NaN where a line names no yaw.

    Words are parted by blanks, commas or semicolons; what follows # is a comment; empty lines are passed over.
    """
    if not path.is_file():
        raise MissingFile(f"{path}: no such file of waypoints")
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text file; waypoints are lines 'x y' or 'x y yaw'") from None
    places = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].replace(",", " ").replace(";", " ").split()
        if words:
            places.append(_place(words, f"{path}:{number}"))
    if not places:
        raise BadInput(f"{path}: holds no waypoints; write lines 'x y' or 'x y yaw' in meters and radians")
    return np.array(places)


def _place(words: list[str], where: str) -> list[float]:
    if len(words) not in (2, 3):
        raise BadInput(f"{where}: a waypoint is 'x y' or 'x y yaw', got {' '.join(words)[:60]!r}")
    try:
        values = [float(word) for word in words]
    except ValueError:
        raise BadInput(f"{where}: a waypoint is 'x y' or 'x y yaw' in numbers, got {' '.join(words)[:60]!r}") from None
    if not all(math.isfinite(value) and abs(value) <= FARTHEST for value in values):
        raise BadInput(f"{where}: a waypoint needs finite numbers up to {FARTHEST:g} m, got {' '.join(words)[:60]!r}")
    return [*values, math.nan] if len(values) == 2 else values
