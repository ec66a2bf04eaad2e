"""What was learned of a base, kept beside its robot file: NAME.tune.toml with a table [vehicle]."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from andante.description import Robot
from andante.errors import BadInput
from andante.kinematics import find_drive
from andante.locomotion.io.gait_parameters import read_parameter_file
from andante.navigation import Vehicle

PACKAGE = Path(__file__).resolve().parents[1]
LEARNED = ("latency", "max_acceleration", "max_deceleration", "max_turn_acceleration", "stray")  # fields of `Vehicle`


def tuned_file(robot: Robot) -> Path:
    """Where the result of a robot is kept: beside its file; here for one that ships with the package or has no file."""
    path = Path(robot.source.file)
    if not robot.source.file or PACKAGE in path.resolve().parents:
        return Path(f"{robot.name}.tune.toml")
    return path.with_name(f"{path.name.split('.')[0]}.tune.toml")


def tuned_words(robot: Robot, learned: Mapping[str, Any]) -> str:
    """The text of the file; `wheels` say of which base it tells, for a file may describe several."""
    lines = [
        "# Learned by andante tune. navigate, explore and sessions read it beside the robot file; --params goes first.",
        f"wheels = [{', '.join(json.dumps(name) for name in _wheels(robot))}]",
        "[vehicle]",
    ]
    lines += [f"{name} = {float(learned[name]):.4g}" for name in LEARNED if math.isfinite(float(learned[name]))]
    return "\n".join(lines) + "\n"


def tuned(vehicle: Vehicle, robot: Robot) -> Vehicle:
    """The vehicle with what was learned of its base; unchanged where nothing is kept of it."""
    file = tuned_file(robot)
    if not file.parent.name or not file.is_file():
        return vehicle
    data = read_parameter_file(file)
    table = data.get("vehicle") if isinstance(data, dict) else None
    if not isinstance(table, dict):
        raise BadInput(f"{file}: needs a table [vehicle]; andante tune writes one, or delete the file")
    for name, value in table.items():
        if name not in LEARNED or isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"{file}: [vehicle] {name} = {value!r} is not one of the numbers {', '.join(LEARNED)}")
    if data.get("wheels") != _wheels(robot):
        return vehicle
    return replace(vehicle, **{name: float(value) for name, value in table.items()})


def _wheels(robot: Robot) -> list[str]:
    return sorted(part.joint for part in find_drive(robot).wheels)
