"""Paths: lengths, segments, resampling, smoothing, messages."""

import math
from itertools import pairwise

import numpy as np
import pytest

from andante.errors import BadInput
from andante.navigation import Path, smoothed

from .samples import costmap


def cusped():
    poses = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 0.5, -0.4], [0, 1, -0.5], [1, 1, 0]], dtype=float)
    return Path(poses, np.array([1, 1, 1, -1, -1, 1]))


def test_segments_meet_at_cusps():
    parts = cusped().segments()
    assert [len(part.poses) for part in parts] == [3, 3, 2]
    assert [int(part.directions[-1]) for part in parts] == [1, -1, 1]
    for one, two in pairwise(parts):
        np.testing.assert_array_equal(one.goal, two.poses[0])
    assert sum(part.length for part in parts) == pytest.approx(cusped().length)


def test_resampled_keeps_way_ends_and_directions():
    dense = cusped().resampled(0.05)
    assert dense.length == pytest.approx(cusped().length)
    assert np.diff(dense.along).max() <= 0.05 + 1e-9
    np.testing.assert_allclose(dense.goal, cusped().goal)
    assert [int(p.directions[-1]) for p in dense.segments()] == [1, -1, 1]
    turned = Path(np.array([[0, 0, 3.1], [1, 0, -3.1]]), np.array([1, 1])).resampled(0.1)
    assert (np.abs(turned.poses[:, 2]) > 3.0).all()  # the short way round
    single = Path(np.zeros((1, 3)), np.ones(1))
    assert single.resampled(0.1) is single
    assert single.segments() == [single]


def test_through_points_and_nearest():
    path = Path.through([[0, 0], [1, 0], [1, 1]], yaw=2.0)
    np.testing.assert_allclose(path.poses[:, 2], [0, math.pi / 2, 2.0])
    for free in (None, math.nan):
        np.testing.assert_allclose(
            Path.through([[0, 0], [1, 0], [1, 1]], free).poses[:, 2], [0, math.pi / 2, math.pi / 2]
        )
    assert path.nearest((0.9, 0.1)) == 1
    assert path.nearest((0.0, 0.0), start=1) == 1
    assert len(path.after(99).poses) == 1


def test_smoothing_bends_less_and_stays_free():
    cells = np.zeros((60, 60), dtype=np.int8)
    cells[28:32, 28:32] = 100
    m = costmap(cells)
    zigzag = np.column_stack([np.linspace(0.5, 5.5, 51), 2.0 + 0.2 * (np.arange(51) % 2)])
    smooth = smoothed(zigzag, m, 0.3)
    np.testing.assert_array_equal(smooth[[0, -1]], zigzag[[0, -1]])
    assert np.abs(np.diff(smooth, 2, axis=0)).sum() < 0.2 * np.abs(np.diff(zigzag, 2, axis=0)).sum()
    near = np.column_stack([np.linspace(0.5, 5.5, 51), np.full(51, 2.7)])
    pushed = smoothed(near, m, 0.5)
    assert pushed[25, 1] < 2.65


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Path(np.zeros((0, 3)), np.zeros(0)), "one or more poses"),
        (lambda: Path(np.array([[0, 0, np.nan]]), np.ones(1)), "pose 0 is not"),
        (lambda: Path(np.zeros((2, 3)), np.array([1, 0])), "1 or -1"),
        (lambda: Path.through(np.zeros((0, 2))), "one or more points"),
        (lambda: cusped().resampled(0.0), "steps > 0"),
    ],
)
def test_words(make, words):
    with pytest.raises(BadInput, match=words):
        make()
