"""Positions by ranges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.localization.trilateration import trilaterate

ANCHORS = np.array([[0, 0, 0], [0, 6, 0], [8, 0, 0], [8, 6, 2.0], [4, 7, 1.5], [4, -1, 1.0]], dtype=float)
PLACE = np.array([3.1, 2.4, -0.8])


def ranges_of(place, anchors=ANCHORS):
    return np.linalg.norm(anchors - place, axis=1)


@given(st.floats(0.5, 7.5), st.floats(0.5, 5.5), st.floats(-2.5, -0.5))
@settings(max_examples=30, deadline=None)
def test_exact_ranges_give_the_place(x, y, z):
    place = np.array([x, y, z])
    for robust in (True, False):
        fix = trilaterate(ANCHORS, ranges_of(place), robust=robust)
        assert fix.converged
        np.testing.assert_allclose(fix.position, place, atol=1e-4)
        assert fix.rms < 1e-4


@given(st.floats(0.5, 7.5), st.floats(0.5, 5.5), st.sampled_from([None, -0.8]))
@settings(max_examples=50, deadline=None)
def test_a_search_that_starts_at_its_end_has_converged(x, y, height):
    ranges = ranges_of(np.array([x, y, -0.8]))
    last = None
    for _ in range(4):
        for robust in (True, False):
            fix = trilaterate(ANCHORS, ranges, start=last, height=height, robust=robust)
            assert fix.converged
            last = fix.position
    np.testing.assert_allclose(last, [x, y, -0.8], atol=1e-4)


def test_three_ranges_with_a_known_height():
    fix = trilaterate(ANCHORS[:3], ranges_of(PLACE)[:3], height=-0.8)
    np.testing.assert_allclose(fix.position, PLACE, atol=1e-4)
    assert fix.covariance[2, 2] == 0


def test_lying_ranges_are_found_out():
    rng = np.random.default_rng(0)
    plain, robust = [], []
    for _ in range(200):
        measured = ranges_of(PLACE) + 0.05 * rng.standard_normal(6)
        liar = rng.integers(6)
        measured[liar] += rng.uniform(1.0, 4.0)
        fix = trilaterate(ANCHORS, measured, height=-0.8, sigma=0.05)
        robust.append(np.linalg.norm((fix.position - PLACE)[:2]))
        plain.append(np.linalg.norm((trilaterate(ANCHORS, measured, height=-0.8, robust=False).position - PLACE)[:2]))
        assert not fix.inliers[liar]
    assert np.mean(robust) < 0.1
    assert np.mean(plain) > 4 * np.mean(robust)


def test_covariance_tells_the_scatter():
    rng = np.random.default_rng(1)
    found = [
        trilaterate(ANCHORS, ranges_of(PLACE) + 0.05 * rng.standard_normal(6), sigma=0.05, robust=False)
        for _ in range(800)
    ]
    scatter = np.cov(np.array([fix.position for fix in found]).T)
    np.testing.assert_allclose(np.sqrt(np.diag(scatter)), np.sqrt(np.diag(found[0].covariance)), rtol=0.15)


def test_missing_ranges_are_left_out_and_too_few_are_no_fix():
    measured = ranges_of(PLACE)
    measured[[1, 4]] = np.nan, -1.0
    fix = trilaterate(ANCHORS, measured, start=PLACE + 0.5)
    np.testing.assert_allclose(fix.position, PLACE, atol=1e-4)
    assert np.isnan(fix.residuals[[1, 4]]).all()
    assert not fix.inliers[[1, 4]].any()
    none = trilaterate(ANCHORS, np.full(6, np.nan))
    assert not none.converged
    assert np.isnan(none.rms)


def test_anchors_on_a_line_do_not_pretend():
    line = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], dtype=float)
    fix = trilaterate(line, ranges_of(np.array([1.5, 0, 0]), line) + 0.1)
    assert not fix.converged or np.nanmax(np.diag(fix.covariance)) > 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((np.zeros((3, 2)), np.ones(3)), "anchors \\(m, 3\\)"),
        ((np.zeros((3, 3)), np.ones(2)), "ranges \\(m,\\)"),
        ((np.full((3, 3), np.nan), np.ones(3)), "finite"),
    ],
)
def test_bad_input(arguments, said):
    with pytest.raises(BadInput, match=said):
        trilaterate(*arguments)
    with pytest.raises(BadInput, match="above 0"):
        trilaterate(ANCHORS, ranges_of(PLACE), sigma=0)
    with pytest.raises(BadInput, match="start must be"):
        trilaterate(ANCHORS, ranges_of(PLACE), start=(1, 2))
