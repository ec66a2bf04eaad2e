"""Readings as mapping and localisation take them, and recordings of driving sensors."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.description import SensorSpec
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3
from andante.localization.io.uwb_logs import read_uwb_log
from andante.mapping.io.logs import read_log
from andante.mobile.uwb import uwb_setup
from andante.sensors import RPLIDAR_A2, Lidar, SensorSuite
from andante.sensors.topics import plain
from andante.simulation.recording import open_recording
from andante.simulation.scans import latest_scan, lidar_channel, scan_of, scans_since


# ---- scans -----------------------------------------------------------------------------------------
def test_a_scan_tells_where_the_lidar_sits_and_when_it_turned():
    sim = an.simulate("rover", world="lab", sensors=True)
    sim.run(0.5)
    scan = latest_scan(sim.robot, sim.sensors)
    assert scan.time == pytest.approx(0.4)
    assert scan.time_increment * 800 == pytest.approx(0.1)
    assert scan.sensor == pytest.approx((0.2, 0.0, 0.0))
    assert scan.height == pytest.approx(0.165)
    assert (scan.range_min, scan.range_max, len(scan.ranges)) == (0.15, 12.0, 800)


def test_points_of_a_scan_lie_on_the_walls_of_the_lab():
    sim = an.simulate("rover", world="lab", start=(0.5, -0.4, 0.6))
    sim.sensors = SensorSuite(sim.engine, sim.model, perfect=True)
    sim.run(0.3)
    points = latest_scan(sim.robot, sim.sensors).points()
    c, s = math.cos(0.6), math.sin(0.6)
    x, y = 0.5 + c * points[:, 0] - s * points[:, 1], -0.4 + s * points[:, 0] + c * points[:, 1]
    north = (y > 2.9) & (np.abs(x) < 3.9)
    assert north.sum() > 20
    assert y[north] == pytest.approx(np.full(north.sum(), 3.0), abs=0.01)
    assert np.abs(x).max() < 4.02


def test_scans_since_gives_each_once():
    sim = an.simulate("waffle", world="lab", sensors=True)
    seen = []
    for _ in range(50):
        sim.run(0.02)
        seen += [scan.time for scan in scans_since(sim.robot, sim.sensors, sim.time - 0.02)]
    assert seen == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8])


def test_a_lidar_upside_down_counts_the_other_way_round():
    sim = an.simulate("rover", world="lab", start=(0.3, 0.2, 0.4))
    sim.sensors = SensorSuite(sim.engine, sim.model, perfect=True)
    model = replace(RPLIDAR_A2.without_errors(), beams=400, angle_increment=math.pi / 200)
    up = Lidar(sim.robot, "laser", SE3.identity(), model, "up")
    down = Lidar(sim.robot, "laser", SE3.from_xyz_rpy((0, 0, 0), (math.pi, 0, 0)), model, "down")
    for lidar in (up, down):
        sim.sensors.add(lidar, model.rate)
    sim.run(0.25)
    clouds = [scan_of(sim.robot, lidar, sim.sensors[lidar.name].reading).points() for lidar in (up, down)]
    far = np.linalg.norm(clouds[0][:, None] - clouds[1][None], axis=-1).min(axis=1)
    assert np.quantile(far, 0.95) < 0.02


def test_robots_without_the_sensor_asked_for_are_told():
    sim = an.simulate("nao", sensors=True)
    with pytest.raises(BadInput, match="has no lidar"):
        latest_scan(sim.robot, sim.sensors)
    rover = an.simulate("rover", sensors=True)
    with pytest.raises(UnknownName, match="no lidar 'radar'; choices: laser"):
        lidar_channel(rover.sensors, "radar")


# ---- recordings ------------------------------------------------------------------------------------
def test_a_recorded_drive_is_read_back_for_mapping_and_localization(tmp_path):
    sim = an.simulate("rover", world="lab", sensors=True, seed=3)
    path = tmp_path / "drive.mcap"
    expected = []
    with open_recording(path, sim) as recorder:
        sim.observers.append(recorder)
        sim.drive((0.3, 0.0, 0.1))
        for _ in range(100):
            sim.run(0.01)
            expected += list(scans_since(sim.robot, sim.sensors, sim.time - 0.01))
    log = read_log(path)
    ground = float(sim.robot.link_poses()["base_footprint"].translation[2])
    assert len(log.scans) == len(expected) == 10
    for got, wanted in zip(log.scans, expected, strict=True):
        assert got.time == pytest.approx(wanted.time, abs=1e-6)
        assert got.ranges == pytest.approx(wanted.ranges, rel=1e-6, nan_ok=True)
        assert got.sensor == pytest.approx(wanted.sensor, abs=1e-6)
        assert got.height == pytest.approx(wanted.height + ground, abs=1e-6)  # told from the root, not the floor
    assert len(log.odometry) > 45
    assert log.odometry[-1].pose[0] > 0.1
    assert not log.notes
    ranges = read_uwb_log(path, uwb_setup(sim.robot, sim.sensors))
    assert set(ranges.tags) == {0, 1}
    assert set(ranges.anchors) == {0, 1, 2, 3}
    assert 70 < len(ranges.ranges) <= 88
    assert len(ranges.imu) == 101  # every reading, though rows are written half as often


def test_sonars_and_cameras_that_are_on_are_recorded_in_frames_of_their_own(tmp_path):
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    sim = an.simulate("nao", world="corridor", sensors=True)
    sim.sensors["CameraTop"].sensor.turn_on(64, 48)
    path = tmp_path / "nao.mcap"
    with open_recording(path, sim) as recorder:
        sim.observers.append(recorder)
        sim.run(0.3)
    sim.close()
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        topics = {c.topic for c in reader.connections}
        assert {"/sonar", "/CameraTop/image_raw", "/tf_static"} <= topics
        assert "/CameraBottom/image_raw" not in topics
        told = set()
        for connection, _, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            if connection.topic == "/CameraTop/image_raw":
                assert (message.height, message.width, message.step, message.encoding) == (48, 64, 192, "rgb8")
                assert len(message.data) == 48 * 64 * 3
            elif connection.topic == "/sonar":
                told.add(message.header.frame_id)
                assert message.field_of_view == pytest.approx(1.0472)
            elif connection.topic == "/tf_static":
                frames = {each.child_frame_id: each.header.frame_id for each in message.transforms}
                assert frames["Sonar_Left_sensor"] == "torso"
    assert told == {"Sonar_Left_sensor", "Sonar_Right_sensor"}


def test_names_become_topics():
    assert plain("Sonar/Left") == "Sonar/Left"
    assert plain("US sensor 1 (right)") == "US_sensor_1__right_"
    assert plain("//") == "sensor"


def test_two_lidars_have_two_topics(tmp_path):
    from rosbags.highlevel import AnyReader

    robot = an.robot("waffle")
    extra = SensorSpec("rear", "lidar", "base_link", SE3.from_xyz_rpy((-0.1, 0, 0.3)), 10.0, parameters={"samples": 90})
    sim = an.simulate(replace(robot, sensors=(*robot.sensors, extra)), sensors=True)
    path = tmp_path / "two.mcap"
    with open_recording(path, sim) as recorder:
        sim.observers.append(recorder)
        sim.run(0.5)
    with AnyReader([path]) as reader:
        counts = {c.topic: c.msgcount for c in reader.connections}
    assert counts["/scan"] == 2
    assert counts["/scan_rear"] == 5
