"""Octrees of occupancy: beams against a plain walk, log odds against their formula, boxes, slices, limits."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.mapping.octree import OccupancyModel, OcTree
from andante.mapping.octree.octree import log_odds

MODEL = OccupancyModel()
HIT, MISS, LEAST, MOST = MODEL.log_odds


def passed(start, end, resolution):
    """Voxels on the way, by looking at every crossing of a border of voxels between two points."""
    start, end = np.asarray(start) / resolution, np.asarray(end) / resolution
    times = [0.0, 1.0]
    for a, b in zip(start, end, strict=True):
        if a != b:
            low, high = sorted((a, b))
            times += [(k - a) / (b - a) for k in range(math.ceil(low), math.floor(high) + 1)]
    times = sorted(t for t in times if 0.0 <= t <= 1.0)
    middles = [0.5 * (s + t) for s, t in itertools.pairwise(times) if t - s > 1e-9]
    return {tuple(np.floor(start + m * (end - start)).astype(int).tolist()) for m in middles}


# beams that run exactly through an edge or a corner of voxels may pass on either side: none of these does
point = st.tuples(*3 * [st.integers(-2000, 2000)]).map(
    lambda k: (k[0] * 0.0009971 + 0.0123, k[1] * 0.0010013 + 0.0231, k[2] * 0.0010037 + 0.0312)
)


@given(point, point)
def test_a_beam_frees_its_way_and_hits_its_end(start, end):
    tree = OcTree(0.1)
    tree.insert([end], start)
    last = tuple(np.floor(np.asarray(end) / 0.1).astype(int).tolist())
    free = {tuple(np.floor(c / 0.1).astype(int).tolist()) for c in tree.voxels(free=True)}
    assert {tuple(np.floor(c / 0.1).astype(int).tolist()) for c in tree.voxels()} == {last}
    assert passed(start, end, 0.1) - {last} == free


def test_log_odds_add_up_within_their_bounds():
    tree = OcTree(0.1)
    here = [0.55, 0.05, 0.05]
    for n in range(1, 8):
        tree.insert([here], [0.05, 0.05, 0.05])
        assert tree.log_odds([here])[0] == pytest.approx(min(n * HIT, MOST), abs=1e-5)
        assert tree.log_odds([[0.25, 0.05, 0.05]])[0] == pytest.approx(max(n * MISS, LEAST), abs=1e-5)
    assert math.isnan(tree.log_odds([[0.65, 0.05, 0.05]])[0])
    assert tree.occupied([here, [0.25, 0.05, 0.05], [5.0, 0.0, 0.0]]).tolist() == [True, False, False]


def test_a_voxel_counts_once_per_cloud_and_a_hit_wins():
    tree = OcTree(0.1)
    ends = np.array([[0.55, 0.05, 0.05], [0.55, 0.06, 0.05], [0.95, 0.051, 0.05]])  # the third passes where two ended
    tree.insert(ends, [0.05, 0.05, 0.05])
    assert tree.log_odds(ends[:1])[0] == pytest.approx(HIT, abs=1e-6)
    assert tree.log_odds([[0.25, 0.05, 0.05]])[0] == pytest.approx(MISS, abs=1e-6)


def test_long_beams_free_up_to_the_range_and_hit_nothing():
    tree = OcTree(0.1)
    tree.insert([[3.05, 0.05, 0.05]], [0.05, 0.05, 0.05], max_range=1.0)
    assert len(tree.voxels()) == 0
    assert tree.voxels(free=True)[:, 0].max() == pytest.approx(1.05)


def test_points_that_are_not_finite_or_far_outside_are_left_out():
    tree = OcTree(0.1)
    tree.insert([[math.nan, 0, 0], [math.inf, 0, 0], [1e7, 0, 0], [0.35, 0.05, 0.05]], [0.05, 0.05, 0.05])
    assert len(tree.voxels()) == 1
    with pytest.raises(BadInput, match="origin"):
        tree.insert([[0, 0, 0]], [math.nan, 0, 0])


def test_a_large_cloud_equals_its_parts_beam_by_beam():
    rng = np.random.default_rng(3)
    cloud = rng.uniform(-6, 6, (400, 3))
    whole, alone = OcTree(0.05), {}
    whole.insert(cloud, [0.01, 0.02, 0.03])
    for end in cloud:
        for cell in passed([0.01, 0.02, 0.03], end, 0.05):
            alone.setdefault(cell, MISS)
        alone[tuple(np.floor(end / 0.05).astype(int).tolist())] = HIT
    centers = (np.array(list(alone)) + 0.5) * 0.05
    assert whole.log_odds(centers) == pytest.approx(np.array(list(alone.values())), abs=1e-6)
    assert len(whole.voxels()) + len(whole.voxels(free=True)) == len(alone)


def test_boxes_slices_and_volumes():
    tree = OcTree(0.1)
    values = np.full((20, 10, 30), LEAST, dtype=np.float32)
    values[4, 5, 6] = MOST
    tree.fill_box(values, np.array([32768, 32768, 32768]))
    assert tree.volume() == pytest.approx(1e-3)
    assert tree.volume(free=True) == pytest.approx(6.0 - 1e-3)
    inside = tree.box([0.3, 0.4, 0.5], [0.6, 0.7, 0.8])
    assert inside.shape == (3, 3, 3)
    assert inside[1, 1, 1] == pytest.approx(MOST)
    assert (inside < 0).sum() == 26
    plan = tree.slice(0.55, 0.75)
    assert int((plan.cells == 100).sum()) == 1
    row, col = np.argwhere(plan.cells == 100)[0]
    assert (plan.origin[0] + (col + 0.5) * 0.1, plan.origin[1] + (row + 0.5) * 0.1) == pytest.approx((0.45, 0.55))
    assert not (tree.slice(0.75, 1.0).cells == 100).any()
    with pytest.raises(BadInput, match="lower one first"):
        tree.slice(1.0, 0.5)


@pytest.mark.parametrize("resolution", [0.0, -1.0, math.nan, math.inf])
def test_a_resolution_must_be_positive(resolution):
    with pytest.raises(BadInput, match="resolution"):
        OcTree(resolution)


def test_models_and_leaves_that_make_no_sense_are_refused():
    with pytest.raises(BadInput, match="0 < least < miss"):
        OccupancyModel(hit=0.4)
    tree = OcTree(0.1)
    with pytest.raises(BadInput, match="depth"):
        tree.fill(np.zeros((1, 3), dtype=np.int64), np.array([17]), np.ones(1, dtype=np.float32))
    with pytest.raises(BadInput, match="cut off what lies far away"):
        tree.fill(np.zeros((1, 3), dtype=np.int64), np.array([1]), np.ones(1, dtype=np.float32))
    with pytest.raises(BadInput, match="empty"):
        _ = tree.bounds
    assert log_odds(0.5) == 0.0
