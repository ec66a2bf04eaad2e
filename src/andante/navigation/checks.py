"""Checks of users' own planners and controllers: what is wrong, in words; empty when all is well."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from andante.geometry import Array
from andante.mapping import OccupancyGrid

from .control import Decision, LocalPlanner, MotionState
from .costmap import Costmap
from .path import Path
from .planning import GlobalPlanner, Plan
from .vehicle import Vehicle

_CELLS = 120  # rows and columns of the maps


def check_planner(
    planner: GlobalPlanner, vehicle: Vehicle, worlds: Sequence[str] = ("open", "wall", "shut")
) -> list[str]:
    """Plan on small maps: open, with a wall to drive around, with the goal shut off."""
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


def check_controller(controller: LocalPlanner, vehicle: Vehicle) -> list[str]:
    """Drive along a straight path in an empty world for three seconds."""
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
