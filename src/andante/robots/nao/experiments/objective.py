"""The wave gait as something to search: parameters in, the figures of a trial (or several) out.

Scenes may differ a little: friction, masses and first pose vary, pushes come; a gait shows how much it bears.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from andante._version import __version__
from andante.control.start import first_positions
from andante.description import Robot, World, load_robot, load_world
from andante.description.solver import solver_settings
from andante.errors import BadInput, UnknownName
from andante.experiments.perturbed import heavier, with_friction, world_with_friction
from andante.locomotion.wave.fitness import WaveStatistics, fitness_named, statistics, transport_cost
from andante.locomotion.wave.model import EXTRA, TEN, VARIANTS, WaveModel, WaveParameters, default_gait
from andante.parsing import is_number
from andante.physics import Settings
from andante.physics.registry import ENGINES, version
from andante.physics.solver import resolved
from andante.search import Real, Space

from .trial import Shove, WaveTrial

SOURCE_RANGES: dict[str, tuple[float, float, tuple[float, ...]]] = {  # low, high, levels of the published grid
    "T": (0.6, 2.6, (0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.4)),
    "A_h": (0.0, 62.0, (0.0, 15.0, 30.0, 45.0, 60.0)),
    "s_h": (-100.0, 25.0, (-100.0, -65.0, -30.0, 5.0)),
    "A_k": (0.0, 65.0, (0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0)),
    "f_k": (-2 * math.pi, 2 * math.pi, (-6.0, -2.0, 2.0, 6.0)),
    "s_k": (0.0, 130.0, (0.0, 40.0, 80.0, 120.0)),
    "A_a": (0.0, 60.0, (0.0, 20.0, 40.0)),
    "f_a": (-math.pi, math.pi, (-3.0, 1.0)),
    "s_a": (-75.0, 35.0, (-75.0, -30.0, 15.0)),
    "b": (0.0, 100.0, (0.0, 30.0, 60.0, 90.0)),
}
NEAR_RANGES = {  # about a NAO that steps on the spot, upright on bent knees; where it can walk
    "T": (0.4, 1.0),
    "A_h": (0.0, 30.0),
    "s_h": (-56.0, 4.0),
    "A_k": (0.0, 40.0),
    "f_k": (-2 * math.pi, 2 * math.pi),
    "s_k": (12.0, 72.0),
    "A_a": (0.0, 10.0),
    "f_a": (-math.pi, math.pi),
    "s_a": (-50.0, 10.0),
    "b": (0.0, 60.0),
    "f_r": (-math.pi / 2, math.pi / 2),
    "w_k": (0.2, 0.7),
    "c_a": (0.6, 1.3),
    "p_h": (0.0, 0.4),
    "ramp": (0.4, 2.0),
}
RANGES = ("near", "source")
LONGEST = 600.0  # [s]
TAKES = ("mean", "worst")
PAIRS = ("friction", "stride")
WHOLE = ("trials", "seed")


# ---- scenes that differ a little -----------------------------------------------------------------
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
        UnknownName.check("take", self.take, TAKES, "robust")

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
            UnknownName.check("entry", name, known, "robust")
            if name in PAIRS:
                good = isinstance(value, list | tuple) and len(value) == 2 and all(map(is_number, value))
            else:
                good = isinstance(value, str) if name == "take" else is_number(value)
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
    links = tuple(heavier(link, 1.0 + robust.mass * float(rng.uniform(-1, 1))) for link in robot.links)
    near = {name: float(value + robust.pose * rng.uniform(-1, 1)) for name, value in pose.items()}
    return Scene(with_friction(replace(robot, links=links), mu), world_with_friction(world, mu), near)


def shove(robust: Robustness, seed: int, number: int, seconds: float) -> Shove | None:
    """The push of one trial of a candidate, None where none is wanted."""
    if robust.push == 0:
        return None
    rng = np.random.default_rng((robust.seed, number, seed))
    way, size = rng.uniform(0, 2 * np.pi), robust.push * rng.uniform()
    return Shove((size * float(np.cos(way)), size * float(np.sin(way)), 0.0), float(rng.uniform(0, seconds)))


# ---- the objective -------------------------------------------------------------------------------
def wave_space(variant: str = "smooth", ranges: str = "near", extras: Sequence[str] = ()) -> Space:
    """The ten parameters, then those that only the smooth variant has: frozen at their usual values but for `extras`.

    Ranges are those of the source, or nearer ones; the levels of the published grid go with both.
    """
    UnknownName.check("wave variant", variant, VARIANTS)
    UnknownName.check("ranges", ranges, RANGES)
    parameters = {}
    for name in TEN:
        low, high, levels = SOURCE_RANGES[name]
        if ranges == "near":
            low, high = NEAR_RANGES[name]
        parameters[name] = Real(low, high, None, levels)
    if variant == "exact":
        if extras:
            raise BadInput(f"the exact variant has no parameter {extras[0]!r}; extras belong to the smooth one")
        return Space(parameters)
    UnknownName.check("extra", extras, EXTRA)
    usual = default_gait("smooth").parameters.symbols()
    more = {name: Real(*NEAR_RANGES[name]) for name in EXTRA}
    return Space({**parameters, **more}, {name: usual[name] for name in EXTRA if name not in extras})


class WaveObjective:
    """An `Objective`: how far a wave gait carries the robot. Scenes are built once and used for every candidate.

    robust: a table (or true) of `Robustness`: several trials that differ, their mean or the worst as the result.
    fitness: `better`, `source` or a user's `file.py:Name`. extras: which parameters of the smooth variant are searched
    besides the ten.
    """

    def __init__(
        self,
        robot: str = "nao",
        engine: str = "mujoco",
        variant: str = "smooth",
        seconds: float = 6.0,
        fitness: str = "better",
        world: str = "empty",
        robust: Mapping[str, Any] | bool | None = None,
        dt: float | None = None,
        pose: str | None = None,
        ranges: str = "near",
        extras: Sequence[str] = (),
        solver: Mapping[str, Any] | None = None,
    ) -> None:
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not number or not (dt or Settings.dt) <= seconds <= LONGEST:
            raise BadInput(f"a trial lasts up to {LONGEST:g} s, got {seconds!r}")
        self.space = wave_space(variant, ranges, tuple(extras))
        self.robust = Robustness.of(robust)
        self._fitness = fitness_named(fitness)
        self._settings = {
            "robot": robot,
            "engine": engine,
            "variant": variant,
            "seconds": float(seconds),
            "fitness": fitness,
            "world": world,
            "pose": pose,
            "robust": None if self.robust is None else dict(vars(self.robust)),
        }
        self._solver = solver_settings(solver)
        if self._solver.stated:
            self._settings["solver"] = self._solver.stated
        self._robot, self._world = load_robot(robot), load_world(world)
        self._settings["dt"] = resolved(self._world.physics, replace(self._solver, dt=dt or self._solver.dt)).dt
        WaveModel(self._robot, default_gait(variant).parameters, variant)  # refuses robots that it does not fit
        self._pose = first_positions(self._robot, pose)
        self._engine, self._variant, self._seconds, self._dt = engine, variant, float(seconds), dt
        self._trials: dict[int, WaveTrial] = {}

    def evaluate(self, parameters: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
        """The figures of a candidate; the seed draws the pushes of a robust trial and nothing else."""
        wave = WaveParameters.of(self.space.complete(parameters))
        if self.robust is None:
            return self._figures(statistics(self._trial(0).run(wave, self._variant, self._seconds)))
        results = []
        for number in range(self.robust.trials):
            push, stride = shove(self.robust, seed, number, self._seconds), self.robust.strides[number]
            track = self._trial(number).run(wave, self._variant, self._seconds, push, stride)
            results.append(self._figures(statistics(track)))
        return _together(results, self.robust.take)

    def stamp(self) -> dict[str, Any]:
        """Settings and versions that the figures depend on."""
        entry = ENGINES.get(self._engine)
        return {**self._settings, "andante": __version__, "engine_version": version(entry) if entry else None}

    def close(self) -> None:
        """Free the engines."""
        for trial in self._trials.values():
            trial.close()
        self._trials.clear()

    def _trial(self, number: int) -> WaveTrial:
        if number not in self._trials:
            robot, world, pose = self._robot, self._world, dict(self._pose)
            if self.robust is not None:
                made = scene(robot, world, pose, self.robust, number)
                robot, world, pose = made.robot, made.world, made.pose
            self._trials[number] = WaveTrial(robot, self._engine, world, dt=self._dt, pose=pose, solver=self._solver)
        return self._trials[number]

    def _figures(self, found: WaveStatistics) -> dict[str, Any]:
        fitness = self._fitness(found)
        cost = transport_cost(found)
        return {
            "fitness": fitness,
            "distance": found.along,
            "drift": found.aside,
            "time": found.time,
            "fallen": found.fallen,
            "energy": found.energy,
            "turned": math.degrees(found.turned),
            "wobble": found.wobble,
            "transport": cost,
            "way": found.distance,
            "deviation": found.deviation,
            "start": list(found.start),
            "end": list(found.end),
            "objectives": [fitness, -1.0 if found.fallen else -found.wobble, -cost],
        }


def _together(results: list[dict[str, Any]], take: str) -> dict[str, Any]:
    """One result of several: the worst, or the mean of every number; `falls` counts those that fell."""
    falls = sum(result["fallen"] for result in results)
    told = {"trials": len(results), "falls": falls, "worst": min(result["fitness"] for result in results)}
    if take == "worst":
        return {**min(results, key=lambda result: result["fitness"]), **told}
    out: dict[str, Any] = {}
    for name, first in results[0].items():
        values = [result[name] for result in results]
        if isinstance(first, bool):
            out[name] = any(values)
        elif isinstance(first, list):
            out[name] = [math.fsum(column) / len(values) for column in zip(*values, strict=True)]
        else:
            out[name] = math.fsum(values) / len(values)
    return {**out, **told}
