"""`Dijkstra`, `AStar` and `ThetaStar`: ways across a costmap for robots that can turn on the spot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array
from andante.navigation.costmap import Costmap
from andante.navigation.path import Path, line_price, simplified, smoothed

from . import Plan, checked_pose, relaxed

STRAIGHT, DIAGONAL = 12, 17  # step lengths, 17 / 12 = 1.4167
UNREACHED = np.int32(2**31 - 1)
ROW_STEP = np.array([0, 1, 0, -1, 1, 1, -1, -1])  # of the eight neighbors
COL_STEP = np.array([1, 0, -1, 0, 1, -1, -1, 1])
_UNIT = 2 * STRAIGHT * 8  # price of a straight step through free space


def distance_field(point: ArrayLike, costmap: Costmap, weight: float = 3.0) -> Array:
    """Price (rows, cols) [m] of the cheapest way from a world point to every cell; infinite where there is none.

    A meter of free space costs 1, one of cost c costs 1 + weight · c / 252. Ways are eight-connected.
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
    guided: ClassVar[bool] = True  # whether the search is led by the distance to the goal

    def __post_init__(self) -> None:
        if math.isnan(self.goal_tolerance):
            object.__setattr__(self, "goal_tolerance", self.tolerance)
        if not 0 <= self.weight <= 50:
            raise BadInput(f"planner weight must lie within 0 to 50, got {self.weight}")
        if not (0 <= self.tolerance < math.inf and 0 <= self.goal_tolerance < math.inf):
            raise BadInput(f"planner tolerance must be a distance >= 0, got {self.tolerance}, {self.goal_tolerance}")

    def _search(self, costmap: Costmap, factors: NDArray[np.int32], start: int, goal: int) -> tuple[Array, float, int]:
        price, steps, expanded = grid_search(costmap.cost, factors, start, goal, self.guided)
        return walk_back(steps, costmap.shape[1], start, goal), float(price[goal]) / _UNIT, expanded

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

    guided = False


@dataclass(frozen=True)
class AStar(_GridPlanner):
    """Cheapest eight-connected way, led toward the goal by the octile distance; the same price as `Dijkstra`."""


@dataclass(frozen=True)
class ThetaStar(_GridPlanner):
    """A way of straight lines at any angle between cells, by lazy Theta*; shorter than eight directions allow."""

    def _search(self, costmap: Costmap, factors: NDArray[np.int32], start: int, goal: int) -> tuple[Array, float, int]:
        price, cells, expanded = any_angle_search(costmap.cost, factors, start, goal)
        return cells, price / 8, expanded


@njit()
def grid_search(
    cost: np.ndarray, factor: np.ndarray, start: int, goal: int, guided: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    """Price (rows · cols,) int32 of the cheapest way from `start` to every cell, steps (…,) uint8, cells expanded.

    A step between neighbors a, b costs (12 straight, 17 diagonal) · (factor[cost[a]] + factor[cost[b]]); factor 0
    blocks, and no diagonal step passes a blocked corner. goal >= 0 stops as soon as its price is final; `guided` adds
    the octile distance (A*). steps[b] = 1 + direction by which b was reached, 0: never.

    Open cells wait in a ring of buckets as wide as the cheapest step (Dial 1969 with buckets of the caliber): cells of
    one bucket cannot improve each other under Dijkstra; under A* they may, and are opened again.
    """
    rows, cols = cost.shape
    size = rows * cols
    flat = cost.reshape(size)
    price = np.full(size, UNREACHED, dtype=np.int32)
    steps = np.zeros(size, dtype=np.uint8)
    least, largest = 1 << 30, 0
    for k in range(256):
        if factor[k] > 0:
            least, largest = min(least, factor[k]), max(largest, factor[k])
    if largest == 0 or factor[flat[start]] == 0:
        return price, steps, 0
    width = 2 * STRAIGHT * least
    if guided:
        width = max(1, width // 3)
    ring = (4 * DIAGONAL * largest) // width + 4
    limit = UNREACHED - 4 * DIAGONAL * largest
    head = np.full(ring, -1, dtype=np.int32)
    room = 4096
    node_cell = np.empty(room, dtype=np.int32)
    node_price = np.empty(room, dtype=np.int32)
    node_next = np.empty(room, dtype=np.int32)
    spare = -1  # recycled nodes
    used = 0
    goal_r, goal_c = goal // cols, goal % cols
    unit = 2 * least
    price[start] = 0
    first = 0
    if guided:
        dr, dc = abs(start // cols - goal_r), abs(start % cols - goal_c)
        first = unit * (STRAIGHT * (dr + dc) - (2 * STRAIGHT - DIAGONAL) * min(dr, dc))
    bucket = first // width
    node_cell[0], node_price[0], node_next[0] = start, 0, -1
    head[bucket % ring] = 0
    used, waiting, expanded = 1, 1, 0
    while waiting > 0:
        if goal >= 0 and price[goal] <= bucket * width:
            break
        slot = bucket % ring
        while head[slot] >= 0:
            node = head[slot]
            head[slot] = node_next[node]
            cell, known = node_cell[node], node_price[node]
            node_next[node] = spare
            spare = node
            waiting -= 1
            if known != price[cell]:
                continue  # a cheaper way was found meanwhile
            expanded += 1
            r, c = cell // cols, cell % cols
            here = factor[flat[cell]]
            for k in range(8):
                nr, nc = r + ROW_STEP[k], c + COL_STEP[k]
                if nr < 0 or nr >= rows or nc < 0 or nc >= cols:
                    continue
                other = nr * cols + nc
                there = factor[flat[other]]
                if there == 0:
                    continue
                if k < 4:
                    total = known + STRAIGHT * (here + there)
                else:
                    if factor[flat[r * cols + nc]] == 0 or factor[flat[nr * cols + c]] == 0:
                        continue
                    total = known + DIAGONAL * (here + there)
                if total >= price[other] or total > limit:
                    continue
                price[other] = total
                steps[other] = k + 1
                rank = total
                if guided:
                    dr, dc = abs(nr - goal_r), abs(nc - goal_c)
                    rank += unit * (STRAIGHT * (dr + dc) - (2 * STRAIGHT - DIAGONAL) * min(dr, dc))
                    if rank > limit:
                        continue
                if spare >= 0:
                    node = spare
                    spare = node_next[node]
                else:
                    if used == room:
                        node_cell = np.concatenate((node_cell, np.empty(room, dtype=np.int32)))
                        node_price = np.concatenate((node_price, np.empty(room, dtype=np.int32)))
                        node_next = np.concatenate((node_next, np.empty(room, dtype=np.int32)))
                        room *= 2
                    node = used
                    used += 1
                at = (rank // width) % ring
                node_cell[node], node_price[node], node_next[node] = other, total, head[at]
                head[at] = node
                waiting += 1
        bucket += 1
    return price, steps, expanded


@njit()
def walk_back(steps: np.ndarray, cols: int, start: int, goal: int) -> np.ndarray:
    """Cells (n,) from start to goal along the steps that a search noted; empty when the goal was not reached."""
    if goal != start and steps[goal] == 0:
        return np.empty(0, dtype=np.int64)
    count, cell = 1, goal
    while cell != start:
        k = steps[cell] - 1
        cell -= ROW_STEP[k] * cols + COL_STEP[k]
        count += 1
    out = np.empty(count, dtype=np.int64)
    cell = goal
    for i in range(count - 1, -1, -1):
        out[i] = cell
        if cell != start:
            k = steps[cell] - 1
            cell -= ROW_STEP[k] * cols + COL_STEP[k]
    return out


@njit()
def heap_push(keys: np.ndarray, items: np.ndarray, count: int, key: float, item: int) -> int:
    """Add an item to a binary heap on two arrays; returns the new count."""
    i = count
    while i > 0:
        up = (i - 1) >> 1
        if keys[up] <= key:
            break
        keys[i], items[i] = keys[up], items[up]
        i = up
    keys[i], items[i] = key, item
    return count + 1


@njit()
def heap_pop(keys: np.ndarray, items: np.ndarray, count: int) -> int:
    """Remove the first item, which the caller read before; returns the new count."""
    count -= 1
    key, item = keys[count], items[count]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= count:
            break
        if child + 1 < count and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[i], items[i] = keys[child], items[child]
        i = child
    keys[i], items[i] = key, item
    return count


@njit()
def any_angle_search(cost: np.ndarray, factor: np.ndarray, start: int, goal: int) -> tuple[float, np.ndarray, int]:
    """Price of the way, its corner cells (n,) from start to goal (empty: none) and cells expanded, by lazy Theta*.

    A cell first takes its parent's parent on trust; when it is expanded the line is checked once, and a blocked or
    dearer line gives way to the best neighbor (Nash, Koenig, Tovey 2010). Lines cost length · mean factor.
    """
    rows, cols = cost.shape
    size = rows * cols
    flat = cost.reshape(size)
    price = np.full(size, np.inf)
    parent = np.full(size, -1, dtype=np.int64)
    closed = np.zeros(size, dtype=np.bool_)
    least = 1 << 30
    for k in range(256):
        if factor[k] > 0:
            least = min(least, factor[k])
    nothing = np.empty(0, dtype=np.int64)
    if factor[flat[start]] == 0 or factor[flat[goal]] == 0:
        return np.inf, nothing, 0
    room = 4096
    keys, items = np.empty(room), np.empty(room, dtype=np.int64)
    goal_r, goal_c = goal // cols, goal % cols
    price[start], parent[start] = 0.0, start
    count = heap_push(keys, items, 0, 0.0, start)
    expanded = 0
    while count > 0:
        cell = items[0]
        count = heap_pop(keys, items, count)
        if closed[cell]:
            continue
        closed[cell] = True
        r, c = cell // cols, cell % cols
        if cell != start:
            up = parent[cell]
            line = line_price(cost, factor, up // cols, up % cols, r, c)
            best, best_from = price[up] + line, up
            if line == np.inf or best > price[cell] + 1e-9:
                for k in range(9):
                    nr, nc = r + k // 3 - 1, c + k % 3 - 1
                    if k == 4 or nr < 0 or nr >= rows or nc < 0 or nc >= cols:
                        continue
                    other = nr * cols + nc
                    if closed[other]:
                        step = line_price(cost, factor, nr, nc, r, c)
                        if price[other] + step < best:
                            best, best_from = price[other] + step, other
            price[cell], parent[cell] = best, best_from
        expanded += 1
        if cell == goal:
            break
        base = parent[cell]
        base_r, base_c = base // cols, base % cols
        here, there0 = factor[flat[base]], factor[flat[cell]]
        for k in range(9):
            nr, nc = r + k // 3 - 1, c + k % 3 - 1
            if k == 4 or nr < 0 or nr >= rows or nc < 0 or nc >= cols:
                continue
            other = nr * cols + nc
            f = factor[flat[other]]
            if f == 0 or closed[other]:
                continue
            if nr != r and nc != c and (factor[flat[r * cols + nc]] == 0 or factor[flat[nr * cols + c]] == 0):
                continue
            far = math.sqrt(float((nr - base_r) ** 2 + (nc - base_c) ** 2))
            guess = price[base] + far * (here + there0 + f) / 3.0  # on trust; checked when it is expanded
            if guess < price[other]:
                price[other], parent[other] = guess, base
                if count == room:
                    keys = np.concatenate((keys, np.empty(room)))
                    items = np.concatenate((items, np.empty(room, dtype=np.int64)))
                    room *= 2
                ahead = math.sqrt(float((nr - goal_r) ** 2 + (nc - goal_c) ** 2))
                count = heap_push(keys, items, count, guess + least * ahead, other)
    if not closed[goal]:
        return np.inf, nothing, expanded
    n, cell = 1, goal
    while cell != start:
        cell = parent[cell]
        n += 1
    out = np.empty(n, dtype=np.int64)
    cell = goal
    for i in range(n - 1, -1, -1):
        out[i] = cell
        cell = parent[cell]
    return price[goal], out, expanded
