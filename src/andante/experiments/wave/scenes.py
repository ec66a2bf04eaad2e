"""Scenes that differ a little: friction, masses and first pose vary, pushes come; a gait shows how much it bears."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from andante.description import Robot, World
from andante.description.inertia import Inertia
from andante.description.link import Link
from andante.errors import BadInput, UnknownName

from .trial import Shove

TAKES = ("mean", "worst")
PAIRS = ("friction", "stride")
WHOLE = ("trials", "seed")


@dataclass(frozen=True)
class Robustness:
    """How many trials a candidate stands and how they differ; every value lies evenly in its range."""

    trials: int = 4
    friction: tuple[float, float] = (0.6, 1.0)  # of soles and ground
    mass: float = 0.05  # fraction by which the mass of every link varies up and down
    pose: float = 0.01  # by which every joint of the first pose varies up and down [rad]
    push: float = 0.2  # largest impulse, any horizontal direction, at any time [N s]
    stride: tuple[float, float] = (1.0, 1.0)  # least and full, spread over the trials; of the smooth variant alone
    take: str = "mean"  # of all trials, or the figures of the worst
    seed: int = 0  # of the scenes; those of the pushes is the candidate's

    def __post_init__(self) -> None:
        if not 1 <= self.trials <= 64:
            raise BadInput(f"robust: trials must be 1 to 64, got {self.trials}")
        low, high = self.friction
        if not 0 < low <= high <= 10:
            raise BadInput(f"robust: friction needs two numbers, 0 < low <= high, got {low} and {high}")
        if not 0 <= self.stride[0] <= self.stride[1] <= 1:
            raise BadInput(f"robust: stride needs two numbers, 0 <= low <= high <= 1, got {self.stride}")
        for name in ("mass", "pose", "push"):
            value = getattr(self, name)
            if not 0 <= value < 1:
                raise BadInput(f"robust: {name} must be at least 0 and below 1, got {value}")
        if self.take not in TAKES:
            raise UnknownName.among("take", self.take, TAKES, "robust")

    @property
    def strides(self) -> tuple[float, ...]:
        """The stride of each trial, the longest first."""
        return tuple(float(value) for value in np.linspace(self.stride[1], self.stride[0], self.trials))

    @classmethod
    def of(cls, table: Mapping[str, Any] | bool | None) -> Robustness | None:
        """From a table of the fields; true: as usual; none or false: a single trial, nothing varies."""
        if table is None or table is False:
            return None
        if table is True:
            return cls()
        known = {each.name: each.type for each in fields(cls)}
        for name, value in table.items():
            if name not in known:
                raise UnknownName.among("entry", name, known, "robust")
            if name in PAIRS:
                good = isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value))
            else:
                good = isinstance(value, str) if name == "take" else _is_number(value)
            if not good:
                raise BadInput(f"robust: {name} cannot be {value!r}")
        values: dict[str, Any] = {name: tuple(value) if name in PAIRS else value for name, value in table.items()}
        values |= {name: int(values[name]) for name in WHOLE if name in values}
        return cls(**values)


@dataclass(frozen=True)
class Scene:
    """A robot, its ground and its first pose, all a little off."""

    robot: Robot
    world: World
    pose: dict[str, float]


def scene(robot: Robot, world: World, pose: Mapping[str, float], robust: Robustness, number: int) -> Scene:
    """The scene of one trial; the same number always gives the same one."""
    rng = np.random.default_rng((robust.seed, number))
    mu = float(rng.uniform(*robust.friction))
    links = tuple(_heavier(link, 1.0 + robust.mass * float(rng.uniform(-1, 1))) for link in robot.links)
    near = {name: float(value + robust.pose * rng.uniform(-1, 1)) for name, value in pose.items()}
    rough = with_friction(replace(robot, links=links), mu)
    models = tuple(replace(model, robot=with_friction(model.robot, mu)) for model in world.models)
    return Scene(rough, replace(world, models=models), near)


def shove(robust: Robustness, seed: int, number: int, seconds: float) -> Shove | None:
    """The push of one trial of a candidate, None where none is wanted."""
    if robust.push == 0:
        return None
    rng = np.random.default_rng((robust.seed, number, seed))
    way, size = rng.uniform(0, 2 * np.pi), robust.push * rng.uniform()
    return Shove((size * float(np.cos(way)), size * float(np.sin(way)), 0.0), float(rng.uniform(0, seconds)))


def with_friction(robot: Robot, mu: float) -> Robot:
    """The robot with that friction coefficient on every collision shape."""
    return replace(robot, links=tuple(_rubbing(link, mu) for link in robot.links))


def _rubbing(link: Link, mu: float) -> Link:
    shapes = tuple(replace(each, surface=replace(each.surface, mu=mu, mu2=None)) for each in link.collisions)
    return replace(link, collisions=shapes)


def _heavier(link: Link, factor: float) -> Link:
    """A link whose mass and moments are multiplied."""
    if link.inertia is None:
        return link
    inertia = link.inertia
    return replace(link, inertia=Inertia.from_matrix(factor * inertia.mass, inertia.com, factor * inertia.matrix))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
