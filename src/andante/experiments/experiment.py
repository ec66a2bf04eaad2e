"""What an experiment is: factors x engines x trials, a trial function, and what is measured of each trial."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from andante.errors import BadInput, UnknownName
from andante.search import Choice, Grid, Space
from andante.search.space import Value

from .variation import Variation

RESERVED = ("engine", "trial", "source", "test", "seed", "ok", "error", "path", "name")
MOST_TRIALS = 1_000_000


@dataclass(frozen=True)
class Measure:
    """One number that every trial gives.

    commanded: the factor that says what it should be, so that errors can be given in parts of it.
    """

    name: str
    unit: str = ""
    label: str = ""  # for axes and tables; empty: the name
    commanded: str = ""
    scale: str = ""  # of its axis in figures: log, or empty for linear

    def __post_init__(self) -> None:
        if self.scale not in ("", "log"):
            raise BadInput(f"measures.{self.name}.scale: log, or nothing, got {self.scale!r}")

    @property
    def title(self) -> str:
        """The label with its unit."""
        words = self.label or self.name.replace("_", " ")
        return f"{words} [{self.unit}]" if self.unit else words


@dataclass(frozen=True)
class Experiment:
    """An experiment; the same table gives the same trials everywhere.

    trial: a built-in trial by name, or a user's `file.py:Name`, a function of a `Setup`.
    modes: ways to carry the same tests out, each with the arguments that it replaces; the first one is the usual one.
    """

    name: str
    trial: str
    factors: Mapping[str, tuple[Value, ...]]
    measures: Mapping[str, Measure]
    engines: tuple[str, ...] = ("mujoco",)
    trials: int = 7
    seed: int = 0
    title: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)  # for the trial, the same in all of them
    vary: Variation = field(default_factory=Variation)
    tests: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)  # names of combinations of factors
    reference: str = ""  # reference data to compare with
    timeout: float | None = None  # of a trial [s]
    fit: Mapping[str, Any] = field(default_factory=dict)  # what can be identified; see `fit`
    modes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    mode: str = ""  # the one to run; empty: the usual one

    def __post_init__(self) -> None:
        if not self.name or any(letter in self.name for letter in "/\\\n"):
            raise BadInput(f"name: an experiment needs a name without slashes, got {self.name!r}")
        if not self.factors:
            raise BadInput("factors: at least one factor with its levels is needed")
        for name, levels in self.factors.items():
            if name in RESERVED or not name.isidentifier():
                raise BadInput(f"factors.{name}: not a name for a factor (taken: {', '.join(RESERVED)})")
            _choice(f"factors.{name}", levels)
        _choice("engines", self.engines)
        if isinstance(self.trials, bool) or not isinstance(self.trials, int) or not 1 <= self.trials <= MOST_TRIALS:
            raise BadInput(f"trials: a whole number from 1 to {MOST_TRIALS}, got {self.trials!r}")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or not 0 <= self.seed < 2**63:
            raise BadInput(f"seed: a whole number from 0 on, got {self.seed!r}")
        if self.timeout is not None and not (math.isfinite(self.timeout) and self.timeout > 0):
            raise BadInput(f"timeout: a time above 0 s, got {self.timeout!r}")
        if not self.measures:
            raise BadInput("measures: at least one measure is needed")
        for name, measure in self.measures.items():
            if name in RESERVED or name in self.factors or not name.isidentifier():
                raise BadInput(f"measures.{name}: not a name for a measure, or a factor has it")
            if measure.commanded and measure.commanded not in self.factors:
                raise BadInput(f"measures.{name}.commanded: no factor {measure.commanded!r}; {_listed(self.factors)}")
        for name, levels in self.tests.items():
            if set(levels) != set(self.factors):
                raise BadInput(f"tests.{name}: needs a level of every factor ({', '.join(self.factors)})")
            for factor, value in levels.items():
                if value not in self.factors[factor]:
                    raise BadInput(f"tests.{name}: {value!r} is no level of {factor}; {_listed(self.factors[factor])}")

        if self.modes and self.mode and self.mode not in self.modes:
            raise BadInput(f"mode: no mode {self.mode!r}; {_listed(self.modes)}")

    def settled(self) -> Experiment:
        """The experiment in its mode alone: the arguments are those of the mode, which is named unless it is usual."""
        usual = next(iter(self.modes), "")
        arguments = {**self.arguments, **self.modes.get(self.mode or usual, {})}
        return replace(self, arguments=arguments, modes={}, mode="" if self.mode == usual else self.mode)

    @property
    def space(self) -> Space:
        """Every trial as a cell of a grid: engine, the factors, the number of the trial."""
        numbers = Grid(tuple(float(n) for n in range(self.trials)))
        levels = {name: Choice(tuple(values)) for name, values in self.factors.items()}
        return Space({"engine": Choice(self.engines), **levels, "trial": numbers})

    @property
    def count(self) -> int:
        """How many trials there are in all."""
        return math.prod(len(levels) for levels in self.factors.values()) * len(self.engines) * self.trials

    def cells(self) -> Iterator[dict[str, Value]]:
        """Every combination of factors, the last factor changing fastest."""
        for values in product(*self.factors.values()):
            yield dict(zip(self.factors, values, strict=True))

    def test_of(self, factors: Mapping[str, Any]) -> str:
        """The name of a combination of factors: that of its test, else its levels in words."""
        for name, levels in self.tests.items():
            if all(levels[factor] == factors[factor] for factor in levels):
                return name
        return " ".join(f"{name}={_word(factors[name])}" for name in self.factors)

    def cell_number(self, factors: Mapping[str, Any]) -> int:
        """The place of a combination among all of them; UnknownName when it is none."""
        number = 0
        for name, levels in self.factors.items():
            if factors.get(name) not in levels:
                raise UnknownName.among(f"level of {name}", str(factors.get(name)), map(str, levels))
            number = number * len(levels) + levels.index(factors[name])
        return number

    def as_dict(self) -> dict[str, Any]:
        """The experiment as a table that TOML and JSON can hold; `from_dict` of `definition` reads it."""
        table: dict[str, Any] = {
            "name": self.name, "title": self.title, "trial": self.trial, "engines": list(self.engines),
            "trials": self.trials, "seed": self.seed, "reference": self.reference, "timeout": self.timeout,
            "factors": {name: list(levels) for name, levels in self.factors.items()},
            "measures": {
                name: {k: v for k, v in vars(measure).items() if v and k != "name"}
                for name, measure in self.measures.items()
            },
            "tests": {name: dict(levels) for name, levels in self.tests.items()},
            "arguments": dict(self.arguments),
            "vary": self.vary.as_dict(),
            "fit": dict(self.fit),
            "modes": {name: dict(arguments) for name, arguments in self.modes.items()},
            "mode": self.mode,
        }  # fmt: skip
        return {key: value for key, value in table.items() if value not in (None, "", {})}


def _choice(where: str, levels: Any) -> None:
    try:
        Choice(tuple(levels))
    except (BadInput, TypeError) as error:
        raise BadInput(f"{where}: {error}") from None


def _listed(names: Any) -> str:
    return f"choices: {', '.join(map(str, names))}"


def _word(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
