"""Parameters: named values that can be read and changed while everything runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from andante.errors import BadInput, UnknownName

Value = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


@dataclass(frozen=True)
class Parameter:
    """A parameter as `list` tells it."""

    name: str
    value: Value
    help: str = ""
    low: float | None = None
    high: float | None = None
    node: str = ""


@dataclass
class _Entry:
    known: Parameter
    check: Callable[[Any], None] | None
    changed: Callable[[Any], None] | None


class Parameters:
    """All parameters of a session; names look like paths: `/robot/pgain`, `/robot/pgain/JOINT`."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._watchers: list[Callable[[str, Value], None]] = []

    def declare(
        self,
        name: str,
        value: Value,
        check: Callable[[Any], None] | None = None,
        changed: Callable[[Any], None] | None = None,
        help: str = "",
        low: float | None = None,
        high: float | None = None,
        node: str = "",
    ) -> None:
        """Make a parameter known; its type is that of the value and stays.

        check(value) raises BadInput for what it refuses; changed(value) is called after every change; low and high
        are bounds of numbers.
        """
        name = _clean(name)
        if name in self._entries:
            raise BadInput(f"parameter {name!r} exists already")
        entry = _Entry(Parameter(name, value, help, low, high, node), check, changed)
        entry.known = replace(entry.known, value=_checked(entry, value))
        self._entries[name] = entry

    def remove(self, name: str) -> None:
        """Forget a parameter, or all below a name that ends in /*."""
        name = _clean(name)
        for found in [n for n in self._entries if n == name or (name.endswith("/*") and fnmatchcase(n, name))]:
            del self._entries[found]

    def get(self, name: str) -> Value:
        """The value of a parameter."""
        value = self._entry(name).known.value
        return list(value) if isinstance(value, list) else value  # type: ignore[return-value]

    def set(self, name: str, value: Any) -> Value:
        """Change a parameter and tell those who care; raises BadInput, and changes nothing, when it does not fit."""
        entry = self._entry(name)
        new, old = _checked(entry, value), entry.known
        entry.known = replace(old, value=new)
        if entry.changed is not None:
            try:
                entry.changed(new)
            except Exception:
                entry.known = old
                raise
        for told in list(self._watchers):
            told(old.name, new)
        return new

    def list(self, pattern: str = "*") -> list[Parameter]:
        """All parameters whose name fits a pattern, in the order of their names."""
        found = [self._entries[name].known for name in sorted(self._entries) if fnmatchcase(name, pattern)]
        return [replace(known, value=self.get(known.name)) for known in found]

    def watch(self, told: Callable[[str, Value], None]) -> Callable[[], None]:
        """Have told(name, value) called after every change; the returned function ends that."""
        self._watchers.append(told)
        return lambda: self._watchers.remove(told)

    def __contains__(self, name: str) -> bool:
        return _clean(name) in self._entries

    def _entry(self, name: str) -> _Entry:
        found = self._entries.get(_clean(name))
        if found is None:
            raise UnknownName.among("parameter", name, sorted(self._entries)[:40])
        return found


def _checked(entry: _Entry, value: Any) -> Value:
    """The value in the type of the parameter, inside its bounds."""
    known = entry.known
    new: Value = _like(known.value, value, known.name)
    if known.low is not None or known.high is not None:
        low = -math.inf if known.low is None else known.low
        high = math.inf if known.high is None else known.high
        for number in new if isinstance(new, list) else [new]:
            if isinstance(number, str) or not low <= number <= high:
                raise BadInput(f"parameter {known.name!r} goes from {low:g} to {high:g}, got {number}")
    if entry.check is not None:
        entry.check(new)
    return new


def _clean(name: str) -> str:
    """With one slash in front and none behind."""
    cleaned = "/" + name.strip("/")
    if cleaned == "/" or any(c.isspace() for c in cleaned):
        raise BadInput(f"a parameter name looks like /robot/name, got {name!r}")
    return cleaned


def _like(old: Value, value: Any, name: str) -> Any:
    """A value in the type of another one; whole numbers are taken for numbers."""
    if isinstance(old, list):
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise BadInput(f"parameter {name!r} is a list, got {value!r}")
        return [_like(old[0], v, name) for v in value] if old else list(value)
    if isinstance(old, bool):
        if isinstance(value, bool) or value in (0, 1):
            return bool(value)
    elif isinstance(old, str):
        if isinstance(value, str):
            return value
    elif not isinstance(value, (bool, str)):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if isinstance(old, float) and not math.isnan(number):
            return number
        if isinstance(old, int) and number.is_integer():
            return int(value)
    raise BadInput(f"parameter {name!r} is {KINDS[type(old)]}, got {value!r}")
