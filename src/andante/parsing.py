"""TOML, JSON and YAML texts as plain values, within bounds; whatever is wrong is a ValueError in one line.

Whole numbers have 64 bits, as TOML demands and everything that computes with them expects; lists and tables are not
nested without end; YAML makes no objects, and its aliases cannot multiply or run in circles.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

MOST_BITS = 64  # of a whole number
MOST_VALUES = 1_000_000  # of a YAML text after its aliases are followed


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text."""
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError("lists or tables are nested too deeply") from None
    except ValueError as error:
        raise ValueError(_line(error)) from None
    _check(table)
    return table


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("lists or tables are nested too deeply") from None
    except ValueError as error:
        raise ValueError(_line(error)) from None
    _check(value)
    return value


def parse_yaml(text: str | bytes) -> Any:
    """The value of a YAML text, by the safe loader."""
    import yaml

    try:
        value = yaml.safe_load(text)
    except RecursionError:
        raise ValueError("lists or tables are nested too deeply") from None
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
        raise ValueError(_line(error)[:160]) from None
    _check(value, MOST_VALUES)
    return value


def _check(value: Any, most: int | None = None) -> None:
    """ValueError where a whole number has more than 64 bits, or more than `most` values are reached."""
    stack, count = [value], 0
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            stack.extend(each.values())
            count += len(each)
        elif isinstance(each, list | tuple | set):
            stack.extend(each)
            count += len(each)
        elif isinstance(each, int) and each.bit_length() > MOST_BITS:
            raise ValueError(f"a whole number of {each.bit_length()} bits; at most {MOST_BITS} are taken")
        if most is not None and count > most:
            raise ValueError(f"more than {most} values after its aliases are followed")


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
