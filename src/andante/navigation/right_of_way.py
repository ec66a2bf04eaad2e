"""Who goes first where two robots cannot pass each other: right of way at doors and in corridors, without a master.

Every robot tells the others its `Intent`: where it is, how large it is, and the way that it wants to go with the room
that the map leaves there. All come to the same result from the same intents:

- Two robots *meet* where a narrow part of one way comes within reach of the other way, unless both go the same
  direction there. A part is narrow where the room d(s) to the nearest wall is less than r_i + r_j + 1.5 m (radii and a
  margin m): two robots side by side need 2 r_i + 2 r_j + 3 m of width.
- The robot with the shorter way to the first place where it meets anybody goes first; one that goes first already keeps
  that. Those who have just met are ranked by that way, then by name: a total order, so they do not wait in a circle.
- One that cannot get out of the way of anybody goes first.
- A robot that yields drives on until it is near the place. There it stands if it is off the way of those who go first,
  else it steps aside: to the nearest place that it can reach which is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import distance_transform_edt

from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping import OccupancyGrid

from .costmap import INSCRIBED, LETHAL, Costmap
from .path import Path
from .planners.grid import distance_field

ALONG = 0.5  # cosine of the angle between two ways up to which they go the same direction


@dataclass(frozen=True)
class WaySettings:
    """When robots count as meeting, and how they yield."""

    margin: float = 0.1  # between two robots that pass each other [m]
    horizon: float = 8.0  # ways further ahead do not count yet [m]
    spacing: float = 0.1  # of the points of a way that is told [m]
    hold: float = 0.9  # a robot that yields goes on until it is as near to the narrow place [m]
    linger: float = 1.0  # a robot that yields goes on only when the way has been free for so long [s]
    near: float = 0.5  # who goes first waits while one that steps aside is within this gap ahead [m]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value > 0):
                raise BadInput(f"right of way: {name} must be a finite number > 0, got {value}")


NO_WAY = np.zeros((0, 3))


@dataclass(frozen=True)
class Intent:
    """What one robot tells the others."""

    name: str
    pose: Array  # (3,) x, y, yaw on the map that all share [m, m, rad]
    radius: float  # that holds its footprint [m]
    way: Array = field(default_factory=lambda: NO_WAY)  # (n, 3) x, y and room d along what it wants to drive [m]
    before: tuple[str, ...] = ()  # robots that it goes before, since they met
    stuck: bool = False  # it cannot get out of anybody's way


def way_of(path: Path, pose: ArrayLike, room: RoomMap, settings: WaySettings) -> Array:
    """What is left of a path (n, 3): x, y and the room to the nearest wall, up to the horizon."""
    left = path.after(path.nearest(pose)).resampled(settings.spacing)
    left = left.poses[left.along <= settings.horizon, :2]
    return np.column_stack([left, room.at(left)]) if len(left) else NO_WAY


class RoomMap:
    """Distance to the nearest wall anywhere on a map; without a map there is room everywhere."""

    def __init__(self, grid: OccupancyGrid | None) -> None:
        self._grid = grid
        self._distance: Array | None = None
        if grid is not None and grid.occupied().any():
            self._distance = distance_transform_edt(~grid.occupied()) * grid.resolution

    def at(self, points: ArrayLike) -> Array:
        """(n,) of points (n, 2) [m]."""
        where = np.asarray(points, dtype=float).reshape(-1, 2)
        if self._distance is None or self._grid is None:
            return np.full(len(where), math.inf)
        rows, cols = np.clip(self._grid.cell_of(where), 0, np.array(self._distance.shape) - 1).T
        return np.asarray(self._distance[rows, cols], dtype=float)


def meeting(one: Intent, other: Intent, settings: WaySettings) -> float:
    """How far `one` has to go until it meets `other` in a narrow place [m]; inf: they do not meet."""
    if len(one.way) < 2 or len(other.way) < 2:
        return math.inf
    reach = one.radius + other.radius + settings.margin
    narrow = np.flatnonzero(one.way[:, 2] < one.radius + other.radius + 1.5 * settings.margin)
    if not len(narrow):
        return math.inf
    gaps = np.linalg.norm(one.way[narrow, None, :2] - other.way[None, :, :2], axis=2)
    nearest = gaps.argmin(axis=1)
    mine, theirs = _headings(one.way), _headings(other.way)
    same = np.einsum("ij,ij->i", mine[narrow], theirs[nearest]) > ALONG
    met = narrow[(gaps.min(axis=1) < reach) & ~same]
    if not len(met):
        return math.inf
    steps = np.linalg.norm(np.diff(one.way[: met[0] + 1, :2], axis=0), axis=1)
    return float(steps.sum())


def _headings(way: Array) -> Array:
    """Unit vectors (n, 2) along a way."""
    along = np.gradient(way[:, :2], axis=0)
    unit: Array = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    return unit


def yields_to(intents: Sequence[Intent], settings: WaySettings) -> Mapping[str, dict[str, float]]:
    """By robot: those whom it lets go first, each with how far it is to where they meet [m]."""
    out: dict[str, dict[str, float]] = {intent.name: {} for intent in intents}
    gaps = {(a.name, b.name): meeting(a, b, settings) for a in intents for b in intents if a is not b}
    rank = {
        a.name: (min((gaps[a.name, b.name] for b in intents if b is not a), default=math.inf), a.name) for a in intents
    }
    for i, one in enumerate(intents):
        for other in intents[i + 1 :]:
            mine, theirs = gaps[one.name, other.name], gaps[other.name, one.name]
            if math.isinf(mine) and math.isinf(theirs):
                continue
            if one.stuck != other.stuck:
                first = one.stuck
            elif (other.name in one.before) != (one.name in other.before):
                first = other.name in one.before
            else:
                first = rank[one.name] < rank[other.name]
            late, early, gap, back = (other, one, theirs, mine) if first else (one, other, mine, theirs)
            out[late.name][early.name] = back if math.isinf(gap) else gap
    return out


def off_the_way(pose: ArrayLike, radius: float, first: Sequence[Intent], settings: WaySettings) -> bool:
    """Whether a robot at a pose is out of the way of those who go first."""
    at = np.asarray(pose, dtype=float)[:2]
    for other in first:
        points = np.vstack([other.pose[None, :2], other.way[:, :2]])
        if np.linalg.norm(points - at, axis=1).min() < radius + other.radius + settings.margin:
            return False
    return True


def siding(
    pose: ArrayLike, radius: float, first: Sequence[Intent], others: Sequence[Intent], costmap: Costmap,
    settings: WaySettings,
) -> Array | None:  # fmt: skip
    """The nearest place (2,) that a robot can reach which is off the way of those who go first; None: there is none.

    Those who go first and all others are not driven through.
    """
    cost = np.array(costmap.cost)
    taken = np.zeros(costmap.shape, dtype=bool)
    for other in (*first, *others):
        cost[_within(costmap, other.pose[None, :2], radius + other.radius)] = LETHAL
    for other in first:
        points = np.vstack([other.pose[None, :2], other.way[:, :2]])
        taken |= _within(costmap, points, radius + other.radius + 2 * settings.margin)
    for other in others:
        taken |= _within(costmap, other.pose[None, :2], radius + other.radius + 2 * settings.margin)
    cell = costmap.cell_of(pose)
    if not costmap.inside(cell):
        return None
    cost[cell] = min(int(cost[cell]), INSCRIBED - 1)
    free = Costmap(costmap.resolution, costmap.origin, cost, costmap.distance, costmap.unknown, costmap.roomy)
    price = distance_field(pose, free)
    price[taken | (cost >= INSCRIBED) | (costmap.distance < radius)] = math.inf
    best = int(np.argmin(price))
    if not math.isfinite(price.flat[best]):
        return None
    return costmap.point_of(np.unravel_index(best, price.shape))


def _within(costmap: Costmap, points: Array, distance: float) -> np.ndarray:
    """Mask (rows, cols) of the cells within a distance of any of the points (n, 2)."""
    inner = np.asarray(costmap.to_frame(points), dtype=float) / costmap.resolution
    rows, cols = costmap.shape
    seeds = np.ones((rows, cols), dtype=bool)
    r, c = np.floor(inner[:, 1]).astype(int), np.floor(inner[:, 0]).astype(int)
    keep = (r >= 0) & (r < rows) & (c >= 0) & (c < cols)
    if not keep.any():
        return np.zeros((rows, cols), dtype=bool)
    seeds[r[keep], c[keep]] = False
    return np.asarray(distance_transform_edt(seeds) * costmap.resolution < distance)
