"""`HybridAStar`: ways that a car can drive, with its turning circle, reversing and its whole footprint."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.navigation.costmap import Costmap, clearance_at
from andante.navigation.path import Path
from andante.navigation.vehicle import Vehicle

from . import Plan, checked_pose
from .grid import _UNIT, UNREACHED, grid_search, heap_pop, heap_push
from .reeds_shepp import Word, along_arc, reeds_shepp, shortest_word

ARRIVALS = 24  # headings that are looked at where any will do
APART = math.radians(50)  # of two that are tried [rad]
_STATUS = ("", "every way that the car can drive is blocked", "the search was given up after {expanded} states")


@dataclass(frozen=True)
class HybridAStar:
    """Search over x, y and heading with arcs; the end is reached exactly by a Reeds-Shepp word.

    For vehicles that turn on the spot it takes half their length for a turning radius.
    """

    vehicle: Vehicle
    weight: float = 1.0  # how much costs near obstacles count against length
    padding: float = 0.02  # kept around the footprint [m]
    tolerance: float = 0.5  # how far an occupied start or goal may be moved [m]
    reverse: float = 2.0  # price of a meter backwards
    change: float = 0.5  # price of a change of direction [m]
    bend: float = 0.2  # price of driving at full steering lock, as a fraction of the length
    reserve: float = 1.1  # planned bends are this much wider than the tightest one of the car
    headings: int = 72
    most_states: int = 300_000
    goal_tolerance: float = math.nan  # how far an occupied goal may be moved [m]; NaN: as `tolerance`
    _discs: dict[float, Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if math.isnan(self.goal_tolerance):
            object.__setattr__(self, "goal_tolerance", self.tolerance)
        for name in ("weight", "padding", "tolerance", "goal_tolerance", "change", "bend"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadInput(f"hybrid A* {name} must be a finite number >= 0, got {getattr(self, name)}")
        if not (self.reverse >= 1 and self.reserve >= 1 and 8 <= self.headings <= 720):
            raise BadInput("hybrid A* needs reverse >= 1, reserve >= 1 and 8 to 720 headings")

    @property
    def radius(self) -> float:
        """Turning radius of the search [m]: a little wider than the car's, so that it can steer back to its path."""
        own = self.vehicle.turning_radius
        return self.reserve * own if own else max(0.1, float(np.ptp(self.vehicle.footprint[:, 0])) / 2)

    def plan(self, start: ArrayLike, goal: ArrayLike, costmap: Costmap) -> Plan:
        """A path from a pose to another in the world, both x, y, yaw; a goal yaw of NaN is the cheapest to reach."""
        begin, end = checked_pose("start", start), checked_pose("goal", goal)
        if math.isnan(begin[2]):
            raise BadInput("hybrid A* needs the heading of the start")
        if costmap.resolution not in self._discs:
            self._discs[costmap.resolution] = self.vehicle.discs(max(0.02, costmap.resolution / 2), self.padding)
        discs = self._discs[costmap.resolution]
        first, start_note = self._placed("start", begin, costmap, discs, self.tolerance)
        if first is None:
            return Plan(None, start_note)
        plan = Plan(None, "")
        for yaw in [end[2]] if math.isfinite(end[2]) else self._arrivals(first, end, costmap, discs):
            last, goal_note = self._placed("goal", np.array([end[0], end[1], yaw]), costmap, discs, self.goal_tolerance)
            if last is None:
                plan = Plan(None, goal_note)
                continue
            plan = self._search(first, last, costmap, discs, [note for note in (start_note, goal_note) if note])
            if plan.path is not None:
                break
        return plan

    def _arrivals(self, first: Array, end: Array, costmap: Costmap, discs: Array) -> list[float]:
        """Headings to try at a goal that any will do for, the world's [rad]: free ones first, the cheapest before.

        The price is that of the Reeds-Shepp word in open space. A car that has just missed its goal backs up to it
        instead of turning round.
        """
        inner = costmap.to_frame(np.array([end[0], end[1], 0.0]))
        turned = float(inner[2])
        bearing = math.atan2(inner[1] - first[1], inner[0] - first[0])
        priced = []
        for turn in np.linspace(0, 2 * math.pi, ARRIVALS, endpoint=False):
            pose = np.array([inner[0], inner[1], bearing + turn])
            taken = not self._free(pose, costmap, discs)
            priced.append((taken, self._price(reeds_shepp(first, pose, self.radius)), float(pose[2])))
        chosen: list[float] = []
        for _, _, yaw in sorted(priced):
            if all(abs(float(se2.wrap(yaw - other))) > APART for other in chosen):
                chosen.append(yaw)
        return [float(se2.wrap(yaw - turned)) for yaw in chosen]

    def _price(self, word: Word) -> float:
        """What a word costs in open space [m]."""
        driven = [(turn, length) for turn, length in zip(word.turns, word.lengths, strict=True) if abs(length) > 1e-9]
        meters = sum(
            abs(length) * (self.reverse if length < 0 else 1.0) * (1.0 + self.bend * abs(turn))
            for turn, length in driven
        )
        changes = sum(a * b < 0 for (_, a), (_, b) in itertools.pairwise(driven))
        return meters + self.change * changes

    def _search(self, first: Array, last: Array, costmap: Costmap, discs: Array, notes: list[str]) -> Plan:
        cols, resolution = costmap.shape[1], costmap.resolution
        factors = costmap.factors(self.weight)
        if not (factors[costmap.cost[_cell(first, resolution)]] and factors[costmap.cost[_cell(last, resolution)]]):
            factors = np.where(np.arange(256) == 253, factors[252], factors).astype(np.int32)  # a car's rear axle may
        row, col = _cell(last, resolution)
        price, _, _ = grid_search(costmap.cost, factors, row * cols + col, -1, False)
        ahead = (price * np.float32(resolution / _UNIT)).astype(np.float32).reshape(costmap.shape)
        ahead[price.reshape(costmap.shape) == UNREACHED] = np.float32(1e10)
        x, y = costmap.from_frame(last[:2])
        if ahead[_cell(first, resolution)] >= 1e9:
            return Plan(None, f"the goal ({x:.2f}, {y:.2f}) is shut off: no way leads to it")
        cell = max(resolution, self.radius / 10)
        arc = max(1.5 * cell, self.radius * 2 * math.pi / self.headings)
        enough = self.vehicle.circumscribed + self.padding + 0.05
        status, states, turns, lengths, expanded = hybrid_search(
            first, last, ahead, costmap.distance, costmap.cost, factors, resolution, discs, enough, self.radius,
            cell, self.headings, arc, self.reverse, self.change, self.bend, self.most_states,
        )  # fmt: skip
        if status:
            why = _STATUS[status].format(expanded=expanded)
            return Plan(None, f"no drivable way to the goal ({x:.2f}, {y:.2f}): {why}", expanded=expanded)
        keep = np.abs(lengths) > 1e-9
        word = Word(
            tuple(int(t) for t in turns[keep]), tuple(float(v) * self.radius for v in lengths[keep]), self.radius
        )
        tail = word.path(states[-1, :3], max(resolution, 0.05))
        poses = np.concatenate([states[:, :3], tail.poses[1:]])
        ways = np.concatenate([states[:, 3], tail.directions[1:]])
        ways[0] = ways[1] if len(ways) > 1 else 1
        poses[:, 2] = se2.wrap(poses[:, 2])
        if len(tail.poses) > 1:
            poses[-1] = last
        path = Path(costmap.from_frame(poses), ways.astype(np.int8))
        return Plan(path, "; ".join(notes), path.length, expanded)

    def _placed(
        self, what: str, pose: Array, costmap: Costmap, discs: Array, tolerance: float
    ) -> tuple[Array | None, str]:
        """A pose in the frame of the map where the footprint is free: the given one or the nearest; and the words."""
        inner = costmap.to_frame(pose)
        place = f"the {what} ({pose[0]:.2f}, {pose[1]:.2f}, yaw {pose[2]:.2f})"
        if self._free(inner, costmap, discs):
            return inner, ""
        trouble = (
            "puts the footprint into an obstacle" if costmap.inside(costmap.cell_of(pose)) else "lies outside the map"
        )
        steps = np.arange(costmap.resolution, tolerance + 1e-9, costmap.resolution)
        for away in steps:
            for bearing in np.linspace(
                0.0, 2 * np.pi, max(8, int(2 * np.pi * away / costmap.resolution)), endpoint=False
            ):
                moved = inner + np.array([away * math.cos(bearing), away * math.sin(bearing), 0.0])
                if self._free(moved, costmap, discs):
                    x, y = costmap.from_frame(moved[:2])
                    return moved, f"{place} {trouble}; ({x:.2f}, {y:.2f}), {away:.2f} m away, is used instead"
        return None, f"{place} {trouble} and no free place lies within {tolerance:.2f} m of it"

    def _free(self, inner: Array, costmap: Costmap, discs: Array) -> bool:
        row, col = _cell(inner, costmap.resolution)
        if not costmap.inside((row, col)):
            return False
        c, s = math.cos(inner[2]), math.sin(inner[2])
        enough = self.vehicle.circumscribed + self.padding + 0.05
        return clearance_at(inner[0], inner[1], c, s, costmap.distance, costmap.resolution, discs, enough, 0.0) >= 0


def _cell(pose: Array, resolution: float) -> tuple[int, int]:
    return math.floor(pose[1] / resolution), math.floor(pose[0] / resolution)


@njit()
def word_is_free(
    x: float, y: float, yaw: float, turns: np.ndarray, lengths: Array, radius: float, step: float, distance: np.ndarray,
    resolution: float, discs: Array, enough: float,
) -> bool:  # fmt: skip
    """Whether a Reeds-Shepp word, in turning radii, touches nothing and stays on the grid."""
    rows, cols = distance.shape
    for i in range(5):
        length = lengths[i] * radius
        if length == 0.0:
            continue
        count = max(1, math.ceil(abs(length) / step))
        for k in range(1, count + 1):
            px, py, p = along_arc(x, y, yaw, turns[i] / radius, length * k / count)
            if not (0.0 <= px < cols * resolution and 0.0 <= py < rows * resolution):
                return False
            if clearance_at(px, py, math.cos(p), math.sin(p), distance, resolution, discs, enough, 0.0) < 0.0:
                return False
        x, y, yaw = along_arc(x, y, yaw, turns[i] / radius, length)
    return True


@njit()
def hybrid_search(
    start: Array, goal: Array, field: np.ndarray, distance: np.ndarray, cost: np.ndarray, factor: np.ndarray,
    resolution: float, discs: Array, enough: float, radius: float, cell: float, headings: int, arc: float,
    reverse: float, change: float, bend: float, most: int,
) -> tuple[int, Array, np.ndarray, Array, int]:  # fmt: skip
    """Hybrid A* (Dolgov, Thrun, Montemerlo, Diebel 2010): continuous poses in cells of x, y, heading.

    field (rows, cols) float32 is the price [m] from the goal on the grid, the heuristic together with the length of the
    Reeds-Shepp word. Steps are arcs of length `arc` with five curvatures, forward or backwards; every now and then the
    shortest word to the goal is tried. Prices are lengths times the factor of the cell, times `reverse` backwards, plus
    `change` [m] for a change of direction and `bend` for steering.

    Returns status (0 found, 1 none, 2 too many states), poses (n, 4) x, y, yaw, direction, the final word's turns (5,)
    and lengths (5,) in radii, and the number of states expanded.
    """
    rows, cols = distance.shape
    ratio = resolution / cell
    wide, high = int(cols * ratio) + 1, int(rows * ratio) + 1
    size = wide * high * headings
    price = np.full(size, np.float32(np.inf), dtype=np.float32)
    closed = np.zeros(size, dtype=np.bool_)
    index = np.full(size, -1, dtype=np.int32)  # node of a cell
    room = 8192
    node = np.empty((room, 4))  # x, y, yaw, direction
    origin = np.empty(room, dtype=np.int32)
    where = np.empty(room, dtype=np.int32)
    steer = np.empty(room)
    heap_room = 8192
    keys, items = np.empty(heap_room), np.empty(heap_room, dtype=np.int64)
    turns, lengths = np.zeros(5, dtype=np.int64), np.zeros(5)
    step_check = max(0.75 * resolution, arc / 4)
    checks = max(1, math.ceil(arc / step_check))
    pi2 = 2 * math.pi
    bin_width = pi2 / headings
    node[0, 0], node[0, 1], node[0, 2], node[0, 3] = start[0], start[1], start[2], 0.0
    key = int((start[2] % pi2) / bin_width + 0.5) % headings
    first = (int(start[1] / cell) * wide + int(start[0] / cell)) * headings + key
    origin[0], where[0], steer[0] = -1, first, 0.0
    price[first], index[first] = 0.0, 0
    count, used, expanded, until = 0, 1, 0, 0
    count = heap_push(keys, items, count, 0.0, 0)
    final = -1
    while count > 0:
        here = items[0]
        count = heap_pop(keys, items, count)
        at = where[here]
        if closed[at] or index[at] != here:
            continue
        closed[at] = True
        expanded += 1
        x, y, yaw, way = node[here, 0], node[here, 1], node[here, 2], node[here, 3]
        so_far = float(price[at])
        until -= 1
        if until <= 0:
            dx, dy = goal[0] - x, goal[1] - y
            c, s = math.cos(yaw), math.sin(yaw)
            total = radius * shortest_word(
                (c * dx + s * dy) / radius, (c * dy - s * dx) / radius, goal[2] - yaw, turns, lengths
            )
            ahead = float(field[int(y / resolution), int(x / resolution)])
            sensible = total <= 1.5 * ahead + 6.0 * radius
            if sensible and word_is_free(
                x, y, yaw, turns, lengths, radius, step_check, distance, resolution, discs, enough
            ):
                final = here
                break
            until = int(max(1.0, min(ahead, total) / (3.0 * arc)))
        if expanded > most:
            return 2, np.empty((0, 4)), turns, lengths, expanded
        for k in range(10):
            direction = 1.0 if k < 5 else -1.0
            curve = (k % 5 - 2) * 0.5 / radius
            ok = True
            nx, ny, nyaw = x, y, yaw
            for j in range(1, checks + 1):
                nx, ny, nyaw = along_arc(x, y, yaw, curve, direction * arc * j / checks)
                if not (0.0 <= nx < cols * resolution and 0.0 <= ny < rows * resolution) or (
                    clearance_at(nx, ny, math.cos(nyaw), math.sin(nyaw), distance, resolution, discs, enough, 0.0) < 0.0
                ):
                    ok = False
                    break
            if not ok:
                continue
            key = int((nyaw % pi2) / bin_width + 0.5) % headings
            to = (int(ny / cell) * wide + int(nx / cell)) * headings + key
            if closed[to]:
                continue
            r, q = int(ny / resolution), int(nx / resolution)
            ahead = float(field[r, q])
            if ahead >= 1e9:
                continue
            weight = factor[cost[r, q]] / 8.0
            step = arc * max(weight, 1.0) * (1.0 + bend * abs(curve) * radius)
            if direction < 0:
                step *= reverse
            if way != 0.0 and direction != way:
                step += change
            step += 0.3 * bend * arc * abs(curve - steer[here]) * radius
            new = np.float32(so_far + step)
            if new >= price[to]:
                continue
            price[to] = new
            if used == room:
                node = np.concatenate((node, np.empty((room, 4))))
                origin = np.concatenate((origin, np.empty(room, dtype=np.int32)))
                where = np.concatenate((where, np.empty(room, dtype=np.int32)))
                steer = np.concatenate((steer, np.empty(room)))
                room *= 2
            node[used, 0], node[used, 1], node[used, 2], node[used, 3] = nx, ny, nyaw, direction
            origin[used], where[used], steer[used], index[to] = here, to, curve, used
            if ahead < 8.0 * radius:
                dx, dy = goal[0] - nx, goal[1] - ny
                c, s = math.cos(nyaw), math.sin(nyaw)
                word = radius * shortest_word(
                    (c * dx + s * dy) / radius, (c * dy - s * dx) / radius, goal[2] - nyaw, turns, lengths
                )
                ahead = max(ahead, word)
            if count == heap_room:
                keys = np.concatenate((keys, np.empty(heap_room)))
                items = np.concatenate((items, np.empty(heap_room, dtype=np.int64)))
                heap_room *= 2
            count = heap_push(keys, items, count, float(new) + ahead, used)
            used += 1
    if final < 0:
        return 1, np.empty((0, 4)), turns, lengths, expanded
    n, at = 1, final
    while origin[at] >= 0:
        at = origin[at]
        n += 1
    poses = np.empty((n, 4))
    at = final
    for i in range(n - 1, -1, -1):
        poses[i] = node[at]
        at = origin[at]
    return 0, poses, turns, lengths, expanded
