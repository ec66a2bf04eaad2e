"""Reeds-Shepp words: they arrive, and their lengths have the properties that shortest paths have."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.geometry import se2
from andante.navigation.planners.reeds_shepp import reeds_shepp

POSES = st.tuples(st.floats(-8, 8), st.floats(-8, 8), st.floats(-math.pi, math.pi))
RADII = st.floats(0.2, 3.0)


@given(POSES, POSES, RADII)
@settings(max_examples=150, deadline=None)
def test_words_arrive_and_lengths_are_symmetric(start, goal, radius):
    word = reeds_shepp(start, goal, radius)
    end = word.path(start, 0.2).goal
    np.testing.assert_allclose(se2.between(end, goal), 0.0, atol=1e-6 * (1 + radius))
    assert word.length >= math.hypot(goal[0] - start[0], goal[1] - start[1]) - 1e-9
    assert reeds_shepp(goal, start, radius).length == pytest.approx(word.length, abs=1e-6)
    mirrored = [(x, -y, -yaw) for x, y, yaw in (start, goal)]
    assert reeds_shepp(*mirrored, radius).length == pytest.approx(word.length, abs=1e-6)
    twice = [(2 * x, 2 * y, yaw) for x, y, yaw in (start, goal)]
    assert reeds_shepp(*twice, 2 * radius).length == pytest.approx(2 * word.length, abs=1e-5)


@given(POSES, POSES, POSES, RADII)
@settings(max_examples=80, deadline=None)
def test_the_triangle_inequality(a, b, c, radius):
    direct = reeds_shepp(a, c, radius).length
    assert direct <= reeds_shepp(a, b, radius).length + reeds_shepp(b, c, radius).length + 1e-6


@given(POSES, POSES, RADII)
@settings(max_examples=80, deadline=None)
def test_a_wider_circle_is_never_shorter(start, goal, radius):
    assert reeds_shepp(start, goal, radius).length <= reeds_shepp(start, goal, 1.5 * radius).length + 1e-6


def test_known_lengths():
    assert reeds_shepp((0, 0, 0), (5, 0, 0), 1.0).length == pytest.approx(5.0)
    assert reeds_shepp((0, 0, 0), (-5, 0, 0), 1.0).lengths == pytest.approx((-5.0,))
    assert reeds_shepp((0, 0, 0), (1, 1, math.pi / 2), 1.0).length == pytest.approx(math.pi / 2)
    assert reeds_shepp((0, 0, 0), (0, 0, math.pi), 1.0).length == pytest.approx(math.pi)  # three arcs of 60 degrees
    assert reeds_shepp((1, 2, 3), (1, 2, 3), 1.0).length == 0
    assert str(reeds_shepp((0, 0, 0), (5, 0, 0), 1.0)) == "S+5"


def test_paths_bend_within_the_radius_and_tell_directions():
    word = reeds_shepp((0, 0, 0), (0.3, 1.2, 2.5), 0.8)
    path = word.path((0, 0, 0), 0.01)
    steps = np.linalg.norm(np.diff(path.poses[:, :2], axis=0), axis=1)
    turns = np.abs(se2.wrap(np.diff(path.poses[:, 2])))
    assert (turns <= steps / 0.8 * 1.001 + 1e-9).all()
    ahead = np.einsum(
        "ij,ij->i",
        np.diff(path.poses[:, :2], axis=0),
        np.stack([np.cos(path.poses[:-1, 2]), np.sin(path.poses[:-1, 2])], axis=-1),
    )
    np.testing.assert_array_equal(np.sign(ahead), path.directions[1:])
    assert len(path.segments()) == 1 + np.count_nonzero(np.diff(np.sign(word.lengths)))


def test_words_of_errors():
    with pytest.raises(BadInput, match="turning radius > 0"):
        reeds_shepp((0, 0, 0), (1, 1, 1), 0.0)
    with pytest.raises(BadInput, match="two finite poses"):
        reeds_shepp((0, 0, math.nan), (1, 1, 1), 1.0)
