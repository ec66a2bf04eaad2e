"""`FootstepPlanner`: footsteps to a goal, better as time allows, repaired when the ground changes."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from andante.errors import BadInput
from andante.geometry import Array
from andante.locomotion.biped.footsteps import placed
from andante.mapping.octree.kernels import EMPTY, rehash

from .kernels import (
    BAD,
    FOUND,
    FULL_HEAP,
    FULL_STATES,
    MORE,
    Ground,
    Lattice,
    Memory,
    connect,
    improve,
    look,
    name_of,
    parts_of,
    plan_ways,
    reorder,
    stand,
    state_of,
    take_change,
)
from .steps import StepSet
from .terrain import Terrain

LEFT, RIGHT = 0, 1
FEET = ("left", "right")
AT_ONCE = 2000  # states expanded between two looks at the clock
EVEN = 0.004  # ground whose neighbors differ by less is even [m]
COARSE = 0.04  # cells of the plan that guesses ways [m]
MOST_STATES, MOST_ENTRIES = 4_000_000, 16_000_000
Pose = tuple[float, float, float]  # x, y [m], yaw [rad]


@dataclass(frozen=True)
class FootstepSettings:
    """How footsteps are planned."""

    cell: float = 0.02  # of the lattice of foot places [m]
    angles: int = 32  # of the lattice, parts of a turn
    inflation: float = 5.0  # of the guess for the first plan; the bound of its price
    decrease: float = 0.5  # the inflation's excess over 1 shrinks by this from plan to plan
    step: float = 0.05  # price of a step, in those of a meter
    turn: float = 0.1  # of a radian
    risk: float = 0.1  # of a place that is as uneven or near to things as may be
    climb: float = 1.0  # of a meter of height
    rough: float = 0.006  # farthest that the ground under a sole lies off a plane [m]
    support: float = 0.7  # least part of a sole that stands, where the rest hangs over an edge
    lift: float = 0.03  # highest thing that a foot is swung over [m]

    def __post_init__(self) -> None:
        if not (0.0 < self.cell <= 0.1 and 8 <= self.angles <= 512):
            raise BadInput(f"a lattice has cells up to 0.1 m and 8 to 512 angles, got {self.cell} and {self.angles}")
        if not (self.inflation >= 1.0 and 0.0 <= self.decrease < 1.0):
            raise BadInput("the inflation is at least 1 and its decrease lies within 0 and 1")


@dataclass(frozen=True)
class Footstep:
    """One foot that is put down."""

    foot: str  # left or right
    x: float  # [m]
    y: float
    z: float
    yaw: float  # [rad]


@dataclass(frozen=True)
class FootstepPlan:
    """Footsteps to a goal, or why there are none."""

    steps: tuple[Footstep, ...]
    price: float
    bound: float  # the price is at most so many times the least one
    expanded: int  # states
    seconds: float  # until the last plan was found
    first_seconds: float  # until the first one was
    reason: str = ""  # why there is no plan
    prices: tuple[float, ...] = field(default=())  # of all plans that were found, one after the other

    @property
    def found(self) -> bool:
        """Whether there is a plan."""
        return not self.reason


class FootstepPlanner:
    """Plans footsteps over a terrain. It keeps what it has learned: the next plan to the same goal is found sooner.

    Args:
        terrain: the ground.
        steps: what the robot can do.
        settings: how it plans.
    """

    def __init__(self, terrain: Terrain, steps: StepSet, settings: FootstepSettings | None = None) -> None:
        self.terrain, self.steps, self.settings = terrain, steps, settings or FootstepSettings()
        self._samples, self._fits = self._sole_points()
        self._ground = self._make_ground()
        self._lattice = self._make_lattice()
        self._goal: Pose | None = None
        self._goals = np.zeros(0, dtype=np.int64)
        self._memory = _memory(1 << 16, 1 << 18)
        self._compile()

    # ---- tables ----------------------------------------------------------------------------------
    def _sole_points(self) -> tuple[Array, Array]:
        heel, toe, right, left = self.steps.sole
        spacing = max(self.terrain.resolution, 0.01)
        along = np.linspace(heel, toe, max(2, math.ceil((toe - heel) / spacing) + 1))
        across = np.linspace(right, left, max(2, math.ceil((left - right) / spacing) + 1))
        x, y = (each.ravel() for each in np.meshgrid(along, across, indexing="ij"))
        samples = np.array([np.column_stack([x, y]), np.column_stack([x, -y])])
        fits = np.array([np.linalg.pinv(np.column_stack([np.ones(len(each)), each])) for each in samples])
        return samples, fits

    def _make_ground(self) -> Ground:
        t, s = self.terrain, self.steps
        return Ground(
            t.heights, t.clearance, t.resolution, t.origin[0], t.origin[1], self._samples, self._fits,
            math.tan(s.max_tilt), self.settings.rough, self.settings.support, s.body, self.settings.lift,
            t.evenness(EVEN),
        )  # fmt: skip

    def _make_lattice(self) -> Lattice:
        s, steps = self.settings, self.steps.steps
        part = 2.0 * math.pi / s.angles
        turns = np.round(steps[:, 2] / part).astype(np.int64)
        moves = np.empty((s.angles, 2, len(steps), 3), dtype=np.int64)
        for angle in range(s.angles):
            c, d = math.cos(angle * part), math.sin(angle * part)
            for foot, side in ((RIGHT, 1.0), (LEFT, -1.0)):  # the next foot of a right one is the left one
                x, y = steps[:, 0], side * steps[:, 1]
                moves[angle, foot, :, 0] = np.round((c * x - d * y) / s.cell)
                moves[angle, foot, :, 1] = np.round((d * x + c * y) / s.cell)
                moves[angle, foot, :, 2] = np.where(side > 0, turns, -turns)
        way = np.hypot(steps[:, 0], steps[:, 1] - self.steps.width)
        price = way + s.step + s.turn * np.abs(steps[:, 2])
        longest = max(self.steps.longest + s.cell, 1e-6)
        return Lattice(
            s.cell, s.angles, moves, np.array([price, price]), self.steps.max_up, self.steps.max_down, s.climb, s.risk,
            s.step, 1.0 + s.step / longest, s.turn + s.step / max(self.steps.sharpest, part), s.turn, self.steps.limits,
            self.steps.width,
        )  # fmt: skip

    def _compile(self) -> None:
        """Have everything compiled, so that the time of a plan is that of planning."""
        ways, origin, begin = np.zeros((1, 1)), np.zeros(2), np.zeros(4)
        memory, goals = _memory(64, 64), np.zeros(1, dtype=np.int64)
        state_of(memory, name_of(0, 0, 0, 0))
        look(self._ground, self._lattice, memory, 0)
        connect(self._ground, self._lattice, memory, 0)
        reorder(self._lattice, memory, 1.0, ways, origin, COARSE, begin)
        improve(self._ground, self._lattice, memory, goals, 0, 1.0, ways, origin, COARSE, begin, 0)
        plan_ways(np.ones((2, 2), dtype=np.bool_), 0, 0, COARSE)

    # ---- planning --------------------------------------------------------------------------------
    def change(self, terrain: Terrain) -> int:
        """Take a terrain that has changed in some cells; what was learned elsewhere stays. Returns states looked at."""
        from scipy.ndimage import distance_transform_edt

        cells = self.terrain.changed(terrain)
        self.terrain = terrain
        self._ground = self._make_ground()
        if not cells.any():
            return 0
        heel, toe, right, left = self.steps.sole
        reach = math.hypot(max(toe, -heel), max(left, -right)) + 2.0 * self.steps.longest + self.steps.width
        near = distance_transform_edt(~cells) * terrain.resolution <= reach
        return int(take_change(self._ground, self._lattice, self._memory, self._goals, near, reach))

    def plan(
        self, left: Pose, right: Pose, goal: Pose, *, stance: str = "left", seconds: float = 1.0, best: bool = False
    ) -> FootstepPlan:
        """Footsteps from where the feet are to a goal of the middle between them, in the frame of the terrain.

        Args:
            left: place of the left foot.
            right: place of the right foot.
            goal: of the middle between the feet.
            stance: the foot that stands first; the other one makes the first step.
            seconds: of processor time after which the best plan so far is taken [s].
            best: search with an inflation of 1 at once (A*); the plan is the best of the lattice.

        Returns:
            The plan, with the bound of its price; where there is none, the reason.
        """
        if stance not in FEET:
            raise BadInput(f"the stance is one of {', '.join(FEET)}, got {stance!r}")
        if not all(math.isfinite(value) for pose in (left, right, goal) for value in pose):
            raise BadInput("poses of feet and goal must be finite")
        begun = time.thread_time()
        standing = left if stance == "left" else right
        why = self.refused(goal)
        if not why and not math.isfinite(self.terrain.height(standing[0], standing[1])):
            why = "the robot stands where no ground is known"
        if why:
            return FootstepPlan((), math.inf, math.inf, 0, 0.0, 0.0, why)
        self._set_goal(goal)
        start = self._state(self._name(standing, FEET.index(stance)))
        begin = np.array([*standing, self.steps.width + self.steps.longest])
        ways = self._ways(standing)
        look(self._ground, self._lattice, self._memory, start)
        self._memory.height[start] = self.terrain.height(standing[0], standing[1])  # it does stand there
        if not any(self._memory.key[start] == goal for goal in self._goals):
            connect(self._ground, self._lattice, self._memory, start)
        expanded = int(self._memory.used[4])
        inflation = 1.0 if best else self.settings.inflation
        bound, found_at, first_at = math.inf, 0.0, 0.0
        prices: list[float] = []
        steps: tuple[Footstep, ...] = ()
        while True:
            outcome = self._round(start, inflation, ways, begin, begun + seconds)
            if outcome != FOUND:
                break
            bound, found_at = inflation, time.thread_time() - begun
            first_at = first_at or found_at
            prices.append(float(self._memory.g[start]))
            steps = self._walked(start)
            if inflation <= 1.0 or found_at > seconds:
                break
            excess = self.settings.decrease * (inflation - 1.0)
            inflation = 1.0 + excess if excess > 0.02 else 1.0
        count = int(self._memory.used[4]) - expanded
        if not prices:
            why = "time was over before a way was found" if outcome == MORE else self._no_way(standing, goal)
            return FootstepPlan((), math.inf, math.inf, count, time.thread_time() - begun, 0.0, why)
        return FootstepPlan(steps, prices[-1], bound, count, found_at, first_at, "", tuple(prices))

    def _round(self, start: int, inflation: float, ways: tuple[Array, Array, float], begin: Array, until: float) -> int:
        """Search with one inflation; MORE where the time was over."""
        while not reorder(self._lattice, self._memory, inflation, *ways, begin):
            self._memory = _wider(self._memory, heap=True)
        while True:
            outcome = int(
                improve(
                    self._ground, self._lattice, self._memory, self._goals, start, inflation, *ways, begin, AT_ONCE,
                )
            )  # fmt: skip
            if outcome == FULL_STATES:
                self._memory = _wider(self._memory)
            elif outcome == FULL_HEAP:
                self._memory = _wider(self._memory, heap=True)
            elif outcome != MORE or time.thread_time() > until:
                return outcome

    def refused(self, goal: Pose) -> str:
        """Why nobody could stand at a goal of the middle of the feet; empty: one could."""
        t, s = self.terrain, self.steps
        if self._off(goal):
            (x, y), (rows, cols) = t.origin, t.heights.shape
            return (
                f"the goal is off the map, which goes from {x:.2f} to {x + cols * t.resolution:.2f} m in x and from "
                f"{y:.2f} to {y + rows * t.resolution:.2f} m in y"
            )
        feet = [placed(goal, (0.0, side * 0.5 * s.width, 0.0)) for side in (1.0, -1.0)]
        for foot, pose in enumerate(feet):
            if float(stand(self._ground, *pose, foot)[0]) == BAD:
                return f"the {FEET[foot]} foot cannot stand at the goal: {self._why_not(pose)}"
        row, col = t.cell(goal[0], goal[1])
        if t.clearance[row, col] < s.body:
            return f"the goal is {t.clearance[row, col]:.2f} m from something; the body needs {s.body:.2f} m"
        return ""

    def _off(self, pose: Pose) -> bool:
        """Whether a place lies outside the terrain."""
        row, col = self.terrain.cell(pose[0], pose[1])
        rows, cols = self.terrain.heights.shape
        return not (0 <= row < rows and 0 <= col < cols)

    def _no_way(self, start: Pose, goal: Pose) -> str:
        """That no way leads to the goal, and how high it lies where that may be the cause."""
        rise, s = self.terrain.height(goal[0], goal[1]) - self.terrain.height(start[0], start[1]), self.steps
        most = s.max_up if rise > 0.0 else s.max_down
        if not abs(rise) > most:
            return "no way of steps leads to the goal"
        where = "higher" if rise > 0.0 else "lower"
        return (
            f"no way of steps leads to the goal, which lies {100.0 * abs(rise):.1f} cm {where}: a step goes at most "
            f"{100.0 * most:.1f} cm {'up' if rise > 0.0 else 'down'}"
        )

    def _why_not(self, pose: Pose) -> str:
        heel, toe, right, left = self.steps.sole
        corners = [placed(pose, (x, y, 0.0)) for x in (heel, toe) for y in (right, left)]
        heights = [self.terrain.height(x, y) for x, y, _ in corners]
        if any(self._off(corner) for corner in corners):
            return "it would stand over the edge of the map"
        known = [z for z in heights if math.isfinite(z)]
        if len(known) < len(heights):
            t = self.terrain
            cells = [t.cell(x, y) for (x, y, _), z in zip(corners, heights, strict=True) if not math.isfinite(z)]
            blocked = any(t.clearance[cell] <= 0.0 for cell in cells)
            return "something stands there" if blocked else "no ground is known there"
        return f"the ground there differs by {100.0 * (max(known) - min(known)):.1f} cm under the sole"

    def _set_goal(self, goal: Pose) -> None:
        if goal == self._goal:
            return
        self._goal = goal
        self._memory = _memory(len(self._memory.key), len(self._memory.heap))
        feet = [placed(goal, (0.0, side * 0.5 * self.steps.width, 0.0)) for side in (1.0, -1.0)]
        self._goals = np.array([self._name(pose, foot) for foot, pose in enumerate(feet)], dtype=np.int64)
        for name in self._goals.tolist():
            self._memory.rhs[self._state(name)] = 0.0

    def _name(self, pose: Pose, foot: int) -> int:
        cell, angles = self.settings.cell, self.settings.angles
        yaw = round(pose[2] * angles / (2.0 * math.pi)) % angles
        return int(name_of(round(pose[0] / cell), round(pose[1] / cell), yaw, foot))

    def _state(self, name: int) -> int:
        while (state := int(state_of(self._memory, name))) < 0:
            self._memory = _wider(self._memory)
        return state

    def _ways(self, start: Pose) -> tuple[Array, Array, float]:
        """Ways of the body from the start over a coarse plan [m], its corner and the size of its cells [m]."""
        t = self.terrain
        each = max(1, round(COARSE / t.resolution))
        rows, cols = (-(-n // each) for n in t.heights.shape)
        clear = np.zeros((rows * each, cols * each), dtype=np.float32)
        clear[: t.heights.shape[0], : t.heights.shape[1]] = t.clearance
        free = clear.reshape(rows, each, cols, each).max(axis=(1, 3)) >= self.steps.body
        size = each * t.resolution
        row, col = int((start[1] - t.origin[1]) / size), int((start[0] - t.origin[0]) / size)
        free[max(0, row - 2) : row + 3, max(0, col - 2) : col + 3] = True
        ways = plan_ways(free, min(max(row, 0), rows - 1), min(max(col, 0), cols - 1), size)
        return ways, np.array(t.origin), size

    def _walked(self, start: int) -> tuple[Footstep, ...]:
        """The steps after a state, and the foot that comes beside the last one."""
        m, steps, state = self._memory, [], start
        while not any(m.key[state] == goal for goal in self._goals):
            state = int(m.after[state])
            steps.append(self._footstep(state))
            if len(steps) > m.used[0]:
                raise BadInput("the footsteps go round in a circle")  # cannot happen: prices fall from step to step
        last = parts_of(int(m.key[state]))[3]
        steps.append(self._footstep(self._state(int(self._goals[1 - last]))))
        return tuple(steps)

    def _footstep(self, state: int) -> Footstep:
        x, y, yaw, foot = parts_of(int(self._memory.key[state]))
        cell = self.settings.cell
        angle = (2.0 * math.pi * yaw / self.settings.angles + math.pi) % (2.0 * math.pi) - math.pi
        height = float(stand(self._ground, x * cell, y * cell, angle, foot)[0])
        return Footstep(FEET[foot], x * cell, y * cell, height, angle)


def _memory(states: int, entries: int) -> Memory:
    table = 2 * states
    return Memory(
        np.full(table, EMPTY, dtype=np.int64), np.zeros(table, dtype=np.int32), np.zeros(states, dtype=np.int64),
        np.zeros(states), np.zeros(states), np.zeros(states, dtype=np.int32), np.zeros(states, dtype=np.int32),
        np.zeros(states, dtype=np.int32), np.zeros(states, dtype=np.int8), np.zeros(states, dtype=np.int8),
        np.zeros(states), np.zeros(states), np.zeros((entries, 2)), np.zeros((entries, 2), dtype=np.int32),
        np.zeros(5, dtype=np.int64),
    )  # fmt: skip


def _wider(memory: Memory, *, heap: bool = False) -> Memory:
    """The same with twice the room for states, or for entries of the heap."""
    if heap:
        if len(memory.heap) >= MOST_ENTRIES:
            raise BadInput("the plan of footsteps needs too much memory; use a coarser lattice")
        return memory._replace(heap=_longer(memory.heap), entry=_longer(memory.entry))
    if len(memory.key) >= MOST_STATES:
        raise BadInput("the plan of footsteps needs too much memory; use a coarser lattice")
    table = np.full(2 * len(memory.table), EMPTY, dtype=np.int64)
    slots = np.zeros(len(table), dtype=np.int32)
    rehash(memory.table, memory.slots, table, slots)
    parts = ("key", "g", "rhs", "after", "closed", "stamp", "waits", "fine", "height", "price")
    return memory._replace(table=table, slots=slots, **{name: _longer(getattr(memory, name)) for name in parts})


def _longer(array: NDArray) -> NDArray:  # type: ignore[type-arg]
    return np.concatenate([array, np.zeros_like(array)])
