"""How a value is read out of the JSON of a command."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .model import Output, Reader


def at(*path: str | int, scale: float = 1.0) -> Reader:
    """The value behind keys and indices, times `scale`."""

    def read(output: Output) -> float:
        for step in path:
            output = output[step]
        return float(output) * scale

    return read


def row(case: str, column: str = "andante", scale: float = 1.0) -> Reader:
    """A column of the row of `andante bench` with that name."""

    def read(output: Output) -> float:
        (found,) = (each for each in output["rows"] if each["case"] == case)
        return float(found[column]) * scale

    return read


def least(readers: Iterable[Reader]) -> Reader:
    """The smallest of several values."""
    chosen = tuple(readers)
    return lambda output: min(each(output) for each in chosen)


def most(readers: Iterable[Reader]) -> Reader:
    """The largest of several values."""
    chosen = tuple(readers)
    return lambda output: max(each(output) for each in chosen)


def over(
    name: str, value: str | Callable[[Mapping[str, Any]], float], fold: Callable[[Iterable[float]], float], **where: Any
) -> Reader:
    """A value of all rows of the list `name` that have these entries, put together by `fold` (max, min, sum)."""

    def read(output: Output) -> float:
        rows = [each for each in output[name] if all(each[key] == wanted for key, wanted in where.items())]
        if not rows:
            raise KeyError(f"no row of {name} with {where}")
        return float(fold([float(value(each) if callable(value) else each[value]) for each in rows]))

    return read
