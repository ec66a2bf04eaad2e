"""Kinds of parameters: a range, a grid of numbers, a choice among things; each to and from the unit interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from andante.errors import BadInput, UnknownName

Value = float | int | str | bool
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


@dataclass(frozen=True)
class Grid:
    """One of several numbers in growing order."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _numbers(self.values, "a grid"))

    @property
    def count(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def grid(self) -> tuple[float, ...]:
        """The values that the grid sampler visits."""
        return self.values

    def encode(self, value: Any) -> float:
        """The middle of the cell of the nearest value, cells being equally wide."""
        return (self.values.index(self.clip(value)) + 0.5) / len(self.values)

    def decode(self, unit: float) -> float:
        """The value in whose cell a place in the unit interval lies."""
        u = min(1.0, max(0.0, float(unit)))
        return self.values[min(len(self.values) - 1, int(u * len(self.values)))]

    def clip(self, value: Any) -> float:
        """The nearest of the values, the smaller of two equally near."""
        x = number(value)
        return min(self.values, key=lambda entry: abs(entry - x))

    def as_dict(self) -> dict[str, Any]:
        """The grid as a table."""
        return {"grid": list(self.values)}


@dataclass(frozen=True)
class Choice:
    """One of several things without order: words, numbers, true or false."""

    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not self.values or len(set(map(repr, self.values))) != len(self.values):
            raise BadInput(f"a choice needs values that differ, got {list(self.values)}")
        for value in self.values:
            if not isinstance(value, float | int | str | bool) or (isinstance(value, float) and not isfinite(value)):
                raise BadInput(f"a choice is made of words, finite numbers, true or false, got {value!r}")

    @property
    def count(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def grid(self) -> tuple[Value, ...]:
        """The values that the grid sampler visits."""
        return self.values

    def encode(self, value: Any) -> float:
        """The middle of the value's cell, cells being equally wide."""
        return (self.values.index(self.clip(value)) + 0.5) / len(self.values)

    def decode(self, unit: float) -> Value:
        """The value in whose cell a place in the unit interval lies."""
        u = min(1.0, max(0.0, float(unit)))
        return self.values[min(len(self.values) - 1, int(u * len(self.values)))]

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
