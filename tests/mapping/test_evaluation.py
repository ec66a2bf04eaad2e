"""Maps against the true plan, on cases that can be counted by hand."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.mapping import UNKNOWN, OccupancyGrid
from andante.mapping.evaluation import compare_maps


def room(rows=40, cols=60, shift=0):
    """A closed room of 0.05 m cells with walls two cells thick, unknown outside."""
    cells = np.full((rows, cols), UNKNOWN, dtype=np.int8)
    cells[4:-4, 4 + shift : cols - 4 + shift] = 100
    cells[6:-6, 6 + shift : cols - 6 + shift] = 0
    return OccupancyGrid(0.05, (-1.0, -1.0, 0.0), cells)


def test_a_map_agrees_with_itself():
    told = compare_maps(room(), room())
    assert (told.true_walls, told.found_walls, told.coverage, told.false_free) == (1.0, 1.0, 1.0, 0.0)
    assert told.offset == 0.0


@pytest.mark.parametrize(("cells", "good"), [(2, True), (4, False)])
def test_a_shift_counts_beyond_the_reach(cells, good):
    """Only the walls across the shift are off; within the reach of two cells none is."""
    told = compare_maps(room(shift=cells), room())
    assert (told.true_walls == 1.0) is good
    assert (told.found_walls == 1.0) is good
    if not good:
        assert 0.6 < told.true_walls < 0.95
        assert 0.6 < told.found_walls < 0.95


def test_half_a_map():
    cells = room().cells.copy()
    cells[:, 30:] = UNKNOWN
    told = compare_maps(OccupancyGrid(0.05, (-1.0, -1.0, 0.0), cells), room())
    assert told.true_walls == 1.0
    assert told.coverage == pytest.approx(0.5)
    assert 0.4 < told.found_walls < 0.6


def test_other_frames_and_cells():
    """A map of finer cells with another corner, turned by a quarter."""
    fine = np.kron(room().cells, np.ones((2, 2), dtype=np.int8)).astype(np.int8)
    turned = OccupancyGrid(0.025, (-1.0 + 60 * 0.05, -1.0, math.pi / 2), np.rot90(fine, -1))
    np.testing.assert_allclose(turned.at([[0.0, 0.0], [-0.75, 0.0]]), room().at([[0.0, 0.0], [-0.75, 0.0]]))
    told = compare_maps(turned, room())
    assert told.true_walls == told.found_walls == told.coverage == 1.0


def test_free_where_a_wall_stands():
    cells = room().cells.copy()
    cells[15:21, 20:26] = 100  # a block that the map does not have
    told = compare_maps(room(), OccupancyGrid(0.05, (-1.0, -1.0, 0.0), cells))
    inner = 28 * 48
    assert told.false_free == pytest.approx(16 / inner)  # its outermost cells may be off by one
    assert told.found_walls < 1.0


def test_nothing_to_compare():
    empty = OccupancyGrid(0.05, (0.0, 0.0, 0.0), np.zeros((5, 5)))
    with pytest.raises(BadInput, match="no walls"):
        compare_maps(room(), empty)
    with pytest.raises(BadInput, match="above 0"):
        compare_maps(room(), room(), 0.0)
    told = compare_maps(empty, room())
    assert math.isnan(told.true_walls)
    assert told.found_walls == 0.0
