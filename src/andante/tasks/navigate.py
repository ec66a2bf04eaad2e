"""`an.navigate`: let a wheeled robot drive to a goal.

The robot is led by its sensors: wheels and gyro, lidar, and on a map Monte Carlo localization. The simulator's truth
only measures what came of it.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from andante import viz
from andante.control.body import LinkState
from andante.control.start import require_rate
from andante.control.view import RobotView
from andante.description import Robot, World
from andante.description.link import SensorSpec
from andante.description.solids import robot_bounds
from andante.description.solver import SolverLike
from andante.errors import BadInput, LostBody
from andante.geometry import Array, se2
from andante.hardware.address import SIMULATED
from andante.kinematics import find_drive
from andante.localization.space import SpaceSettings
from andante.locomotion import Command, Readings
from andante.mapping import OccupancyGrid, map_of_world
from andante.mapping.io.map_files import load_map
from andante.mapping.octree import OcTree
from andante.mobile.driver import base_driver
from andante.mobile.feet import FootSettings
from andante.mobile.navigate import DriveResult, Measure, Outcome, drive_to_goal
from andante.mobile.navigate_settings import (
    Tables,
    checked_tables,
    controller_with,
    mcl_parameters,
    navigator_settings,
    planner_with,
    vehicle_with,
)
from andante.mobile.publisher import NavigationState, RecordedNavigation
from andante.mobile.robot import MobileRobot, mobile_robot
from andante.mobile.sensing import ByScans, Localizer, OdometryOnly, OnMap, Sensed
from andante.mobile.stow import ready_to_drive
from andante.mobile.tuned import tuned
from andante.mobile.zone_files import zones_beside
from andante.navigation import (
    Costmap,
    GoalChecker,
    Navigator,
    NavigatorInput,
    NavigatorOutput,
    State,
    Vehicle,
    vehicle_of,
)
from andante.progress import bar
from andante.simulation.push import PushWords, parse_push

from .bodies import BodyLike, is_simulated, judge_falls, opened, read_params, report_log, with_sensors
from .feet import FootRequest, on_two_feet, walk_there
from .inputs import Pose, RobotLike, WorldLike, as_robot, as_world, check_drive, pose_of, told_of_wheels
from .maps.tag_start import standing_ranges, start_by_tags
from .outputs import RunFiles, kept
from .result import HIDDEN, REAL, Result

BLIND = 0.4  # of its speeds and accelerations at which a robot drives by its wheels alone: they slip less then
CLEARANCE = 0.03  # lower things are driven over [m]


@dataclass(frozen=True)
class ArrivalSettings:
    """When a goal counts as reached; table [arrival] of `--params`."""

    yaw_tolerance: float = 0.25  # the goal's heading counts as reached within this [rad]
    own_fraction: float = 0.6  # of the tolerances that the robot itself keeps, for its own pose errs
    own_slack: float = 0.15  # ... but no further inside than this [m]
    speed: float = 0.4  # at most, where it has arrived [m/s]
    max_turn: float = 3.0  # turn rate on the way at most, whatever the wheels could do [rad/s]


@dataclass(frozen=True)
class Request:
    """A drive in numbers, checked. Poses x, y, yaw of the root link in the world."""

    start: Pose
    goal: Pose  # yaw NaN: any
    map_pose: Pose  # of the map's frame in the world
    tolerance: float  # [m]
    timeout: float  # [s]
    max_speed: float | None  # [m/s]
    planner: str
    controller: str
    seed: int
    arrival: ArrivalSettings = ArrivalSettings()

    def __post_init__(self) -> None:
        for name in ("start", "goal", "map_pose"):
            pose_of(name, getattr(self, name), free_yaw=name == "goal")
        check_drive(self.timeout, self.max_speed)
        if not 0.01 <= self.tolerance <= 1000:
            raise BadInput(f"tolerance must lie from 0.01 to 1000 m, got {self.tolerance}")

    @property
    def free_yaw(self) -> bool:
        """Whether any heading at the goal will do."""
        return math.isnan(self.goal[2])

    def goal_of(self, vehicle: Vehicle) -> Array:
        """The goal of the drive's reference point in the navigator's frame: the map's, else the world's."""
        place = np.array([self.goal[0], self.goal[1], 0.0 if self.free_yaw else self.goal[2]])
        goal = se2.compose(se2.inverse(self.map_pose), place)
        if self.free_yaw:
            return np.array([goal[0], goal[1], math.nan])
        return se2.compose(goal, vehicle.reference)


@dataclass(frozen=True)
class NavigateResult(Outcome, Result):
    """What came of a drive, by the simulator's truth but for `arrived` and `events`; its estimate of a real robot."""

    shown: viz.Shown | viz.FootShown = field(metadata=HIDDEN, repr=False)
    link: LinkState | None = field(default=None, metadata=REAL)  # how well a real robot was heard
    warnings: tuple[str, ...] = ()  # what of the parameter file does not count

    def __str__(self) -> str:
        off = self.estimate_error
        estimate = ""
        if off["rms"] == off["rms"]:  # not a number where it never drove
            estimate = f"; its own estimate was off by {off['rms']:.3f} m rms, {off['max']:.3f} m at most"
        if self.link is not None:
            estimate = f"; {self.link}"
        return (
            f"{self.robot} on {self.engine}: {'' if self.success else 'not '}arrived after {self.time:.1f} s and "
            f"{self.path_length:.2f} m, {self.final_error:.3f} m from the goal; {self.reason}{estimate}"
        )

    def plot(self) -> viz.Figure:
        """The drive from above, and the error of the believed place over time."""
        title = f"{self.robot} in {self.world}: {self.reason}"
        if isinstance(self.shown, viz.FootShown):
            return viz.plot_feet(self.shown, title)
        return viz.plot_drive(self.shown, title)


@dataclass(frozen=True)
class Ready:
    """Everything that a drive needs, made and checked before a world is built."""

    robot: Robot
    world: World
    vehicle: Vehicle
    navigator: Navigator
    grid: OccupancyGrid | None


def prepare(request: Request, robot: Robot, world: World, grid: OccupancyGrid | None, tables: Tables) -> Ready:
    """Make the navigator of a drive; refuses what cannot be driven, in words."""
    goal = request.arrival
    vehicle = tuned(vehicle_of(robot, max_speed=request.max_speed, max_turn=goal.max_turn), robot)
    if not sees(robot):
        vehicle = calmer(vehicle, BLIND)
    vehicle = vehicle_with(vehicle, tables)
    own = max(goal.own_fraction * request.tolerance, request.tolerance - goal.own_slack)
    offset = math.hypot(*vehicle.reference[:2])
    if request.free_yaw:  # the root may stand anywhere around the reference point
        own = max(own - offset, 0.5 * own)
    angle = goal.own_fraction * goal.yaw_tolerance
    coasts = math.sqrt(vehicle.max_turn_acceleration * (goal.yaw_tolerance - angle))  # at half of its braking
    arrival = GoalChecker(own, angle, goal.speed, max(coasts, 0.1))
    way = math.dist(request.start[:2], request.goal[:2])
    settings = navigator_settings(vehicle, way, arrival, tables)
    if not sees(robot):
        settings = replace(settings, scan_timeout=math.inf)
    navigator = Navigator(
        vehicle,
        grid,
        planner=planner_with(request.planner, vehicle, own, tables),
        controller=controller_with(request.controller, vehicle, request.seed, settings.margins, own, tables),
        settings=settings,
        seed=request.seed,
    )
    navigator.set_goal(request.goal_of(vehicle))
    return Ready(robot, world, vehicle, navigator, grid)


def navigate(
    robot: RobotLike,
    *,
    goal: Sequence[float],
    start: Sequence[float] = (0.0, 0.0, 0.0),
    world: WorldLike = "empty",
    map: OccupancyGrid | OcTree | Path | str | None = None,
    map_pose: Sequence[float] = (0.0, 0.0, 0.0),
    tolerance: float = 0.25,
    ignore_yaw: bool = False,
    timeout: float = 120.0,
    planner: str = "auto",
    controller: str = "mppi",
    max_speed: float | None = None,
    params: Path | str | None = None,
    engine: str = "mujoco",
    push: PushWords | None = None,
    arguments: Mapping[str, str] | None = None,
    dt: float | None = None,
    solver: SolverLike | None = None,
    seed: int = 0,
    record: Path | str | None = None,
    plot: Path | str | None = None,
    video: Path | str | None = None,
    body: BodyLike = SIMULATED,
    lidar: str = "",
    uwb: str = "",
    anchors: Path | str | None = None,
    collision_monitor: bool = True,
    progress: bool = False,
) -> NavigateResult:
    """Let a robot go to a goal by its own sensors: on wheels, without a map by live scans, or on two legs by footsteps.

    Args:
        robot: a `Robot`, a name or a path.
        goal: x, y [m] and yaw [rad] of the root link in the world; a yaw left out or NaN is free.
        start: x, y [m] and yaw [rad] of the root link in the world.
        world: a `World`, a name or a path.
        map: a grid, or a map_server yaml file; None: plan from live scans. A simulated robot without a lidar drives by
            odometry on this map, or on the plan of its world. Robots on two legs take an octree (.bt, .ot), or that
            of their world.
        map_pose: x, y [m] and yaw [rad] of the map frame in the world.
        tolerance: largest distance from the goal that counts as reached [m].
        ignore_yaw: accept any yaw at the goal.
        timeout: simulated time after which the drive has failed [s].
        planner, controller: names, or `file.py:Name`.
        max_speed: speed limit [m/s].
        params: a TOML or JSON file with tables like [mppi] or [layers], [arrival] (`ArrivalSettings`), [falls]
            (`FallRules`), [feet] and [place] (`FootSettings`, `SpaceSettings`) for two legs, and [body] and [start] for
            a real robot; or a YAML or launch file of AMCL, move_base or Nav2.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        push: impulse [N s], direction (a word or degrees) in the robot's axes, time after the first decision [s].
        arguments: `name:=value` arguments of the robot's file.
        dt: physics step [s]; None: that of the world up to 0.002, else 0.002.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        seed: random seed of all noise.
        record, plot, video: files to write.
        body: sim, or a real robot that stands at `start`: a `Body`, ws://HOST:9090, http://HOST:11311, serial:PORT, or
            `file.py:Name`. It moves at once.
        lidar: of a car at a serial port: rplidar:PORT, for example rplidar:/dev/ttyUSB1.
        uwb: tags of such a car, which tell where it stands on the map instead of `start`: pozyx:PORT,PORT.
        anchors: file of anchors and tags, as `localize` reads it.
        collision_monitor: slow down and stop before what the sensors see is touched, whatever the controller says.
        progress: print progress on stderr.

    Returns:
        Outcome, in simulation by the ground truth. Files are complete or absent, also when it is interrupted.
    """
    files = RunFiles.of(record, video, plot=plot)
    shove = parse_push(push) if push is not None else None
    given = read_params(params)
    arrival = given.settings("arrival", ArrivalSettings())
    steps, place = given.settings("feet", FootSettings()), given.settings("place", SpaceSettings())
    x, y, yaw = pose_of("goal", (*goal, math.nan) if len(goal) == 2 else goal, free_yaw=True)
    request = Request(
        pose_of("start", start),
        (x, y, math.nan if ignore_yaw else yaw),
        pose_of("map_pose", map_pose),
        tolerance,
        timeout,
        max_speed,
        planner,
        controller,
        seed,
        arrival,
    )
    if map is None and request.map_pose != (0.0, 0.0, 0.0):
        raise BadInput("map_pose needs a map; give one too")
    tables = checked_tables(given.rest, given.path)
    made = as_robot(robot, arguments)
    if on_two_feet(made):
        feet = FootRequest(
            request.start, request.goal, tolerance, arrival.yaw_tolerance, timeout, seed, engine, dt, solver, shove,
            steps, place,
        )  # fmt: skip
        if not is_simulated(body) or request.map_pose != (0.0, 0.0, 0.0):
            raise BadInput("robots on two legs find their way in simulation only so far, on a map in the world's frame")
        outcome, shown = walk_there(given.robot.on(made), as_world(world), map, feet, files, progress)
        result = NavigateResult(**vars(outcome), shown=shown, warnings=given.warnings)
        if files.plot is not None:
            viz.save_figure(result.plot(), files.plot)
        return result
    grid = load_map(Path(map)) if isinstance(map, str | Path) else map
    if isinstance(grid, OcTree):
        raise BadInput("wheels drive on flat maps; give a map_server yaml file or a grid")
    there, blind = as_world(world), is_simulated(body) and not sees(made)
    if is_simulated(body):
        made = ready_to_drive(made)  # before its wheels are looked for among shapes that are not there
    with told_of_wheels(made):
        find_drive(made)
    if blind:
        made = with_gyro(made)
        grid = _plan_for(made, there, request) if grid is None else grid
    ready = prepare(request, made, there, grid, tables)
    if isinstance(map, str | Path):
        ready.navigator.layers.set_zones(zones_beside(map))
    first = se2.compose(se2.inverse(request.map_pose), se2.compose(request.start, ready.vehicle.reference))
    localizer: Localizer = OdometryOnly(first)
    if not blind:
        localizer = ByScans(first) if grid is None else OnMap(grid, first, mcl_parameters(tables), seed=seed)
    if (lidar or uwb) and is_simulated(body):
        named = "lidar" if lidar else "uwb"
        raise BadInput(f"{named} names that of a real robot; the simulated one has its own. Name the robot with body")
    if uwb and grid is None:
        raise BadInput("uwb tells where the robot stands on a map; give the map too")
    if not is_simulated(body):
        if shove is not None or video is not None:
            raise BadInput("only a simulated robot can be pushed and filmed; leave push and video out")
        _rehearse(prepare(request, made, ready.world, grid, tables), np.asarray(first, dtype=float))
        with opened(body, made, with_sensors(given.body, lidar, uwb, anchors), report_log(progress)) as real:
            warnings = [*given.warnings]
            if uwb and grid is not None:
                pose, spread = start_by_tags(*standing_ranges(real), warnings)
                request = replace(request, start=_three(se2.compose(request.map_pose, pose)))
                first = se2.compose(pose, ready.vehicle.reference)
                localizer = OnMap(grid, first, mcl_parameters(tables), seed, spread)
            driven = MobileRobot(
                real,
                localizer,
                vehicle=ready.vehicle,
                start=request.start,
                map_pose=request.map_pose,
                lying=given.falls.lying,
            )
            driven.guard.on = collision_monitor
            require_rate(real, driven.driver.least_rate, "driving", given.start)
            if not real.has_scans and math.isfinite(ready.navigator.settings.scan_timeout):
                raise BadInput(
                    f"{real.name} at {real.address} tells no scans; params with [navigator] scan_timeout = inf let it "
                    "drive blind"
                )
            return replace(_drive_and_tell(request, ready, driven, None, progress, files), warnings=tuple(warnings))
    simulated = mobile_robot(
        given.robot.on(made), ready.world, request.start, engine, localizer=localizer, vehicle=ready.vehicle, dt=dt,
        seed=seed, solver=solver, blind=blind,
    )  # fmt: skip
    try:
        simulated.guard.on = collision_monitor
        judge_falls(simulated.body, given.falls)
        return replace(_drive_and_tell(request, ready, simulated, shove, progress, files), warnings=given.warnings)
    finally:
        simulated.close()


def _three(pose: Array) -> tuple[float, float, float]:
    return float(pose[0]), float(pose[1]), float(pose[2])


def _drive_and_tell(
    request: Request,
    ready: Ready,
    robot: MobileRobot,
    push: tuple[Array, float] | None,
    progress: bool,
    files: RunFiles,
) -> NavigateResult:
    """Drive, record, plot."""
    view = RobotView(robot.body, robot.driver, origin=np.array(request.start), map_pose=request.map_pose)
    view.run_by(robot.loop)
    state = _Navigation(request, ready, robot)
    view.publishers.append(lambda bus, view, told: RecordedNavigation(bus, view, told, lambda: state))
    with kept(robot.body, files, view):
        outcome, drive = _navigate(request, ready, robot, push, progress, state)
    shown = viz.Shown.of(ready.world, robot, drive, request.map_pose, ready.grid)
    link = None if robot.body.simulated else robot.body.link
    result = NavigateResult(**vars(outcome), shown=shown, link=link)
    if files.plot is not None:
        viz.save_figure(result.plot(), files.plot)
    return result


class _Navigation(NavigationState):
    """The drive as a recording shows it."""

    def __init__(self, request: Request, ready: Ready, robot: MobileRobot) -> None:
        first = se2.compose(se2.inverse(request.map_pose), robot.from_root(request.start))
        super().__init__(ready.navigator, ready.vehicle.reference, first, ready.grid)
        x, y, yaw = se2.compose(se2.inverse(request.map_pose), np.nan_to_num(request.goal))
        self.goal = np.array([x, y, math.nan if request.free_yaw else yaw])
        self._robot = robot

    @property
    def localizer(self) -> Localizer:
        """What tells where odom lies on the map."""
        return self._robot.localizer


def _rehearse(twin: Ready, start: Array) -> None:
    """Let everything that drives think once before a real robot waits for it: the first time is slow."""
    driver, nothing = base_driver(twin.robot, vehicle=twin.vehicle), np.zeros(len(twin.robot.joint_names))
    for k in range(3):
        driver.update(Readings(0.01 * k, nothing, nothing), Command(vx=0.1), 0.01)
    twin.navigator.update(NavigatorInput(0.0, start))


def sees(robot: Robot) -> bool:
    """Whether a robot has a lidar."""
    return any(spec.kind == "lidar" for spec in robot.sensors)


def with_gyro(robot: Robot) -> Robot:
    """The robot with an IMU on its root where it has none: wheels that scrub tell little of how a base turns.

    Gaits fit one to legged robots likewise.
    """
    if any(spec.kind == "imu" for spec in robot.sensors):
        return robot
    return replace(robot, sensors=(*robot.sensors, SensorSpec("base_imu", "imu", robot.root, rate=100.0)))


def calmer(vehicle: Vehicle, fraction: float) -> Vehicle:
    """The vehicle at a fraction of its speeds and its square of its accelerations: the same ways in more time."""
    speeds, rates = ("max_speed", "max_turn", "max_reverse"), ("max_acceleration", "max_turn_acceleration")
    slower = {name: fraction * getattr(vehicle, name) for name in speeds}
    return replace(vehicle, **slower, **{name: fraction**2 * getattr(vehicle, name) for name in rates})


def _plan_for(robot: Robot, world: World, request: Request) -> OccupancyGrid | None:
    """The plan of a world for a robot that sees nothing: all that it could touch; None where nothing stands."""
    box = robot_bounds(robot)
    tall = CLEARANCE if box is None else max(CLEARANCE, float(box[1][2] - box[0][2]))
    ends = [request.start[:2], request.goal[:2]]
    for around in (ends, ()):  # a goal so far away that no map holds it is told later
        with contextlib.suppress(BadInput):
            return map_of_world(world, height=CLEARANCE, top=tall, resolution=0.04, margin=1.0, around=around)
    return None


def _hopeless(request: Request, ready: Ready, sensed: Sensed) -> str:
    """Why the given map alone rules the goal out; empty: it does not, or there is none."""
    if ready.grid is None or not sensed.trusted:
        return ""
    costmap = Costmap.of(ready.grid, ready.vehicle, ready.navigator.settings.layers.inflation)
    plan = ready.navigator.planner.plan(sensed.pose, request.goal_of(ready.vehicle), costmap)
    return "" if plan.path is not None else plan.reason or "the planner finds no path on the map"


def _navigate(
    request: Request,
    ready: Ready,
    robot: MobileRobot,
    push: tuple[Array, float] | None,
    progress: bool,
    state: _Navigation,
) -> tuple[Outcome, DriveResult]:
    names, near = (request.planner, request.controller), (request.tolerance, request.arrival.yaw_tolerance)
    measure = partial(Measure, robot, np.array(request.goal), *near, request.map_pose, request.timeout)
    sensed = robot.step()
    if robot.measure.collided or robot.measure.fallen:
        where = robot.measure.collision.thing if robot.measure.collision is not None else "the ground"
        drive = DriveResult(
            State.FAILED, f"the start is occupied: the robot stands in {where}", sensed.time, sensed.time
        )
        return measure().outcome(drive, names, 0.0), drive
    settled = robot.settle()
    sensed = replace(settled, sweeps=(*sensed.sweeps, *settled.sweeps))
    watched = measure(push)
    hopeless = _hopeless(request, ready, sensed)
    if hopeless:
        drive = DriveResult(State.FAILED, hopeless, sensed.time, sensed.time, last=sensed)
        return watched.outcome(drive, names, 0.0), drive
    wall = time.perf_counter()

    def watch(sensed: Sensed, output: NavigatorOutput) -> bool:
        state.take(sensed, output)
        return watched.watch(sensed, output)

    with bar("driving", progress) as watched.report:
        hit = lambda: robot.measure.collided  # noqa: E731
        try:
            drive = drive_to_goal(robot, ready.navigator, sensed, request.timeout, watch, hit)
        except LostBody as error:
            drive = DriveResult(State.FAILED, str(error), sensed.time, robot.body.time, last=sensed)
    return watched.outcome(drive, names, time.perf_counter() - wall), drive
