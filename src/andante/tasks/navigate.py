"""A drive to a goal as one value in, one value out: what `andante navigate` does.

The robot is led by its sensors: wheels and gyro, lidar, and on a map Monte Carlo localisation. The simulator's truth
only measures what came of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from andante.description import Robot, World, load_robot, load_world
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.mapping import OccupancyGrid
from andante.mapping.io.map_files import load_map
from andante.mobile.localizer import ByScans, OnMap
from andante.mobile.navigate.measure import Measure, Outcome
from andante.mobile.navigate.run import Drive, drive_to_goal
from andante.mobile.navigate.settings import (
    Tables,
    controller_with,
    mcl_parameters,
    navigator_settings,
    planner_with,
    read_tables,
    vehicle_with,
)
from andante.mobile.robot import SimulatedMobileRobot, mobile_robot
from andante.mobile.sensing import Sensed
from andante.navigation import Costmap, GoalChecker, Navigator, State, Vehicle, vehicle_of
from andante.simulation.push import parse_push

from .outputs import PICTURES, RECORDINGS, VIDEOS, check_outputs, kept

LONGEST = 36_000.0  # [s]
FARTHEST = 1e4  # a start or goal may lie so far from the origin [m]
QUICKEST = 3.0  # turn rate that robots are driven with at most, whatever their wheels could do [rad/s]
YAW = 0.25  # the goal's heading counts as reached within this [rad]
OWN_SHARE, OWN_SLACK = 0.6, 0.15  # the robot comes nearer than asked: its own pose errs [-, m]
SLOW = 0.4  # ... and slows down there [m/s]


@dataclass(frozen=True)
class NavigateJob:
    """Who drives where, with what, and what to keep of it. Poses x, y, yaw of the root link in the world."""

    robot: str
    world: str = "empty"
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    goal: tuple[float, float, float] = (1.0, 0.0, 0.0)  # yaw NaN: any
    map: Path | None = None  # None: plans from live scans in unknown space
    map_pose: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the map's frame in the world
    tolerance: float = 0.25  # [m]
    ignore_yaw: bool = False
    timeout: float = 120.0  # [s]
    planner: str = "auto"
    controller: str = "mppi"
    max_speed: float | None = None  # [m/s]
    params: Path | None = None
    engine: str = "mujoco"
    arguments: Mapping[str, str] = field(default_factory=dict)
    push: str | None = None  # "N·s direction time": in the robot's axes, time counted from the first decision
    dt: float = 0.002
    seed: int = 0
    record: Path | None = None
    plot: Path | None = None
    video: Path | None = None


def check_job(job: NavigateJob) -> None:
    """Raise BadInput unless all numbers make sense."""
    for name, pose in (("--start", job.start), ("--goal", job.goal), ("--map-pose", job.map_pose)):
        free = name == "--goal" and math.isnan(pose[2])
        if not all(math.isfinite(value) for value in (pose[:2] if free else pose)):
            raise BadInput(f"{name} must be x y yaw as finite numbers, got {' '.join(map(str, pose))}")
        if max(abs(pose[0]), abs(pose[1])) > FARTHEST:
            raise BadInput(f"{name} lies further than {FARTHEST:g} m from the origin")
    if not 0.01 <= job.tolerance <= 1000:
        raise BadInput(f"--tolerance must lie from 0.01 to 1000 m, got {job.tolerance}")
    if not 0 < job.timeout <= LONGEST:
        raise BadInput(f"--timeout must lie above 0 and up to {LONGEST:g} s, got {job.timeout}")
    if job.max_speed is not None and not 0.01 <= job.max_speed <= 50:
        raise BadInput(f"--max-speed must lie from 0.01 to 50 m/s, got {job.max_speed}")
    if job.map is None and job.map_pose != (0.0, 0.0, 0.0):
        raise BadInput("--map-pose tells where a map lies; give one with --map")


@dataclass(frozen=True)
class Ready:
    """Everything that a drive needs, made and checked before a world is built."""

    robot: Robot
    world: World
    vehicle: Vehicle
    navigator: Navigator
    grid: OccupancyGrid | None
    tables: Tables


def prepare(job: NavigateJob) -> Ready:
    """Read all files of a job and make the navigator; refuses what cannot be driven, in words."""
    check_job(job)
    tables = read_tables(job.params) if job.params is not None else {}
    robot = load_robot(job.robot, job.arguments)
    vehicle = vehicle_with(vehicle_of(robot, max_speed=job.max_speed, max_turn=QUICKEST), tables)
    grid = None if job.map is None else load_map(job.map)
    world = load_world(job.world)
    own = max(OWN_SHARE * job.tolerance, job.tolerance - OWN_SLACK)
    offset = math.hypot(*vehicle.reference[:2])
    if _free_yaw(job):  # the root may stand anywhere around the reference point
        own = max(own - offset, 0.5 * own)
    arrival = GoalChecker(own, 0.6 * YAW, SLOW)
    way = math.dist(job.start[:2], job.goal[:2])
    settings = navigator_settings(vehicle, way, arrival, tables)
    navigator = Navigator(
        vehicle,
        grid,
        planner=planner_with(job.planner, vehicle, own, tables),
        controller=controller_with(job.controller, vehicle, job.seed, settings.margins, own, tables),
        settings=settings,
        seed=job.seed,
    )
    navigator.set_goal(_goal_of(job, vehicle))
    return Ready(robot, world, vehicle, navigator, grid, tables)


def _free_yaw(job: NavigateJob) -> bool:
    return job.ignore_yaw or math.isnan(job.goal[2])


def _goal_of(job: NavigateJob, vehicle: Vehicle) -> Array:
    """The goal of the drive's reference point in the navigator's frame: the map's, else the world's."""
    place = np.array([job.goal[0], job.goal[1], 0.0 if _free_yaw(job) else job.goal[2]])
    goal = se2.compose(se2.inverse(job.map_pose), place)
    if _free_yaw(job):
        return np.array([goal[0], goal[1], math.nan])
    return se2.compose(goal, vehicle.reference)


def run_navigate(job: NavigateJob, progress: bool = False) -> Outcome:
    """Carry a drive out. Files are complete or absent, also when it is interrupted."""
    check_outputs(
        {
            "recordings": (job.record, RECORDINGS),
            "plots": (job.plot, (*PICTURES, ".svg", ".pdf")),
            "videos": (job.video, VIDEOS),
        }
    )
    push = parse_push(job.push) if job.push else None
    ready = prepare(job)
    start = se2.compose(se2.inverse(job.map_pose), se2.compose(job.start, ready.vehicle.reference))
    localiser = (
        ByScans(start) if ready.grid is None else OnMap(ready.grid, start, mcl_parameters(ready.tables), seed=job.seed)
    )
    robot = mobile_robot(
        ready.robot, ready.world, job.start, job.engine, localiser=localiser, vehicle=ready.vehicle, dt=job.dt,
        seed=job.seed,
    )  # fmt: skip
    try:
        with kept(robot.sim, job.record, job.video):
            outcome, drive = _navigate(job, ready, robot, push, progress)
        if job.plot is not None:
            from andante.viz.navigate_plot import save_plot

            save_plot(job.plot, ready.world, robot, outcome, drive, job.map_pose, ready.grid)
        return outcome
    finally:
        robot.close()


def _hopeless(job: NavigateJob, ready: Ready, sensed: Sensed) -> str:
    """Why the given map alone rules the goal out; empty: it does not, or there is none."""
    if ready.grid is None or not sensed.trusted:
        return ""
    costmap = Costmap.of(ready.grid, ready.vehicle, ready.navigator.settings.layers.inflation)
    plan = ready.navigator.planner.plan(sensed.pose, _goal_of(job, ready.vehicle), costmap)
    return "" if plan.path is not None else plan.reason or "the planner finds no way on the map"


def _navigate(
    job: NavigateJob, ready: Ready, robot: SimulatedMobileRobot, push: tuple[Array, float] | None, progress: bool
) -> tuple[Outcome, Drive]:
    goal = np.array([job.goal[0], job.goal[1], math.nan if _free_yaw(job) else job.goal[2]])
    sensed = robot.step()
    if robot.truth.collided or robot.sim.fallen:
        where = robot.truth.collision.thing if robot.truth.collision is not None else "the ground"
        drive = Drive(State.FAILED, f"the start is occupied: the robot stands in {where}", sensed.time, sensed.time)
        return Measure(robot, goal, job.tolerance, YAW, job.map_pose, job.timeout).outcome(drive, job, 0.0), drive
    settled = robot.settle()
    sensed = replace(settled, sweeps=(*sensed.sweeps, *settled.sweeps))
    measure = Measure(robot, goal, job.tolerance, YAW, job.map_pose, job.timeout, push, progress)
    hopeless = _hopeless(job, ready, sensed)
    if hopeless:
        drive = Drive(State.FAILED, hopeless, sensed.time, sensed.time, last=sensed)
        return measure.outcome(drive, job, 0.0), drive
    wall = time.perf_counter()
    with measure:
        drive = drive_to_goal(robot, ready.navigator, sensed, job.timeout, measure.watch, lambda: robot.truth.collided)
    return measure.outcome(drive, job, time.perf_counter() - wall), drive
