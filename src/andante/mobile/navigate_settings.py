"""Settings of a navigated drive: good ones for a robot and a distance, changed by the tables of a file.

Tables and what they change: [vehicle] Vehicle, [navigator] NavigatorSettings, [layers] LayerSettings, [inflation]
Inflation, [margins] Margins, [planner] the planner's fields, [mcl] MclParameters, and the controller's own table
([mppi], [dwa], [pursuit] or [waypoint]).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from andante import navigation as nav
from andante.errors import BadInput, UnknownName
from andante.localization import MclParameters
from andante.settings import settings_from
from andante.userfile import is_user_reference

BEHIND = 0.4  # echoes of a real lidar scatter by a centimeter or two: marked where they are, they would narrow a gap
CONTROLLER_TABLES = ("mppi", "dwa", "pursuit", "waypoint")
TABLES = ("vehicle", "navigator", "layers", "inflation", "margins", "planner", "mcl", *CONTROLLER_TABLES)
Tables = Mapping[str, Mapping[str, Any]]
S = TypeVar("S")


def checked_tables(data: Any, path: str) -> dict[str, dict[str, Any]]:
    """The same tables; BadInput names the file where one is none of ours."""
    for name, table in data.items() if isinstance(data, dict) else [("the file", None)]:
        if not isinstance(table, dict):
            raise BadInput(f"{path}: {name} is not a table; parameters are given in tables such as [mppi] or [layers]")
        if name not in TABLES:
            raise UnknownName.among("table", name, TABLES, path)
    return dict(data)


def changed(base: S, tables: Tables, name: str) -> S:
    """A dataclass of settings with the values of a table."""
    return settings_from(base, tables.get(name, {}), f"[{name}] parameter")


def vehicle_with(vehicle: nav.Vehicle, tables: Tables) -> nav.Vehicle:
    """The vehicle with the limits of the table [vehicle]; its footprint and drive are those of the robot file."""
    numbers = {each.name for each in fields(vehicle) if each.init and isinstance(getattr(vehicle, each.name), float)}
    table = tables.get("vehicle", {})
    for name, value in table.items():
        if name not in numbers:
            raise UnknownName.among("[vehicle] parameter", name, sorted(numbers))
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"[vehicle] parameter {name} must be a number, got {value!r}")
    numbered: dict[str, Any] = {name: float(value) for name, value in table.items()}
    return replace(vehicle, **numbered)


def navigator_settings(
    vehicle: nav.Vehicle, way: float, arrival: nav.GoalChecker, tables: Tables
) -> nav.NavigatorSettings:
    """Settings for a drive over a distance [m]: cells a sixth of the robot's half width, a window that holds it."""
    cell = min(0.05, max(0.03, round(vehicle.inscribed / 6 / 0.005) * 0.005))
    window = min(40.0, max(12.0, 2.2 * way + 4.0))
    inflation = changed(nav.Inflation(), tables, "inflation")
    layers = replace(
        changed(nav.LayerSettings(resolution=cell, window=window, behind=BEHIND), tables, "layers"), inflation=inflation
    )
    margins = changed(nav.Margins(), tables, "margins")
    base = nav.NavigatorSettings(layers=layers, margins=margins, arrival=arrival)
    return changed(base, tables, "navigator")


def mcl_parameters(tables: Tables) -> MclParameters:
    """Parameters of the localizer."""
    return changed(MclParameters(), tables, "mcl")


def planner_with(name: str, vehicle: nav.Vehicle, goal_tolerance: float, tables: Tables) -> nav.Planner:
    """A planner of a name or `file.py:Name`; one of ours may move an occupied goal by `goal_tolerance` only [m]."""
    planner = nav.planner_named(name, vehicle)
    if is_user_reference(name) or not is_dataclass(planner) or not hasattr(planner, "goal_tolerance"):
        if tables.get("planner"):
            raise BadInput("table [planner] configures the planners of andante, not one of your own")
        return planner
    planner = replace(planner, goal_tolerance=goal_tolerance)
    return changed(planner, tables, "planner")


def controller_with(
    name: str, vehicle: nav.Vehicle, seed: int, margins: nav.Margins, near: float, tables: Tables
) -> nav.Controller:
    """A controller of a name or `file.py:Name`, with the settings of its own table; near: the goal's radius [m]."""
    for table in CONTROLLER_TABLES:
        if tables.get(table) and table != name:
            raise BadInput(f"table [{table}] configures controller {table}, but the controller is {name}")
    found = None if is_user_reference(name) else nav.CONTROLLERS.get(name)
    if found is None or not issubclass(found, nav.VehicleController):
        return nav.controller_named(name, vehicle, seed=seed)
    usual = replace(found.Settings(), margins=margins)
    if isinstance(usual, nav.WaypointSettings):
        usual = replace(usual, arrival=min(usual.arrival, 0.8 * near))
    return found(vehicle, changed(usual, tables, name), seed)
