"""`HybridAStar`: ways that a car can drive, with its turning circle, reversing and its whole footprint."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2

from ._hybrid_kernels import clearance_at, hybrid_search
from ._search_kernels import UNREACHED, grid_search
from .costmap import Costmap
from .grid_planners import _UNIT
from .path import Path
from .planning import Plan, checked_pose
from .reeds_shepp import Word, reeds_shepp
from .vehicle import Vehicle

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
    reverse: float = 2.0  # price of a metre backwards
    change: float = 0.5  # price of a change of direction [m]
    bend: float = 0.2  # price of driving in full lock, as a share of the length
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
        metres = sum(
            abs(length) * (self.reverse if length < 0 else 1.0) * (1.0 + self.bend * abs(turn))
            for turn, length in driven
        )
        changes = sum(a * b < 0 for (_, a), (_, b) in itertools.pairwise(driven))
        return metres + self.change * changes

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
