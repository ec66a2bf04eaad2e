"""Maps of any size: tiles that wait in memory and on disk, windows that move, maps that are coarsened."""

import numpy as np

from andante.mapping.grid import LogOddsGrid
from andante.mapping.matcher import MapMatcher
from andante.mapping.parameters import MappingParameters
from andante.mapping.tiles import BYTES, TILE, UNSEEN, TileStore


def wandering(grid, steps=60):
    generator = np.random.default_rng(3)
    at = np.zeros(2)
    for k in range(steps):
        at = at + ([2.0, 0.5] if k < steps // 2 else [-2.0, -0.3])
        grid.add(at, at + generator.uniform(-5, 5, (20, 2)))
    return grid


def test_a_window_that_moves_forgets_nothing():
    whole, moving = wandering(LogOddsGrid(0.0625)), wandering(LogOddsGrid(0.0625, window=30_000))
    assert len(moving.left) > 3
    assert moving.cells.size < whole.cells.size / 4
    one, other = whole.occupancy(), moving.occupancy()
    assert one.origin == other.origin
    assert (one.cells == other.cells).all()


def test_tiles_past_the_limit_lie_on_disk():
    store = TileStore(in_memory=2 * BYTES)
    for k in range(5):
        store.put((k, -k), np.full((TILE, TILE), k, dtype=np.int16))
    store.put((0, 0), np.full((TILE, TILE), 7, dtype=np.int16))
    assert (len(store), store.on_disk) == (5, 3)
    assert [int(store.get((k, -k))[3, 3]) for k in range(5)] == [7, 1, 2, 3, 4]
    assert store.get((9, 9)) is None
    assert UNSEEN < -30_000


def test_a_map_too_large_for_one_picture_is_coarsened_and_kept_in_sheets():
    grid = wandering(LogOddsGrid(0.1, window=30_000))
    fine = grid.occupancy()
    coarse = grid.occupancy(most_cells=fine.cells.size // 3)
    assert coarse.resolution == 0.2
    points = fine.point_of(np.argwhere(fine.occupied()))
    assert (coarse.at(points) >= 65).all()  # what is occupied stays so
    assert (fine.at(coarse.point_of(np.argwhere(coarse.cells == -1))) == -1).all()
    sheets = list(grid.sheets(200))
    assert len(sheets) > 1
    assert sum(int(sheet.known.sum()) for sheet in sheets) == int(fine.known.sum())
    assert all((sheet.at(points)[sheet.inside(sheet.cell_of(points))] >= 65).all() for sheet in sheets)


def test_what_was_left_behind_is_matched_with_when_the_robot_comes_back():
    square = np.array([[x, y] for x in (-3.0, 3.0) for y in np.linspace(-3, 3, 61)])
    room = np.concatenate([square, square[:, ::-1]])
    poses = []
    for window in (1_000_000, 40_000):
        matcher = MapMatcher(MappingParameters())
        for grid in matcher.maps:
            grid.window = window
        for x in (0.0, 40.0, 80.0):
            matcher.draw(np.array([x, 0.0, 0.0]), np.zeros(2), room, np.ones(len(room), dtype=bool))
        poses.append(matcher.refine(room, np.array([0.02, -0.01, 0.0])).pose)
    assert len(matcher.maps[0].left) > 0
    assert np.allclose(poses[0], poses[1], atol=1e-6)
