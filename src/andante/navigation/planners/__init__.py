"""Planners (global planners): the protocol `Planner`, `Plan`, and what to do when start or goal is occupied."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import ndimage

from andante.errors import BadInput
from andante.geometry import Array
from andante.navigation.costmap import FARTHEST, Costmap
from andante.navigation.path import Path

OFF_MAP, SHUT = "lies outside the map", "cannot be reached"
_SLACK = 0.08  # free places that much further away are about as near [m]


@dataclass(frozen=True)
class Plan:
    """The outcome of a search. `reason`: why there is no path, or what was changed to find one."""

    path: Path | None
    reason: str = ""
    price: float = math.inf  # length [m] weighted by the costs of the cells
    expanded: int = 0  # cells or states looked at

    @property
    def success(self) -> bool:
        """Whether a path was found."""
        return self.path is not None


class Planner(Protocol):
    """Finds a way across a costmap."""

    def plan(self, start: ArrayLike, goal: ArrayLike, costmap: Costmap) -> Plan:
        """A path from a pose x, y, yaw to another, both in the world; a goal yaw of NaN is free."""


def checked_pose(what: str, pose: ArrayLike) -> Array:
    """A pose x, y, yaw with finite x and y, no farther than maps lie; the yaw may be NaN or left out: any."""
    p = np.asarray(pose, dtype=float)
    if p.shape == (2,):
        p = np.array([p[0], p[1], math.nan])
    if p.shape != (3,) or not (np.abs(p[:2]) <= FARTHEST).all() or math.isinf(p[2]):
        raise BadInput(
            f"the {what} must be x, y, yaw as finite numbers (yaw may be NaN: any; x, y within {FARTHEST:g} m), "
            f"got {p.tolist()}"
        )
    return p


def nearest_open(
    open_cells: NDArray[np.bool_],
    cell: tuple[int, int],
    reach: float,
    toward: tuple[int, int] | None = None,
    slack: float = 0.0,
) -> tuple[int, int] | None:
    """The True cell nearest to a cell (which may lie outside), within `reach` cells; None: there is none.

    Of those that are at most `slack` cells further than the nearest, the one nearest to `toward` is taken.
    """
    rows, cols = open_cells.shape
    r, c = cell
    far = math.floor(reach)
    r0, r1, c0, c1 = max(0, r - far), min(rows, r + far + 1), max(0, c - far), min(cols, c + far + 1)
    if r0 >= r1 or c0 >= c1:
        return None
    part = open_cells[r0:r1, c0:c1]
    row, col = np.arange(r0, r1)[:, None], np.arange(c0, c1)[None]
    gaps = np.where(part, np.hypot(row - r, col - c), np.inf)
    least = float(gaps.min())
    if not least <= reach:
        return None
    if toward is not None:
        gaps = np.where(gaps <= min(least + slack, reach), np.hypot(row - toward[0], col - toward[1]), np.inf)
    i = int(np.argmin(gaps))
    return r0 + i // part.shape[1], c0 + i % part.shape[1]


def relaxed(
    what: str, pose: Array, costmap: Costmap, open_cells: NDArray[np.bool_], tolerance: float, other: Array
) -> tuple[tuple[int, int] | None, str]:
    """The cell of a pose, or the nearest open one within `tolerance` meters; and what had to be changed, in words.

    Cells with room for every heading come first; of those about equally near the one nearest to the `other` end is
    taken: the right side of a thin wall. None with the reason when there is no such cell.
    """
    cell = costmap.cell_of(pose)
    place = f"the {what} ({pose[0]:.2f}, {pose[1]:.2f})"
    if costmap.inside(cell) and open_cells[cell]:
        return cell, ""
    trouble = OFF_MAP if not costmap.inside(cell) else _trouble(int(costmap.cost[cell]))
    reach = tolerance / costmap.resolution
    for choice in (open_cells & (costmap.distance >= costmap.roomy + costmap.resolution), open_cells):
        found = nearest_open(choice, cell, reach, costmap.cell_of(other), _SLACK / costmap.resolution)
        if found is not None:
            break
    if found is None:
        return None, f"{place} {trouble} and no free place lies within {tolerance:.2f} m of it"
    moved = costmap.resolution * math.hypot(found[0] - cell[0], found[1] - cell[1])
    x, y = costmap.point_of(found)
    return found, f"{place} {trouble}; the free place ({x:.2f}, {y:.2f}), {moved:.2f} m away, is used instead"


def _trouble(cost: int) -> str:
    if cost == 254:
        return "lies in an obstacle"
    if cost == 255:
        return "lies in unknown space"
    return "is too near to an obstacle for the robot" if cost == 253 else "cannot be driven to"


def shut_off(start: ArrayLike, goal: ArrayLike, costmap: Costmap, reach: float) -> str:
    """Why no place within `reach` [m] of a goal is joined to the start, in words; empty: one is, or it is not known.

    A cell counts as open where a disc of the inscribed radius fits, unknown space by its policy: every planner drives
    on these cells alone, so a wall of others around the start or the goal is an end whatever the planner tries.
    """
    here, there = np.asarray(start, dtype=float), np.asarray(goal, dtype=float)
    cell = costmap.cell_of(there)
    open_cells = ~costmap.blocked()
    if nearest_open(open_cells, cell, reach / costmap.resolution) is None:
        place = f"the goal ({there[0]:.2f}, {there[1]:.2f})"
        if not costmap.inside(cell):
            return f"{place} {OFF_MAP}"
        return f"{place} {_trouble(int(costmap.cost[cell]))} and no free place lies within {reach:.2f} m of it"
    first = nearest_open(open_cells, costmap.cell_of(here), 2 * costmap.roomy / costmap.resolution)
    if first is None:
        return ""  # the robot stands in something: that may pass
    parts, _ = ndimage.label(open_cells)  # side by side: planners cut no corners
    mine = parts == parts[first]
    if nearest_open(mine, cell, reach / costmap.resolution) is not None:
        return ""
    rows, cols = np.nonzero(mine)
    nearest = int(np.argmin(np.hypot(rows - cell[0], cols - cell[1])))
    x, y = costmap.point_of((rows[nearest], cols[nearest]))
    away = math.hypot(x - there[0], y - there[1])
    return (
        f"the goal ({there[0]:.2f}, {there[1]:.2f}) {SHUT}: obstacles that were seen close every way to it; "
        f"the nearest place that can be reached is ({x:.2f}, {y:.2f}), {away:.2f} m from it"
    )
