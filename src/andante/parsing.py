"""TOML, JSON and YAML texts as plain values, within bounds; whatever is wrong is a ValueError in one line.

Whole numbers have 64 bits, as TOML demands and everything that computes with them expects; lists and tables are not
nested without end; YAML makes no objects, and its aliases cannot multiply or run in circles.
"""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from typing import Any

MOST_BITS = 64  # of a whole number
MOST_DEPTH = 100  # of lists and tables in each other
MOST_VALUES = 1_000_000  # of a YAML text after its aliases are followed
TOO_DEEP = "lists or tables are nested too deeply"
QUOTED = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|' + r"'''.*?'''|" + r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"|' + r"'[^'\n]*+'|" + r"#[^\n]*+",
    re.DOTALL,
)  # texts and remarks of TOML
DOTTED = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MOST_DEPTH}}}")


def parse_toml(text: str) -> dict[str, Any]:
    """The table of a TOML text."""
    if DOTTED.search(QUOTED.sub(_name_or_blank, text)):  # the parser takes the square of their number in memory
        raise ValueError(f"a key of more than {MOST_DEPTH} parts: {TOO_DEEP}")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except ValueError as error:
        raise ValueError(_line(error)) from None
    _check(table)
    return table


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
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
        raise ValueError(TOO_DEEP) from None
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, KeyError, OverflowError) as error:
        raise ValueError(_line(error)[:160]) from None
    _check(value, MOST_VALUES)
    return value


def _check(value: Any, most: int | None = None) -> None:
    """ValueError where lists lie too deep, a whole number is too long, or more than `most` values are reached."""
    level, count = [value], 0
    for depth in itertools.count():
        inside: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inside.extend(each.values())
            elif isinstance(each, list | tuple | set):
                inside.extend(each)
            elif isinstance(each, int) and each.bit_length() > MOST_BITS:
                raise ValueError(f"a whole number of {each.bit_length()} bits; at most {MOST_BITS} are taken")
            if most is not None and count + len(inside) > most:
                raise ValueError(f"more than {most} values after its aliases are followed")
        if not inside:
            return
        if depth >= MOST_DEPTH:
            raise ValueError(TOO_DEEP)
        level, count = inside, count + len(inside)


def _name_or_blank(found: re.Match[str]) -> str:
    """What stands for a text or a remark where dots are counted."""
    return "" if found[0].startswith("#") else "_"


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
