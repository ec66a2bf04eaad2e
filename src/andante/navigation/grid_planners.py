"""`Dijkstra`, `AStar` and `AnyAngle`: ways across a costmap for robots that can turn on the spot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.errors import BadInput
from andante.geometry import Array

from ._search_kernels import STRAIGHT, UNREACHED, grid_search, walk_back
from ._theta_kernels import any_angle_search
from .costmap import Costmap
from .path import Path, simplified, smoothed
from .planning import Plan, checked_pose, relaxed

_UNIT = 2 * STRAIGHT * 8  # price of a straight step through free space


def distance_field(point: ArrayLike, costmap: Costmap, weight: float = 3.0) -> Array:
    """Price (rows, cols) [m] of the cheapest way from a world point to every cell; infinite where there is none.

    A metre of free space costs 1, one of cost c costs 1 + weight · c / 252. Ways are eight-connected.
    """
    cell = costmap.cell_of(point)
    if not costmap.inside(cell):
        raise BadInput(f"the point {np.asarray(point)[:2].tolist()} lies outside the map")
    price, _, _ = grid_search(costmap.cost, costmap.factors(weight), cell[0] * costmap.shape[1] + cell[1], -1, False)
    out = price.reshape(costmap.shape) * (costmap.resolution / _UNIT)
    out[price.reshape(costmap.shape) == UNREACHED] = math.inf
    return out


@dataclass(frozen=True)
class _GridPlanner:
    """Common to all grid planners: occupied ends are moved to free places, unreachable goals to reachable ones."""

    weight: float = 3.0  # how much costs near obstacles count against length
    tolerance: float = 0.5  # how far an occupied start or goal may be moved [m]
    smooth: bool = True  # simplify and smooth the way
    goal_tolerance: float = math.nan  # how far a goal may be moved [m]; NaN: as `tolerance`

    def __post_init__(self) -> None:
        if math.isnan(self.goal_tolerance):
            object.__setattr__(self, "goal_tolerance", self.tolerance)
        if not 0 <= self.weight <= 50:
            raise BadInput(f"planner weight must lie within 0 to 50, got {self.weight}")
        if not (0 <= self.tolerance < math.inf and 0 <= self.goal_tolerance < math.inf):
            raise BadInput(f"planner tolerance must be a distance >= 0, got {self.tolerance}, {self.goal_tolerance}")

    def _search(self, costmap: Costmap, factors: NDArray[np.int32], start: int, goal: int) -> tuple[Array, float, int]:
        raise NotImplementedError

    def plan(self, start: ArrayLike, goal: ArrayLike, costmap: Costmap) -> Plan:
        """A path from a pose to another in the world; a goal yaw of NaN is free."""
        begin, end = checked_pose("start", start), checked_pose("goal", goal)
        factors = costmap.factors(self.weight)
        open_cells = factors[costmap.cost] > 0
        cols = costmap.shape[1]
        first, start_note = relaxed("start", begin, costmap, open_cells, self.tolerance, end)
        if first is None:
            return Plan(None, start_note)
        last, goal_note = relaxed("goal", end, costmap, open_cells, self.goal_tolerance, begin)
        if last is None:
            return Plan(None, goal_note)
        source = first[0] * cols + first[1]
        cells, price, expanded = self._search(costmap, factors, source, last[0] * cols + last[1])
        if not len(cells):
            field, steps, more = grid_search(costmap.cost, factors, source, -1, False)
            reachable = (field != UNREACHED).reshape(costmap.shape)
            last, goal_note = relaxed("goal", end, costmap, reachable, self.goal_tolerance, begin)
            if last is None:
                shut = "no way leads to it"
                return Plan(
                    None, f"the goal ({end[0]:.2f}, {end[1]:.2f}) is shut off: {shut}", expanded=expanded + more
                )
            cells = walk_back(steps, cols, source, last[0] * cols + last[1])
            price, expanded = float(field[last[0] * cols + last[1]]) / _UNIT, expanded + more
        points = costmap.point_of(np.stack(np.divmod(cells, cols), axis=-1))
        if not start_note:
            points[0] = begin[:2]
        else:
            points = np.concatenate([begin[None, :2], points])
        if not goal_note:
            points[-1] = end[:2]
        note = "; ".join(note for note in (start_note, goal_note) if note)
        yaw = None if math.isnan(end[2]) else float(end[2])
        path = Path.through(self._finish(points, costmap), yaw)
        return Plan(path, note, price * costmap.resolution, expanded)

    def _finish(self, points: Array, costmap: Costmap) -> Array:
        if not self.smooth or len(points) < 3:
            return points
        corners = simplified(points, costmap, self.weight)
        step = max(2 * costmap.resolution, 0.08)
        dense = Path.through(corners).resampled(step).poses[:, :2]
        return smoothed(dense, costmap, clearance=0.0)


@dataclass(frozen=True)
class Dijkstra(_GridPlanner):
    """Cheapest eight-connected way, by growing from the start in all directions."""

    def _search(self, costmap: Costmap, factors: NDArray[np.int32], start: int, goal: int) -> tuple[Array, float, int]:
        price, steps, expanded = grid_search(costmap.cost, factors, start, goal, False)
        return walk_back(steps, costmap.shape[1], start, goal), float(price[goal]) / _UNIT, expanded


@dataclass(frozen=True)
class AStar(_GridPlanner):
    """Cheapest eight-connected way, led towards the goal by the octile distance; the same price as `Dijkstra`."""

    def _search(self, costmap: Costmap, factors: NDArray[np.int32], start: int, goal: int) -> tuple[Array, float, int]:
        price, steps, expanded = grid_search(costmap.cost, factors, start, goal, True)
        return walk_back(steps, costmap.shape[1], start, goal), float(price[goal]) / _UNIT, expanded


@dataclass(frozen=True)
class AnyAngle(_GridPlanner):
    """A way of straight lines at any angle between cells, by lazy Theta*; shorter than eight directions allow."""

    def _search(self, costmap: Costmap, factors: NDArray[np.int32], start: int, goal: int) -> tuple[Array, float, int]:
        price, cells, expanded = any_angle_search(costmap.cost, factors, start, goal)
        return cells, price / 8, expanded
