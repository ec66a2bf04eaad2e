"""Costmaps: distances against scipy, costs by the formula, the unknown, frames."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import distance_transform_edt

from andante.errors import BadInput, UnknownName
from andante.mapping import OccupancyGrid
from andante.navigation import Costmap, Inflation
from andante.navigation.costmap import distance_window

from .samples import BOX, costmap, random_cells


@given(st.integers(0, 10_000), st.floats(0.0, 0.3), st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_distances_are_exact(seed, fraction, reach):
    rng = np.random.default_rng(seed)
    state = random_cells(rng, 23, 31, fraction).astype(np.uint8) // 100
    out = np.empty(state.shape, dtype=np.float32)
    distance_window(state, 0, 23, 0, 31, reach, 0.05, out)
    full = distance_transform_edt(state == 0) * 0.05 if state.any() else np.full(state.shape, 99.0)
    np.testing.assert_allclose(out, np.minimum(full, reach * 0.05), rtol=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_a_window_equals_the_whole(seed):
    rng = np.random.default_rng(seed)
    state = random_cells(rng, 40, 50, 0.02).astype(np.uint8) // 100
    whole, part = np.empty((40, 50), np.float32), np.full((40, 50), -1.0, np.float32)
    distance_window(state, 0, 40, 0, 50, 8, 0.1, whole)
    top, left = rng.integers(0, 30), rng.integers(0, 40)
    bottom, right = top + rng.integers(1, 10), left + rng.integers(1, 10)
    distance_window(state, top, bottom, left, right, 8, 0.1, part)
    np.testing.assert_array_equal(part[top:bottom, left:right], whole[top:bottom, left:right])
    part[top:bottom, left:right] = -1.0
    assert (part == -1.0).all()


def test_costs_follow_the_formula():
    cells = np.zeros((41, 41), dtype=np.int8)
    cells[20, 20] = 100
    inflation = Inflation(radius=0.8, decline=4.0, padding=0.02)
    m = costmap(cells, BOX, inflation, resolution=0.05)
    near = BOX.inscribed + 0.02
    for k in range(1, 20):
        d = 0.05 * k
        expected = 253 if d <= near else int(252 * math.exp(-4.0 * (d - near))) if d < 0.8 else 0
        assert abs(int(m.cost[20, 20 + k]) - expected) <= (0 if expected in (0, 253) else 1)
        assert m.distance[20, 20 + k] == pytest.approx(min(d, inflation.reach(BOX)), abs=0.05)
    assert m.cost[20, 20] == 254
    assert not m.cost.flags.writeable


def test_unknown_space_by_policy():
    cells = np.full((9, 9), -1, dtype=np.int8)
    cells[:, :4] = 0
    for policy, blocked, price in (("free", False, 8), ("blocked", True, 0), ("avoid", False, 19)):
        m = costmap(cells, inflation=Inflation(radius=0.0, padding=0.0, unknown=policy))
        assert m.cost[4, 6] == 255
        assert m.blocked()[4, 6] == blocked
        assert m.factors(3.0)[255] == price


def test_frames_of_a_turned_map():
    grid = OccupancyGrid(0.1, (1.0, 2.0, 0.7), np.zeros((20, 30), dtype=np.int8))
    m = Costmap.of(grid, BOX)
    cells = np.array([[3, 4], [19, 29]])
    np.testing.assert_allclose(m.point_of(cells), grid.point_of(cells))
    assert m.cell_of(grid.point_of([3, 4])) == (3, 4)
    pose = np.array([1.5, 2.5, -0.4])
    np.testing.assert_allclose(m.from_frame(m.to_frame(pose)), pose)


def test_words():
    with pytest.raises(UnknownName, match="no policy for unknown space 'ignore'; choices: free, avoid, blocked"):
        Inflation(unknown="ignore")
    with pytest.raises(BadInput, match="inflation radius must be a finite number >= 0, got nan"):
        Inflation(radius=math.nan)
    m = costmap(np.zeros((4, 4), dtype=np.int8))
    with pytest.raises(BadInput, match="finite numbers x, y"):
        m.cell_of((math.nan, 0.0))
