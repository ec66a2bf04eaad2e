"""Live mapping: the same poses as a log gives, and streams that misbehave."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.geometry import se2
from andante.mapping import LiveMapper, Mapper, MappingParameters, Scan


def pairs(ring, count):
    return list(zip(ring.log.scans[:count], (o.pose for o in ring.log.odometry[:count]), strict=True))


def test_a_good_stream_gives_what_the_mapper_gives(ring, off):
    live, plain = LiveMapper(), Mapper(keep_keys=False)
    for scan, odometry in pairs(ring, 120):
        told = live.update(scan, odometry)
        np.testing.assert_allclose(told.pose, plain.update(scan, odometry).pose, atol=1e-9)
        assert told.words == ()
    assert live.warnings == ()
    assert live.scans == 120
    assert 5 < live.keys < 120
    assert (live.occupancy().cells == plain.occupancy().cells).all()
    result = live.finish()
    assert result.scans == 120
    assert off(result.poses, ring.truth.poses[:120])[0] < 0.05
    assert live.update(*pairs(ring, 121)[-1]).matched  # it may go on


def test_the_robot_moves_on_between_scans(ring):
    live = LiveMapper()
    assert live.place((3.0, 0.0, 0.0)).tolist() == [0.0, 0.0, 0.0]  # before the first scan
    for scan, odometry in pairs(ring, 20):
        live.update(scan, odometry)
    ahead = se2.compose(odometry, (0.1, 0.0, 0.2))
    np.testing.assert_allclose(live.place(ahead), se2.compose(live.pose, (0.1, 0.0, 0.2)), atol=1e-9)
    np.testing.assert_allclose(live.place((math.nan, 0.0, 0.0)), live.pose)
    live.update(scan)  # a scan without odometry tells nothing to move on from
    np.testing.assert_allclose(live.place(ahead), live.pose)


def test_empty_scans_and_invalid_ranges(ring, off):
    live, poses = LiveMapper(), []
    for k, (scan, odometry) in enumerate(pairs(ring, 150)):
        if k % 7 == 3:
            scan = replace(scan, ranges=np.full(180, np.nan))
        elif k % 7 == 5:
            scan = replace(scan, ranges=np.zeros(0))
        told = live.update(scan, odometry)
        poses.append(told.pose)
        if k % 7 == 5:
            assert told.words == ("a scan has 0 echoes in 0 beams",)
            assert not told.matched
    assert off(np.array(poses), ring.truth.poses[:150])[0] < 0.15
    assert live.warnings == ("42 scans had fewer than 10 echoes and were placed by odometry alone",)
    assert live.finish().scans == 150


@pytest.mark.parametrize("shift", [0.3, 1e6])
def test_time_that_goes_back(ring, off, shift):
    """A clock that is set back in the middle, as after a restart of the simulator: nothing is lost."""
    live, poses = LiveMapper(), []
    for k, (scan, odometry) in enumerate(pairs(ring, 120)):
        told = live.update(replace(scan, time=scan.time - (shift if k >= 60 else 0.0)), odometry)
        poses.append(told.pose)
        if k == 60:
            assert told.words == (f"the stamp of a scan lies {shift - 0.2:.3f} s before the one before it",)
    assert live.faults["backward"] == 1
    assert "stepped back" in live.warnings[0]
    assert off(np.array(poses), ring.truth.poses[:120])[0] < 0.05
    result = live.finish()
    assert result.scans == 120
    assert off(result.poses, ring.truth.poses[:120])[0] < 0.05


def test_stamps_out_of_order_with_a_sweep(ring, off):
    """Scans that are deskewed must not be torn apart by a gap of time below zero."""
    live, poses = LiveMapper(), []
    for k, (scan, odometry) in enumerate(pairs(ring, 80)):
        late = 0.5 if k % 9 == 4 else 0.0
        poses.append(live.update(replace(scan, time=scan.time - late, time_increment=1e-9), odometry).pose)
    assert live.faults["backward"] == 9
    assert off(np.array(poses), ring.truth.poses[:80])[0] < 0.05


def test_odometry_that_jumps_or_breaks(ring, off):
    live, poses, told = LiveMapper(), [], []
    shift = (0.0, 0.0, 0.0)
    for k, (scan, odometry) in enumerate(pairs(ring, 150)):
        if k == 40:
            shift = (1e6, -30.0, 2.0)  # the base was switched off and on
        odometry = se2.compose(shift, odometry)
        if k in (70, 71):
            odometry = (math.nan, 0.0, 0.0)
        elif k == 90:
            odometry = "lost"
        elif k == 95:
            odometry = None
        made = live.update(scan, odometry)
        poses.append(made.pose)
        told += made.words
    assert live.faults["jump"] == 1
    assert live.faults["no odometry"] == 3
    assert "the odometry is lost" in told
    assert any(words.startswith("the odometry jumped by") for words in told)
    assert off(np.array(poses), ring.truth.poses[:150])[0] < 0.06
    assert off(live.finish().poses, ring.truth.poses[:150])[0] < 0.06


def test_broken_yaw_and_velocity(ring):
    live = LiveMapper()
    for scan, odometry in pairs(ring, 5):
        live.update(scan, odometry, yaw=math.nan, velocity=(math.inf, 0.0, 0.0))
    assert live.faults["no yaw"] == live.faults["no velocity"] == 5
    assert len(live.warnings) == 2


def test_numbers_beyond_any_place_and_headings_that_jump():
    live = LiveMapper()
    angles = np.linspace(-3.0, 3.0, 200)
    scan = Scan(0.0, 2.0 / np.maximum(np.abs(np.cos(angles)), np.abs(np.sin(angles))), -3.0, 6.0 / 199, 0.1, 30.0)
    for odometry, yaw in [((0, 0, 0), 0.0), ((1e308, -1e308, 0), 1e308), ((-1e308, 1e308, 3), 0.1), ((0, 0, 0), 2.0)]:
        told = live.update(scan, odometry, yaw)
        np.testing.assert_allclose(told.pose, 0.0, atol=0.05)  # a cell
    assert live.faults["no odometry"] == 2
    assert live.faults["no yaw"] == 2
    assert "the heading of the IMU jumped by 1.90 rad in 0.000 s" in told.words


def test_nothing_came():
    live = LiveMapper()
    with pytest.raises(BadInput, match="no scan has come yet"):
        live.finish()
    assert live.occupancy().shape == (1, 1)
    live.update(Scan(0.0, np.zeros(0), 0.0, 0.01))
    assert live.finish().grid.shape == (1, 1)


def test_a_told_start_is_the_frame_of_the_map(ring, off):
    start = (3.0, -2.0, 0.7)
    live, plain = LiveMapper(start=start), LiveMapper()
    for scan, odometry in pairs(ring, 60):
        live.update(scan, odometry)
        plain.update(scan, odometry)
    np.testing.assert_allclose(live.finish().poses[0], start)
    assert off(live.finish().poses, plain.finish().poses)[0] < 0.03
    with pytest.raises(BadInput, match="start"):
        LiveMapper(start=(0.0, math.nan, 0.0))


def test_a_standing_robot_draws_again_after_a_while(ring):
    scan = ring.log.scans[0]
    counts = []
    for every in (0.0, 0.5):
        live = LiveMapper(MappingParameters(key_time=every))
        for k in range(21):
            live.update(replace(scan, time=0.1 * k), (0.0, 0.0, 0.0))
        counts.append(live.keys)
    assert counts == [1, 5]


wild = st.one_of(st.floats(), st.floats(0, 20), st.none())


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(-1e9, 1e9),
            st.lists(st.floats(), max_size=40),
            st.one_of(st.none(), st.tuples(wild, wild, wild), st.tuples(wild)),
            st.one_of(st.none(), st.floats()),
        ),
        max_size=6,
    )
)
def test_no_stream_raises(stream):
    live = LiveMapper()
    for time, ranges, odometry, yaw in stream:
        scan = Scan(time, np.array(ranges), -0.5, 0.02, 0.1, 30.0, 0.001)
        told = live.update(scan, odometry, yaw)
        assert np.isfinite(told.pose).all()
    assert live.scans == len(stream)
    if stream:
        assert live.finish().scans == len(stream)


def room_scan(start, velocity, period, generator, beams=360):
    """A sweep of a whole turn that takes a whole period, in a room of 6 x 4 m, from a lidar that moves."""
    angles = np.linspace(-math.pi, math.pi, beams, endpoint=False) + 1e-9
    ranges = np.empty(beams)
    for i, angle in enumerate(angles):
        x, y, yaw = se2.compose(start, se2.exp(np.asarray(velocity) * i * period / beams))
        c, s = math.cos(yaw + angle), math.sin(yaw + angle)
        ranges[i] = min((math.copysign(3.0, c) - x) / c, (math.copysign(2.0, s) - y) / s)
    return ranges + generator.normal(0.0, 0.01, beams)


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.25, 0.0, 0.25)])
def test_a_lidar_alone_whose_sweeps_fill_the_time_does_not_swing(velocity):
    generator, mapper, period, pose = np.random.default_rng(3), Mapper(keep_keys=False), 0.1, np.zeros(3)
    for k in range(60):
        ranges = room_scan(pose, velocity, period, generator)
        scan = Scan(k * period, ranges, -math.pi, math.tau / 360, range_max=12.0, time_increment=period / 360)
        found = mapper.update(scan)
        assert found.matched or k == 0
        assert np.abs(found.pose - pose).max() < 0.05, k
        pose = se2.compose(pose, se2.exp(np.asarray(velocity) * period))
