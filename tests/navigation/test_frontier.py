"""Frontiers and the explorer: what is unknown is found, and the whole of a small building is seen."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.mapping import OccupancyGrid
from andante.navigation import Explorer, frontiers

from .samples import BOX, room
from .world2d import cast


def test_frontiers_are_free_cells_beside_unknown_ones():
    cells = np.full((60, 80), -1, dtype=np.int8)
    cells[10:50, 10:40] = 0
    cells[10:50, 10] = cells[10:50, 39] = 100
    cells[10, 10:40] = cells[49, 10:40] = 100
    cells[20:30, 39] = 0  # a door of half a meter
    found = frontiers(OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), least=0.3)
    assert len(found) == 1
    assert found[0].size == pytest.approx(0.5)
    assert set(map(tuple, found[0].cells.tolist())) == {(r, 39) for r in range(20, 30)}
    np.testing.assert_allclose(found[0].middle, [39.5 * 0.05, 24.5 * 0.05], atol=0.03)
    assert frontiers(OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), least=0.6) == ()
    assert frontiers(OccupancyGrid(0.05, (0.0, 0.0, 0.0), np.zeros((9, 9), dtype=np.int8))) == ()


def test_the_goal_faces_the_unknown_and_can_be_given_up():
    cells = np.full((80, 120), -1, dtype=np.int8)
    cells[20:60, 20:100] = 0
    grid = OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells)
    explorer = Explorer(BOX, gain=0.0)
    target = explorer.next_goal(grid, (4.6, 2.0, 0.0))
    assert target.goal is not None
    assert math.cos(target.goal[2]) ** 2 + math.sin(target.goal[2]) ** 2 == pytest.approx(1.0)
    ahead = target.goal[:2] + 0.4 * np.array([math.cos(target.goal[2]), math.sin(target.goal[2])])
    assert grid.at(ahead) == -1
    explorer.give_up(target.goal)
    other = explorer.next_goal(grid, (4.6, 2.0, 0.0))
    assert other.goal is None or np.hypot(*(other.goal - target.goal)[:2]) >= 0.5


def test_a_building_is_seen_as_a_whole():
    truth = room(8, 6)
    truth[:70, 60] = 100
    truth[50:, 110] = 100
    walls = np.argwhere(truth == 100)
    segments = np.array([[c * 0.05, r * 0.05 + 0.025, c * 0.05 + 0.05, r * 0.05 + 0.025] for r, c in walls])
    upright = np.array([[c * 0.05 + 0.025, r * 0.05, c * 0.05 + 0.025, r * 0.05 + 0.05] for r, c in walls])
    segments = np.concatenate([segments, upright])
    seen = np.full(truth.shape, -1, dtype=np.int8)
    explorer, pose = Explorer(BOX), np.array([1.0, 1.0, 0.0])
    angles = np.linspace(-math.pi, math.pi, 540, endpoint=False)
    for _ in range(25):
        ranges = cast(pose[0], pose[1], angles, np.zeros((0, 3)), segments, 3.5)
        for angle, length in zip(angles, ranges, strict=True):
            along = np.arange(0.0, min(length, 3.5), 0.02)
            r = ((pose[1] + along * math.sin(angle)) / 0.05).astype(int)
            c = ((pose[0] + along * math.cos(angle)) / 0.05).astype(int)
            seen[r, c] = truth[r, c]
        target = explorer.next_goal(OccupancyGrid(0.05, (0.0, 0.0, 0.0), seen), pose)
        if target.goal is None:
            break
        if np.hypot(*(target.goal - pose)[:2]) < 0.1:
            explorer.give_up(target.goal)
        pose = target.goal
    assert target.goal is None
    assert "complete" in target.reason
    assert np.mean(seen[truth == 0] == 0) > 0.97


def test_words():
    with pytest.raises(BadInput, match="least frontier length"):
        Explorer(BOX, least=0.0)
    cells = np.full((40, 40), 100, dtype=np.int8)
    cells[1:4, 1:4] = 0
    cells[0, 0:4] = -1
    shut = Explorer(BOX, least=0.1).next_goal(OccupancyGrid(0.05, (0.0, 0.0, 0.0), cells), (1.5, 1.5, 0.0))
    assert "cannot move" in shut.reason
