"""Trajectories: places between poses, files there and back, and the relations metric."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.mapping import Trajectory
from andante.mapping.between_scans import OdometryFit, fit_odometry, spread, unrounded, with_odometry
from andante.mapping.evaluation import relation_error, relations_from
from andante.mapping.io.trajectories import read_trajectory, write_trajectory
from andante.mapping.records import Log, Odometry, odometry_at_scans
from andante.mapping.scan import Scan


@pytest.fixture
def arc():
    """A quarter of a circle of radius 2, driven in 3 s."""
    angle = np.linspace(0, math.pi / 2, 7)
    poses = np.stack([2 * np.sin(angle), 2 - 2 * np.cos(angle), angle], axis=1)
    return Trajectory(10 + 0.5 * np.arange(7), poses)


def test_between_poses_along_the_arc(arc):
    times = np.array([10.25, 11.9, 13.0])
    angle = (times - 10) / 3 * math.pi / 2
    np.testing.assert_allclose(
        arc.at(times), np.stack([2 * np.sin(angle), 2 - 2 * np.cos(angle), angle], 1), atol=1e-12
    )
    assert np.isnan(arc.at([9.0, 14.0])).all()
    assert arc.length == pytest.approx(math.pi, rel=0.01)


def test_equal_stamps_lead_to_the_first_and_away_from_the_last():
    way = Trajectory([0.0, 1.0, 1.0, 1.0, 2.0], [[x, 0.0, 0.0] for x in (0.0, 1.0, 2.0, 3.0, 4.0)])
    np.testing.assert_allclose(way.at([0.999999, 1.000001])[:, 0], [1.0, 3.0], atol=1e-5)


def test_stamps_that_step_back_are_sorted(arc):
    order = [0, 2, 1, 3, 6, 5, 4]
    mixed = Trajectory(arc.times[order], arc.poses[order])
    np.testing.assert_allclose(mixed.at(11.3), arc.at(11.3))
    assert (mixed.sorted().times == arc.times).all()


@pytest.mark.parametrize("name", ["t.txt", "t.tum", "t.log", "t.clf"])
def test_files_there_and_back(arc, tmp_path, name):
    write_trajectory(arc, tmp_path / name)
    back = read_trajectory(tmp_path / name)
    np.testing.assert_allclose(back.times, arc.times, atol=1e-6)
    np.testing.assert_allclose(back.poses, arc.poses, atol=2e-6)


def test_tum_lines_have_eight_words(arc, tmp_path):
    write_trajectory(arc, tmp_path / "t.txt")
    words = (tmp_path / "t.txt").read_text().splitlines()[-1].split()
    assert [float(word) for word in words] == pytest.approx(
        [13, 2, 2, 0, 0, 0, math.sqrt(0.5), math.sqrt(0.5)], abs=1e-6
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no poses"),
        ("1 2 3", "3 words"),
        ("1 2 a 4", "a pose line holds numbers"),
        ("1 2 nan 4", "not finite"),
        ("1 0 0 0 0 0 0 0", "quaternion is zero"),
        ("ODOM 1 2 3 1.0", "words"),
    ],
)
def test_bad_files(tmp_path, text, words):
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(BadInput, match=words):
        read_trajectory(tmp_path / "t.txt")


def test_four_numbers_and_commas(tmp_path):
    (tmp_path / "t.csv").write_text("# time,x,y,yaw\n1,2,3,0.5\n")
    assert read_trajectory(tmp_path / "t.csv").poses.tolist() == [[2.0, 3.0, 0.5]]


def test_metric_counts_what_is_off(arc):
    rows = []
    for a, b in ((0, 3), (2, 6)):
        x, y, yaw = se2.between(arc.poses[a], arc.poses[b])
        rows.append([arc.times[a], arc.times[b], x, y, 0.0, 0.0, 0.0, yaw])
    right = relation_error(arc, relations_from(rows))
    assert (right.translation, right.yaw, right.used) == pytest.approx((0.0, 0.0, 2), abs=1e-12)
    moved = relation_error(Trajectory(arc.times, se2.compose([5.0, 1.0, 2.0], arc.poses)), relations_from(rows))
    assert moved.translation == pytest.approx(0.0, abs=1e-12)  # where it starts does not matter
    rows[1][2] += 0.3
    rows[0][7] += math.radians(2.0)
    wrong = relation_error(arc, relations_from([*rows, [0.0, 1.0, 0, 0, 0, 0, 0, 0]]))
    assert (wrong.translation, wrong.translation_std) == pytest.approx((0.15, 0.15))
    assert (wrong.yaw, wrong.used, wrong.given) == pytest.approx((1.0, 2, 3))
    with pytest.raises(BadInput, match="no relation lies within"):
        relation_error(arc, relations_from([[0.0, 1.0, 0, 0, 0, 0, 0, 0]]))
    with pytest.raises(BadInput, match="8 finite numbers"):
        relations_from([[1.0, 2.0]])


def test_odometry_errors_are_found():
    generator = np.random.default_rng(5)
    steps = np.stack([generator.uniform(0.2, 0.6, 200), np.zeros(200), generator.normal(0, 0.4, 200)], axis=1)
    told, true = np.zeros((201, 3)), np.zeros((201, 3))
    for k, step in enumerate(steps):
        told[k + 1] = se2.compose(told[k], step)
        noise = generator.normal(size=3) * [0.002, 0.002, 0.002] * (50 if k % 20 == 0 else 1)
        true[k + 1] = se2.compose(true[k], OdometryFit(0.96, 0.97, 0.05).apply(step) + noise)
    found = fit_odometry(told, true)
    assert (found.way, found.turn, found.drift) == pytest.approx((0.96, 0.97, 0.05), abs=0.004)
    assert fit_odometry(told[:10], true[:10]) == OdometryFit()
    assert fit_odometry(told, told * [0.5, 0.5, 1.0]) == OdometryFit()  # beyond belief: left alone


def test_spread_carries_scans_along_with_their_keys():
    tracked = np.stack([np.arange(11.0), np.zeros(11), np.zeros(11)], axis=1)
    moved = np.array([[0.0, 0.0, 0.0], [5.0, 1.0, 0.0], [10.0, 1.0, 0.0]])
    out = spread(tracked, np.array([0, 5, 10]), moved)
    np.testing.assert_allclose(out[[0, 5, 10]], moved)
    np.testing.assert_allclose(out[:, 1], [0, 0.2, 0.4, 0.6, 0.8, 1, 1, 1, 1, 1, 1])


def test_one_line_per_scan_and_odometry(ring):
    from andante.mapping.records import Log, Odometry

    scans, records = 0, []
    for record in ring.log.records:  # keep each fifth scan, all of the odometry
        if isinstance(record, Odometry):
            records.append(record)
        else:
            if scans % 5 == 0:
                records.append(record)
            scans += 1
    log = Log("thin", tuple(records))
    truth = ring.truth.poses[::5][: len(log.scans)]
    way = with_odometry(log, truth, odometry_at_scans(log))
    assert len(way) == len(ring.log.scans)  # odometry of the same stamp as a scan makes no line of its own
    error = se2.between(way.sorted().poses, ring.truth.poses)
    assert np.hypot(error[:, 0], error[:, 1])[: 5 * len(truth) - 4].max() < 0.03


def late_scans(step_back: float = 0.0) -> tuple[Log, np.ndarray]:
    """A straight drive at 1 m/s: odometry every 0.02 s, scans stamped with their first beam that come 0.18 s later."""
    records, poses = [], []
    for k in range(1, 101):
        time = 0.02 * k
        records.append(Odometry(time - (step_back if k > 50 else 0.0), (time, 0.0, 0.0)))
        if k % 10 == 0:
            records.append(Scan(time - 0.18 - (step_back if k > 50 else 0.0), np.ones(3), 0.0, 0.1))
            poses.append((time - 0.18, 0.0, 0.0))
    return Log("late", tuple(records)), np.array(poses)


def test_scans_that_come_late_stand_at_their_times():
    log, poses = late_scans()
    path = with_odometry(log, poses, poses)
    assert len(path) == 110
    assert (np.diff(path.times) >= 0).all()
    np.testing.assert_allclose(path.poses[:, 0], path.times, atol=1e-9)
    assert path.length == pytest.approx(1.98)
    log, poses = late_scans(step_back=100.0)  # a clock that was set back: the order of the log
    assert np.diff(with_odometry(log, poses, poses).times).min() < -99


def test_lines_of_one_rounded_stamp_are_set_apart():
    times = np.array([1.0, 2.13, 2.13, 2.13, 2.37, 2.5, 2.5])
    raw = np.zeros((7, 3))
    raw[:, 0] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.5]
    told = unrounded(times, raw)
    assert told == pytest.approx([1.0, 2.125, 2.13, 2.135, 2.37, 2.5, 2.5])  # the last two are at one place
    exact = times + np.array([0.0, 0.00012345, 0.00012345, 0.00012345, 0.0004, 0.0, 0.0])
    assert unrounded(exact, raw) == pytest.approx(exact, abs=1e-5)


def test_turns_between_scans_are_where_the_wheels_turned():
    """Drive 1 m, then turn on the spot by less than the wheels say: the heading is right along the way."""
    scans = [Scan(t, np.ones(4), -1.0, 0.5) for t in (0.0, 2.0)]
    log = Log("l", (Odometry(0.0, (0, 0, 0)), scans[0], Odometry(1.0, (1, 0, 0)), Odometry(2.0, (1, 0, 1.2)), scans[1]))
    way = with_odometry(log, np.array([[0.0, 0, 0], [1.0, 0, 1.0]]), odometry_at_scans(log))
    assert way.poses[1, 2] == pytest.approx(0.0, abs=0.02)
