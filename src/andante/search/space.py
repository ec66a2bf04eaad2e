"""Parameter spaces: named ranges, grids and choices, some of them frozen; to and from the unit cube and tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import isfinite, prod
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array

Value = float | int | str | bool
V = TypeVar("V", bound=Value)
MOST_LEVELS = 1_000_000


@dataclass(frozen=True)
class Real:
    """A number from low to high; with a step only low + k step.

    levels: what the grid sampler visits where it differs from the steps (a range without either has no grid).
    """

    low: float
    high: float
    step: float | None = None
    levels: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not (isfinite(self.low) and isfinite(self.high) and self.low < self.high):
            raise BadInput(f"a range needs finite low < high, got {self.low} and {self.high}")
        if self.step is not None and not (isfinite(self.step) and 0 < self.step <= self.high - self.low):
            raise BadInput(f"the step of a range must lie between 0 and its width, got {self.step}")
        for name in ("low", "high", *(() if self.step is None else ("step",))):
            object.__setattr__(self, name, float(getattr(self, name)))
        if self.step is not None and self.count > MOST_LEVELS:
            raise BadInput(f"a step of {self.step} makes {self.count} levels; at most {MOST_LEVELS} are taken")
        object.__setattr__(self, "levels", _numbers(self.levels, "levels") if self.levels else ())

    @cached_property
    def count(self) -> int:
        """How many values there are; 0: a continuum."""
        if self.step is None:
            return 0
        return int((self.high - self.low) / self.step * (1 + 1e-12) + 1e-9) + 1

    @cached_property
    def grid(self) -> tuple[float, ...]:
        """The values that the grid sampler visits; empty: it has none."""
        return self.levels or tuple(self._at(k) for k in range(self.count))

    def encode(self, value: Any) -> float:
        """The value's place in the unit interval."""
        x = self.clip(value)
        if not self.count:
            return (x - self.low) / (self.high - self.low)
        return (round((x - self.low) / (self.step or 1.0)) + 0.5) / self.count

    def decode(self, unit: float) -> float:
        """The value at a place in the unit interval; places outside are taken to the border."""
        u = min(1.0, max(0.0, float(unit)))
        if not self.count:
            return min(self.high, self.low + u * (self.high - self.low))
        return self._at(min(self.count - 1, int(u * self.count)))

    def clip(self, value: Any) -> float:
        """The nearest value of the range."""
        x = min(self.high, max(self.low, number(value)))
        if not self.count:
            return x
        return self._at(min(self.count - 1, round((x - self.low) / (self.step or 1.0))))

    def as_dict(self) -> dict[str, Any]:
        """The range as a table."""
        table: dict[str, Any] = {"low": self.low, "high": self.high}
        if self.step is not None:
            table["step"] = self.step
        if self.levels:
            table["levels"] = list(self.levels)
        return table

    def _at(self, k: int) -> float:
        return min(self.high, float(self.low + k * (self.step or 0.0)))


class _Levels(ABC, Generic[V]):
    """One of several values; each has a cell of the unit interval, all of them equally wide."""

    values: tuple[V, ...]

    @property
    def count(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def grid(self) -> tuple[V, ...]:
        """The values that the grid sampler visits."""
        return self.values

    def encode(self, value: Any) -> float:
        """The middle of the cell of a value."""
        return (self.values.index(self.clip(value)) + 0.5) / len(self.values)

    def decode(self, unit: float) -> V:
        """The value in whose cell a place in the unit interval lies."""
        u = min(1.0, max(0.0, float(unit)))
        return self.values[min(len(self.values) - 1, int(u * len(self.values)))]

    @abstractmethod
    def clip(self, value: Any) -> V:
        """The value that stands for the given one."""


@dataclass(frozen=True)
class Grid(_Levels[float]):
    """One of several numbers in growing order."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _numbers(self.values, "a grid"))

    def clip(self, value: Any) -> float:
        """The nearest of the values, the smaller of two equally near."""
        x = number(value)
        return min(self.values, key=lambda entry: abs(entry - x))

    def as_dict(self) -> dict[str, Any]:
        """The grid as a table."""
        return {"grid": list(self.values)}


@dataclass(frozen=True)
class Choice(_Levels[Value]):
    """One of several things without order: words, numbers, true or false."""

    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not self.values or len(set(map(repr, self.values))) != len(self.values):
            raise BadInput(f"a choice needs values that differ, got {list(self.values)}")
        for value in self.values:
            if not isinstance(value, float | int | str | bool) or (isinstance(value, float) and not isfinite(value)):
                raise BadInput(f"a choice is made of words, finite numbers, true or false, got {value!r}")

    def clip(self, value: Any) -> Value:
        """The value itself; anything else is refused."""
        for entry in self.values:
            if entry == value and isinstance(entry, bool) == isinstance(value, bool):
                return entry
        raise UnknownName.among("choice", str(value), map(str, self.values))

    def as_dict(self) -> dict[str, Any]:
        """The choice as a table."""
        return {"choices": list(self.values)}


Parameter = Real | Grid | Choice


def number(value: Any, name: str = "a parameter") -> float:
    """The value as a finite float; BadInput for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or not isfinite(value):
        raise BadInput(f"{name} needs a finite number, got {value!r}")
    return float(value)


def _numbers(values: tuple[float, ...], what: str) -> tuple[float, ...]:
    out = tuple(number(value) for value in values)
    if not out or any(a >= b for a, b in pairwise(out)):
        raise BadInput(f"{what} needs numbers in growing order, got {list(values)}")
    return out


@dataclass(frozen=True)
class Space:
    """Named parameters in their order; frozen ones keep their value and are not searched."""

    parameters: Mapping[str, Parameter]
    frozen: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.parameters:
            raise BadInput("a space needs at least one parameter")
        self._check(self.frozen)
        object.__setattr__(self, "parameters", dict(self.parameters))
        object.__setattr__(self, "frozen", dict(self.frozen))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters that are searched, in order."""
        return tuple(name for name in self.parameters if name not in self.frozen)

    @cached_property
    def free(self) -> tuple[Parameter, ...]:
        """What is searched, in the order of `names`."""
        return tuple(self.parameters[name] for name in self.names)

    @property
    def dimensions(self) -> int:
        """How many parameters are searched."""
        return len(self.names)

    @cached_property
    def cells(self) -> int:
        """How many combinations the grid has; 0 when a free parameter has no grid."""
        return prod(len(parameter.grid) for parameter in self.free)

    def freeze(self, values: Mapping[str, Any]) -> Space:
        """The space with more parameters held; a number may lie outside of its range, a choice must be one of them."""
        self._check(values)
        return replace(self, frozen={**self.frozen, **{name: self._taken(name, values[name]) for name in values}})

    def complete(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """All parameters in order: the given ones, with frozen ones added; BadInput where one is missing or unknown."""
        self._check(values)
        for name in self.parameters:
            if name not in values and name not in self.frozen:
                raise BadInput(f"parameter {name} is missing; needed are {', '.join(self.parameters)}")
        return {n: self._taken(n, values[n]) if n in values else self.frozen[n] for n in self.parameters}

    def clip(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """All parameters at the nearest values of the space."""
        whole = self.complete(values)
        return self.with_frozen({name: self.parameters[name].clip(whole[name]) for name in self.names})

    def encode(self, values: Mapping[str, Any]) -> Array:
        """The place of the free parameters in the unit cube, (dimensions,)."""
        return np.array([kind.encode(values[name]) for name, kind in zip(self.names, self.free, strict=True)])

    def decode(self, unit: ArrayLike) -> dict[str, Value]:
        """All parameters at a place (dimensions,) of the unit cube."""
        u = np.asarray(unit, dtype=float)
        if u.shape != (self.dimensions,):
            raise BadInput(f"a place in this space has {self.dimensions} numbers, got shape {u.shape}")
        found = {name: kind.decode(x) for name, kind, x in zip(self.names, self.free, u.tolist(), strict=True)}
        return self.with_frozen(found)

    def cell(self, index: int) -> dict[str, Value]:
        """All parameters of one combination of the grid; the last parameter changes fastest."""
        if not 0 <= index < self.cells:
            raise BadInput(f"the grid has {self.cells} combinations, asked for number {index}")
        found: dict[str, Value] = {}
        for name, kind in zip(reversed(self.names), reversed(self.free), strict=True):
            index, k = divmod(index, len(kind.grid))
            found[name] = kind.grid[k]
        return self.with_frozen(found)

    def as_dict(self) -> dict[str, Any]:
        """The space as a table that TOML and JSON can hold; frozen parameters carry their value."""
        return {
            name: {**kind.as_dict(), **({"frozen": self.frozen[name]} if name in self.frozen else {})}
            for name, kind in self.parameters.items()
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Space:
        """The space of a table as `as_dict` gives it."""
        parameters, frozen = {}, {}
        for name, entry in table.items():
            if not isinstance(entry, Mapping):
                raise BadInput(f"parameter {name} needs a table with low and high, grid or choices")
            entries = dict(entry)
            if "frozen" in entries:
                frozen[name] = entries.pop("frozen")
            parameters[name] = _parameter(name, entries)
        return cls(parameters, frozen)

    def with_frozen(self, free: Mapping[str, Value]) -> dict[str, Value]:
        """All parameters in order, from values of the free ones."""
        return {name: self.frozen[name] if name in self.frozen else free[name] for name in self.parameters}

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.parameters:
                raise UnknownName.among("parameter", name, self.parameters)

    def _taken(self, name: str, value: Any) -> Value:
        """A value that is given for a parameter; a number may lie outside of its range."""
        kind = self.parameters[name]
        return kind.clip(value) if isinstance(kind, Choice) else number(value, name)

    def __contains__(self, name: object) -> bool:
        return name in self.parameters

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)


def _parameter(name: str, table: dict[str, Any]) -> Parameter:
    try:
        if set(table) == {"grid"}:
            return Grid(tuple(table["grid"]))
        if set(table) == {"choices"}:
            return Choice(tuple(table["choices"]))
        if {"low", "high"} <= set(table) <= {"low", "high", "step", "levels"}:
            step = None if table.get("step") is None else number(table["step"])
            return Real(number(table["low"]), number(table["high"]), step, tuple(table.get("levels", ())))
    except (BadInput, TypeError) as error:
        raise BadInput(f"parameter {name}: {error}") from None
    raise BadInput(f"parameter {name} has low and high (and step, levels), or grid, or choices; got {', '.join(table)}")
