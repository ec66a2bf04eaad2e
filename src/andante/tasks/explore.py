"""A robot that maps a world by itself as one value in, one value out: what `andante explore` does.

It drives by its wheels, gyro and lidar alone; the simulator's truth only measures what came of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from andante.description import load_robot, load_world
from andante.description.world import World
from andante.errors import BadInput
from andante.files import write_all
from andante.geometry import Array, se2
from andante.locomotion.io.gait_parameters import read_parameters
from andante.mapping import MappingParameters, MappingResult, OccupancyGrid, Trajectory, map_of_world
from andante.mapping.evaluation import Agreement, compare_maps
from andante.mapping.io.map_files import encode_map, map_base
from andante.mapping.io.trajectories import trajectory_bytes
from andante.mapping.parameters import parameters_from
from andante.mobile.explore.drive import KEYS, Exploration, Explored
from andante.mobile.explore.goals import Errand, Frontiers, Missed, Waypoints
from andante.mobile.explore.waypoints import read_waypoints
from andante.mobile.robot import MobileRobot, mobile_robot
from andante.navigation import Vehicle
from andante.progress import bar

from .map_log import MAPS, TRAJECTORIES, warm
from .outputs import PICTURES, RECORDINGS, VIDEOS, check_outputs, kept

SPEED = 0.5  # of faster robots while they map [m/s]
LONGEST = 36_000.0  # [s]
FARTHEST = 1e4  # [m]


@dataclass(frozen=True)
class ExploreJob:
    """Who maps which world, how, and what to keep of it. `start` is the pose of the root link in the world."""

    robot: str
    world: str
    out: Path  # MAP of MAP.pgm and MAP.yaml
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)
    waypoints: Path | None = None  # None: by frontiers
    trajectory: Path | None = None  # None: MAP.tum
    timeout: float = 600.0  # of simulated time [s]
    engine: str = "mujoco"
    planner: str = "auto"
    controller: str = "pursuit"
    max_speed: float = SPEED  # [m/s]
    params: Path | None = None  # of mapping
    arguments: Mapping[str, str] = field(default_factory=dict)
    dt: float = 0.002
    seed: int = 0
    record: Path | None = None
    plot: Path | None = None
    video: Path | None = None


@dataclass(frozen=True)
class ExploreOutcome:
    """What was written and what came of the drive; `pose_error`, `path_error`, `walls` and `collided` by the truth."""

    scans: int
    rate: float  # scans per second of mapping
    map: str  # the yaml file
    trajectory: str
    coverage: float  # share of the world's free floor that the map shows as free
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

    def as_dict(self) -> dict[str, Any]:
        """The keys of the command-line contract, and more."""
        out = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {
            **out,
            "missed": [{"x": m.place[0], "y": m.place[1], "size": m.size, "reason": m.reason} for m in self.missed],
            "walls": None if self.walls is None else asdict(self.walls),
            "collided": bool(self.collided),
            "collision": self.collided or None,
        }


@dataclass(frozen=True)
class Ready:
    """Everything that was read and checked before a world is built."""

    world: World
    parameters: MappingParameters
    errand: Callable[[Vehicle], Errand]
    files: dict[str, Path]
    trajectory: Path


def prepare(job: ExploreJob) -> Ready:
    """Check all names and numbers of a job and read its files."""
    if not all(math.isfinite(value) and abs(value) <= FARTHEST for value in job.start):
        raise BadInput(f"--start must be x y yaw as finite numbers, got {' '.join(map(str, job.start))}")
    if not 0 < job.timeout <= LONGEST:
        raise BadInput(f"--timeout must lie above 0 and up to {LONGEST:g} s, got {job.timeout}")
    if not 0.01 <= job.max_speed <= 50:
        raise BadInput(f"--max-speed must lie from 0.01 to 50 m/s, got {job.max_speed}")
    base = map_base(job.out)
    files = {suffix: base.with_name(base.name + suffix) for suffix in MAPS}
    trajectory = job.trajectory or base.with_name(base.name + ".tum")
    check_outputs(
        {
            **{f"maps ({suffix})": (path, (suffix,)) for suffix, path in files.items()},
            "trajectories": (trajectory, TRAJECTORIES),
            "recordings": (job.record, RECORDINGS),
            "plots": (job.plot, (*PICTURES, ".svg", ".pdf")),
            "videos": (job.video, VIDEOS),
        }
    )
    for read in (job.waypoints, job.params):
        if read is not None and read.absolute() in {path.absolute() for path in (*files.values(), trajectory)}:
            raise BadInput(f"{read} would be written over; give another name")
    parameters = parameters_from(read_parameters(job.params), KEYS) if job.params else KEYS
    places = None if job.waypoints is None else read_waypoints(job.waypoints)

    def errand(vehicle: Vehicle) -> Errand:
        return Frontiers(vehicle) if places is None else Waypoints(places)

    return Ready(load_world(job.world), parameters, errand, files, trajectory)


def run_explore(job: ExploreJob, progress: bool = False) -> ExploreOutcome:
    """Drive, map, and write MAP.pgm, MAP.yaml and the trajectory: all of them or none.

    Ctrl-C ends the drive; what was mapped until then is finished and written.
    """
    ready = prepare(job)
    warm()
    robot = mobile_robot(
        load_robot(job.robot, job.arguments), ready.world, job.start, job.engine, dt=job.dt, seed=job.seed
    )
    try:
        with kept(robot.sim, job.record, job.video), bar("looking around", progress) as tell:
            drive = _drive(job, ready, robot, lambda now, words: tell(now, job.timeout, words))
        return _finish(job, ready, robot, drive)
    finally:
        robot.close()


def _drive(job: ExploreJob, ready: Ready, robot: MobileRobot, tell: Callable[[float, str], None]) -> Exploration:
    """Explore until the end or Ctrl-C."""
    robot.step()
    if robot.truth.collision is not None:
        raise BadInput(f"--start: the robot stands in {robot.truth.collision.thing}; choose another place")
    exploration = Exploration(
        robot,
        ready.errand,
        start=robot.from_root(job.start),
        parameters=ready.parameters,
        planner=job.planner,
        controller=job.controller,
        speed=job.max_speed,
        seed=job.seed,
        tell=lambda sensed, words: tell(sensed.time, words),
    )
    if not exploration.mapper.keys:
        raise BadInput(
            f"world {ready.world.name!r}: the lidar sees nothing to map by from {job.start[0]:g} {job.start[1]:g}"
        )
    try:
        exploration.run(job.timeout)
    except KeyboardInterrupt:
        exploration.done.reason = f"stopped by hand; {exploration.errand.reason}"
    return exploration


def _finish(job: ExploreJob, ready: Ready, robot: MobileRobot, drive: Exploration) -> ExploreOutcome:
    done = drive.done
    began = time.perf_counter()
    result = done.mapper.finish()
    done.work += time.perf_counter() - began
    base = map_base(job.out)
    written = encode_map(result.grid, base)
    written.append((trajectory_bytes(result.trajectory, ready.trajectory), ready.trajectory))
    write_all(written)
    outcome = _outcome(job, ready, robot, drive, result)
    if job.plot is not None:
        from andante.viz.explore_plot import save_plot

        save_plot(job.plot, result, true_plan(ready.world, done), robot.truth.path, outcome)
    return outcome


def true_plan(world: World, done: Explored) -> OccupancyGrid | None:
    """The plan of the world at the height of the robot's lidar; None where nothing stands there."""
    height = done.mapper.log.scans[0].height
    try:
        return map_of_world(world, height=height, resolution=done.mapper.parameters.resolution)
    except BadInput:
        return None


def _outcome(
    job: ExploreJob, ready: Ready, robot: MobileRobot, drive: Exploration, result: MappingResult
) -> ExploreOutcome:
    done, truth = drive.done, robot.truth
    plan = true_plan(ready.world, done)
    walls = None if plan is None else compare_maps(result.grid, plan)
    rows, columns = result.grid.shape
    pose = robot.to_root(drive.pose)
    off = se2.between(truth.pose, pose)
    way = truth.path
    true = Trajectory(way[:, 0], way[:, 1:]).at([scan.time for scan in done.mapper.log.scans])
    gaps = (robot.to_root(result.poses) - true)[:, :2]
    return ExploreOutcome(
        scans=result.scans,
        rate=result.scans / done.work if done.work > 0 else math.inf,
        map=str(ready.files[".yaml"]),
        trajectory=str(ready.trajectory),
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
        path_error=float(np.sqrt(np.nanmean((gaps**2).sum(axis=1)))),
        walls=walls,
        collided="" if truth.collision is None else str(truth.collision),
        warnings=done.mapper.warnings,
        engine=job.engine,
    )
