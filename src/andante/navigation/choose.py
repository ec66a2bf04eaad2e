"""Planners and controllers by the names that packages register, users' own as `file.py:Name`, and checks of them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.mapping import OccupancyGrid
from andante.plugins import Registry
from andante.settings import renamed
from andante.userfile import is_user_reference, load_user_object

from .controllers import Controller, Decision, MotionState, VehicleController, slowed
from .costmap import Costmap
from .path import Path
from .planners import Plan, Planner
from .vehicle import Vehicle

_CELLS = 120  # rows and columns of the maps
PLANNERS: Registry[type] = Registry("andante.planners", type, first="dijkstra")
CONTROLLERS: Registry[type] = Registry("andante.controllers", type, first="mppi")


def planner_named(name: str, vehicle: Vehicle) -> Planner:
    """The planner of a name or of `file.py:Name`; auto: hybrid A* for cars, A* for all others.

    Names are those that packages register as `andante.planners`. One of the user's own has to find a path in the open;
    `check_planner` asks for more.
    """
    if name == "anyangle":
        name = renamed("planner", name, "theta_star")
    if name == "auto":
        name = "hybrid" if vehicle.drive == "ackermann" else "astar"
    own = is_user_reference(name)
    if not own and name not in PLANNERS:
        raise UnknownName.among("planner", name, ("auto", *PLANNERS, "file.py:Name"))
    planner: Planner = _made(name, load_user_object(name) if own else PLANNERS[name], vehicle)
    _refuse(name, check_planner(planner, vehicle, ("open",) if own else ()))
    return planner


def controller_named(name: str, vehicle: Vehicle, *, speed: float = math.inf, seed: int = 0) -> Controller:
    """The controller of a name or of `file.py:Name`, for a greatest speed [m/s].

    Names are those that packages register as `andante.controllers`.
    """
    if not speed > 0:
        raise BadInput(f"the wanted speed must be a number > 0, got {speed} m/s")
    own = is_user_reference(name)
    if not own and name not in CONTROLLERS:
        raise UnknownName.among("controller", name, (*CONTROLLERS, "file.py:Name"))
    found = load_user_object(name) if own else CONTROLLERS[name]
    if isinstance(found, type) and issubclass(found, VehicleController):
        return found.limited(vehicle, speed, seed)
    slower = slowed(vehicle, speed)
    controller: Controller = _made(name, found, slower)
    _refuse(name, check_controller(controller, slower) if own else _lacking(controller, "controller"))
    return controller


def _refuse(name: str, problems: list[str]) -> None:
    if problems:
        raise BadInput(f"{name}: {problems[0]}")


def _made(name: str, found: Any, vehicle: Vehicle) -> Any:
    """What is named; a class is made with the vehicle where it asks for one argument, or for a `vehicle`."""
    if not isinstance(found, type):
        return found
    try:
        first = next(iter(inspect.signature(found).parameters.values()), None)
        asks = first is not None and (first.default is first.empty or first.name == "vehicle")
        return found(vehicle) if asks else found()
    except Exception as error:
        raise BadInput(f"{name} cannot be made: {type(error).__name__}: {error}") from error


def _lacking(thing: object, what: str) -> list[str]:
    """What a planner or controller lacks of its methods, in words."""
    methods = {"planner": ("plan",), "controller": ("plan", "reset")}[what]
    if all(callable(getattr(thing, method, None)) for method in methods):
        return []
    if what == "planner":
        return ["a planner needs a method plan(start, goal, costmap)"]
    return ["a controller needs the methods plan(state, path, costmap) and reset()"]


def check_planner(planner: Planner, vehicle: Vehicle, worlds: Sequence[str] = ("open", "wall", "shut")) -> list[str]:
    """Problems of a planner, found by planning on small maps; empty: none.

    Args:
        planner: the planner to check.
        vehicle: the robot that it plans for.
        worlds: of "open" (free), "wall" (one to drive around) and "shut" (no path to the goal).
    """
    if lacking := _lacking(planner, "planner"):
        return lacking
    size = max(6.0, 16 * vehicle.circumscribed, 8 * vehicle.turning_radius)
    problems = []
    for world in worlds:
        cells = np.zeros((_CELLS, _CELLS), dtype=np.int8)
        if world != "open":
            cells[: _CELLS if world == "shut" else 2 * _CELLS // 3, 58:62] = 100
        costmap = Costmap.of(OccupancyGrid(size / _CELLS, (0.0, 0.0, 0.0), cells), vehicle)
        start, goal = np.array([0.15 * size, size / 2, 0.0]), np.array([0.85 * size, size / 2, 0.0])
        try:
            plan = planner.plan(start, goal, costmap)
        except Exception as error:
            return [f"plan fails in the {world} world: {type(error).__name__}: {error}"]
        if not isinstance(plan, Plan):
            return [f"plan must return a Plan, got {type(plan).__name__}"]
        if world == "open":
            try:
                planner.plan(start, np.array([*goal[:2], math.nan]), costmap)
            except Exception as error:
                return [f"plan fails where the yaw of the goal is free (NaN): {type(error).__name__}: {error}"]
        problems += _shut_problems(plan) if world == "shut" else _path_problems(plan, start, goal, costmap, world)
    return problems


def _shut_problems(plan: Plan) -> list[str]:
    if plan.path is not None:
        return ["plan finds a path to a goal behind a closed wall"]
    return [] if plan.reason else ["a Plan without a path needs a reason in words"]


def _path_problems(plan: Plan, start: Array, goal: Array, costmap: Costmap, world: str) -> list[str]:
    if plan.path is None:
        return [f"plan finds no path in the {world} world ({plan.reason or 'no reason given'})"]
    ends = np.linalg.norm(plan.path.poses[[0, -1], :2] - np.array([start[:2], goal[:2]]), axis=1)
    if ends.max() > 2 * costmap.resolution:
        return [f"the path in the {world} world ends {ends.max():.2f} m away from the start or the goal"]
    cells = [costmap.cell_of(pose) for pose in plan.path.resampled(costmap.resolution / 2).poses]
    if not all(costmap.inside(cell) and costmap.cost[cell] != 254 for cell in cells):
        return [f"the path in the {world} world leads through an obstacle or off the map"]
    return []


def check_controller(controller: Controller, vehicle: Vehicle) -> list[str]:
    """Problems of a controller, found by driving along a straight path in free space for 3 s; empty: none."""
    if lacking := _lacking(controller, "controller"):
        return lacking
    grid = OccupancyGrid(0.1, (-3.0, -3.0, 0.0), np.zeros((60, 90), dtype=np.int8))
    costmap = Costmap.of(grid, vehicle)
    path = Path.through(np.column_stack([np.linspace(0.0, 4.0, 41), np.zeros(41)]))
    pose, velocity, dt = np.zeros(3), np.zeros(3), 0.1
    try:
        controller.reset()
        for k in range(30):
            decision = controller.plan(MotionState(pose, velocity, k * dt), path, costmap)
            if not isinstance(decision, Decision):
                return [f"plan must return a Decision, got {type(decision).__name__}"]
            velocity = np.asarray(decision.velocity, dtype=float)
            if velocity.shape != (3,) or not np.isfinite(velocity).all():
                return [f"velocity must be three finite numbers vx, vy, w, got {decision.velocity}"]
            c, s = math.cos(pose[2]), math.sin(pose[2])
            step = [c * velocity[0] - s * velocity[1], s * velocity[0] + c * velocity[1], velocity[2]]
            pose = pose + dt * np.array(step)
        controller.reset()
    except Exception as error:
        return [f"plan fails on a straight path: {type(error).__name__}: {error}"]
    moved = float(pose[0])
    return [] if moved > 0.02 else [f"it does not move along a free straight path: {moved:.2f} m in 3 s"]
