"""Scans: points against a plain reference, the meaning of ranges, motion and tilt."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.geometry import se2, so3
from andante.mapping import Scan


def reference(scan, velocity=(0, 0, 0)):
    """Points of a level scan, one beam at a time."""
    out = []
    for i, r in enumerate(scan.ranges):
        if not (np.isfinite(r) and scan.range_min <= r <= scan.range_max):
            continue
        a = scan.angle_min + i * scan.angle_increment
        point = se2.transform(scan.sensor, [r * math.cos(a), r * math.sin(a)])
        out.append(se2.transform(se2.exp(np.asarray(velocity) * i * scan.time_increment), point))
    return np.array(out).reshape(-1, 2)


wild = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.floats(0, 20))


@settings(deadline=None)
@given(
    ranges=st.lists(wild, max_size=40),
    sensor=st.tuples(*[st.floats(-2, 2)] * 3),
    velocity=st.tuples(*[st.floats(-2, 2)] * 3),
    gap=st.sampled_from([0.0, 1e-3]),
)
def test_points_match_the_reference(ranges, sensor, velocity, gap):
    scan = Scan(1.0, np.array(ranges, dtype=float), -1.0, 0.05, 0.1, 15.0, gap, sensor)
    np.testing.assert_allclose(scan.points(velocity), reference(scan, velocity), atol=1e-9)


def test_meaning_of_ranges():
    scan = Scan(0.0, np.array([1.0, np.inf, -np.inf, np.nan, 2.0, 0.05, 30.0]), 0.0, 0.1, 0.1, 10.0)
    assert scan.hit.tolist() == [True, False, False, False, True, False, False]
    assert len(scan.points()) == 2
    ends, beams = scan.ends(no_return=5.0)
    assert beams.tolist() == [0, 1, 4, 6]  # without an echo, and beyond range_max
    assert np.linalg.norm(ends, axis=1).tolist() == pytest.approx([1.0, 5.0, 2.0, 5.0])


def test_tilted_scan_is_projected_and_ground_is_left_out():
    tilt, height = (0.05, 0.1), 0.3
    angles = np.linspace(-1, 1, 21)
    scan = Scan(0.0, np.full(21, 2.0), -1.0, 0.1, 0.0, 10.0, height=height, tilt=tilt)
    turned = so3.from_rpy([*tilt, 0.0])
    ends = 2.0 * np.stack([np.cos(angles), np.sin(angles), np.zeros(21)], axis=1) @ turned.T
    above = ends[:, 2] + height > 0.05
    assert 0 < above.sum() < 21 or above.all()
    np.testing.assert_allclose(scan.points(), ends[above, :2], atol=1e-12)
    low = Scan(0.0, np.full(21, 4.0), -1.0, 0.1, 0.0, 10.0, height=height, tilt=(0.0, 0.2))
    assert len(low.points()) < 21  # the middle beams meet the ground
    free, beams = Scan(0.0, np.full(3, np.inf), 0.0, 0.1, 0.0, 10.0, height=height, tilt=(0.0, 0.2)).ends(no_return=8.0)
    assert len(beams) == 3
    assert np.linalg.norm(free, axis=1).max() < 1.3  # free rays end where they meet the ground


def test_ranges_are_copied_and_read_only():
    given_ones = np.ones(3)
    scan = Scan(0.0, given_ones, 0.0, 0.1)
    given_ones[0] = 7.0
    assert scan.ranges[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        scan.ranges[0] = 2.0
    assert scan.angles.tolist() == pytest.approx([0.0, 0.1, 0.2])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ranges": np.ones((2, 2))}, "one row"),
        ({"time": math.nan}, "time must be a finite"),
        ({"angle_increment": math.inf}, "angle_increment"),
        ({"angle_increment": 9.0}, "turns at most twice"),
        ({"range_min": 2.0, "range_max": 1.0}, "range_max must lie above"),
        ({"sensor": (0.0, math.nan, 0.0)}, "sensor pose"),
        ({"tilt": (0.0,)}, "tilt"),
    ],
)
def test_bad_scans(changes, words):
    values = {"time": 0.0, "ranges": np.ones(5), "angle_min": 0.0, "angle_increment": 0.1, **changes}
    with pytest.raises(BadInput, match=words):
        Scan(**values)
