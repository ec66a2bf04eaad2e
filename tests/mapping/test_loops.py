"""Which loops are believed: one that contradicts the tracked path needs a second that tells the same."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from andante.geometry import se2
from andante.mapping import loops
from andante.mapping.align import CELL, PointScan, Target, align_points
from andante.mapping.loops import MEMORY, Loop, LoopFinder, chain_edges
from andante.mapping.parameters import MappingParameters

COUNT = 60


class Told(LoopFinder):
    """Finds the loops it is given in place of looking at scans."""

    def __init__(self, poses, found):
        super().__init__([SimpleNamespace()] * len(poses), poses, MappingParameters())
        self.found = found

    def _candidates(self, new):
        return [old for old, late in self.found if late == new]

    def _check(self, old, new):
        return Loop(old, new, self.found[old, new], np.diag([400.0, 400.0, 1600.0]), 1.0)


@pytest.fixture
def ring():
    """True poses of one and a half rounds, and the tracked ones, whose heading drifts."""
    angle = np.linspace(0, 3 * math.pi, COUNT)
    true = np.stack([4 * np.cos(angle) - 4, 4 * np.sin(angle), se2.wrap(angle + math.pi / 2)], axis=1)
    tracked = [true[0]]
    for k in range(1, COUNT):
        tracked.append(se2.compose(tracked[-1], se2.between(true[k - 1], true[k]) + np.array([0.0, 0.0, 0.008])))
    return true, np.array(tracked)


def loop_at(true, old, new, off=(0.0, 0.0, 0.0)):
    return se2.compose(se2.between(true[old], true[new]), np.array(off))


def test_two_loops_that_tell_the_same_close_the_ring(ring):
    true, tracked = ring
    pairs = [(k, k + 40) for k in (5, 8, 11, 14)]
    finder = Told(tracked, {pair: loop_at(true, *pair) for pair in pairs})
    edges = finder.run()
    assert [(edge.first, edge.second) for edge in edges] == pairs
    before, after = (np.linalg.norm(poses[:, :2] - true[:, :2], axis=1) for poses in (tracked, finder.poses))
    assert before.max() > 1.0
    assert after.max() < 0.3 * before.max()
    for old, new in pairs:  # what was tied together is together
        np.testing.assert_allclose(se2.between(finder.poses[old], finder.poses[new]), loop_at(true, old, new), atol=0.1)


@pytest.mark.parametrize(
    "found",
    [
        {(5, 45): (0.0, 0.0, 0.0)},  # nobody else tells it
        {(5, 45): (0.0, 0.0, 0.0), (6, 46): (1.0, 0.0, 0.0)},  # another tells of another place
        {(5, 45): (0.0, 0.0, 0.0), (6, 46): (0.0, 0.0, 0.5)},  # or of another heading
        {(4, 46): (0.0, 0.0, 0.0), (5, 46): (0.0, 0.0, 0.0)},  # the same scan is no second witness
        {(1, 45): (0.0, 0.0, 0.0), (2, 45 + MEMORY + 1): (0.0, 0.0, 0.0)},  # too late
    ],
)
def test_a_loop_that_nobody_confirms_changes_nothing(ring, found):
    true, tracked = ring
    finder = Told(tracked, {pair: loop_at(true, *pair, off) for pair, off in found.items()})
    assert finder.run() == []
    np.testing.assert_array_equal(finder.poses, tracked)


def test_a_false_loop_among_true_ones_is_left_out(ring):
    true, tracked = ring
    found = {(k, k + 40): loop_at(true, k, k + 40) for k in (5, 8, 11)}
    found[6, 46] = loop_at(true, 6, 46, (2.0, 1.0, 0.4))
    assert [(edge.first, edge.second) for edge in Told(tracked, found).run()] == [(5, 45), (8, 48), (11, 51)]


def test_a_loop_that_fits_the_path_needs_no_witness(ring):
    true, _ = ring
    finder = Told(true, {(5, 45): loop_at(true, 5, 45)})
    assert [(edge.first, edge.second) for edge in finder.run()] == [(5, 45)]
    np.testing.assert_allclose(finder.poses, true, atol=1e-6)


def test_the_chain_ties_neighbors(ring):
    true, _ = ring
    edges = chain_edges(true)
    assert [(edge.first, edge.second) for edge in edges] == [(k, k + 1) for k in range(COUNT - 1)]
    np.testing.assert_allclose(edges[7].pose, se2.between(true[7], true[8]), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_neighbors_are_those_that_a_look_at_all_finds(seed):
    rng = np.random.default_rng(seed)
    points = np.round(rng.uniform(-3.0, 3.0, (200, 2)), 1)  # on a lattice: some lie on the edge, some on one another
    for k, found in enumerate(loops._within(points, 0.7)):
        away = points - points[k]
        wanted = np.flatnonzero(away[:, 0] ** 2 + away[:, 1] ** 2 <= 0.7**2)
        assert sorted(found.tolist()) == wanted.tolist()


@pytest.mark.parametrize("reach", [0.1, 0.31, CELL])
def test_partners_are_those_that_a_look_at_all_finds(reach):
    """The kernel looks into the cells within the reach alone."""
    rng = np.random.default_rng(4)
    way = np.linspace(0.0, 12.0, 240)
    wall = np.column_stack([way, 1.5 * np.sin(way)]) + 0.01 * rng.standard_normal((240, 2))
    scan = PointScan(wall[::2] + 0.03 * rng.standard_normal((120, 2)), sensor=(5.0, 8.0))
    target = Target([PointScan(wall, sensor=(5.0, 8.0))], [np.zeros(3)])
    H, pose = np.zeros((3, 3)), np.array([0.07, -0.05, 0.02])
    turn = np.array([[np.cos(pose[2]), -np.sin(pose[2])], [np.sin(pose[2]), np.cos(pose[2])]])
    points, normals = scan.points @ turn.T + pose[:2], scan.normals @ turn.T
    away = np.linalg.norm(points[:, None] - target.points, axis=-1)
    away[normals @ target.normals.T <= 0.7] = np.inf
    away[np.isnan(normals[:, 0])] = np.inf
    found = align_points(
        scan.points, scan.normals, target.points, target.normals, CELL, target.corner, target.shape, target.first,
        pose, reach, reach, 1, H,
    )  # fmt: skip
    with_partner = away.min(axis=1) < reach
    assert found[0] == with_partner.sum() > 20
    nearest = away.argmin(axis=1)[with_partner]
    e = np.sum(target.normals[nearest] * (points[with_partner] - target.points[nearest]), axis=1)
    n, w = target.normals[nearest], (1.0 - (e / reach) ** 2) ** 2
    np.testing.assert_allclose(H[:2, :2], np.einsum("k,ki,kj->ij", w, n, n), atol=1e-9)
    assert found[1] == pytest.approx(np.sqrt(np.mean(e**2)))
