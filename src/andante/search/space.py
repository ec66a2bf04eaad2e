"""Parameter spaces: named ranges, grids and choices, some of them frozen; to and from the unit cube and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array

from .ranges import Choice, Grid, Parameter, Real, Value, number

__all__ = ["Choice", "Grid", "Parameter", "Real", "Space", "Value"]


@dataclass(frozen=True)
class Space:
    """Named parameters in their order; frozen ones keep their value and are not searched."""

    parameters: Mapping[str, Parameter]
    frozen: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.parameters:
            raise BadInput("a space needs at least one parameter")
        for name in self.frozen:
            if name not in self.parameters:
                raise UnknownName.among("parameter", name, self.parameters)
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
        held = dict(self.frozen)
        for name, value in values.items():
            if name not in self.parameters:
                raise UnknownName.among("parameter", name, self.parameters)
            kind = self.parameters[name]
            held[name] = kind.clip(value) if isinstance(kind, Choice) else number(value, name)
        return replace(self, frozen=held)

    def complete(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """All parameters in order: the given ones, with frozen ones added; BadInput where one is missing or unknown."""
        for name in values:
            if name not in self.parameters:
                raise UnknownName.among("parameter", name, self.parameters)
        out: dict[str, Value] = {}
        for name, kind in self.parameters.items():
            if name in values:
                out[name] = kind.clip(values[name]) if isinstance(kind, Choice) else number(values[name], name)
            elif name in self.frozen:
                out[name] = self.frozen[name]
            else:
                raise BadInput(f"parameter {name} is missing; needed are {', '.join(self.parameters)}")
        return out

    def clip(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """All parameters at the nearest values of the space."""
        whole = self.complete(values)
        return {
            name: self.frozen[name] if name in self.frozen else kind.clip(whole[name])
            for name, kind in self.parameters.items()
        }

    def encode(self, values: Mapping[str, Any]) -> Array:
        """The place of the free parameters in the unit cube, (dimensions,)."""
        return np.array([kind.encode(values[name]) for name, kind in zip(self.names, self.free, strict=True)])

    def decode(self, unit: ArrayLike) -> dict[str, Value]:
        """All parameters at a place (dimensions,) of the unit cube."""
        u = np.asarray(unit, dtype=float)
        if u.shape != (self.dimensions,):
            raise BadInput(f"a place in this space has {self.dimensions} numbers, got shape {u.shape}")
        found = {name: kind.decode(x) for name, kind, x in zip(self.names, self.free, u.tolist(), strict=True)}
        return {name: self.frozen[name] if name in self.frozen else found[name] for name in self.parameters}

    def cell(self, index: int) -> dict[str, Value]:
        """All parameters of one combination of the grid; the last parameter changes fastest."""
        if not 0 <= index < self.cells:
            raise BadInput(f"the grid has {self.cells} combinations, asked for number {index}")
        found: dict[str, Value] = {}
        for name, kind in zip(reversed(self.names), reversed(self.free), strict=True):
            index, k = divmod(index, len(kind.grid))
            found[name] = kind.grid[k]
        return {name: self.frozen[name] if name in self.frozen else found[name] for name in self.parameters}

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
