"""Hybrid A*: drivable, free, exact at the end, and honest when there is no way."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.navigation import HybridAStar, Inflation
from andante.navigation.planners.reeds_shepp import reeds_shepp

from .samples import BOX, CAR, costmap, room
from .world2d import World

WORLD = World(np.array([[3.0, 3.0, 0.6], [5.0, 1.5, 0.4], [5.5, 4.5, 0.5]]))


def discs_map(origin=(0.0, 0.0, 0.0)):
    cells = room(8, 6)
    yy, xx = np.mgrid[:120, :160]
    for x, y, r in WORLD.discs:
        cells[((xx + 0.5) * 0.05 - x) ** 2 + ((yy + 0.5) * 0.05 - y) ** 2 <= r * r] = 100
    return costmap(cells, CAR, Inflation(), 0.05, origin)


@pytest.mark.parametrize("goal", [(7.0, 5.0, 0.0), (7.0, 1.0, math.pi), (1.0, 5.0, -math.pi / 2), (1.3, 1.5, 0.0)])
@pytest.mark.parametrize("origin", [(0.0, 0.0, 0.0), (-2.0, 1.0, -0.8)])
def test_paths_can_be_driven_and_touch_nothing(goal, origin):
    m = discs_map(origin)
    start, end = m.from_frame([1.0, 1.0, 0.3]), m.from_frame(list(goal))
    plan = HybridAStar(CAR).plan(start, end, m)
    assert plan.success, plan.reason
    path = plan.path
    np.testing.assert_allclose(se2.between(path.goal, end), 0.0, atol=1e-6)
    np.testing.assert_allclose(path.poses[0], start, atol=1e-9)
    steps = np.linalg.norm(np.diff(path.poses[:, :2], axis=0), axis=1)
    turns = np.abs(se2.wrap(np.diff(path.poses[:, 2])))
    assert (turns <= steps / CAR.turning_radius * 1.02 + 1e-6).all()
    inner = m.to_frame(path.poses)
    assert min(WORLD.clearance(CAR, pose) for pose in inner) > 0
    ahead = np.cos(path.poses[:-1, 2]) * np.diff(path.poses[:, 0]) + np.sin(path.poses[:-1, 2]) * np.diff(
        path.poses[:, 1]
    )
    np.testing.assert_array_equal(np.sign(ahead), path.directions[1:])


def test_in_the_open_it_drives_the_shortest_word():
    m = costmap(np.zeros((200, 200), dtype=np.int8), CAR, Inflation(), 0.05)
    start, goal = (5.0, 5.0, 0.0), (5.3, 6.0, math.pi)
    plan = HybridAStar(CAR).plan(start, goal, m)
    assert plan.path.length == pytest.approx(reeds_shepp(start, goal, HybridAStar(CAR).radius).length, rel=1e-2)
    assert plan.expanded <= 1
    assert HybridAStar(CAR).radius == pytest.approx(1.1 * CAR.turning_radius)


@pytest.mark.parametrize("missed", [0.15, 0.4])
@pytest.mark.parametrize("origin", [(0.0, 0.0, 0.0), (-2.0, 1.0, -0.8)])
def test_a_goal_of_any_heading_that_was_just_missed_is_backed_up_to(missed, origin):
    m = costmap(np.zeros((200, 200), dtype=np.int8), CAR, Inflation(), 0.05, origin)
    start, goal = m.from_frame([5.0 + missed, 5.0, 0.0]), m.from_frame([5.0, 5.0, 0.0])
    plan = HybridAStar(CAR).plan(start, [goal[0], goal[1], math.nan], m)
    assert plan.path.length == pytest.approx(missed, abs=0.02)
    assert (plan.path.directions == -1).all()
    np.testing.assert_allclose(se2.between(plan.path.goal, goal), 0.0, atol=1e-6)


def test_a_goal_of_any_heading_ahead_is_driven_to_straight_and_beside_a_wall_along_it():
    m = costmap(np.zeros((200, 200), dtype=np.int8), CAR, Inflation(), 0.05)
    plan = HybridAStar(CAR).plan((2.0, 5.0, 0.0), (7.0, 5.0, math.nan), m)
    assert plan.path.length == pytest.approx(5.0, abs=0.02)
    assert (plan.path.directions == 1).all()
    cells = np.zeros((200, 200), dtype=np.int8)
    cells[100:, :] = 100  # a wall above y = 5
    m = costmap(cells, CAR, Inflation(), 0.05)
    beside = 5.0 - float(np.ptp(CAR.footprint[:, 1])) / 2 - 0.1
    plan = HybridAStar(CAR).plan((5.0, 2.0, math.pi / 2), (6.5, beside, math.nan), m)
    assert "instead" not in plan.reason
    assert abs(math.sin(plan.path.goal[2])) < 0.5


def test_occupied_ends_are_moved_and_told():
    m = discs_map()
    plan = HybridAStar(CAR).plan((1.0, 1.0, 0.0), (4.62, 1.0, 0.0), m)
    assert plan.success
    assert "puts the footprint into an obstacle" in plan.reason
    assert "is used instead" in plan.reason
    plan = HybridAStar(CAR, tolerance=0.1).plan((1.0, 1.0, 0.0), (3.0, 3.0, 0.0), m)
    assert not plan.success
    assert "and no free place lies within 0.10 m of it" in plan.reason
    plan = HybridAStar(CAR).plan((1.0, 1.0, 0.0), (30.0, 3.0, 0.0), m)
    assert "lies outside the map" in plan.reason


def test_no_way_is_told():
    cells = room(8, 6)
    cells[:, 80] = 100
    shut = HybridAStar(CAR).plan((1.0, 1.0, 0.0), (7.0, 5.0, 0.0), costmap(cells, CAR, Inflation(), 0.05))
    assert not shut.success
    assert "shut off: no way leads to it" in shut.reason
    plan = HybridAStar(CAR, most_states=3).plan((1.0, 1.0, 0.0), (7.0, 5.0, math.pi), discs_map())
    assert not plan.success
    assert "given up after" in plan.reason


def test_robots_that_turn_on_the_spot_and_free_headings():
    plan = HybridAStar(BOX).plan((1.0, 1.0, 0.0), (7.0, 5.0, math.nan), discs_map())
    assert plan.success
    with pytest.raises(BadInput, match="heading of the start"):
        HybridAStar(CAR).plan((1.0, 1.0, math.nan), (7.0, 5.0, 0.0), discs_map())
    with pytest.raises(BadInput, match="reverse >= 1"):
        HybridAStar(CAR, reverse=0.5)
    with pytest.raises(BadInput, match="hybrid A\\* weight"):
        HybridAStar(CAR, weight=math.nan)
