"""The parts of the rover's computer: clocks, stamps, past poses, tags."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.localization import Ahrs, UwbSetup
from andante.mobile.rover.odometry import WRAP, BoardClock, PoseHistory, _counted
from andante.mobile.rover.stamps import Stamps
from andante.mobile.rover.tags import RoverTags

ANCHORS = {"0": (0.0, 0.0, 0.0), "1": (0.0, 6.0, 0.0), "2": (8.0, 0.0, 0.0), "3": (8.0, 6.0, 0.8)}
TAGS = {"tag0": (0.0, 0.0, 0.0), "tag1": (-0.36, 0.0, 0.0)}


def test_the_board_clock_takes_the_fastest_message_for_the_offset():
    clock = BoardClock()
    assert clock.time(1000, 11.05) == pytest.approx(11.05)
    assert clock.time(2000, 12.01) == pytest.approx(12.01)  # 10.01 is less than 10.05
    assert clock.time(3000, 13.30) == pytest.approx(13.01)  # this one came late


def test_the_board_clock_wraps_and_starts_anew():
    clock = BoardClock()
    assert clock.time(WRAP - 100, 50.0) == pytest.approx(50.0)
    assert clock.time(100, 50.2) == pytest.approx(50.2)
    clock = BoardClock()
    assert clock.time(90_000, 100.0) == pytest.approx(100.0)
    assert clock.time(20, 101.5) == pytest.approx(101.5)  # switched off and on
    assert clock.time(40, 101.9) == pytest.approx(101.52)


def test_counts_wrap():
    assert _counted(10, 25) == 15
    assert _counted(2**31 - 5, -(2**31) + 5) == 10
    assert _counted(-(2**31), 2**31 - 1) == -1


def test_past_poses_lie_on_the_arc_between_their_neighbors():
    past = PoseHistory()
    assert past.at(0.0) is None
    a, b = np.array([1.0, 0.0, 0.0]), np.array([2.0, 1.0, math.pi / 2])  # a quarter of a circle about (1, 1)
    past.add(1.0, a)
    past.add(2.0, b)
    middle = past.at(1.5)
    assert np.hypot(*(middle[:2] - (1.0, 1.0))) == pytest.approx(1.0)
    assert middle[2] == pytest.approx(math.pi / 4)
    assert np.array_equal(past.at(0.5), a)
    assert np.array_equal(past.at(9.0), b)
    past.add(1.5, a)  # a clock that went back: the newest counts
    assert np.array_equal(past.at(9.0), a)
    past.clear()
    assert past.at(1.0) is None


def test_stamps_that_cannot_be_true_are_replaced_and_told_once_per_spell():
    said = []
    stamps = Stamps("the lidar", said.append)
    assert stamps.time(0.95, 1.0, 0.1) == 0.95
    assert stamps.time(0.95, 1.1, 0.1) == pytest.approx(1.0)  # not newer
    assert stamps.time(-500.0, 1.2, 0.1) == pytest.approx(1.1)
    assert stamps.time(7.0, 1.3, 0.1) == pytest.approx(1.2)
    assert stamps.time(math.nan, 1.4, 0.1) == pytest.approx(1.3)
    assert stamps.wrong == 4
    assert said == ["stamps of the lidar do not follow the clock; arrival times are used instead"]
    assert stamps.time(1.45, 1.5, 0.1) == 1.45
    assert stamps.time(0.2, 1.6, 0.1) == pytest.approx(1.5)
    assert len(said) == 2


def tags(height=-1.0):
    setup = UwbSetup(ANCHORS, TAGS)
    ahrs = Ahrs(setup.tag_positions[1] - setup.tag_positions[0])
    ahrs.imu(0.0, (0, 0, 0), (0, 0, 9.81))
    return RoverTags(setup, ahrs, height)


def ranges(place):
    return np.linalg.norm(np.array(list(ANCHORS.values())) - place, axis=1)


def at(pose, tag):
    x, y = se2.transform(pose, np.array(list(TAGS.values()))[tag, :2])
    return np.array([x, y, -1.0])


def test_tags_tell_position_and_heading():
    pose, both = np.array([3.0, 2.0, 0.7]), tags()
    for k in range(10):
        for tag in (0, 1):
            assert both.take(0.1 * k, tag, ranges(at(pose, tag))) == pytest.approx(at(pose, tag), abs=1e-6)
    assert both.standing_count == 10
    assert both.middle_pose() == pytest.approx(pose, abs=1e-6)
    assert both.yaw == pytest.approx(0.7, abs=1e-6)
    assert both.filtered(0.9) == pytest.approx([3.0, 2.0], abs=1e-6)
    both.restart()
    assert np.isnan(both.filtered(1.0)).all()
    with pytest.raises(BadInput, match="readings of both tags are needed"):
        both.middle_pose()


def test_a_moving_tag_is_carried_on_between_its_ranges():
    both = tags()
    for k in range(80):
        both.take(0.1 * k, 0, ranges((1.0 + 0.05 * k, 2.0, -1.0)))
    x, y = both.filtered(7.95)
    assert x == pytest.approx(1.0 + 0.5 * 7.95, abs=0.01)
    assert y == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize("bad", [np.full(4, np.nan), [1e9, 3.0, 1e9, 2.0], [-1.0, 0.0, np.inf, np.nan], np.zeros(4)])
def test_nonsense_gives_no_position(bad):
    both = tags()
    good = both.take(0.0, 0, ranges((3.0, 2.0, -1.0)))
    told = both.take(0.1, 0, bad)
    assert told is None or np.abs(told).max() < 1000.0
    assert both.take(0.2, 0, ranges((3.0, 2.0, -1.0))) == pytest.approx(good, abs=1e-3)


def test_one_tag_is_refused():
    setup = UwbSetup(ANCHORS, {"tag0": (0.0, 0.0, 0.0)})
    with pytest.raises(BadInput, match="two UWB tags, got 1"):
        RoverTags(setup, Ahrs())
