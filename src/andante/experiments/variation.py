"""How trials differ: friction, masses, sensor noise, start pose and latency, drawn from the seed of the trial.

Every trial of an experiment is perturbed, so that the spread of a result shows how much of it is chance. Beside them
the identified parameters of a model: a flat table, some for one level of a factor ("curl@speed=40"), kept in TOML.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from andante.errors import BadInput
from andante.files import read_text, write_whole
from andante.parsing import parse_toml, toml_text
from andante.physics import RobotParameters

MOST = {"mass": 0.9, "yaw": math.pi, "place": 10.0, "pose": 0.5, "noise": 100.0, "latency": 1.0}
HEAD = "# Parameters that `andante experiment fit` has identified; `experiment run NAME --model FILE` uses them.\n"


@dataclass(frozen=True)
class Variation:
    """Ranges, from which every trial draws uniformly; an empty friction leaves what the files say."""

    friction: tuple[float, ...] = ()  # of feet and ground: low, high; or nothing
    mass: float = 0.0  # fraction by which the mass of every link varies up and down
    pose: float = 0.0  # by which every joint of the first pose varies up and down [rad]
    place: float = 0.0  # by which the start varies along x and y [m]
    yaw: float = 0.0  # by which the heading of the start varies [rad]
    noise: float = 0.0  # noise of encoders, gyro and accelerometer beyond their own, in 0.001 rad, 0.01 rad/s, 0.1 m/s²
    latency: float = 0.0  # most that commands come late [s]

    def __post_init__(self) -> None:
        if self.friction:
            pair = self.friction
            if len(pair) != 2 or not all(_is_number(v) for v in pair) or not 0 < pair[0] <= pair[1] <= 10:
                raise BadInput(f"vary.friction: two numbers, 0 < low <= high <= 10, got {list(pair)}")
        for name, most in MOST.items():
            value = getattr(self, name)
            if not _is_number(value) or not 0 <= value <= most:
                raise BadInput(f"vary.{name}: a number from 0 to {most:g}, got {value!r}")

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Variation:
        """From a table of the fields."""
        known = [each.name for each in fields(cls)]
        for name in table:
            if name not in known:
                raise BadInput(f"vary.{name}: no such entry; entries: {', '.join(known)}")
        values = dict(table)
        if "friction" in values:
            pair = values["friction"]
            if not isinstance(pair, list | tuple):
                raise BadInput(f"vary.friction: two numbers, 0 < low <= high <= 10, got {pair!r}")
            values["friction"] = tuple(pair)
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """The entries that vary something."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v}

    def draw(self, seed: int) -> Draw:
        """What one trial gets; every number has its own place in the stream, so that one entry changes no other."""
        rng = np.random.default_rng((0xD4A, seed))
        u = rng.uniform(-1.0, 1.0, 6)
        low, high = self.friction or (math.nan, math.nan)
        return Draw(
            friction=None if math.isnan(low) else low + 0.5 * (1 + float(u[0])) * (high - low),
            mass=self.mass,
            pose=self.pose,
            x=self.place * float(u[1]),
            y=self.place * float(u[2]),
            yaw=self.yaw * float(u[3]),
            noise=self.noise * 0.5 * (1 + float(u[4])),
            latency=self.latency * 0.5 * (1 + float(u[5])),
            seed=seed,
        )


@dataclass(frozen=True)
class Draw:
    """What varies in one trial; `mass` and `pose` are ranges whose values `seed` gives link by link."""

    friction: float | None = None
    mass: float = 0.0
    pose: float = 0.0
    x: float = 0.0  # [m]
    y: float = 0.0
    yaw: float = 0.0  # [rad]
    noise: float = 0.0
    latency: float = 0.0  # [s]
    seed: int = 0

    def figures(self) -> dict[str, float]:
        """The numbers of this trial by name, for the table of results."""
        drawn = {"friction": self.friction, "x": self.x, "y": self.y, "yaw": self.yaw}
        drawn |= {"noise": self.noise, "latency": self.latency}
        return {f"drawn_{name}": round(value, 6) for name, value in drawn.items() if value}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def level_key(name: str, factor: str, level: Any) -> str:
    """The key of a parameter that holds at one level of a factor."""
    return f"{name}@{factor}={level:g}" if isinstance(level, int | float) else f"{name}@{factor}={level}"


def model_at(model: Mapping[str, float], factors: Mapping[str, Any]) -> dict[str, float]:
    """The parameters that hold for a combination of factors; those of a level come before general ones."""
    general = {name: value for name, value in model.items() if "@" not in name}
    own = {level_key(name.partition("@")[0], factor, level): name.partition("@")[0]
           for name in model if "@" in name for factor, level in factors.items()}  # fmt: skip
    return general | {own[name]: value for name, value in model.items() if name in own}


def read_model(path: Path) -> dict[str, float]:
    """The parameters of a file: its table [model], and [robot] as `RobotParameters.as_flat` names them."""
    text = read_text(path)
    try:
        tables = parse_toml(text)
    except ValueError as error:
        raise BadInput(f"{path}: {' '.join(str(error).split())}") from None
    table, robot = tables.get("model", {}), RobotParameters.of(tables.get("robot", {}), str(path)).as_flat()
    if not isinstance(table, dict) or not (table or robot):
        raise BadInput(f"{path}: the table [model] is missing; `andante experiment fit` writes such files")
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"{path}: model.{name} must be a number, got {value!r}")
    return {name: float(value) for name, value in table.items()} | robot


def write_model(path: Path, model: Mapping[str, float], about: Mapping[str, Any]) -> None:
    """Write parameters and what is known of them; the file is whole or absent."""
    write_whole(path, HEAD + toml_text({**about, "model": dict(model)}))
