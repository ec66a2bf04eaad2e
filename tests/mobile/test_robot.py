"""A wheeled robot driven by twists and known by its sensors: odometry, scans, localizers, and the truth apart."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import andante as an
from andante.errors import AndanteError, BadInput
from andante.geometry import se2
from andante.mapping.worlds import map_of_world
from andante.mobile.robot import MobileRobot, mobile_robot
from andante.mobile.sensing import OdometryOnly, OnMap


def driven(robot, twist, seconds):
    """Every moment of a drive."""
    return [robot.step(twist) for _ in range(round(seconds * robot.rate))]


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
@pytest.mark.parametrize(("name", "turn"), [("waffle", 0.4), ("rover", 0.25)])
def test_odometry_of_wheels_and_gyro_stays_near_the_truth(name, turn, engine):
    start = (-0.5, -0.8, 0.3)
    robot = mobile_robot(name, "lab", start, engine, seed=2)
    robot.settle()
    moments = driven(robot, (0.25, turn), 5.0)
    believed, true = robot.to_root(moments[-1].pose), robot.truth.pose
    assert np.hypot(*(believed - true)[:2]) < 0.03
    assert abs(se2.wrap(believed[2] - true[2])) < 0.03
    assert robot.truth.length == pytest.approx(1.25, abs=0.15)
    assert not robot.truth.collided
    assert moments[-1].twist == pytest.approx([0.25, 0.0, turn], abs=0.05)
    assert np.diff([moment.time for moment in moments]) == pytest.approx(np.full(len(moments) - 1, 0.05))
    robot.close()


def test_scans_come_once_at_their_rate_and_lie_where_the_walls_are():
    robot = mobile_robot("rover", "lab", (0.0, -0.8, 0.0), seed=3)
    robot.settle()
    taken = [sweep for moment in driven(robot, (0.5, 0.4), 3.0) for sweep in moment.sweeps]
    assert len(taken) == 30
    assert np.diff([sweep.scan.time for sweep in taken]) == pytest.approx(np.full(29, 0.1), abs=0.003)
    for sweep in taken[::7]:
        points = se2.transform(sweep.pose, sweep.scan.points(sweep.twist))
        north = (points[:, 1] > 2.85) & (np.abs(points[:, 0]) < 3.5)
        assert north.sum() > 10
        assert points[north, 1] == pytest.approx(np.full(north.sum(), 3.0), abs=0.08)
    robot.close()


def test_same_seed_same_drive():
    ends = []
    for _ in range(2):
        robot = mobile_robot("waffle", "lab", (0.0, -0.8, 0.0), seed=5)
        robot.settle()
        ends.append(driven(robot, (0.2, 0.2), 1.0)[-1].pose)
        robot.close()
    assert np.array_equal(ends[0], ends[1])


def test_a_robot_that_runs_into_a_wall_has_collided_and_one_that_rolls_has_not():
    robot = mobile_robot("rover", "lab", (0.0, 1.5, 0.0), seed=1)
    robot.guard.on = False
    driven(robot, (0.5, 0.0), 1.0)
    assert robot.truth.collision is None
    driven(robot, (0.8, 0.0), 3.0)
    assert robot.truth.collided
    assert "touched" in str(robot.truth.collision)
    assert robot.truth.collision.time > 1.0
    robot.close()


def test_the_collision_monitor_stops_before_the_wall_and_lets_go_away_from_it():
    robot = mobile_robot("rover", "lab", (0.0, 1.5, 0.0), seed=1)
    driven(robot, (0.8, 0.0), 3.5)
    assert not robot.truth.collided
    assert robot.guard.verdict.action == "stop"
    assert "lidar" in robot.guard.verdict.words
    here = robot.step((-0.3, 0.0)).odom
    there = driven(robot, (-0.3, 0.0), 1.0)[-1].odom
    assert np.hypot(*(there - here)[:2]) > 0.1
    robot.close()


def test_commands_are_ramped_within_the_accelerations():
    robot = mobile_robot("rover", seed=1)
    robot.settle()
    speeds = np.array([moment.twist[0] for moment in driven(robot, (1.0, 0.0), 1.5)])
    steepest = np.diff(speeds).max() * robot.rate
    assert 0.5 < steepest < 1.3 * robot.vehicle.max_acceleration
    assert speeds[-1] == pytest.approx(1.0, abs=0.05)
    robot.close()


def test_on_a_map_a_wrong_start_is_put_right():
    grid = map_of_world(an.world("lab"), height=0.16)
    start = np.array([0.0, -0.8, 0.0])
    localizer = OnMap(grid, start + np.array([0.2, -0.15, 0.1]), seed=1, deviation=(0.3, 0.3, 0.2))
    robot = mobile_robot("rover", "lab", start, localizer=localizer, seed=1)
    robot.settle()
    last = driven(robot, (0.4, 0.35), 5.0)[-1]
    assert last.trusted
    gap = robot.to_root(last.pose) - robot.truth.pose
    assert np.hypot(*gap[:2]) < 0.08
    assert abs(se2.wrap(gap[2])) < 0.05
    robot.close()


def test_on_a_map_without_a_start_it_searches_while_it_stands():
    grid = map_of_world(an.world("lab"), height=0.16)
    robot = mobile_robot("rover", "lab", (0.6, -0.7, 0.8), localizer=OnMap(grid, None, seed=2), seed=2)
    trusted = False
    for _ in range(60):
        sensed = robot.step()
        if sensed.trusted:
            trusted = True
            break
    assert trusted
    assert np.hypot(*(robot.to_root(sensed.pose) - robot.truth.pose)[:2]) < 0.15
    robot.relocalize()
    assert not robot.step().trusted
    robot.close()


def test_poses_of_root_and_reference_point():
    robot = mobile_robot("waffle")
    pose = np.array([1.0, 2.0, 0.5])
    assert robot.to_root(robot.from_root(pose)) == pytest.approx(pose)
    assert OdometryOnly((1.0, 2.0, 3.0)).map_from_odom == pytest.approx([1.0, 2.0, 3.0])
    robot.close()


def test_what_cannot_drive_is_refused():
    with pytest.raises(AndanteError, match="nao"):
        mobile_robot("nao")
    with pytest.raises(BadInput, match="start is x, y, yaw"):
        mobile_robot("waffle", start=(0.0, math.nan, 0.0))
    waffle = an.robot("waffle")
    blind = replace(waffle, sensors=tuple(spec for spec in waffle.sensors if spec.kind != "lidar"))
    with pytest.raises(BadInput, match="the robot has no lidar; add a <sensor"):
        mobile_robot(blind)
    sim = an.simulate("waffle")
    with pytest.raises(BadInput, match="sensors=True"):
        MobileRobot(sim)
    sim.close()
    robot = mobile_robot("waffle")
    with pytest.raises(BadInput, match="finite numbers"):
        robot.step((math.inf, 0.0, 0.0))
    with pytest.raises(BadInput, match="twist"):
        robot.step((1.0,))
    robot.close()
    with pytest.raises(BadInput, match="rate must lie from 1 to 100 Hz"):
        mobile_robot("waffle", rate=1e5)


def test_of_several_lidars_one_is_chosen():
    waffle = an.robot("waffle")
    first = next(spec for spec in waffle.sensors if spec.kind == "lidar")
    near = replace(first, name="near", parameters={**first.parameters, "range_max": 0.9})
    robot = replace(waffle, sensors=(*waffle.sensors, near))
    seen = {}
    for name in ("", "near"):
        made = mobile_robot(robot, "lab", lidar=name)
        seen[name] = made.settle().sweeps[0].scan.range_max
        made.close()
    assert seen["near"] == 0.9 < seen[""]
    with pytest.raises(AndanteError, match="no lidar 'far'"):
        mobile_robot(robot, "lab", lidar="far")
