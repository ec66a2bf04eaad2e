"""Pose graphs and pairs of scans: derivatives, known answers, false edges."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.mapping.align import PointScan, Target, align
from andante.mapping.pose_graph import Edge, linearize, optimize


def cost(poses, edges):
    total = 0.0
    for edge in edges:
        error = se2.between(edge.pose, se2.between(poses[edge.first], poses[edge.second]))
        chi2, phi = error @ edge.information @ error, edge.robust
        total += chi2 if chi2 <= phi else 3 * phi - 4 * phi**2 / (phi + chi2)
    return total


def spd(generator):
    a = generator.normal(size=(3, 3))
    return a @ a.T + 3 * np.eye(3)


@pytest.mark.parametrize("robust", [math.inf, 1.0])
def test_gradient_against_finite_differences(robust):
    """Of what the solver holds for the cost, too: steps are judged by it."""
    generator = np.random.default_rng(1)
    poses = generator.uniform(-2, 2, (4, 3))
    ends = np.array([(0, 1), (1, 2), (2, 3), (0, 3), (3, 1)])
    edges = [Edge(int(i), int(j), generator.uniform(-1, 1, 3), spd(generator), robust) for i, j in ends]
    gradient = np.empty(12)
    value = linearize(
        poses, ends[:, 0].copy(), ends[:, 1].copy(), np.array([e.pose for e in edges]),
        np.array([e.information for e in edges]), np.full(5, robust), np.empty((5, 4, 3, 3)), gradient,
        np.empty(5), np.empty(5),
    )  # fmt: skip
    assert value == pytest.approx(cost(poses, edges))
    for k in range(12):
        step = np.zeros(12)
        step[k] = 1e-6
        slope = (cost(poses + step.reshape(4, 3), edges) - cost(poses - step.reshape(4, 3), edges)) / 2e-6
        assert 2 * gradient[k] == pytest.approx(slope, rel=1e-4, abs=1e-4)


@pytest.fixture
def ring_graph():
    """A ring of 40 poses, its true edges, and a start that drifts."""
    angle = np.linspace(0, 2 * math.pi, 41)[:-1]
    true = np.stack([5 * np.cos(angle) - 5, 5 * np.sin(angle), se2.wrap(angle + math.pi / 2)], axis=1)
    edges = [
        Edge(k, (k + 1) % 40, se2.between(true[k], true[(k + 1) % 40]), np.diag([100.0, 100, 400])) for k in range(40)
    ]
    start = [true[0]]
    for edge in edges[:-1]:
        start.append(se2.compose(start[-1], edge.pose + np.array([0.02, 0.01, 0.01])))
    return true, edges, np.array(start)


def test_perfect_edges_give_the_true_poses(ring_graph):
    true, edges, start = ring_graph
    solved = optimize(start, edges)
    assert solved.converged
    assert solved.cost < 1e-6
    np.testing.assert_allclose(solved.poses[:, :2], true[:, :2], atol=1e-4)
    assert np.abs(se2.wrap(solved.poses[:, 2] - true[:, 2])).max() < 1e-4


def test_a_false_loop_is_switched_off(ring_graph):
    true, edges, start = ring_graph
    false = Edge(5, 25, np.array([0.1, 0.0, 0.0]), np.diag([100.0, 100, 400]), robust=1.0)
    solved = optimize(start, [*edges, false])
    assert solved.scale[-1] < 0.05
    assert solved.scale[:-1].min() == 1.0
    assert np.abs(solved.poses[:, :2] - true[:, :2]).max() < 0.05
    trusted = optimize(start, [*edges, Edge(5, 25, false.pose, false.information)])
    assert np.abs(trusted.poses[:, :2] - true[:, :2]).max() > 1.0


def test_loose_nodes_stay(ring_graph):
    _, edges, start = ring_graph
    more = np.concatenate([start, [[9.0, 9.0, 1.0]]])
    np.testing.assert_allclose(optimize(more, edges).poses[-1], [9.0, 9.0, 1.0])
    assert (optimize(start, []).poses == start).all()


@pytest.mark.parametrize(
    ("edge", "words"),
    [
        (Edge(0, 0, np.zeros(3), np.eye(3)), "ties nodes 0 and 0"),
        (Edge(0, 9, np.zeros(3), np.eye(3)), "ties nodes 0 and 9 of a graph of 2"),
        (Edge(0, 1, np.array([0, math.nan, 0]), np.eye(3)), "not finite"),
        (Edge(0, 1, np.zeros(3), np.eye(2)), r"information \(3, 3\)"),
    ],
)
def test_bad_graphs(edge, words):
    with pytest.raises(BadInput, match=words):
        optimize(np.zeros((2, 3)), [edge])


def test_bad_poses():
    with pytest.raises(BadInput, match="finite poses"):
        optimize([[0.0, math.nan, 0.0], [0.0, 0.0, 0.0]], [Edge(0, 1, np.zeros(3), np.eye(3))])
    with pytest.raises(BadInput, match="fixed node 7"):
        optimize(np.zeros((2, 3)), [Edge(0, 1, np.zeros(3), np.eye(3))], fixed=7)


def test_scans_are_laid_on_one_another(ring):
    generator = np.random.default_rng(4)
    for a, b in ((10, 14), (40, 45), (100, 103)):
        target = Target([PointScan(ring.log.scans[a].points())], [np.zeros(3)])
        scan = PointScan(ring.log.scans[b].points())
        true = se2.between(ring.truth.poses[a], ring.truth.poses[b])
        for _ in range(4):
            found = align(scan, target, true + generator.uniform(-1, 1, 3) * [0.15, 0.15, 0.08])
            assert np.abs(found.pose - true)[:2].max() < 0.02
            assert abs(found.pose[2] - true[2]) < 0.006
            assert found.overlap > 0.7
            assert found.rms < 0.03
            assert np.linalg.eigvalsh(found.information).min() > 0


def test_a_corridor_leaves_its_direction_open():
    x = np.linspace(-5, 5, 100)
    wall = np.stack([x, np.full(100, 1.0)], axis=1)
    both = PointScan(np.concatenate([wall, wall[::-1] * [1, -1]]))
    found = align(both, Target([both], [np.zeros(3)]), [0.0, 0.1, 0.02])
    assert abs(found.pose[1]) < 1e-3
    assert abs(found.pose[2]) < 1e-3
    assert found.information[0, 0] < 1e-2 * found.information[1, 1]


def test_normals_look_at_the_sensor():
    scan = PointScan(np.array([[2.0, y] for y in np.linspace(-1, 1, 21)] + [[5.0, 5.0]]))
    np.testing.assert_allclose(scan.normals[5:15], np.tile([-1.0, 0.0], (10, 1)), atol=1e-9)
    assert np.isnan(scan.normals[-1]).all()  # a lone point has no line
    empty = align(scan, Target([PointScan(np.zeros((0, 2)))], [np.zeros(3)]), np.zeros(3))
    assert empty.partners == 0
    with pytest.raises(BadInput, match="shape"):
        PointScan(np.zeros(4))


def test_dense_scans_are_thinned():
    wall = np.stack([np.linspace(0, 1, 1001), np.full(1001, 2.0)], axis=1)
    noisy = wall + np.random.default_rng(0).normal(0, 0.005, wall.shape)
    scan = PointScan(noisy)
    assert 20 < len(scan.points) < 60
    assert np.linalg.norm(np.diff(scan.points, axis=0), axis=1).min() >= 0.03
    good = scan.normals[~np.isnan(scan.normals[:, 0])]
    assert np.abs(np.arctan2(good[:, 0], -good[:, 1])).max() < 0.25  # lines, not noise
    assert len(PointScan(noisy, spacing=0.0).points) == 1001
