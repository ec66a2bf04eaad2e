"""Rows of `andante bench nav` for navigation: planners and MPPI, beside scipy or plain numpy in the same run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

import numpy as np
from scipy.ndimage import distance_transform_edt
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import dijkstra

from andante.geometry import Array
from andante.mapping import OccupancyGrid
from andante.navigation import (
    AStar,
    Costmap,
    HybridAStar,
    Inflation,
    MotionState,
    Mppi,
    Path,
    Vehicle,
    distance_field,
    rectangle,
)
from andante.navigation.costmap import cell_states

from .rows import Row

SIZE, PART, DISCS, RESOLUTION = 2000, 400, 400, 0.05
BOX = Vehicle(rectangle(0.42, 0.33), "differential", 2.0, 2.0)
CAR = Vehicle(rectangle(0.44, 0.295, 0.875), "ackermann", 2.0, 2.5, turning_radius=0.81, wheelbase=0.33)


def navigation_rows(seconds: float) -> Iterator[Row]:
    """Inflation, the Dijkstra field, A*, hybrid A* and MPPI; times are the least of a few runs of processor time."""
    grid = disc_map(SIZE, DISCS, seed=0)
    costmap = Costmap.of(grid, BOX)
    inflation = _milliseconds(lambda: Costmap.of(grid, BOX), seconds)
    yield Row("inflate 2000 x 2000, 400 discs", inflation, _milliseconds(lambda: plain_inflation(grid), 0.0), "ms")

    start, goal = np.array([1.0, 1.0, 0.0]), np.array([99.0, 99.0, 0.0])
    graph, source = plain_graph(costmap, start)
    plain = _milliseconds(lambda: dijkstra(graph, directed=False, indices=source), 0.0)
    ours = _milliseconds(lambda: distance_field(start, costmap), seconds)
    yield Row("Dijkstra field 2000 x 2000 beside scipy", ours, plain, "ms")
    ours = _milliseconds(lambda: AStar().plan(start, goal, costmap), seconds)
    yield Row("A* corner to corner 2000 x 2000 beside scipy's field", ours, plain, "ms")

    part = Costmap.of(disc_map(PART, DISCS * PART**2 // SIZE**2, seed=1), CAR)
    planner, far = HybridAStar(CAR), np.array([19.0, 19.0, math.pi])
    ours = _milliseconds(lambda: planner.plan(start, far, part), seconds)
    small, first = plain_graph(part, start)
    plain = _milliseconds(lambda: dijkstra(small, directed=False, indices=first), 0.0)
    yield Row("hybrid A* across 400 x 400 beside scipy's field", ours, plain, "ms")

    mppi, local = Mppi(BOX), Costmap.of(disc_map(PART, 40, seed=2, radius=(4, 6)), BOX)
    path = AStar().plan(np.array([5.0, 10.0, 0.0]), np.array([15.0, 10.0, 0.0]), local).path
    assert path is not None
    state = MotionState(path.poses[0], np.array([1.0, 0.0, 0.0]))
    ours = 1000 / _milliseconds(lambda: mppi.plan(state, path, local), seconds)
    rng = np.random.default_rng(0)
    plain = 1000 / _milliseconds(lambda: plain_rollouts(rng, state, path, local, BOX), 0.0)
    yield Row("MPPI 1000 x 50 with footprint", ours, plain, "Hz")


def disc_map(size: int, count: int, seed: int, radius: tuple[float, float] = (10.0, 40.0)) -> OccupancyGrid:
    """A map of free cells with discs of random places and radii [cells], its corners kept free."""
    rng = np.random.default_rng(seed)
    cells = np.zeros((size, size), dtype=np.int8)
    rows, cols = np.ogrid[:size, :size]
    for _ in range(count):
        x, y, r = *rng.uniform(60, size - 60, 2), rng.uniform(*radius)
        top, left = max(0, int(y - r)), max(0, int(x - r))
        part = (slice(top, int(y + r) + 2), slice(left, int(x + r) + 2))
        inside = (rows[part[0]] - y) ** 2 + (cols[:, part[1]] - x) ** 2 <= r * r
        cells[part][inside] = 100
    return OccupancyGrid(RESOLUTION, (0.0, 0.0, 0.0), cells)


def plain_inflation(grid: OccupancyGrid) -> Array:
    """Costs by scipy's distance transform and numpy's exponential."""
    inflation = Inflation()
    states = cell_states(grid)
    distance = distance_transform_edt(states != 1) * grid.resolution
    near = BOX.inscribed + inflation.padding
    cost = np.where(distance < inflation.radius, 252 * np.exp(-inflation.decline * (distance - near)), 0.0)
    return np.where(distance == 0, 254, np.where(distance <= near, 253, cost))


def plain_graph(costmap: Costmap, start: Array) -> tuple[coo_matrix, int]:
    """The eight-connected graph of a costmap as a sparse matrix for scipy, and the number of the start cell."""
    rows, cols = costmap.shape
    factor = costmap.factors(3.0)[costmap.cost].astype(float)
    index = np.arange(rows * cols).reshape(rows, cols)
    parts = []
    for (a, b), length in (
        (((slice(None), slice(0, -1)), (slice(None), slice(1, None))), 12),
        (((slice(0, -1), slice(None)), (slice(1, None), slice(None))), 12),
        (((slice(0, -1), slice(0, -1)), (slice(1, None), slice(1, None))), 17),
        (((slice(0, -1), slice(1, None)), (slice(1, None), slice(0, -1))), 17),
    ):
        free = (factor[a] > 0) & (factor[b] > 0)
        parts.append((index[a][free], index[b][free], (length * (factor[a] + factor[b]))[free]))
    source, target, price = (np.concatenate(values) for values in zip(*parts, strict=True))
    graph = coo_matrix((price, (source, target)), shape=(rows * cols, rows * cols)).tocsr()
    row, col = costmap.cell_of(start)
    return graph, row * cols + col


def plain_rollouts(
    rng: np.random.Generator, state: MotionState, path: Path, costmap: Costmap, vehicle: Vehicle
) -> Array:
    """One MPPI step in numpy: noise, unicycle rollouts, discs on the distance field, distance to the path, weights."""
    samples, steps, dt = 1000, 50, 0.05
    speed = np.clip(1.0 + 0.7 * rng.standard_normal((samples, steps)), -1.0, 2.0)
    turn = np.clip(rng.standard_normal((samples, steps)), -2.0, 2.0)
    yaw = state.pose[2] + np.cumsum(turn * dt, axis=1)
    x = state.pose[0] + np.cumsum(speed * np.cos(yaw) * dt, axis=1)
    y = state.pose[1] + np.cumsum(speed * np.sin(yaw) * dt, axis=1)
    discs = vehicle.discs(0.02, 0.02)
    gap = np.full(x.shape, np.inf)
    for dx, dy, radius in discs:
        col = ((x + np.cos(yaw) * dx - np.sin(yaw) * dy) / costmap.resolution).astype(int)
        row = ((y + np.sin(yaw) * dx + np.cos(yaw) * dy) / costmap.resolution).astype(int)
        row, col = np.clip(row, 0, costmap.shape[0] - 1), np.clip(col, 0, costmap.shape[1] - 1)
        gap = np.minimum(gap, costmap.distance[row, col] - radius)
    line = path.resampled(0.07).poses[:80, :2]
    off = ((x[:, :, None] - line[:, 0]) ** 2 + (y[:, :, None] - line[:, 1]) ** 2).min(axis=2)
    cost = (
        dt * off.sum(axis=1) + 100.0 * (gap < 0).any(axis=1) + 3 * dt * (np.clip(1 - gap / 0.25, 0, 1) ** 2).sum(axis=1)
    )
    weights = np.exp(-(cost - cost.min()) / 0.2)
    weights /= weights.sum()
    return np.array([weights @ speed[:, 0], weights @ turn[:, 0]])


def _milliseconds(job: Callable[[], object], seconds: float) -> float:
    """Least processor time of a job [ms]; run once to warm up, then three times at least or for `seconds`."""
    job()
    times: list[float] = []
    while len(times) < (3 if seconds > 0 else 1) or (sum(times) < seconds and len(times) < 200):
        begin = time.process_time()
        job()
        times.append(time.process_time() - begin)
    return 1000 * min(times)
