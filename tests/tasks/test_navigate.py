"""Drives under physics: the loop, what is measured, settings, floors to start on; BARN worlds where the data are."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput, UnknownName
from andante.mobile.navigate import FOLLOWS, drive_to_goal, reading_of
from andante.mobile.navigate_settings import controller_with, navigator_settings, vehicle_with
from andante.mobile.robot import mobile_robot, plane_height
from andante.mobile.sensing import ByScans
from andante.navigation import GoalChecker, Mppi, Navigator, State, vehicle_of
from andante.tasks.navigate import Request, navigate, prepare

ROOT = Path(__file__).parents[2]
DATASETS = Path(os.environ.get("ANDANTE_DATASETS") or ROOT.parent / "shared" / "datasets")
COURIER = str(ROOT / "examples" / "courier.urdf")


@pytest.mark.parametrize(
    ("engine", "controller"), [("bullet", "mppi"), ("mujoco", "pursuit"), ("mujoco", "dwa"), ("mujoco", "waypoint")]
)
def test_every_controller_drives_the_car(engine, controller):
    run = navigate(
        "rover",
        world="lab",
        start=(0.0, -0.8, 0.0),
        goal=(1.2, 0.0),
        controller=controller,
        max_speed=1.0,
        engine=engine,
    )
    assert run.success, (run.reason, run.events)
    assert run.engine == engine
    assert run.final_error < 0.25
    assert run.estimate_error["max"] < 0.08


def test_a_robot_that_turns_on_the_spot_takes_its_heading_too():
    run = navigate("waffle", world="lab", start=(0.0, -0.8, 0.0), goal=(0.5, -0.6, 2.5), controller="pursuit")
    assert run.success, (run.reason, run.events)
    assert run.final_yaw_error < 0.25
    assert run.arrived


@pytest.mark.dataset
def test_a_barn_world_straight_from_its_file():
    if not (DATASETS / "barn" / "worlds.json").is_file():
        pytest.skip(f"the BARN worlds are not in {DATASETS / 'barn'}; set ANDANTE_DATASETS")
    data = json.loads((DATASETS / "barn" / "worlds.json").read_text())[1]
    world = str(DATASETS / "barn" / f"world_{data['world']}.world.gz")
    run = navigate(COURIER, world=world, start=data["start"], goal=data["goal"], tolerance=1.0, timeout=100.0)
    assert run.success, (run.reason, run.events)
    best = data["optimal_time"]
    assert best / np.clip(run.time, 2 * best, 8 * best) >= 0.25


def test_the_watch_can_end_a_drive_and_the_robot_stands_then():
    start = (0.0, -0.8, 0.0)
    robot = mobile_robot("rover", "lab", start, localizer=ByScans(start), seed=1)
    navigator = Navigator(robot.vehicle, controller="pursuit")
    navigator.set_goal((1.5, 0.0), GoalChecker(0.1))
    drive = drive_to_goal(robot, navigator, robot.settle(), watch=lambda sensed, _: sensed.time > 1.5)
    assert drive.state is State.DRIVING
    assert np.abs(drive.last.twist).max() < 0.03
    assert 1.5 < drive.ended < 3.5
    assert len(drive.planned) >= 1
    assert np.diff([row[0] for row in drive.believed]) == pytest.approx(
        np.full(len(drive.believed) - 1, 0.05), abs=1e-6
    )
    robot.close()


def test_readings_tell_the_reference_only_where_it_is_followed():
    robot = mobile_robot("rover", "empty", seed=1)
    robot.settle(0.2)
    for _ in range(20):
        sensed = robot.step((1.0, 0.0))
    assert reading_of(sensed).velocity == pytest.approx(sensed.reference, abs=1e-9)
    held = replace(sensed, twist=np.array([0.1, 0.0, 0.0]))  # something holds it
    assert reading_of(held).velocity[0] == pytest.approx(0.1 + FOLLOWS[0])
    robot.close()


def test_a_robot_starts_on_the_floor_and_not_on_a_thing():
    assert plane_height(an.world("lab"), 1.0, 1.0) == pytest.approx(0.0)
    robot = mobile_robot("rover", "lab", (2.3, 0.7, 0.0))  # inside the pillar
    assert robot.sim.ground == pytest.approx(0.0, abs=1e-6)
    assert robot.sim.base_pose[2] < 0.1
    robot.close()


def test_settings_fit_the_robot_and_the_way():
    vehicle = vehicle_of(an.robot("waffle"))
    near, far = (navigator_settings(vehicle, way, GoalChecker(), {}) for way in (1.0, 15.0))
    assert near.layers.window == 12.0
    assert far.layers.window == pytest.approx(37.0)
    assert 0.03 <= near.layers.resolution <= 0.05
    tables = {"layers": {"window": 20}, "margins": {"padding": 0.05}, "inflation": {"radius": 0.4}}
    told = navigator_settings(vehicle, 1.0, GoalChecker(), tables)
    assert (told.layers.window, told.margins.padding, told.layers.inflation.radius) == (20.0, 0.05, 0.4)
    assert vehicle_with(vehicle, {"vehicle": {"max_acceleration": 0.5}}).max_acceleration == 0.5
    made = controller_with("mppi", vehicle, 0, told.margins, 0.1, {"mppi": {"samples": 100}})
    assert isinstance(made, Mppi)
    assert (made.settings.samples, made.settings.margins.padding) == (100, 0.05)
    with pytest.raises(UnknownName, match="sampels"):
        controller_with("mppi", vehicle, 0, told.margins, 0.1, {"mppi": {"sampels": 100}})
    with pytest.raises(BadInput, match="must be a number"):
        vehicle_with(vehicle, {"vehicle": {"max_speed": "fast"}})


def test_goals_are_told_to_the_reference_point_on_the_map():
    numbers = {"start": (0.0, 0.0, 0.0), "map_pose": (0.0, 0.0, 0.0), "tolerance": 0.1, "timeout": 9.0}
    names = {"max_speed": None, "planner": "auto", "controller": "mppi", "seed": 0}
    request = Request(goal=(1.0, 2.0, 0.5), **numbers, **names)
    ready = prepare(request, an.robot("waffle"), an.world("lab"), None, {})
    assert ready.navigator.settings.arrival.distance == pytest.approx(0.06)
    assert ready.navigator.planner.goal_tolerance == pytest.approx(0.06)
    with pytest.raises(BadInput, match="goal must be x, y, yaw"):
        Request(goal=(math.nan, 0.0, 0.0), **numbers, **names)
    with pytest.raises(BadInput, match="map_pose needs a map"):
        navigate("waffle", goal=(1.0, 0.0), map_pose=(1.0, 0.0, 0.0))


def test_a_robot_without_a_lidar_drives_by_odometry_on_the_plan_of_its_world():
    blind = replace(an.robot("waffle"), sensors=())
    run = navigate(blind, world="lab", start=(0.0, -0.8, 0.0), goal=(0.9, -0.5))
    assert run.success, (run.reason, run.events)
    assert run.estimate_error["max"] < 0.15
    sees = navigate("waffle", world="lab", start=(0.0, -0.8, 0.0), goal=(0.9, -0.5))
    assert run.time > sees.time  # it is careful
