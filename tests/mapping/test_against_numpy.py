"""The compiled kernels against the plain numpy ones."""

import numpy as np

from andante.bench import slam as plain
from andante.mapping import LogOddsGrid
from andante.mapping.mapper import Mapper
from andante.mapping.matcher import PROBABILITY, Pyramid, SearchWindow, gauss_newton


def board(ring):
    grid = LogOddsGrid(0.1, clamp=(0.002, 0.998))
    for k in range(0, 40, 5):
        pose = ring.truth.poses[k]
        grid.add(pose[:2], plain.se2.transform(pose, ring.log.scans[k].points()))
    return grid, grid.cells / 1000.0, np.array(grid.origin)


def test_gauss_newton(ring):
    grid, cells, origin = board(ring)
    generator = np.random.default_rng(0)
    for k in (7, 22, 33):
        points = ring.log.scans[k].points()
        guess = ring.truth.poses[k] + generator.normal(size=3) * [0.05, 0.05, 0.02]
        pose = guess.copy()
        gauss_newton(grid.cells, PROBABILITY, *grid.origin, 0.1, points, pose, guess, np.zeros(3), 6, np.zeros((3, 3)))
        np.testing.assert_allclose(pose, plain.gauss_newton(cells, origin, 0.1, points, guess, 6), atol=1e-5)


def test_slope_of_the_map_against_finite_differences(ring):
    _, cells, origin = board(ring)
    points = np.random.default_rng(1).uniform([1.0, 1.0], [6.0, 2.5], (50, 2))
    _, slope = plain.probability_at(cells, origin, 0.1, points)
    for axis in range(2):
        step = np.zeros(2)
        step[axis] = 1e-7
        ahead, behind = (plain.probability_at(cells, origin, 0.1, points + sign * step)[0] for sign in (1, -1))
        np.testing.assert_allclose((ahead - behind) / 2e-7, slope[:, axis], atol=1e-4)


def test_search(ring):
    grid, cells, origin = board(ring)
    pyramid = Pyramid(grid, 3)
    pyramid.update(np.zeros(2), np.zeros(2))
    guess = ring.truth.poses[20] + np.array([0.2, -0.15, 0.06])
    points = ring.log.scans[20].points()
    found = pyramid.search(points, guess, SearchWindow(0.4, 0.1, 0.02, 1.0, 0.3))
    np.testing.assert_allclose(found.pose, plain.search(cells, origin, 0.1, points, guess, 0.4, 0.1, 0.02), atol=1e-9)


def test_whole_mappers_go_the_same_way(ring):
    ours, theirs = Mapper(keep_keys=False), plain.PlainMapper()
    for scan, odometry in zip(ring.log.scans[:60], ring.log.odometry[:60], strict=True):
        ours.update(scan, odometry.pose)
        theirs.update(scan, odometry.pose)
    np.testing.assert_allclose(ours.pose, theirs.pose, atol=0.03)
