"""Occupancy grids: places, values, and grids under construction against a plain reference."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.mapping import UNKNOWN, LogOddsGrid, OccupancyGrid


@pytest.fixture
def grid():
    cells = np.full((4, 6), UNKNOWN, dtype=np.int8)
    cells[1, 2], cells[3, 5], cells[0, 0] = 100, 30, 0
    return OccupancyGrid(0.5, (1.0, -2.0, 0.7), cells)


def test_cells_and_points_are_each_others_inverse(grid):
    every = np.stack(np.meshgrid(np.arange(4), np.arange(6), indexing="ij"), axis=-1)
    assert (grid.cell_of(grid.point_of(every)) == every).all()
    assert (grid.at(grid.point_of(every)) == grid.cells).all()
    corner = grid.point_of([0, 0])
    turn = np.array([[math.cos(0.7), -math.sin(0.7)], [math.sin(0.7), math.cos(0.7)]])
    np.testing.assert_allclose(corner, turn @ [0.25, 0.25] + [1.0, -2.0])


def test_outside_and_wild_points_are_unknown(grid):
    points = np.array([[100.0, 0.0], [np.nan, 1.0], [np.inf, 0.0], [1e300, -1e300]])
    assert (grid.at(points) == UNKNOWN).all()
    assert not grid.inside(grid.cell_of(points)).any()


def test_known_free_and_occupied(grid):
    assert grid.known.sum() == 3
    assert grid.occupied().sum() == 1
    assert grid.free().sum() == 1
    assert grid.size == (3.0, 2.0)
    assert grid.shape == (4, 6)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ((0.0, (0, 0, 0), np.zeros((2, 2))), "resolution"),
        ((0.1, (0, math.nan, 0), np.zeros((2, 2))), "origin"),
        ((0.1, (0, 0, 0), np.zeros((0, 2))), "rows and columns"),
        ((0.1, (0, 0, 0), np.full((2, 2), 101)), "within -1 to 100"),
    ],
)
def test_bad_grids(values, words):
    with pytest.raises(BadInput, match=words):
        OccupancyGrid(*values)


def crossed(start, end):
    """Cells that a line from start to end, in cells, runs through: sampled finely."""
    fraction = np.linspace(0, 1, 4001)[:, None]
    return {tuple(cell) for cell in np.floor(start + fraction * (np.asarray(end) - start)).astype(int)}


def places(low, high):
    """Numbers that never lie on the border of two cells."""
    return st.integers(low * 1000, high * 1000).map(lambda n: n / 1000 + 0.0004)


@settings(deadline=None)
@given(start=st.tuples(places(0, 7), places(0, 7)), end=st.tuples(places(-3, 11), places(-3, 11)))
def test_a_beam_clears_what_it_crosses(start, end):
    grid = LogOddsGrid(1.0)
    grid.add(start, [end])
    cells = {(c + grid.corner[0], r + grid.corner[1]) for r, c in np.argwhere(grid.cells < 0)}
    last = tuple(np.floor(end).astype(int))
    full = {(c + grid.corner[0], r + grid.corner[1]) for r, c in np.argwhere(grid.cells > 0)}
    assert full == {last}
    # sampling may miss a corner that is only grazed, never the other way round
    assert crossed(np.array(start), end) - {last} <= cells
    steps = abs(last[0] - math.floor(start[0])) + abs(last[1] - math.floor(start[1]))
    assert len(cells) == steps


def test_cells_change_once_per_scan_and_stay_within_bounds():
    grid = LogOddsGrid(0.1, hit=0.7, miss=0.4, clamp=(0.1, 0.9))
    fan = [[1.0 + 0.001 * k, 0.05] for k in range(50)]
    grid.add((0.05, 0.05), fan)
    assert grid.occupancy().at([1.02, 0.05]) == 70
    assert grid.occupancy().at([0.5, 0.05]) == 40
    for _ in range(50):
        grid.add((0.05, 0.05), fan)
    assert grid.occupancy().at([1.02, 0.05]) == 90
    assert grid.occupancy().at([0.5, 0.05]) == 10
    assert grid.occupancy().at([0.5, 5.0]) == UNKNOWN


def test_free_rays_only_clear():
    grid = LogOddsGrid(0.1)
    grid.add((0.0, 0.0), [[1.05, 0.05], [0.05, 1.05]], [True, False])
    assert (grid.cells > 0).sum() == 1


def test_growing_keeps_everything():
    grid, whole = LogOddsGrid(0.05), LogOddsGrid(0.05)
    whole.cover(np.array([-30.0, -30.0]), np.array([30.0, 30.0]))
    generator = np.random.default_rng(1)
    for _ in range(20):
        start, ends = generator.uniform(-3, 3, 2), generator.uniform(-25, 25, (10, 2))
        grid.add(start, ends)
        whole.add(start, ends)
    one, other = grid.occupancy(), whole.occupancy()
    assert one.origin == other.origin
    assert (one.cells == other.cells).all()


def test_memory_is_bounded():
    grid = LogOddsGrid(0.01, most_cells=1_000_000)
    with pytest.raises(BadInput, match="coarser resolution or a shorter range"):
        grid.add((0.0, 0.0), [[500.0, 500.0]])
    assert grid.occupancy().cells.tolist() == [[UNKNOWN]]
    with pytest.raises(BadInput, match="finite points"):
        grid.add((0.0, 0.0), [[np.nan, 1.0]])
    with pytest.raises(BadInput, match=r"miss < 0\.5 < hit"):
        LogOddsGrid(0.05, hit=0.4)
    with pytest.raises(BadInput, match="resolution"):
        LogOddsGrid(0.0)
