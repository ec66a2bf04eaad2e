"""Planners and controllers by name, users' own as `file.py:Name`, and checks of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.mapping import OccupancyGrid
from andante.settings import renamed
from andante.userfile import is_user_reference, load_user_object

from .controllers import Controller, Decision, MotionState
from .controllers.dwa import Dwa, DwaSettings
from .controllers.mppi import Mppi, MppiSettings
from .controllers.pursuit import PurePursuit, PursuitSettings
from .controllers.waypoint import WaypointDriver
from .costmap import Costmap
from .path import Path
from .planners import Plan, Planner
from .planners.grid import AStar, Dijkstra, ThetaStar
from .planners.hybrid import HybridAStar
from .vehicle import Vehicle

_CELLS = 120  # rows and columns of the maps
PLANNERS = ("auto", "dijkstra", "astar", "theta_star", "hybrid")
CONTROLLERS = ("mppi", "dwa", "pursuit", "waypoint")


def planner_named(name: str, vehicle: Vehicle) -> Planner:
    """The planner of a name or of `file.py:Name`; auto: hybrid A* for cars, A* for all others.

    One of the user's own has to find a path in the open; `check_planner` asks for more.
    """
    if is_user_reference(name):
        planner: Planner = _made(name, vehicle)
        _refuse(name, check_planner(planner, vehicle, ("open",)))
        return planner
    if name == "anyangle":
        name = renamed("planner", name, "theta_star")
    match name:
        case "auto":
            return HybridAStar(vehicle) if vehicle.drive == "ackermann" else AStar()
        case "dijkstra":
            return Dijkstra()
        case "astar":
            return AStar()
        case "theta_star":
            return ThetaStar()
        case "hybrid":
            return HybridAStar(vehicle)
    raise UnknownName.among("planner", name, (*PLANNERS, "file.py:Name"))


def controller_named(name: str, vehicle: Vehicle, *, speed: float = math.inf, seed: int = 0) -> Controller:
    """The controller of a name or of `file.py:Name`, for a greatest speed [m/s]."""
    if not speed > 0:
        raise BadInput(f"the wanted speed must be a number > 0, got {speed} m/s")
    slower = replace(vehicle, max_speed=min(speed, vehicle.max_speed), max_reverse=min(speed, vehicle.max_reverse))
    if is_user_reference(name):
        controller: Controller = _made(name, slower)
        _refuse(name, check_controller(controller, slower))
        return controller
    match name:
        case "mppi":
            return Mppi(vehicle, MppiSettings(max_speed=speed), seed)
        case "dwa":
            return Dwa(vehicle, DwaSettings(max_speed=speed))
        case "pursuit":
            return PurePursuit(vehicle, PursuitSettings(max_speed=speed))
        case "waypoint":
            return WaypointDriver(slower)
    raise UnknownName.among("controller", name, (*CONTROLLERS, "file.py:Name"))


def _refuse(name: str, problems: list[str]) -> None:
    if problems:
        raise BadInput(f"{name}: {problems[0]}")


def _made(reference: str, vehicle: Vehicle) -> Any:
    """The object of a user's file; a class is made with the vehicle, or with nothing where it takes nothing."""
    found = load_user_object(reference)
    if not isinstance(found, type):
        return found
    try:
        return found(vehicle)
    except TypeError:
        try:
            return found()
        except Exception as error:
            raise BadInput(f"{reference} cannot be made: {type(error).__name__}: {error}") from error
    except Exception as error:
        raise BadInput(f"{reference} cannot be made: {type(error).__name__}: {error}") from error


def check_planner(planner: Planner, vehicle: Vehicle, worlds: Sequence[str] = ("open", "wall", "shut")) -> list[str]:
    """Problems of a planner, found by planning on small maps; empty: none.

    Args:
        planner: the planner to check.
        vehicle: the robot that it plans for.
        worlds: of "open" (free), "wall" (one to drive around) and "shut" (no path to the goal).
    """
    if not callable(getattr(planner, "plan", None)):
        return ["a planner needs a method plan(start, goal, costmap)"]
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
    for method in ("plan", "reset"):
        if not callable(getattr(controller, method, None)):
            return ["a controller needs the methods plan(state, path, costmap) and reset()"]
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
