"""Settings by name: frozen dataclasses of numbers, words and switches filled from plain tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from andante.errors import BadInput, UnknownName

T = TypeVar("T")


def settings_from(base: T, values: Mapping[str, Any], what: str) -> T:
    """The base with some values changed by name; each keeps the type that it has in the base."""
    known = {each.name for each in fields(base)}  # type: ignore[arg-type]
    changed: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise UnknownName.among(what, name, sorted(known))
        changed[name] = _like(getattr(base, name), value, f"{what} {name}")
    return replace(base, **changed)  # type: ignore[type-var]


def _like(usual: Any, value: Any, where: str) -> Any:
    """The value in the type of the usual one: a truth value, word, number, or as many numbers."""
    if isinstance(usual, bool):
        if not isinstance(value, bool):
            raise BadInput(f"{where} must be true or false, got {value!r}")
        return value
    if isinstance(usual, str):
        if not isinstance(value, str):
            raise BadInput(f"{where} must be a word, got {value!r}")
        return value
    if isinstance(usual, tuple):
        if not isinstance(value, list | tuple) or len(value) != len(usual):
            raise BadInput(f"{where} must be a list of {len(usual)}, such as {list(usual)}, got {value!r}")
        return tuple(_like(one, each, where) for one, each in zip(usual, value, strict=True))
    if not isinstance(usual, int | float):
        raise BadInput(f"{where} cannot be set by a value")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(f"{where} must be a number, got {value!r}")
    if isinstance(usual, int):
        if not float(value).is_integer():
            raise BadInput(f"{where} must be a whole number, got {value}")
        return int(value)
    return float(value)
