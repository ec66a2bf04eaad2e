"""`an.navigate` of a robot on two legs: it looks, knows where it is in a map of three dimensions, walks footsteps."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from andante import mapping, viz
from andante.control.loop import ControlLoop
from andante.control.view import RobotView
from andante.description import Robot, World
from andante.description.shapes import Plane
from andante.description.solids import robot_bounds
from andante.description.solver import SolverLike
from andante.errors import AndanteError, BadInput
from andante.geometry import Array, se2, so3
from andante.localization.space import SpaceField, SpaceLocalizer, SpaceSettings
from andante.locomotion import Command
from andante.locomotion.biped.walk import BipedWalk
from andante.locomotion.gaits import Request, leg_count, prepare
from andante.mapping import OccupancyGrid
from andante.mapping.io.octomap import load_octree
from andante.mapping.octree import OcTree, octree_of_world
from andante.mobile.feet import FootNavigator, FootSettings, FootState, Gaze, Sight, root_odometry
from andante.mobile.feet.obstacles import HIGH, LOW
from andante.mobile.navigate import Outcome
from andante.navigation import vehicle_of
from andante.navigation.footsteps import FootstepPlanner, StepSet, Terrain
from andante.progress import bar
from andante.simulation import simulate
from andante.simulation.simulation import Simulation

from .inputs import Pose
from .outputs import RunFiles, kept

RESOLUTION = 0.04  # of the map of a world [m]
TOP = 1.4  # of that map [m]
SETTLE = 1.0  # standing before it begins to look [s]
SWAY = 0.06  # of body and arms beside the plan [m]
STEPPED_ON = 0.06  # feet may touch what is lower [m]


@dataclass(frozen=True)
class FootRequest:
    """A walk in numbers. Poses x, y, yaw of the root link in the world."""

    start: Pose
    goal: Pose  # yaw NaN: any
    tolerance: float  # [m]
    yaw_tolerance: float  # [rad]
    timeout: float  # [s]
    seed: int
    engine: str = "mujoco"
    dt: float | None = None
    solver: SolverLike | None = None
    push: tuple[Array, float] | None = None
    feet: FootSettings = field(default_factory=FootSettings)
    place: SpaceSettings = field(default_factory=SpaceSettings)


def on_two_feet(robot: Robot) -> bool:
    """Whether a robot has two legs and no wheels, so that it finds its way by footsteps."""
    try:
        vehicle_of(robot)
    except AndanteError:
        return leg_count(robot) == 2
    return False


def walk_there(
    robot: Robot,
    world: World,
    map: OccupancyGrid | OcTree | Path | str | None,
    request: FootRequest,
    files: RunFiles,
    progress: bool = False,
) -> tuple[Outcome, viz.FootShown]:
    """Let a robot walk to a goal by its own sight; what came of it by the simulator's truth."""
    if request.push is not None:
        raise BadInput("a push on the way is not known to walks by footsteps; leave push out")
    tree = _tree(map, world)
    ready = prepare(robot, Request("walk"))
    walk = ready.walker
    if not isinstance(walk, BipedWalk):
        raise BadInput(f"robot {robot.name!r} does not walk on two legs by footsteps")
    grid = tree.slice(LOW, HIGH)
    planner = FootstepPlanner(Terrain.of_grid(grid), step_set(robot, walk, ready.pose, tree.resolution))
    if math.isfinite(request.goal[2]) and (why := planner.refused(request.goal)):
        raise BadInput(
            f"nobody can stand at the goal {request.goal[0]:g} {request.goal[1]:g}: {why}{_high(tree, request.goal)}"
        )
    localizer = SpaceLocalizer(SpaceField(tree, request.place), seed=request.seed)
    sim = simulate(
        robot, world, request.engine, dt=request.dt, pose=ready.pose, start=request.start, seed=request.seed,
        sensors=True, solver=request.solver,
    )  # fmt: skip
    try:
        ground = _height(tree, np.array(request.start))
        if sim.ground > ground + STEPPED_ON:
            raise BadInput(
                f"the robot cannot start at {request.start[0]:g} {request.start[1]:g}: something of "
                f"{sim.ground:.2f} m height stands there or hangs over it"
            )
        sight = Sight(sim)
        gaze = Gaze(walk)
        loop = ControlLoop(sim, gaze, command=Command())
        view = RobotView(sim, walk, pose=ready.pose, origin=np.array(request.start))
        view.run_by(loop)
        with kept(sim, files, view):
            loop.run(SETTLE)
            own = root_odometry(walk, loop.state)
            over = se2.compose(se2.inverse(walk.position), own[[0, 1, 5]])  # of the root over the feet
            at = np.array(request.start)
            localizer.start_at((at[0], at[1], own[2] + ground, own[3], own[4], at[2]))
            goal = _feet_goal(request.goal, over)
            navigator = FootNavigator(walk, planner, localizer, sight.look, goal, request.feet, gaze=gaze)
            loop.command = navigator
            outcome, truth = _walked(sim, loop, navigator, request, progress)
    finally:
        sim.close()
    poses = navigator.record.poses
    believed = np.array([(t, pose[0], pose[1]) for t, pose, _ in poses]).reshape(-1, 3)
    rows, columns = np.nonzero(navigator.obstacles.evidence >= 1.0)
    t = planner.terrain
    seen = (np.column_stack([columns, rows]) + 0.5) * t.resolution + np.array(t.origin)
    plans = tuple(plan for plan in navigator.record.plans if plan.found)
    return outcome, viz.FootShown(grid, planner.steps.sole, plans, believed, truth, request.goal, seen)


def step_set(robot: Robot, walk: BipedWalk, pose: Mapping[str, float], resolution: float) -> StepSet:
    """The steps of a walk, for a body as wide as the robot stands in a pose, with room to sway.

    resolution: of the terrain [m], whose cells know where a thing ends to half an edge.
    """
    steps, box = StepSet.of_walk(walk), robot_bounds(robot, robot.complete(pose))
    if box is None:
        return steps
    half = 0.5 * float(box[1][1] - box[0][1])
    return replace(steps, body=max(steps.body, half + SWAY + 0.5 * resolution))


def _tree(map: OccupancyGrid | OcTree | Path | str | None, world: World) -> OcTree:
    """The map that is given, or that of the world."""
    if isinstance(map, OccupancyGrid):
        raise BadInput("robots on two legs need a map of three dimensions; give an octree (.bt, .ot) or none")
    if isinstance(map, str | Path):
        return load_octree(map)
    return octree_of_world(world, RESOLUTION, top=TOP) if map is None else map


def _height(tree: OcTree, at: Array) -> float:
    """Of the ground at a place [m]; 0 where the map has none."""
    found = float(mapping.height_map(tree, 0.5).at(at[None, :2])[0])
    return found if math.isfinite(found) else 0.0


def _high(tree: OcTree, goal: Pose) -> str:
    """How high the ground at a goal is, where that is more than feet are put on."""
    height = _height(tree, np.array(goal))
    if height <= LOW:
        return ""
    return f"; the ground there is {height:.2f} m high, and this walk climbs at most {LOW:g} m"


def _feet_goal(goal: Pose, over: Array) -> Pose:
    """The goal of the middle of the feet for one of the root link."""
    if math.isnan(goal[2]):
        return goal
    x, y, yaw = se2.compose(goal, se2.inverse(over))
    return float(x), float(y), float(yaw)


def _walked(
    sim: Simulation, loop: ControlLoop, navigator: FootNavigator, request: FootRequest, progress: bool
) -> tuple[Outcome, Array]:
    """Walk until it has arrived, lies, gives up or the time is over; the outcome, and times, places and errors."""
    begun, clock = sim.time, time.perf_counter()
    rows: list[tuple[float, float, float, float, float]] = []
    length, last, told, touched = 0.0, sim.base_pose[:2].copy(), 0, ""
    grounds = {
        model.index for model in sim.engine.models for body in model.tree.bodies for shape in body.shapes
        if isinstance(shape.geometry, Plane)
    }  # fmt: skip
    with bar("walking", progress, unit="s") as report:
        while sim.time < begun + request.timeout and not navigator.over and not sim.fallen:
            before = sim.base_pose
            loop.step()
            poses = navigator.record.poses
            if len(poses) > told:
                told = len(poses)
                _, pose, _ = poses[-1]
                yaw = float(so3.to_rpy(so3.from_quaternion(before[3:]))[2])
                turn = math.remainder(float(pose[5]) - yaw, 2 * math.pi)
                rows.append((sim.time - begun, before[0], before[1], math.dist(pose[:3], before[:3]), turn))
                length += math.dist(before[:2], last)
                last = before[:2].copy()
                touched = touched or _touched(sim, grounds)
                report(sim.time - begun, request.timeout, navigator.state.value)
    end = np.array([*sim.base_pose[:2], so3.to_rpy(so3.from_quaternion(sim.base_pose[3:]))[2]])
    truth = np.array(rows).reshape(-1, 5)
    off = math.dist(end[:2], request.goal[:2])
    turned = math.nan
    if math.isfinite(request.goal[2]):
        turned = abs(math.remainder(float(end[2]) - request.goal[2], 2 * math.pi))
    near = off <= request.tolerance and not turned > request.yaw_tolerance
    reason = navigator.reason or ("it fell" if sim.fallen else "the time was over")
    seconds, errors = time.perf_counter() - clock, truth[:, 3] if len(truth) else np.array([math.nan])
    yaws = truth[:, 4] if len(truth) else np.array([math.nan])
    outcome = Outcome(
        robot=sim.robot.name, world=sim.engine.world.name, engine=sim.engine.name, planner="footsteps",
        controller="walk", success=near and not sim.fallen and not touched and navigator.state is FootState.ARRIVED,
        collided=bool(touched), time=sim.time - begun, path_length=length, final_error=off, final_yaw_error=turned,
        reason=reason, arrived=navigator.state is FootState.ARRIVED, fallen=sim.fallen, collision=touched,
        estimate_error={
            "mean": float(errors.mean()), "rms": float(np.sqrt(np.mean(errors**2))), "max": float(errors.max()),
            "yaw": float(np.sqrt(np.mean(yaws**2))),
        },
        replans=max(0, len(navigator.record.plans) - 1), recoveries=0,
        events=[f"{t - begun:.1f} s: {words}" for t, words in navigator.record.events], end=end, seconds=seconds,
        real_time_factor=(sim.time - begun) / max(seconds, 1e-9),
    )  # fmt: skip
    return outcome, truth[:, :4]


def _touched(sim: Simulation, grounds: set[int]) -> str:
    """What the robot touches that is not the ground under its feet; empty: nothing."""
    found = sim.engine.contacts_of(sim.model)
    for link, other, place in zip(found.link_a.tolist(), found.model_b.tolist(), found.position, strict=True):
        if other not in grounds and other != sim.model and place[2] > STEPPED_ON:
            models = sim.engine.models
            return f"{models[sim.model].tree.robot.links[link].name} touched {models[other].name} at {sim.time:.1f} s"
    return ""
