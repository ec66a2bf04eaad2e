"""Whether what is known shuts a goal off."""

import numpy as np

from andante.navigation import AStar, Inflation
from andante.navigation.planners import shut_off

from .samples import POINT, costmap, random_cells


def walled(gap):
    cells = np.zeros((20, 40), dtype=np.int8)
    cells[:, 20] = 100
    cells[5 : 5 + gap, 20] = 0
    return costmap(cells)


def test_a_wall_shuts_off_and_a_gap_does_not():
    told = shut_off((1.0, 1.0, 0.0), (3.0, 1.0, 0.0), walled(0), 0.2)
    assert told.startswith("the goal (3.00, 1.00) cannot be reached: obstacles that were seen close every way to it")
    assert told.endswith("the nearest place that can be reached is (1.95, 1.05), 1.05 m from it")
    assert shut_off((1.0, 1.0, 0.0), (3.0, 1.0, 0.0), walled(3), 0.2) == ""
    assert shut_off((1.0, 1.0, 0.0), (3.0, 1.0, 0.0), walled(0), 1.2) == ""  # near enough on this side
    told = shut_off((1.0, 1.0, 0.0), (2.05, 1.0, 0.0), walled(0), 0.01)
    assert told == "the goal (2.05, 1.00) lies in an obstacle and no free place lies within 0.01 m of it"
    assert shut_off((1.0, 1.0, 0.0), (9.0, 1.0, 0.0), walled(0), 0.2) == "the goal (9.00, 1.00) lies outside the map"


def test_unknown_space_counts_by_its_policy():
    cells = np.zeros((20, 40), dtype=np.int8)
    cells[:, 18:22] = -1
    ways = {
        name: costmap(cells, inflation=Inflation(radius=0, padding=0, unknown=name)) for name in ("avoid", "blocked")
    }
    assert shut_off((1.0, 1.0), (3.0, 1.0), ways["avoid"], 0.1) == ""
    assert "cannot be reached" in shut_off((1.0, 1.0), (3.0, 1.0), ways["blocked"], 0.1)


def test_it_says_so_just_where_the_planner_finds_no_way():
    rng = np.random.default_rng(3)
    told = []
    for _ in range(40):
        cells = random_cells(rng, 24, 24, 0.42)
        cells[2, 2] = cells[21, 21] = 0
        m = costmap(cells, POINT)
        start, goal = m.point_of((2, 2)), m.point_of((21, 21))
        plan = AStar(tolerance=0.0).plan((*start, 0.0), (*goal, 0.0), m)
        told.append(shut_off(start, goal, m, 0.0) == "")
        assert told[-1] == plan.success
    assert 3 < sum(told) < 37
