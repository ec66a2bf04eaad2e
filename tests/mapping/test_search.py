"""Correlative search against trying everything, and Gauss-Newton on maps."""

import math

import numpy as np
import pytest

from andante.mapping import LogOddsGrid
from andante.mapping.matcher import (
    MapMatcher,
    Pyramid,
    SearchWindow,
    bordered,
    branch_and_bound,
    score_under,
    sum_of_blocks,
)
from andante.mapping.parameters import MappingParameters


def brute_force(grid, points, guess, window):
    """Every pose of the lattice, one by one."""
    scores = np.where(grid.cells > 0, (255 * np.tanh(0.0005 * grid.cells)).astype(int), 0)
    best, pose = -1.0, None
    steps, span = math.ceil(window.turn / window.turn_step), math.ceil(window.reach / grid.resolution)
    for t in range(-steps, steps + 1):
        yaw = guess[2] + t * window.turn_step
        c, s = math.cos(yaw), math.sin(yaw)
        x = (c * points[:, 0] - s * points[:, 1] + guess[0] - grid.origin[0]) / grid.resolution
        y = (s * points[:, 0] + c * points[:, 1] + guess[1] - grid.origin[1]) / grid.resolution
        cols, rows = np.floor(x).astype(int), np.floor(y).astype(int)
        for i in range(-span, span + 1):
            for j in range(-span, span + 1):
                col, row = cols + i, rows + j
                good = (col >= 0) & (row >= 0) & (col < scores.shape[1]) & (row < scores.shape[0])
                score = scores[row[good], col[good]].sum() / (255 * len(points))
                score -= window.travel_penalty * (i * i + j * j) * grid.resolution**2
                score -= window.turn_penalty * (t * window.turn_step) ** 2
                if score > best:
                    best, pose = score, np.array([guess[0] + i * grid.resolution, guess[1] + j * grid.resolution, yaw])
    return best, pose


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("penalty", [(0.0, 0.0), (0.3, 0.2)])
def test_branch_and_bound_finds_the_true_maximum(depth, penalty):
    generator = np.random.default_rng(depth)
    for _ in range(5):
        grid = LogOddsGrid(0.1)
        ends = generator.uniform(-3, 3, (60, 2))
        for _ in range(2):
            grid.add((0.0, 0.0), ends)
        pyramid = Pyramid(grid, depth)
        pyramid.update(np.full(2, -3.0), np.full(2, 3.0))
        points = ends[:40] + generator.normal(0, 0.05, (40, 2)) + [0.3, -0.2]
        window = SearchWindow(0.55, 0.12, 0.03, *penalty)
        guess = np.array([0.02, 0.03, 0.05])
        best, _ = brute_force(grid, points, guess, window)
        found = pyramid.search(points, guess, window)
        assert found.score == pytest.approx(best, abs=1e-9)
        again, _ = brute_force(grid, points, found.pose, SearchWindow(0.0, 0.0, 1.0))
        step = found.pose - guess
        again -= penalty[0] * (step[0] ** 2 + step[1] ** 2) + penalty[1] * step[2] ** 2
        assert again == pytest.approx(best, abs=1e-9)  # the pose has that score


@pytest.mark.parametrize(("k", "span"), [(0, 3), (1, 4), (2, 6), (4, 20)])
def test_blocks_that_are_summed_together_have_the_sums_of_each(k, span):
    generator = np.random.default_rng(k)
    level = generator.integers(0, 256, (9, 13), dtype=np.uint8)
    at = generator.integers(-80, 300, (200, 2)).astype(np.int32)
    block = 1 << k
    across = (2 * span + block) // block
    sums = np.empty((across, across), dtype=np.int32)
    sum_of_blocks(bordered(level, across, k > 0), at, span, k, sums)
    each = [
        [score_under(level, k, at, -span + i * block, -span + j * block) for i in range(across)] for j in range(across)
    ]
    assert sums.any()
    assert np.array_equal(sums, each)


@pytest.mark.parametrize("side", [(-1, -1), (-1, 1), (1, -1), (1, 1)])
@pytest.mark.parametrize("depth", [1, 3, 5])
def test_walls_at_the_edge_of_the_table_are_found_from_beyond_it(side, depth):
    generator = np.random.default_rng(depth)
    for _ in range(6):
        grid = LogOddsGrid(0.1)
        ends = generator.uniform(6.0, 6.39, (40, 2)) * side  # the table ends at 6.4 m
        for _ in range(2):
            grid.add(5.0 * np.array(side), ends)
        pyramid = Pyramid(grid, depth)
        pyramid.update(np.zeros(2), np.zeros(2))
        points = ends[:30] + generator.uniform(0.2, 0.5, 2) * side
        window = SearchWindow(0.55, 0.06, 0.03)
        best, _ = brute_force(grid, points, np.zeros(3), window)
        assert pyramid.search(points, np.zeros(3), window).score == pytest.approx(best, abs=1e-9)


def test_updating_a_box_is_as_good_as_building_anew():
    generator = np.random.default_rng(2)
    grid = LogOddsGrid(0.1)
    grid.cover(np.full(2, -5.0), np.full(2, 5.0))
    kept = Pyramid(grid, 4)
    for _ in range(15):
        start = generator.uniform(-2, 2, 2)
        ends = start + generator.uniform(-2, 2, (20, 2))
        grid.add(start, ends)
        kept.update(np.minimum(start, ends.min(axis=0)), np.maximum(start, ends.max(axis=0)))
    fresh = Pyramid(grid, 4)
    fresh.update(np.zeros(2), np.zeros(2))
    for one, other in zip(kept._levels, fresh._levels, strict=True):
        assert (one == other).all()


def test_nothing_found():
    grid = LogOddsGrid(0.1)
    pyramid = Pyramid(grid, 2)
    assert pyramid.search(np.ones((3, 2)), np.zeros(3), SearchWindow()).score < 0
    grid.add((0.0, 0.0), [[1.0, 0.0]])
    pyramid.update(np.zeros(2), np.ones(2))
    far = pyramid.search(np.full((5, 2), 50.0), [1.0, 2.0, 0.5], SearchWindow())
    assert far.score < 0
    assert far.pose.tolist() == [1.0, 2.0, 0.5]
    levels = pyramid._levels
    pose = np.zeros(3)
    none = branch_and_bound(levels, 0.0, 0.0, 0.1, np.zeros((0, 2)), np.zeros(3), 0.2, 0.1, 0.1, 0.0, 0.0, 0.0, pose)
    assert none == -1.0


@pytest.fixture(scope="module")
def board(ring):
    """A map of the first scans of the ring at their true poses."""
    made = MapMatcher(MappingParameters())
    for k in range(0, 60, 4):
        points = ring.log.scans[k].points()
        made.draw(ring.truth.poses[k], np.zeros(2), points, np.ones(len(points), dtype=bool))
    return made


def test_gauss_newton_comes_back_from_near(board, ring):
    generator = np.random.default_rng(0)
    for k in (10, 30, 50):
        points, true = ring.log.scans[k].points(), ring.truth.poses[k]
        for _ in range(5):
            guess = true + generator.uniform(-1, 1, 3) * [0.1, 0.1, 0.05]
            match = board.refine(points, guess)
            assert np.abs(match.pose - true)[:2].max() < 0.04
            assert abs(match.pose[2] - true[2]) < 0.01
            assert match.score > 0.6
            assert np.linalg.eigvalsh(match.information).min() > 0


def test_search_comes_back_from_far(board, ring):
    points, true = ring.log.scans[30].points(), ring.truth.poses[30]
    guess = true + np.array([0.45, -0.4, 0.35])
    lost = board.refine(points, guess)
    found = board.search(points, guess, SearchWindow(0.6, 0.5, 0.01))
    match = board.refine(points, found.pose)
    assert np.abs(match.pose - true).max() < 0.04
    assert match.score > lost.score


def test_a_prior_holds_the_guess(board, ring):
    points, true = ring.log.scans[30].points(), ring.truth.poses[30]
    guess = true + np.array([0.05, 0.0, 0.02])
    held = board.refine(points, guess, np.array([1e9, 1e9, 1e9]))
    np.testing.assert_allclose(held.pose, guess, atol=1e-4)
