"""Settings by name: frozen dataclasses of numbers, words and switches filled from plain tables."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from andante.errors import BadInput, UnknownName

T = TypeVar("T")
DEFAULT_ROBOT, DEFAULT_ENGINE = "nao", "mujoco"  # of a session or a studio that names none
DEFAULT_WORLD, STUDIO_WORLD = "empty", "lab"


def settings_from(base: T, values: Mapping[str, Any], what: str) -> T:
    """The base with some values changed by name; each keeps the type that it has in the base.

    Args:
        base: a frozen dataclass with its defaults. A field with `metadata={"was": OLD}` is also found by its old name,
            with a FutureWarning.
        values: name -> value, such as a table of a TOML file.
        what: what a value is called in messages, such as "mapping parameter".
    """
    given = present_names(type(base), values, what)
    changed = {name: _like(getattr(base, name), value, f"{what} {name}") for name, value in given.items()}
    return replace(base, **changed)  # type: ignore[type-var]


def present_names(kind: type, values: Mapping[str, Any], what: str, where: str = "") -> dict[str, Any]:
    """The values for fields of a dataclass, old names exchanged for the present ones; an unknown name is refused.

    Args:
        kind: the dataclass; a field with `metadata={"was": OLD}` is found by its old name too, with a FutureWarning.
        values: name -> value, such as a table of a TOML file.
        what: what a value is called in messages, such as "gait parameter".
        where: whose they are in messages, such as "gait 'walk'".
    """
    known = {each.name: each for each in fields(kind)}
    old_names = {each.metadata["was"]: name for name, each in known.items() if "was" in each.metadata}
    found: dict[str, Any] = {}
    for given, value in values.items():
        name = renamed(what, given, old_names[given]) if given in old_names else given
        if name not in known:
            raise UnknownName.among(what, name, sorted(known), where)
        found[name] = value
    return found


def renamed(what: str, old: str, new: str) -> str:
    """The new name of something, after a FutureWarning about the old one."""
    warnings.warn(f"{what} {old!r} is now called {new!r}; the old name ends with the next version", FutureWarning, 3)
    return new


def check_fields(settings: object, what: str, wanted: str, sound: Callable[[float], bool], *names: str) -> None:
    """Raise BadInput unless the fields of those names are sound: "WHAT NAME must be WANTED, got VALUE"."""
    for name in names:
        if not sound(getattr(settings, name)):
            raise BadInput(f"{what} {name} must be {wanted}, got {getattr(settings, name)}")


def is_positive(value: float) -> bool:
    """Whether a number is above 0."""
    return value > 0


def is_size(value: float) -> bool:
    """Whether a number is at least 0 and finite."""
    return 0 <= value < math.inf


def is_fraction(value: float) -> bool:
    """Whether a number lies from 0 to 1."""
    return 0 <= value <= 1


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
