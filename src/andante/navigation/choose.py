"""Planners and controllers by name, users' own as `file.py:Name`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from andante.errors import BadInput, UnknownName
from andante.userfile import is_user_reference, load_user_object

from .checks import check_controller, check_planner
from .control import LocalPlanner
from .dwa import Dwa, DwaSettings
from .grid_planners import AnyAngle, AStar, Dijkstra
from .hybrid import HybridAStar
from .mppi import Mppi, MppiSettings
from .planning import GlobalPlanner
from .pursuit import PurePursuit, PursuitSettings
from .vehicle import Vehicle
from .waypoint import WaypointDriver

PLANNERS = ("auto", "dijkstra", "astar", "anyangle", "hybrid")
CONTROLLERS = ("mppi", "dwa", "pursuit", "waypoint")


def planner_named(name: str, vehicle: Vehicle) -> GlobalPlanner:
    """The global planner of a name or of `file.py:Name`; auto: hybrid A* for cars, A* for all others.

    One of the user's own has to find a path in the open; `check_planner` asks for more.
    """
    if is_user_reference(name):
        planner = _made(name, vehicle)
        _refuse(name, check_planner(planner, vehicle, ("open",)))
        return planner
    match name:
        case "auto":
            return HybridAStar(vehicle) if vehicle.drive == "ackermann" else AStar()
        case "dijkstra":
            return Dijkstra()
        case "astar":
            return AStar()
        case "anyangle":
            return AnyAngle()
        case "hybrid":
            return HybridAStar(vehicle)
    raise UnknownName.among("planner", name, (*PLANNERS, "file.py:Name"))


def controller_named(name: str, vehicle: Vehicle, *, speed: float = math.inf, seed: int = 0) -> LocalPlanner:
    """The local planner of a name or of `file.py:Name`, for a wanted speed [m/s]."""
    if not speed > 0:
        raise BadInput(f"the wanted speed must be a number > 0, got {speed} m/s")
    slower = replace(vehicle, max_speed=min(speed, vehicle.max_speed), max_reverse=min(speed, vehicle.max_reverse))
    if is_user_reference(name):
        controller = _made(name, slower)
        _refuse(name, check_controller(controller, slower))
        return controller
    match name:
        case "mppi":
            return Mppi(vehicle, MppiSettings(speed=speed), seed)
        case "dwa":
            return Dwa(vehicle, DwaSettings(speed=speed))
        case "pursuit":
            return PurePursuit(vehicle, PursuitSettings(speed=speed))
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
