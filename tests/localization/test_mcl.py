"""Monte Carlo localization on a made-up drive: tracking, global starts, recovery, bad input."""

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.errors import BadInput
from andante.geometry import se2
from andante.localization import LikelihoodField, MclParameters, MonteCarloLocalizer
from andante.mapping import Scan
from andante.mapping.synthetic import drive, smooth_path

EVERY = slice(0, None, 3)


def test_tracks_the_drive_and_sheds_particles(field, ring, follow):
    log, truth, wheels = ring
    numbers = np.arange(len(truth))[EVERY]
    localizer = MonteCarloLocalizer(field, seed=1)
    localizer.start_at(truth[0])
    away, made = follow(localizer, log, truth, wheels, numbers)
    dead = se2.compose(truth[0], se2.between(wheels[0], wheels))
    assert np.hypot(*(dead - truth)[:, :2].T).max() > 1.0  # odometry alone is lost
    assert away.max() < 0.2
    assert away[5:].mean() < 0.06
    assert made[0].particles == 5000
    assert made[-1].particles < 700
    assert made[-1].converged
    assert made[-1].health > 0.8
    assert all(each.added == 0 for each in made)


def test_covariance_covers_the_errors(field, ring, follow):
    """The tempered weights are not too sure of themselves: squared errors stay within the covariance on average."""
    log, truth, wheels = ring
    numbers = np.arange(len(truth))[EVERY]
    localizer = MonteCarloLocalizer(field, seed=2)
    localizer.start_at(truth[0])
    _, made = follow(localizer, log, truth, wheels, numbers)
    gaps = np.array([each.pose for each in made]) - truth[numbers]
    gaps[:, 2] = se2.wrap(gaps[:, 2])
    squares = [gap @ np.linalg.solve(each.covariance, gap) for gap, each in zip(gaps[3:], made[3:], strict=True)]
    assert np.mean(squares) < 3.0


def test_same_seed_same_result_other_seed_other_result(field, ring, follow):
    log, truth, wheels = ring
    runs = []
    for seed in (5, 5, 6):
        localizer = MonteCarloLocalizer(field, seed=seed)
        localizer.start_anywhere(log.scans[0])
        _, made = follow(localizer, log, truth, wheels, np.arange(0, 60, 5))
        runs.append(np.array([each.pose for each in made]))
    assert (runs[0] == runs[1]).all()
    assert (runs[0] != runs[2]).any()


@pytest.mark.parametrize("model", ["beam", "likelihood_field", "likelihood_field_prob"])
def test_every_sensor_model_tracks(grid, ring, follow, model):
    log, truth, wheels = ring
    p = MclParameters(sensor_model=model, particles_max=600, beams=30)
    localizer = MonteCarloLocalizer(grid, p, seed=0)
    localizer.start_at(truth[0], (0.2, 0.2, 0.1))
    away, _ = follow(localizer, log, truth, wheels, np.arange(0, 90, 3))
    assert away[-10:].max() < 0.25


@pytest.mark.parametrize("model", ["diff", "diff-corrected", "omni", "omni-corrected"])
def test_every_odometry_model_tracks(field, ring, follow, model):
    log, truth, wheels = ring
    p = replace(field.parameters, odometry_model=model, particles_max=1000)
    if "corrected" not in model:
        p = replace(p, turn_from_turn=0.2, turn_from_drive=0.2, drive_from_drive=0.2, drive_from_turn=0.2)
    localizer = MonteCarloLocalizer(field, p, seed=0)
    localizer.start_at(truth[0], (0.2, 0.2, 0.1))
    away, _ = follow(localizer, log, truth, wheels, np.arange(0, 120, 3))
    assert away[-10:].max() < 0.2


@pytest.mark.parametrize("searched", [True, False])
def test_starts_anywhere(field, ring, follow, searched):
    log, truth, wheels = ring
    good = 0
    for seed in range(4):
        first = 20 + 40 * seed
        localizer = MonteCarloLocalizer(field, seed=seed)
        localizer.start_anywhere(log.scans[first] if searched else None)
        away, made = follow(localizer, log, truth, wheels, np.arange(first, first + 60, 3))
        good += away[-1] < 0.2 and made[-1].converged
    assert good == 4


def test_a_robot_that_is_carried_away_recovers_only_with_recovery(field, ring):
    log, truth, wheels = ring
    before, after = np.arange(0, 40, 3), np.arange(150, 210, 3)
    carried = se2.compose(wheels[39], se2.inverse(wheels[150]))  # the wheels do not notice
    ends = {}
    for recovery in (True, False):
        localizer = MonteCarloLocalizer(field, replace(field.parameters, recovery=recovery), seed=0)
        localizer.start_at(truth[0])
        for k in before:
            localizer.update(log.scans[k], wheels[k])
        made = [localizer.update(log.scans[k], se2.compose(carried, wheels[k])) for k in after]
        ends[recovery] = np.hypot(*(made[-1].pose - truth[after[-1]])[:2])
        if recovery:
            assert any(each.added > 0 for each in made)
            assert min(each.health for each in made[:4]) < 0.8
            assert made[-1].converged
    assert ends[True] < 0.2
    assert ends[False] > 1.0


def test_stands_still_until_it_moves(field, ring):
    log, truth, wheels = ring
    localizer = MonteCarloLocalizer(field, seed=0)
    localizer.start_at(truth[0])
    assert localizer.update(log.scans[0], wheels[0]).updated
    still = localizer.update(log.scans[0], wheels[0] + [0.01, 0, 0])
    assert not still.updated
    np.testing.assert_allclose(still.pose, se2.compose(localizer.estimate.pose, [0.01, 0, 0]), atol=1e-9)
    assert localizer.update(log.scans[1], wheels[0] + [0.2, 0, 0]).updated


def test_frame_of_the_odometry_on_the_map(field, ring):
    log, truth, wheels = ring
    localizer = MonteCarloLocalizer(field, seed=0)
    localizer.start_at(truth[0])
    with pytest.raises(BadInput, match="no odometry"):
        _ = localizer.map_from_odom
    made = localizer.update(log.scans[9], wheels[9])
    np.testing.assert_allclose(se2.compose(localizer.map_from_odom, wheels[9]), made.pose, atol=1e-9)


def test_tracks_slowly_without_odometry(field, ring, follow):
    log, truth, _ = ring
    p = replace(field.parameters, blind_speed=0.5)
    localizer = MonteCarloLocalizer(field, p, seed=0)
    localizer.start_at(truth[0], (0.1, 0.1, 0.05))
    away, made = follow(localizer, log, truth, None, np.arange(0, 60))
    assert away.max() < 0.3
    assert all(each.updated for each in made)
    assert localizer.update(log.scans[60], (5.0, 5.0, 1.0)).updated  # odometry comes up: taken from here on


def test_tilt_is_undone(walls, field):
    """A lidar on a robot that pitches by 0.25 rad sees walls too far away unless it is told."""
    way = smooth_path([(1.5, 1.6), (9.5, 1.6)], 0.15)
    made = drive(walls, way, seed=1, noise=None)
    pitch = 0.25
    results = {}
    for told in (True, False):
        localizer = MonteCarloLocalizer(field, seed=0)
        localizer.start_at(way[0])
        worst = []
        for k in range(0, len(way), 3):
            flat = made.log.scans[k]
            stretched = flat.ranges / np.hypot(np.cos(flat.angles) * math.cos(pitch), np.sin(flat.angles))
            scan = replace(flat, ranges=stretched)
            pose = localizer.update(scan, way[k], (0.0, pitch) if told else None)
            worst.append(pose.fit)
        results[told] = np.mean(worst)
    assert results[True] > results[False] + 0.03


@pytest.mark.parametrize("ranges", [np.zeros(0), np.full(180, np.nan), np.full(180, np.inf), np.full(180, -np.inf)])
def test_scans_without_echoes_move_and_count(field, ring, ranges):
    log, truth, wheels = ring
    localizer = MonteCarloLocalizer(field, seed=0)
    localizer.start_at(truth[0], (0.05, 0.05, 0.02))
    localizer.update(log.scans[0], wheels[0])
    before = localizer.estimate.pose
    made = localizer.update(replace(log.scans[1], ranges=ranges), se2.compose(wheels[0], [0.3, 0, 0]))
    assert localizer.blind == 1
    assert np.isfinite(made.pose).all()
    np.testing.assert_allclose(se2.between(before, made.pose), [0.3, 0, 0], atol=0.05)
    assert localizer.search(replace(log.scans[1], ranges=ranges)).poses.shape == (0, 3)
    fresh = MonteCarloLocalizer(field, seed=0)
    fresh.start_at(truth[0])
    assert not fresh.update(replace(log.scans[0], ranges=ranges), wheels[0]).updated
    assert fresh.update(log.scans[0], wheels[0]).updated  # the first scan that tells anything counts


def test_single_nan_ranges_and_backward_time_do_no_harm(field, ring):
    log, truth, wheels = ring
    localizer = MonteCarloLocalizer(field, seed=0)
    localizer.start_at(truth[0])
    rng = np.random.default_rng(0)
    for k in range(0, 90, 3):
        ranges = np.where(rng.random(180) < 0.3, np.nan, log.scans[k].ranges)
        made = localizer.update(replace(log.scans[k], ranges=ranges, time=100.0 - k), wheels[k])
    assert localizer.backward == 29
    assert np.hypot(*(made.pose - truth[87])[:2]) < 0.15


def test_misuse_is_told(field, ring):
    log, truth, _ = ring
    localizer = MonteCarloLocalizer(field)
    with pytest.raises(BadInput, match="start_at or start_anywhere first"):
        localizer.update(log.scans[0], truth[0])
    for pose in ((1, 2), (1, 2, math.nan)):
        with pytest.raises(BadInput, match="initial pose must be x, y, yaw"):
            localizer.start_at(pose)
    with pytest.raises(BadInput, match="3 deviations or a 3 x 3 covariance"):
        localizer.start_at((0, 0, 0), (1.0, 2.0))
    localizer.start_at((1, 1, 0), np.diag([0.1, 0.1, 0.01]))
    with pytest.raises(BadInput, match="odometry must be x, y, yaw"):
        localizer.update(log.scans[0], (0, math.inf, 0))


def test_spread_of_a_start_is_the_covariance(field):
    localizer = MonteCarloLocalizer(field, MclParameters(particles_max=50_000), seed=0)
    covariance = np.array([[0.04, 0.03, 0.0], [0.03, 0.09, 0.01], [0.0, 0.01, 0.02]])
    localizer.start_at((3, 2, 1), covariance)
    np.testing.assert_allclose(np.cov(localizer.particles.T), covariance, atol=0.002)


def test_people_in_the_way_do_not_lose_it(field, ring, follow):
    log, truth, wheels = ring
    rng = np.random.default_rng(8)
    numbers = np.arange(0, 150, 3)
    localizer = MonteCarloLocalizer(field, seed=0)
    localizer.start_at(truth[0])
    off = []
    for k in numbers:
        scan: Scan = log.scans[k]
        ranges = scan.ranges.copy()
        for at in rng.integers(0, 160, 2):  # two legs or boxes, 20 beams wide
            ranges[at : at + 20] = np.minimum(ranges[at : at + 20], rng.uniform(0.5, 2.0))
        made = localizer.update(replace(scan, ranges=ranges), wheels[k])
        off.append(np.hypot(*(made.pose - truth[k])[:2]))
    assert max(off) < 0.4
    assert np.mean(off) < 0.12


def test_field_takes_a_map_or_a_field(grid, field):
    assert MonteCarloLocalizer(grid).field.grid is grid
    assert MonteCarloLocalizer(field).field is field
    assert isinstance(field, LikelihoodField)
