"""Errors against a reference, and settings by name."""

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.localization import position_error
from andante.localization.evaluation import error_of, frame_shift
from andante.mapping import Trajectory


def line(times, shift=0.0):
    times = np.asarray(times, dtype=float)
    return Trajectory(times, np.column_stack([times, np.full_like(times, shift), 0 * times]))


def test_error_numbers():
    made = error_of([0.0, 0.1, 0.2, 1.0])
    assert (made.mean, made.median, made.max, made.within_0_5, made.count) == pytest.approx((0.325, 0.15, 1.0, 0.75, 4))
    assert made.rms == pytest.approx(np.sqrt(1.05 / 4))
    with pytest.raises(BadInput, match="nothing to compare"):
        error_of([])


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.1), (0.1, 0.5)])
def test_the_denser_way_is_interpolated(a, b):
    made = position_error(line(np.arange(0, 10, a), 0.3), line(np.arange(-2, 8, b)))
    assert made.max == pytest.approx(0.3, abs=1e-6)
    assert made.count == pytest.approx(8 / 0.5, abs=2)


def test_no_common_time():
    with pytest.raises(BadInput, match="do not overlap in time"):
        position_error(line([0, 1]), line([10, 11, 12]))


@pytest.mark.parametrize("shift", [(1.2, -0.4, 0.7), (-3.0, 2.0, 3.1), (0.0, 0.0, 0.0)])
def test_the_shift_between_two_frames_is_found(shift):
    times = np.arange(20.0)
    poses = np.column_stack([times, np.sin(times), 0 * times])
    other = Trajectory(times[::2], se2.compose(shift, poses)[::2])
    for estimate, reference, wanted in (
        (Trajectory(times, poses), other, shift),
        (other, Trajectory(times, poses), se2.inverse(shift)),
    ):
        found, left = frame_shift(estimate, reference)
        np.testing.assert_allclose(se2.between(wanted, found), 0, atol=1e-9)
        assert left.max < 1e-9
