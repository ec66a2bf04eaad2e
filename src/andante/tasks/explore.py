"""`an.explore`: let a robot map a world by itself.

It drives by its wheels, gyro and lidar alone; the simulator's truth only measures what came of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from andante import viz
from andante.control.start import require_rate
from andante.control.view import RobotView
from andante.description.solver import SolverLike
from andante.description.world import World
from andante.errors import BadInput, LostBody
from andante.geometry import Array, se2
from andante.hardware.address import SIMULATED
from andante.locomotion.io.gait_parameters import checked_parameters
from andante.mapping import MappingResult, OccupancyGrid, Trajectory, map_of_world
from andante.mapping.evaluation import Agreement, compare_maps
from andante.mapping.io.map_files import map_base
from andante.mapping.parameters import parameters_from
from andante.mobile.explore import Exploration, Explored, exploration
from andante.mobile.explore_goals import Errand, Frontiers, Missed, Waypoints, read_waypoints
from andante.mobile.growing import KEYS
from andante.mobile.publisher import RecordedNavigation
from andante.mobile.robot import MobileRobot, mobile_robot
from andante.navigation import Vehicle
from andante.progress import bar

from .bodies import BodyLike, is_simulated, judge_falls, opened, read_params, report_log, with_sensors
from .inputs import RobotLike, WorldLike, as_robot, as_world, check_drive, pose_of
from .outputs import MapFiles, RunFiles, kept
from .result import HIDDEN, Result

SPEED = 0.5  # of faster robots while they map [m/s]


@dataclass(frozen=True)
class ExploreResult(Result):
    """What was written and what came of the drive; `pose_error`, `path_error`, `walls` and `collided` by the truth."""

    scans: int
    rate: float  # scans per second of mapping
    map: str  # the yaml file
    trajectory: str
    coverage: float  # fraction of the world's free floor that the map shows as free
    time: float  # of simulated driving [s]
    distance: float  # by odometry [m]
    complete: bool  # it ended because no goal was left
    reason: str
    goals: int
    missed: tuple[Missed, ...]  # what could not be reached
    keys: int
    loops: int
    size: tuple[int, int]  # columns and rows of the map
    resolution: float  # [m]
    pose: Array  # (3,) of the root link at the end, as the robot believes
    pose_error: Array  # (2,) distance [m] and turn [rad] from the truth at the end
    path_error: float  # root mean square over all scans [m]
    walls: Agreement | None  # None: nothing of the world stands at the height of the lidar
    collided: str  # what was touched first; empty: nothing
    warnings: tuple[str, ...]
    engine: str
    result: MappingResult = field(metadata=HIDDEN, repr=False)
    plan: OccupancyGrid | None = field(metadata=HIDDEN, repr=False)  # of the world at the height of the lidar
    truth: Array = field(metadata=HIDDEN, repr=False)  # (n, 4) t, x, y, yaw of the root link

    @property
    def grid(self) -> OccupancyGrid:
        """The map."""
        return self.result.grid

    def __str__(self) -> str:
        lines = [
            f"{self.scans} scans over {self.distance:.1f} m in {self.time:.0f} s, {self.keys} key scans, "
            f"{self.loops} loops closed; {100 * self.coverage:.0f} % of the floor mapped; {self.reason}"
        ]
        lines += [f"not reached: ({m.place[0]:.2f}, {m.place[1]:.2f}): {m.reason}" for m in self.missed]
        if self.walls is not None:
            lines.append(
                f"by the truth: {100 * self.walls.true_walls:.0f} % of the map's walls are true within "
                f"{self.walls.reach:g} m, {100 * self.walls.found_walls:.0f} % of the true ones were found; the robot "
                f"errs by {self.pose_error[0]:.3f} m at the end"
            )
        return "\n".join([*lines, self.collided] if self.collided else lines)

    def plot(self) -> viz.Figure:
        """The map that was made, the true plan, and the way as believed and as it was."""
        title = (
            f"{self.scans} scans, {self.distance:.1f} m in {self.time:.0f} s, {100 * self.coverage:.0f} % of the "
            f"floor; path error {1000 * self.path_error:.0f} mm"
        )
        return viz.plot_exploration(self.result, self.plan, self.truth, [m.place for m in self.missed], title)

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract, and more."""
        return {
            **super().as_dict(),
            "missed": [{"x": m.place[0], "y": m.place[1], "size": m.size, "reason": m.reason} for m in self.missed],
            "collided": bool(self.collided),
            "collision": self.collided or None,
        }


def explore(
    robot: RobotLike,
    *,
    world: WorldLike | None = None,
    out: Path | str | None = None,
    start: Sequence[float] = (0.0, 0.0, 0.0),
    waypoints: Path | str | Sequence[Sequence[float]] | None = None,
    trajectory: Path | str | None = None,
    timeout: float = 600.0,
    engine: str = "mujoco",
    planner: str = "auto",
    controller: str = "pursuit",
    max_speed: float = SPEED,
    params: Path | str | None = None,
    arguments: Mapping[str, str] | None = None,
    dt: float | None = None,
    solver: SolverLike | None = None,
    seed: int = 0,
    record: Path | str | None = None,
    plot: Path | str | None = None,
    video: Path | str | None = None,
    body: BodyLike = SIMULATED,
    lidar: str = "",
    progress: bool = False,
) -> ExploreResult:
    """Let a wheeled robot map a world by itself, from its wheels, gyro and lidar.

    Ctrl-C ends the drive; what was mapped until then is finished and written.

    Args:
        robot: a `Robot`, a name or a path.
        world: to simulate: a `World`, a name or a path. A real robot needs none.
        out: MAP of MAP.pgm, MAP.yaml and MAP.tum; None: nothing is written, `grid` has the map.
        start: x, y [m], yaw [rad] of the root link in the world.
        waypoints: x, y [m] and optionally yaw [rad] of each waypoint, or a file; None: frontier exploration.
        trajectory: file of the trajectory; None: MAP.tum.
        timeout: longest time [s] of simulated driving.
        engine: mujoco, bullet, dart, ode, or `file.py:Name`.
        planner, controller: names, or `file.py:Name`.
        max_speed: speed limit [m/s].
        params: a file with the parameters of mapping, a table [falls] (`FallRules`), and [body] and [start] for a real
            robot; or a YAML or launch file of hector_mapping or slam_toolbox.
        arguments: `name:=value` arguments of the robot's file.
        dt: physics step [s]; None: that of the world up to 0.002, else 0.002.
        solver: settings of the solver, such as {"iterations": 50}, before those of the world.
        seed: random seed of all noise.
        record, plot, video: files to write.
        body: sim, or a real robot that stands at `start`: a `Body`, ws://HOST:9090, http://HOST:11311,
            serial:PORT with a lidar, or `file.py:Name`. It moves at once; its way and map are compared with nothing.
        lidar: of a car at a serial port: rplidar:PORT, for example rplidar:/dev/ttyUSB1.
        progress: print progress on stderr.

    Returns:
        The map and what came of the drive. Files are written all or none.
    """
    if world is None and is_simulated(body):
        raise BadInput("explore needs a world to simulate, or a body: the address of a real robot")
    place = pose_of("start", start)
    check_drive(timeout, max_speed)
    way = f"{map_base(Path(out))}.tum" if trajectory is None and out is not None else trajectory
    maps = MapFiles.of(out, way, (waypoints, params))
    files = RunFiles.of(record, video, plot=plot, others=maps.wanted)
    given = read_params(params, flat="mapping")
    parameters = parameters_from(checked_parameters(given.rest, given.path), KEYS) if given.rest else KEYS
    places = read_waypoints(Path(waypoints)) if isinstance(waypoints, str | Path) else waypoints

    def errand(vehicle: Vehicle) -> Errand:
        return (
            Frontiers(vehicle) if places is None else Waypoints(np.array([[*place, math.nan][:3] for place in places]))
        )

    made, ground = as_robot(robot, arguments), None if world is None else as_world(world)
    make = partial(
        exploration, errand=errand, parameters=parameters, planner=planner, controller=controller, speed=max_speed,
        seed=seed,
    )  # fmt: skip

    def drive_and_tell(driven: MobileRobot) -> ExploreResult:
        view = RobotView(driven.body, driven.driver, origin=np.array(place))
        view.run_by(driven.loop)
        begun: list[Exploration] = []
        view.publishers.append(
            lambda bus, view, told: RecordedNavigation(bus, view, told, lambda: begun[0].state if begun else None)
        )
        with kept(driven.body, files, view), bar("looking around", progress) as report:
            explore = partial(make, report=lambda sensed, words: report(sensed.time, timeout, words))
            drive = _drive(driven, explore, place, timeout, begun)
        result = _finish(driven, drive, ground, maps)
        result = replace(result, warnings=(*given.warnings, *result.warnings))
        if files.plot is not None:
            viz.save_figure(result.plot(), files.plot)
        return result

    if ground is None or not is_simulated(body):
        if video is not None:
            raise BadInput("only a simulated robot can be filmed; leave video out")
        with opened(body, made, with_sensors(given.body, lidar), report_log(progress)) as real:
            driven = MobileRobot(real, start=place, lying=given.falls.lying)
            require_rate(real, driven.driver.least_rate, "driving", given.start)
            return drive_and_tell(driven)
    simulated = mobile_robot(given.robot.on(made), ground, place, engine, dt=dt, seed=seed, solver=solver)
    try:
        judge_falls(simulated.body, given.falls)
        return drive_and_tell(simulated)
    finally:
        simulated.close()


def _drive(
    robot: MobileRobot,
    make: Callable[..., Exploration],
    start: Sequence[float],
    timeout: float,
    begun: list[Exploration],
) -> Exploration:
    """Explore until the end, Ctrl-C, or the robot is lost; `begun` gets the exploration when it begins."""
    robot.step()
    if robot.measure.collision is not None:
        raise BadInput(f"start: the robot stands in {robot.measure.collision.thing}; choose another place")
    made = make(robot, start=robot.from_root(start))
    begun.append(made)
    if not made.mapper.keys:
        raise BadInput(f"{robot.body.address}: the lidar sees nothing to map by from {start[0]:g} {start[1]:g}")
    try:
        made.run(robot, timeout)
    except KeyboardInterrupt:
        made.done.reason = f"stopped by the user; {made.errand.reason}"
    except LostBody as error:
        made.done.reason = str(error)
    return made


def true_plan(world: World, done: Explored) -> OccupancyGrid | None:
    """The plan of the world at the height of the robot's lidar; None where nothing stands there."""
    height = done.mapper.log.scans[0].height
    try:
        return map_of_world(world, height=height, resolution=done.mapper.parameters.resolution)
    except BadInput:
        return None


def _finish(robot: MobileRobot, drive: Exploration, world: World | None, files: MapFiles) -> ExploreResult:
    """Close the map, write it, and compare that of a simulated robot with the truth."""
    done, truth, simulated = drive.done, robot.measure, robot.body.simulated
    began = time.perf_counter()
    result = done.mapper.finish()
    done.work += time.perf_counter() - began
    files.write(result.grid, result.trajectory)
    plan = true_plan(world, done) if simulated and world is not None else None
    walls = None if plan is None else compare_maps(result.grid, plan)
    rows, columns = result.grid.shape
    pose = robot.to_root(drive.pose)
    off = se2.between(truth.pose, pose) if simulated else np.full(3, math.nan)
    way = truth.path
    true = Trajectory(way[:, 0], way[:, 1:]).at([scan.time for scan in done.mapper.log.scans])
    gaps = (robot.to_root(result.poses) - true)[:, :2]
    return ExploreResult(
        scans=result.scans,
        rate=result.scans / done.work if done.work > 0 else math.inf,
        map=files.yaml,
        trajectory=str(files.trajectory or ""),
        coverage=math.nan if walls is None else walls.coverage,
        time=done.ended - done.begun,
        distance=done.distance,
        complete=done.complete,
        reason=done.reason,
        goals=done.goals,
        missed=tuple(drive.errand.missed),
        keys=result.keys,
        loops=result.loops,
        size=(columns, rows),
        resolution=result.grid.resolution,
        pose=pose,
        pose_error=np.array([math.hypot(off[0], off[1]), abs(float(off[2]))]),
        path_error=float(np.sqrt(np.nanmean((gaps**2).sum(axis=1)))) if simulated else math.nan,
        walls=walls,
        collided="" if truth.collision is None else str(truth.collision),
        warnings=done.mapper.warnings,
        engine=robot.body.address,
        result=result,
        plan=plan,
        truth=way,
    )
