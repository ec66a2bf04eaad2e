"""Whole logs into maps: made-up drives with known truth, and the Intel Research Lab."""

import math
import time
from dataclasses import replace

import numpy as np
import pytest

from andante.errors import BadInput, UnknownName
from andante.geometry import se2, so3
from andante.mapping import Scan
from andante.mapping.evaluation import relation_error, relations_from
from andante.mapping.inertial import attitude, imu_at_scans, tilted
from andante.mapping.io.logs import read_log
from andante.mapping.mapper import Mapper
from andante.mapping.parameters import MappingParameters, parameters_from
from andante.mapping.records import ImuReading, Log, Odometry, odometry_at_scans
from andante.mapping.slam import build_map
from andante.mapping.synthetic import DriveNoise, cast, drive


def test_ring_with_bad_wheels(ring, off):
    wheels = off(odometry_at_scans(ring.log), ring.truth.poses)
    result = build_map(ring.log)
    away, turned = off(result.poses, ring.truth.poses)
    assert wheels[0] > 1.0  # the wheels alone are lost
    assert away < 0.05
    assert turned < 0.015
    assert result.loops > 5
    assert result.unmatched == 0
    assert len(result.trajectory) == result.scans == len(ring.log.scans)


def test_walls_of_the_map_are_where_they_stand(ring, walls):
    result = build_map(ring.log)
    rows, cols = np.nonzero(result.grid.occupied())
    points = se2.transform(ring.truth.poses[0], result.grid.point_of(np.stack([rows, cols], axis=1)))
    a, b = walls[:, :2], walls[:, 2:]
    along = (b - a) / np.linalg.norm(b - a, axis=1, keepdims=True)
    fraction = np.clip(((points[:, None] - a) * along).sum(-1), 0, np.linalg.norm(b - a, axis=1))
    distance = np.linalg.norm(points[:, None] - (a + fraction[..., None] * along), axis=-1).min(axis=1)
    assert np.percentile(distance, 95) < 0.08
    assert result.grid.at(se2.transform(se2.inverse(ring.truth.poses[0]), ring.truth.poses[::20, :2])).max() < 25


@pytest.mark.parametrize("loop_closure", [False, True])
def test_without_odometry(ring, off, loop_closure):
    result = build_map(ring.log, odometry=False, loop_closure=loop_closure)
    assert off(result.poses, ring.truth.poses)[0] < 0.06
    assert len(result.trajectory) == result.scans


def test_motion_during_the_sweep_is_undone(walls, path, off):
    skewed = drive(walls, path[:200], seed=1, sweep=0.15)
    still = Log("x", tuple(replace(r, time_increment=0.0) if isinstance(r, Scan) else r for r in skewed.log.records))
    right = off(build_map(skewed.log).poses, skewed.truth.poses)
    wrong = off(build_map(still).poses, skewed.truth.poses)
    assert right[0] < 0.04
    assert right[1] < 0.5 * wrong[1]


def test_an_imu_leads_where_wheels_slip(walls, path, off):
    noise = DriveNoise(turn_scale=0.5, drift=0.3)
    slipping = drive(walls, path[:200], seed=2, noise=noise, imu=True)
    yaw, tilt = imu_at_scans(slipping.log)
    assert np.abs(se2.wrap(yaw - yaw[0] - slipping.truth.poses[:, 2] + slipping.truth.poses[0, 2])).max() < 0.1
    assert np.abs(tilt).max() < 1e-9
    result = build_map(slipping.log)
    assert off(result.poses, slipping.truth.poses)[0] < 0.06


def test_a_sensor_off_the_middle(walls, path, off):
    moved = drive(walls, path[:150], seed=4, sensor=(0.3, 0.1, 0.4))
    assert off(build_map(moved.log).poses, moved.truth.poses)[0] < 0.05


def test_a_short_sighted_lidar_in_corridors(walls, path, off):
    """3.5 m of sight leaves the way along a corridor open: there the wheels must hold."""
    short = {"beams": 360, "field": 2 * math.pi, "range_max": 3.5, "noise": DriveNoise(range_sigma=0.02, drift=0.03)}
    seen = drive(walls, path, seed=0, **short)
    free = build_map(seen.log, MappingParameters(guess_weight=0.0))
    held = build_map(seen.log)
    assert off(held.poses, seen.truth.poses)[0] < 0.15
    assert off(held.poses, seen.truth.poses)[0] < 0.5 * off(free.poses, seen.truth.poses)[0]


def test_a_leaning_robot(walls, path, off):
    """Ranges grow with the tilt; the map stays to scale when the IMU tells it."""
    drive_flat, lean = drive(walls, path[:150], seed=5), 0.25
    records = []
    for record in drive_flat.log.records:
        if isinstance(record, Scan):
            # a beam at angle a meets a wall at distance r / |horizontal part of its direction|
            ahead = so3.from_rpy([0.0, lean, 0.0]) @ np.stack(
                [np.cos(record.angles), np.sin(record.angles), 0 * record.angles]
            )
            level = np.arctan2(ahead[1], ahead[0])
            k = len([r for r in records if isinstance(r, Scan)])
            pose = drive_flat.truth.poses[k]
            ranges = cast(walls, np.tile(pose[:2], (len(level), 1)), pose[2] + level) / np.hypot(ahead[0], ahead[1])
            records.append(ImuReading(record.time, (0.0, 0.0, 0.0), (0.0, 0.0, 9.81), (0.0, lean, float(pose[2]))))
            records.append(replace(record, ranges=ranges))
        else:
            records.append(record)
    leaning = Log("lean", tuple(records))
    with_imu = build_map(leaning)
    blind = build_map(Log("lean", tuple(r for r in records if not isinstance(r, ImuReading))))
    assert off(with_imu.poses, drive_flat.truth.poses)[0] < 0.05
    assert off(with_imu.poses, drive_flat.truth.poses)[0] < off(blind.poses, drive_flat.truth.poses)[0]


def test_attitude_from_gravity_and_gyro():
    resting = [
        ImuReading(0.01 * k, (0.0, 0.0, 0.3), (0.0, 9.81 * math.sin(0.1), 9.81 * math.cos(0.1))) for k in range(500)
    ]
    angles = attitude(resting)
    assert angles[-1, 0] == pytest.approx(0.1, abs=0.03)
    assert angles[-1, 2] == pytest.approx(0.3 * 4.99 * math.cos(0.1), abs=0.02)
    scan = Scan(0.0, np.ones(3), 0.0, 0.1, sensor=(0.0, 0.0, math.pi / 2))
    leaning = tilted(scan, 0.1, 0.0)
    assert leaning.tilt == pytest.approx(
        (0.0, -0.1), abs=1e-9
    )  # the robot's roll is the pitch of a sensor that looks left
    assert tilted(scan, math.nan, 0.0) is scan


def test_live_scans_one_by_one(ring, off):
    mapper = Mapper(keep_keys=False)
    updates = [mapper.update(s, o.pose) for s, o in zip(ring.log.scans[:120], ring.log.odometry[:120], strict=True)]
    assert off(np.array([u.pose for u in updates]), ring.truth.poses[:120])[0] < 0.05
    assert not updates[0].matched
    assert all(u.matched for u in updates[1:])
    assert mapper.occupancy().occupied().sum() > 100


def test_empty_and_wild_scans_are_lived_through(ring, off):
    records, k = [], 0
    for record in ring.log.records[:400]:
        if isinstance(record, Scan):
            k += 1
            if k % 7 == 3:
                record = replace(record, ranges=np.full(180, np.nan))
            elif k % 7 == 5:
                record = replace(record, ranges=np.zeros(0))
            elif k % 31 == 0:
                record = replace(record, time=record.time - 5.0)
        records.append(record)
    result = build_map(Log("wild", tuple(records)))
    assert off(result.poses, ring.truth.poses[: result.scans])[0] < 0.15
    assert result.unmatched > 0


def test_free_rays_clear_where_nothing_echoes():
    scan = Scan(0.0, np.full(50, np.inf), -1.0, 0.04, 0.1, 10.0)
    wall = Scan(0.0, np.full(50, 2.0), -1.0, 0.04, 0.1, 10.0)
    mapper = Mapper(MappingParameters(free_range=5.0), keep_keys=False)
    mapper.update(replace(wall, ranges=np.where(np.arange(50) < 20, 2.0, np.inf)))
    assert mapper.occupancy().at([3.0, 1.0]) < 50
    assert build_map(Log("none", (scan,))).grid.shape == (1, 1)


def test_parameters_by_name():
    assert parameters_from({"resolution": 0.1, "levels": 2}) == MappingParameters(resolution=0.1, levels=2)
    with pytest.raises(UnknownName, match="no mapping parameter 'resolutoin'; choices: free_range"):
        parameters_from({"resolutoin": 0.1})
    for bad in ({"levels": 2.5}, {"levels": 0}, {"levels": 7}, {"resolution": "a"}, {"resolution": 0}, {"hit": -1}):
        with pytest.raises(BadInput, match=next(iter(bad))):
            parameters_from(bad)
    with pytest.raises(BadInput, match="10000 steps"):
        parameters_from({"search_step": 1e-9})


def test_no_scans():
    with pytest.raises(BadInput, match="holds no scans"):
        build_map(Log("empty", (Odometry(0.0, (0.0, 0.0, 0.0)),)))


@pytest.fixture(scope="module")
def relations(intel):
    return relations_from(np.loadtxt(intel / "intel.relations"))


@pytest.mark.dataset
def test_intel_with_odometry(intel, relations):
    log = read_log(intel / "intel-dense.clf.gz")
    assert log.backward == 265
    found = relation_error(build_map(log, loop_closure=False).trajectory, relations)
    assert found.used > 1000
    assert found.translation <= 0.025
    assert found.yaw <= 0.35


@pytest.mark.dataset
def test_intel_without_odometry(intel, relations):
    result = build_map(read_log(intel / "intel-dense.clf.gz"), odometry=False, loop_closure=False)
    assert relation_error(result.trajectory, relations).translation <= 0.08


@pytest.mark.dataset
def test_intel_whole_run_with_loop_closure(intel, relations):
    result = build_map(read_log(intel / "intel.clf.gz"))
    found = relation_error(result.trajectory, relations)
    assert found.used == len(relations)
    assert found.translation <= 0.05
    assert result.loops > 100


def test_compiling_is_no_time_of_mapping(monkeypatch):
    from numba.core import event

    from andante.mapping import slam

    track = slam.Mapper.update

    def slow(self, *arguments):
        with event.trigger_event("numba:compile", data={}):
            time.sleep(0.2)
        return track(self, *arguments)

    log = Log("three", tuple(Scan(0.1 * k, np.full(90, 2.0), -1.5, 3.0 / 89, 0.0, 20.0) for k in range(3)))
    build_map(log)
    monkeypatch.setattr(slam.Mapper, "update", slow)
    assert build_map(log).seconds < 0.4
