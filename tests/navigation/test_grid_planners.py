"""Dijkstra, A* and lazy Theta* against scipy and plain geometry, occupied ends, and every message."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.navigation import AStar, Dijkstra, Inflation, Path, ThetaStar, distance_field, simplified
from andante.navigation.path import line_price
from andante.navigation.planners.grid import UNREACHED, any_angle_search, grid_search, walk_back

from .samples import BOX, costmap, price_reference, random_cells


def random_costs(rng, rows, cols, fraction):
    cost = rng.integers(0, 253, (rows, cols)).astype(np.uint8)
    cost[rng.random((rows, cols)) < 0.5] = 0
    cost[rng.random((rows, cols)) < fraction] = 254
    return cost


@given(st.integers(0, 10_000), st.floats(0.0, 0.45), st.floats(0.0, 12.0))
@settings(max_examples=40, deadline=None)
def test_prices_equal_scipy(seed, fraction, weight):
    rng = np.random.default_rng(seed)
    cost = random_costs(rng, 13, 17, fraction)
    factor = costmap(np.zeros((2, 2), dtype=np.int8)).factors(weight)
    start, goal = (int(v) for v in rng.integers(0, 13 * 17, 2))
    cost.reshape(-1)[[start, goal]] = 0
    reference = price_reference(cost, factor, start)
    price, steps, _ = grid_search(cost, factor, start, -1, False)
    told = np.where(price == UNREACHED, np.inf, price.astype(float)).reshape(13, 17)
    np.testing.assert_array_equal(told, reference)
    for guided in (False, True):
        price, steps, _ = grid_search(cost, factor, start, goal, guided)
        expected = reference.reshape(-1)[goal]
        if math.isinf(expected):
            assert price[goal] == UNREACHED
            assert len(walk_back(steps, 17, start, goal)) == (1 if start == goal else 0)
            continue
        assert price[goal] == expected
        cells = walk_back(steps, 17, start, goal)
        assert (cells[0], cells[-1]) == (start, goal)
        r, c = np.divmod(cells, 17)
        f = factor[cost[r, c]]
        length = np.where((np.diff(r) != 0) & (np.diff(c) != 0), 17, 12)
        assert (np.maximum(np.abs(np.diff(r)), np.abs(np.diff(c))) == 1).all()
        assert int((length * (f[:-1] + f[1:])).sum()) == expected


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_lines_cross_the_cells_that_dense_samples_touch(seed):
    rng = np.random.default_rng(seed)
    cost = (random_cells(rng, 15, 15, 0.1) > 0).astype(np.uint8) * 254
    factor = costmap(np.zeros((2, 2), dtype=np.int8)).factors(1.0)
    r0, c0, r1, c1 = (int(v) for v in rng.integers(0, 15, 4))
    t = np.linspace(0, 1, 4001)
    r, c = r0 + 0.5 + t * (r1 - r0), c0 + 0.5 + t * (c1 - c0)
    inside = (np.abs(r - np.round(r)) > 1e-6) & (np.abs(c - np.round(c)) > 1e-6)
    touched = cost[np.floor(r[inside]).astype(int), np.floor(c[inside]).astype(int)]
    price = line_price(cost, factor, r0, c0, r1, c1)
    if (touched == 254).any():
        assert math.isinf(price)
    if math.isfinite(price):
        assert price == pytest.approx(8 * math.hypot(r1 - r0, c1 - c0))
    assert price == line_price(cost, factor, r1, c1, r0, c0)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_any_angle_is_reachable_when_astar_is_and_never_longer(seed):
    rng = np.random.default_rng(seed)
    cost = (random_cells(rng, 20, 20, 0.25) > 0).astype(np.uint8) * 254
    factor = costmap(np.zeros((2, 2), dtype=np.int8)).factors(0.0)
    start, goal = (int(v) for v in rng.integers(0, 400, 2))
    cost.reshape(-1)[[start, goal]] = 0
    price, cells, _ = any_angle_search(cost, factor, start, goal)
    grid, _, _ = grid_search(cost, factor, start, goal, True)
    assert math.isinf(price) == (grid[goal] == UNREACHED)
    if math.isfinite(price):
        assert (cells[0], cells[-1]) == (start, goal)
        r, c = np.divmod(cells, 20)
        legs = [line_price(cost, factor, *map(int, leg)) for leg in zip(r, c, r[1:], c[1:], strict=False)]
        assert sum(legs) == pytest.approx(price)
        straight = math.hypot(r[0] - r[-1], c[0] - c[-1])
        assert 8 * straight - 1e-9 <= price <= grid[goal] / 24 * 1.02 + 1e-9


def test_an_open_field_is_crossed_in_a_straight_line():
    m = costmap(np.zeros((60, 90), dtype=np.int8))
    plan = ThetaStar().plan((0.5, 0.5, 0.0), (8.5, 3.7, 1.0), m)
    assert plan.path.length == pytest.approx(math.hypot(8.0, 3.2), rel=1e-3)
    np.testing.assert_allclose(plan.path.goal, [8.5, 3.7, 1.0])
    np.testing.assert_allclose(plan.path.poses[0, :2], [0.5, 0.5])
    assert AStar().plan((0.5, 0.5, 0.0), (8.5, 3.7, 1.0), m).path.length < 1.02 * plan.path.length


@pytest.mark.parametrize("planner", [Dijkstra(), AStar(), ThetaStar(), AStar(smooth=False)])
@pytest.mark.parametrize("origin", [(0.0, 0.0, 0.0), (3.0, -2.0, 2.1)])
def test_paths_keep_away_from_walls_on_turned_maps(planner, origin):
    cells = np.zeros((80, 80), dtype=np.int8)
    cells[:60, 38:42] = 100
    m = costmap(cells, BOX, Inflation(), resolution=0.1, origin=origin)
    start, goal = m.from_frame([1.0, 1.0, 0.0]), m.from_frame([7.0, 1.0, 0.5])
    plan = planner.plan(start, goal, m)
    assert plan.success
    assert plan.reason == ""
    dense = plan.path.resampled(0.02).poses
    rows, cols = np.array([m.cell_of(p) for p in dense]).T
    assert m.distance[rows, cols].min() >= BOX.inscribed
    np.testing.assert_allclose(plan.path.goal[:2], goal[:2])
    assert abs(np.sin(plan.path.goal[2] - goal[2])) < 1e-9


def test_distance_field_in_meters():
    cells = np.zeros((30, 40), dtype=np.int8)
    cells[:, 20] = 100
    field = distance_field((0.55, 0.55), costmap(cells))
    assert field[5, 5] == 0
    assert field[5, 15] == pytest.approx(1.0)
    assert field[15, 15] == pytest.approx(1.0 * 17 / 12)
    assert np.isinf(field[:, 20:]).all()
    with pytest.raises(BadInput, match="outside the map"):
        distance_field((-1.0, 0.0), costmap(cells))


def test_occupied_ends_are_moved_and_told():
    cells = np.zeros((60, 60), dtype=np.int8)
    cells[28:33, 40:45] = 100
    cells[:, 5] = 100
    m = costmap(cells, BOX, Inflation(), resolution=0.1)
    plan = AStar().plan((0.65, 3.0, 0.0), (4.2, 3.0, 0.0), m)
    assert plan.success
    assert "the start (0.65, 3.00) is too near to an obstacle for the robot; the free place" in plan.reason
    assert "the goal (4.20, 3.00) lies in an obstacle; the free place" in plan.reason
    assert np.hypot(*(plan.path.goal[:2] - [4.2, 3.0])) < 0.5
    np.testing.assert_allclose(plan.path.poses[0, :2], [0.65, 3.0])


def test_a_goal_in_a_closed_box_is_moved_outside_or_refused():
    cells = np.zeros((60, 60), dtype=np.int8)
    cells[20:41, [20, 40]] = 100
    cells[[20, 40], 20:41] = 100
    m = costmap(cells)
    far = AStar().plan((0.5, 0.5, 0.0), (3.0, 3.0, 0.0), m)
    assert not far.success
    assert far.reason == "the goal (3.00, 3.00) is shut off: no way leads to it"
    near = AStar(tolerance=1.5).plan((0.5, 0.5, 0.0), (2.3, 2.3, 0.0), m)
    assert near.success
    assert "cannot be driven to; the free place" in near.reason


@pytest.mark.parametrize(
    ("start", "goal", "words"),
    [
        (
            (0.5, 0.5, 0.0),
            (2.0, 2.0, 0.0),
            r"the goal \(2.00, 2.00\) lies in an obstacle and no free place",
        ),
        ((2.0, 2.0, 0.0), (0.5, 0.5, 0.0), r"the start \(2.00, 2.00\) lies in an obstacle and no free place"),
        ((0.5, 0.5, 0.0), (9.0, 9.0, 0.0), r"the goal \(9.00, 9.00\) lies outside the map and no free place"),
        ((0.5, 0.5, 0.0), (3.7, 0.5, 0.0), "lies in unknown space and no free place"),
    ],
)
def test_reasons(start, goal, words):
    cells = np.zeros((40, 40), dtype=np.int8)
    cells[10:32, 10:32] = 100
    cells[:, 32:] = -1
    plan = AStar().plan(start, goal, costmap(cells))
    assert not plan.success
    assert re.search(words, plan.reason), plan.reason


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda m: AStar().plan((0.0, math.nan, 0.0), (1.0, 1.0, 0.0), m), "the start must be x, y, yaw as finite"),
        (lambda m: AStar().plan((0.0, 0.0, 0.0), (1.0, math.inf), m), "the goal must be x, y, yaw as finite"),
        (lambda m: AStar(weight=-1.0), "planner weight"),
        (lambda m: AStar(tolerance=math.nan), "planner tolerance"),
    ],
)
def test_words(make, words):
    with pytest.raises(BadInput, match=words):
        make(costmap(np.zeros((20, 20), dtype=np.int8)))


def test_start_is_goal():
    m = costmap(np.zeros((20, 20), dtype=np.int8))
    for planner in (AStar(), ThetaStar(), Dijkstra()):
        plan = planner.plan((1.0, 1.0, 0.3), (1.0, 1.0, 0.3), m)
        assert plan.success
        assert plan.path.length < 1e-9


def test_simplified_keeps_ends_and_stays_free():
    cells = np.zeros((50, 50), dtype=np.int8)
    cells[10:40, 25] = 100
    m = costmap(cells)
    raw = AStar(smooth=False).plan((0.5, 2.5, 0.0), (4.5, 2.5, 0.0), m).path.poses[:, :2]
    short = simplified(raw, m, 3.0)
    np.testing.assert_array_equal(short[[0, -1]], raw[[0, -1]])
    assert len(short) < len(raw) / 3
    assert Path.through(short).length <= Path.through(raw).length
