"""What is tried in a gait search and how the study of it is set up."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.description import ROBOTS
from andante.errors import AndanteError, BadInput, UnknownName
from andante.files import read_text
from andante.locomotion.io.gait_parameters import read_parameters
from andante.locomotion.wave.model import default_gait
from andante.parsing import parse_toml
from andante.plugins import load_reference
from andante.search import ObjectiveSpec, Shard, Space, StudyConfig
from andante.userfile import is_user_reference, load_user_object


@dataclass(frozen=True)
class GaitTask:
    """What is tried: a robot and how its gait is judged."""

    robot: str
    engine: str = "mujoco"
    variant: str = "smooth"
    seconds: float = 6.0
    world: str = "empty"
    fitness: str = "better"
    robust: bool = False
    objective: str = ""  # a user's file.py:Name; empty: the wave gait
    arguments: Mapping[str, Any] = field(default_factory=dict)  # more of the objective's own
    solver: Mapping[str, Any] = field(default_factory=dict)  # settings of the solver

    def spec(self) -> ObjectiveSpec:
        """The objective, files by their full path; a user's own gets those settings that it has arguments for."""
        ours: dict[str, Any] = {
            "robot": _full(self.robot),
            "engine": _full(self.engine),
            "variant": self.variant,
            "seconds": self.seconds,
            "world": _full(self.world),
            "fitness": _full(self.fitness),
            "robust": self.robust or None,
            "solver": dict(self.solver) or None,
        }
        if not self.objective:
            return ObjectiveSpec(_objective_of(self.robot), _given({**ours, **self.arguments}))
        if not is_user_reference(self.objective):
            raise BadInput(f"an objective of your own is named file.py:Name, got {self.objective!r}")
        factory = load_user_object(self.objective)
        if not callable(factory):
            raise BadInput(f"{self.objective} is not a class or function that makes an objective")
        known = inspect.signature(factory).parameters
        taken = {name: value for name, value in ours.items() if name in known}
        return ObjectiveSpec(self.objective, _given({**taken, **self.arguments})).resolved()

    def default_parameters(self) -> dict[str, Any]:
        """The gait that ships for the variant; nothing for a user's objective."""
        return {} if self.objective else default_gait(self.variant).parameters.symbols()

    def complete(self, space: Space, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters of a candidate: those that are given, others as in the gait that ships."""
        shipped = {name: value for name, value in self.default_parameters().items() if name in space}
        return space.complete({**shipped, **given})


def _objective_of(robot: str) -> str:
    """The objective that the package of a robot names; for other robots the first that any package names."""
    known = _objectives()
    return known.get(robot, next(iter(known.values())))


def _objectives() -> dict[str, str]:
    """The objectives that robot packages name, by robot."""
    return {name: ROBOTS[name].objective for name in ROBOTS if ROBOTS[name].objective}


def is_gait(factory: str) -> bool:
    """Whether an objective is one of a robot package, be it by a name that it had in an earlier version."""
    ours = [load_reference(each) for each in _objectives().values()]
    return not is_user_reference(factory) and load_reference(factory) in ours


def study_config(
    task: GaitTask,
    sampler: str = "cmaes",
    budget: int = 1000,
    *,
    shard: str = "0/1",
    seed: int = 0,
    batch: int = 0,
    options: Mapping[str, Any] | None = None,
    frozen: Mapping[str, float] | None = None,
    space: Path | str | None = None,
    params: Path | str | None = None,
) -> StudyConfig:
    """The study of a search, see `search` for the arguments; BadInput when its parts do not fit together."""
    spec, chosen, held = task.spec(), dict(options or {}), dict(frozen or {})
    ranges = spec.build().space
    if space is not None:
        ranges = _own_space(Path(space), ranges)
    if params is not None:
        chosen["start"] = task.complete(ranges, {**read_parameters(Path(params)), **held})
    return StudyConfig(
        objective=spec,
        space=ranges.freeze(held),
        sampler=_full(sampler),
        batch=batch,
        options=chosen,
        seed=seed,
        budget=budget,
        shard=Shard.parse(shard),
    )


def _own_space(path: Path, known: Space) -> Space:
    """A user's ranges for parameters of the objective; those that the file does not name stay as they are."""
    text = read_text(path)
    try:
        own = Space.from_dict(parse_toml(text))
        for name in own:
            if name not in known:
                raise UnknownName.among("parameter", name, known)
    except (AndanteError, ValueError) as error:
        raise BadInput(f"{path}: {' '.join(str(error).split())}") from None
    frozen = {name: value for name, value in known.frozen.items() if name not in own.parameters}
    return Space({**known.parameters, **own.parameters}, {**frozen, **own.frozen})


def _full(name: str) -> str:
    """A file by its full path, file.py:Name likewise; any other name as it is."""
    if is_user_reference(name):
        file, _, attribute = name.rpartition(":")
        return f"{Path(file).resolve()}:{attribute}"
    return str(Path(name).resolve()) if Path(name).is_file() else name


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value is not None}
