"""TOML, JSON and YAML texts as plain values, within bounds; whatever is wrong is a ValueError in one line. TOML out.

Whole numbers have 64 bits, as TOML demands and everything that computes with them expects; lists and tables are not
nested without end; YAML makes no objects, and its aliases cannot multiply or run in circles.
"""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from andante.errors import BadInput, one_line

MOST_BITS = 64  # of a whole number
MOST_DEPTH = 100  # of lists and tables in each other
MOST_VALUES = 1_000_000  # of a YAML text after its aliases are followed
TOO_DEEP = "lists or tables are nested too deeply"
QUOTED = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|' + r"'''.*?'''|" + r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*"|' + r"'[^'\n]*+'|" + r"#[^\n]*+",
    re.DOTALL,
)  # texts and remarks of TOML
HEADER = re.compile(r"^\s*(\[+)\s*([^\]]+?)\s*\]+")
KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
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
        raise ValueError(one_line(error)) from None
    _check(table)
    return table


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except ValueError as error:
        raise ValueError(one_line(error)) from None
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
        raise ValueError(one_line(error)[:160]) from None
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


def is_number(value: Any) -> bool:
    """Whether what was read is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def key_lines(text: str) -> dict[str, int]:
    """Line of every dotted key of a TOML text, from 1; tables count with their heading, [[t]] as t.0, t.1, ..."""
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    table, quote = "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if quote:  # in the midst of a text of several lines
            if quote in line:
                quote = ""
            continue
        header, key = HEADER.match(line), KEY.match(line)
        if header and "=" not in line[: header.end()]:
            table = _plain(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}.{counts[table]}"
            lines.setdefault(table, number)
        elif key:
            lines.setdefault(f"{table}.{_plain(key[1])}" if table else _plain(key[1]), number)
        for mark in ('"""', "'''"):
            if line.count(mark) % 2:
                quote = mark
    return lines


def line_of(lines: Mapping[str, int], key: str) -> int:
    """The line of a dotted key by `key_lines`, or of the nearest table above it; 0: none of them is there."""
    while key and key not in lines:
        below = [line for name, line in lines.items() if name.startswith(f"{key}.")]
        if below:
            return below[0]
        key = key.rpartition(".")[0]
    return lines.get(key, 0)


def _plain(key: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def toml_text(table: Mapping[str, Any], above: str = "") -> str:
    """The table as TOML: first its own entries, then its tables under their headings."""
    lines = [f"{_key(name)} = {toml_value(value)}" for name, value in table.items() if not isinstance(value, Mapping)]
    parts = ["\n".join(lines) + "\n"] if lines else []
    for name, value in table.items():
        if isinstance(value, Mapping):
            path = f"{above}.{_key(name)}" if above else _key(name)
            inner = toml_text(value, path)
            only_tables = bool(value) and all(isinstance(entry, Mapping) for entry in value.values())
            parts.append(inner if only_tables else f"[{path}]\n{inner}")
    return "\n".join(parts)


def _key(name: str) -> str:
    bare = name and all(letter.isascii() and (letter.isalnum() or letter in "_-") for letter in name)
    return name if bare else _quoted(name)


def toml_value(value: Any) -> str:
    """A value as TOML writes it; a table in braces."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(float(value))
        return text if "e" not in text or "." in text else text.replace("e", ".0e")
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {toml_value(entry)}" for name, entry in value.items()) + "}"
    raise BadInput(f"{value!r} cannot be written as TOML")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
