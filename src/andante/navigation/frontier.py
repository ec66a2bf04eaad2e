"""`Explorer`: where to drive next to see the unknown parts of a map."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import binary_dilation, label

from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping import OccupancyGrid

from .costmap import Costmap, Inflation
from .planners import checked_pose, nearest_open
from .planners.grid import distance_field
from .vehicle import Vehicle

_EIGHT = np.ones((3, 3), dtype=bool)


@dataclass(frozen=True)
class Frontier:
    """A line of free cells beside unknown ones."""

    cells: NDArray[np.int64]  # (n, 2) rows and columns
    middle: Array  # (2,) the cell of the line nearest to its mean, in the world [m]
    size: float  # length [m]


@dataclass(frozen=True)
class Target:
    """The next goal of an exploration; None with the reason when there is nothing left."""

    goal: Array | None  # (3,) x, y, yaw: facing the unknown
    reason: str
    frontiers: tuple[Frontier, ...] = ()


def frontiers(grid: OccupancyGrid, least: float = 0.3) -> tuple[Frontier, ...]:
    """All frontiers of a map that are at least so long [m], longest first."""
    edge = grid.free() & binary_dilation(~grid.known, _EIGHT)
    groups, count = label(edge, _EIGHT)
    if count == 0:
        return ()
    rows, cols = np.nonzero(groups)
    order = np.argsort(groups[rows, cols], kind="stable")
    cells = np.column_stack([rows, cols])[order]
    sizes = np.bincount(groups[groups > 0])[1:]
    found = []
    for group in np.split(cells, np.cumsum(sizes)[:-1]):
        size = len(group) * grid.resolution
        if size >= least:
            gaps = np.linalg.norm(group - group.mean(axis=0), axis=1)
            found.append(Frontier(group, grid.point_of(group[int(np.argmin(gaps))]), size))
    return tuple(sorted(found, key=lambda f: -f.size))


class Explorer:
    """Frontier exploration (Yamauchi 1997): the frontier with the best balance of way and size that can be reached."""

    def __init__(
        self, vehicle: Vehicle, inflation: Inflation | None = None, least: float = 0.3, gain: float = 1.0
    ) -> None:
        if not (least > 0 and gain >= 0):
            raise BadInput("exploration needs a least frontier length > 0 and a gain >= 0")
        self.vehicle = vehicle
        self._inflation = replace(inflation or Inflation(), unknown="blocked")
        self._least, self._gain = least, gain
        self._given_up: list[Array] = []

    def give_up(self, goal: ArrayLike) -> None:
        """Never ask for a goal within half a meter of this one again."""
        self._given_up.append(checked_pose("goal", goal)[:2])

    def next_goal(self, grid: OccupancyGrid, pose: ArrayLike) -> Target:
        """The goal to drive to now from a pose, price = way [m] - gain · length of the frontier [m]."""
        at = checked_pose("pose", pose)
        found = frontiers(grid, self._least)
        if not found:
            return Target(None, "no unknown space borders on free space: the map is complete")
        costmap = Costmap.of(grid, self.vehicle, self._inflation)
        start = nearest_open(~costmap.blocked(), costmap.cell_of(at), 1.0 / grid.resolution)
        if start is None:
            return Target(None, "the robot stands where it cannot move: no free place within 1 m", found)
        field = distance_field(costmap.point_of(start), costmap)
        reachable = np.isfinite(field)
        reach = (self.vehicle.inscribed + self._inflation.padding + 0.6) / grid.resolution
        best, best_price = None, math.inf
        for frontier in found:
            middle = costmap.cell_of(frontier.middle)
            cell = nearest_open(reachable, middle, reach)
            if cell is None:
                continue
            place = costmap.point_of(cell)
            if any(float(np.hypot(*(place - other))) < 0.5 for other in self._given_up):
                continue
            price = float(field[cell]) - self._gain * frontier.size
            if price < best_price:
                best_price = price
                toward = self._unknown_beside(grid, frontier) - place
                best = np.array([*place, math.atan2(toward[1], toward[0])])
        if best is None:
            return Target(
                None, f"none of {len(found)} frontiers can be reached: the map is as complete as it gets", found
            )
        return Target(best, f"{len(found)} frontiers are left", found)

    def _unknown_beside(self, grid: OccupancyGrid, frontier: Frontier) -> Array:
        """Mean of the unknown cells around the middle of a frontier, in the world (2,)."""
        row, col = grid.cell_of(frontier.middle)
        far = max(2, round(0.5 / grid.resolution))
        r0, c0 = max(0, row - far), max(0, col - far)
        part = ~grid.known[r0 : row + far + 1, c0 : col + far + 1]
        return grid.point_of(np.argwhere(part).mean(axis=0) + np.array([r0, c0]))
