"""UWB and IMU over whole logs: better than trilateration, whatever goes wrong."""

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.errors import BadInput
from andante.localization.range_filter import RangeInertialFilter, RangeNoise
from andante.localization.synthetic import SETUP, UwbNoise, uwb_drive
from andante.localization.uwb import UwbLog, epochs, tag_pose, track_uwb, trilaterate_log


def away(times, places, drive):
    return np.linalg.norm(places[:, :2] - drive.truth.at(times)[:, :2], axis=1)


def only(log, keep):
    return replace(log, times=log.times[keep], tags=log.tags[keep], anchors=log.anchors[keep], ranges=log.ranges[keep])


@pytest.fixture(scope="module")
def drives():
    return [uwb_drive(seed, 40.0) for seed in (11, 12, 13)]


def test_beats_trilateration_with_outliers_and_walls(drives):
    for drive in drives:
        result = track_uwb(drive.log, drive.setup)
        ours = away(result.trajectory.times, result.positions, drive)
        for robust in (False, True):
            times, places = trilaterate_log(drive.log, drive.setup, robust=robust)
            theirs = away(times, places, drive)
            assert ours.mean() < 0.8 * theirs.mean()
            assert np.sqrt((ours**2).mean()) < 0.8 * np.sqrt((theirs**2).mean())
        assert result.converged
        assert result.refused > 100
        assert ours.max() < 1.2


def test_beats_it_with_one_tag_and_without_an_imu(drives):
    drive = drives[0]
    times, places = trilaterate_log(drive.log, drive.setup)
    plain = away(times, places, drive).mean()
    for log in (only(drive.log, drive.log.tags == 0), replace(drive.log, imu=())):
        result = track_uwb(log, drive.setup)
        assert away(result.trajectory.times, result.positions, drive).mean() < 0.8 * plain


def test_clear_sight_gives_place_and_heading():
    quiet = UwbNoise(outliers=0.0, drop_outs=0.0, wall_bias=0.0, range_sigma=0.05)
    drive = uwb_drive(3, 30.0, quiet, walls=())
    result = track_uwb(drive.log, drive.setup, RangeNoise(range_sigma=0.05), height=-0.8)
    truth = drive.truth.at(result.trajectory.times)
    assert away(result.trajectory.times, result.positions, drive).mean() < 0.06
    turn = np.abs((result.trajectory.poses[:, 2] - truth[:, 2] + np.pi) % (2 * np.pi) - np.pi)
    assert turn[100:].mean() < 0.1
    assert np.abs(result.positions[20:, 2] + 0.8).max() < 0.05
    assert result.restarts == 0


def test_finds_itself_again_after_it_was_carried(drives):
    """All ranges jump: the gate refuses them, then the filter starts anew."""
    drive = drives[0]
    late = drive.log.times > 20
    log = replace(drive.log, times=np.where(late, drive.log.times + 0.0, drive.log.times), imu=())
    mirrored = {name: (8 - x, 6 - y, z) for name, (x, y, z) in SETUP.anchors.items()}
    other = uwb_drive(11, 40.0, setup=replace(SETUP, anchors=mirrored))  # as if it stood in the opposite corner
    mixed = UwbLog(
        "mixed",
        np.concatenate([log.times[~late], other.log.times[other.log.times > 20]]),
        np.concatenate([log.tags[~late], other.log.tags[other.log.times > 20]]),
        np.concatenate([log.anchors[~late], other.log.anchors[other.log.times > 20]]),
        np.concatenate([log.ranges[~late], other.log.ranges[other.log.times > 20]]),
    )
    result = track_uwb(mixed, SETUP)
    truth = drive.truth.at(result.trajectory.times)[:, :2]
    truth = np.where((result.trajectory.times > 20)[:, None], [8, 6] - truth, truth)
    assert np.linalg.norm(result.positions[-50:, :2] - truth[-50:], axis=1).mean() < 0.5


def test_order_of_the_file_does_not_matter(drives):
    drive = drives[1]
    order = np.random.default_rng(0).permutation(len(drive.log.times))
    shuffled = replace(only(drive.log, order), imu=drive.log.imu[::-1])
    assert shuffled.backward > 100
    assert "sorted by time" in shuffled.warnings[0]
    want, got = track_uwb(drive.log, drive.setup), track_uwb(shuffled, drive.setup)
    assert abs(want.positions[-1] - got.positions[-1]).max() < 0.15  # ranges of one instant come in another order


def test_epochs_group_by_tag_and_time():
    log = UwbLog(
        "x",
        np.array([0.0, 0.001, 0.002, 0.0, 0.1, 0.1, 0.1]),
        np.array([0, 0, 0, 1, 0, 0, 0]),
        np.array([0, 1, 2, 0, 0, 1, 0]),
        np.arange(1.0, 8.0),
    )
    groups = list(epochs(log))
    assert [(g.tag, g.anchors.tolist()) for g in groups] == [(1, [0]), (0, [0, 1, 2]), (0, [0, 1]), (0, [0])]
    with pytest.raises(BadInput, match="differ in length"):
        UwbLog("x", np.zeros(2), np.zeros(1), np.zeros(2), np.zeros(2))


def test_pose_by_the_tags(drives):
    drive = drives[2]
    groups = [group for group in epochs(drive.log) if group.time < 2.0]
    at, yaw = tag_pose(groups, drive.setup, height=-0.8)
    assert np.linalg.norm((at - [*drive.truth.poses[0][:2], -0.8])[:2]) < 0.5
    assert yaw is not None
    one, none = tag_pose([group for group in groups if group.tag == 0], drive.setup)
    assert none is None
    assert one.shape == (3,)


def test_filter_takes_bad_readings():
    filter_ = RangeInertialFilter(SETUP.anchor_positions, SETUP.tag_positions)
    assert not filter_.range(0.0, 0, 0, 1.0)  # not started
    filter_.start(0.0, (1.0, 2.0, 0.0), 0.3)
    assert not filter_.range(0.1, 0, 0, math.nan)
    assert not filter_.range(0.1, 0, 0, 90.0)
    filter_.imu(0.2, (math.nan, 0, 0), (0, 0, 9.8))
    filter_.imu(-50.0, (0, 0, 0), (0, 0, 9.8))
    filter_.imu(0.3, (0, 0, 0), (0, 0, 9.8))
    assert np.isfinite(filter_.position).all()
    assert filter_.yaw == pytest.approx(0.3, abs=0.01)
    assert filter_.velocity.shape == (3,)
    for _ in range(12):
        filter_.range(0.4, 0, 0, 90.0)
    assert filter_.lost
    with pytest.raises(BadInput, match="x, y, z"):
        filter_.start(0.0, (1, 2), None)
    with pytest.raises(BadInput, match="gate must be a number above 0"):
        RangeNoise(gate=0)


def test_a_log_without_the_first_tag():
    drive = uwb_drive(0, 3.0)
    with pytest.raises(BadInput, match="no ranges of the first tag"):
        track_uwb(only(drive.log, drive.log.tags == 1), drive.setup)
    few = only(drive.log, drive.log.anchors < 2)
    with pytest.raises(BadInput, match="at least 3 anchors"):
        track_uwb(few, drive.setup)
