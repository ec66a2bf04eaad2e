"""Words of the command line as values: poses, lists of numbers, settings and arguments."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from andante.errors import BadInput


def numbers_of(text: str) -> list[float]:
    """Numbers between blanks or commas; empty where a word is none."""
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        return []


def listed(text: str) -> list[str]:
    """Words between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def pose_of(option: str, text: str, free_yaw: bool = False) -> tuple[float, float, float]:
    """x, y [m] and yaw [rad] of an option; `free_yaw`: the yaw may be nan or left out."""
    values = numbers_of(text)
    if free_yaw and len(values) == 2:
        values.append(math.nan)
    if len(values) != 3 or not all(map(math.isfinite, values[:2])) or math.isinf(values[2]):
        raise BadInput(f'{option} is "x y yaw" in meters and radians, got {text!r}')
    if math.isnan(values[2]) and not free_yaw:
        raise BadInput(f"{option} needs a yaw that is a number, got {text!r}")
    return values[0], values[1], values[2]


def velocity_of(text: str) -> tuple[float, float, float]:
    """vx, vy [m/s] and wz [rad/s] of --velocity."""
    values = numbers_of(text)
    if len(values) != 3 or not all(math.isfinite(v) and abs(v) < 1e3 for v in values):
        raise BadInput(f"velocity {text!r} should be 'vx vy wz' in m/s, m/s and rad/s, like '0.1 0 0.2'")
    return values[0], values[1], values[2]


def values_of(words: list[str] | None) -> dict[str, Any]:
    """`NAME=VALUE` words as a mapping; a value is read as in TOML, and as a plain word where that fails."""
    from andante.parsing import parse_toml

    out: dict[str, Any] = {}
    for name, value in texts_of(words).items():
        try:
            out[name] = parse_toml(f"value = {value}")["value"]
        except ValueError:
            out[name] = value
    return out


def solver_of(words: list[str] | None) -> Any:
    """Settings of the solver of `solver.NAME=VALUE` words, checked."""
    from andante.description.solver import PREFIX, solver_settings, unknown_setting

    values = values_of(words)
    for name in values:
        if not name.startswith(PREFIX):
            raise unknown_setting(name)
    return solver_settings(values)


def texts_of(words: list[str] | None) -> dict[str, str]:
    """`NAME=VALUE` words as a mapping to plain text."""
    out = {}
    for word in words or []:
        name, sign, value = (part.strip() for part in word.partition("="))
        if not (sign and name and value):
            raise BadInput(f"{word!r} should look like NAME=VALUE")
        out[name] = value
    return out


def merge_of(out: Path | None, parts: list[Path]) -> tuple[Path, list[Path]]:
    """The folder to make and those of the shards; where the first is not named apart, it leads the list."""
    if out is None:
        out, parts = parts[0], parts[1:]
        if out.exists():
            raise BadInput(f"{out} exists already; name a new folder with --out")
        if not parts:
            raise BadInput("name the folders of the shards")
    return out, parts


def arguments_of(words: list[str] | None) -> dict[str, str]:
    """`name:=value` words as a mapping."""
    out = {}
    for word in words or []:
        name, sign, value = word.partition(":=")
        if not sign or not name.isidentifier():
            raise BadInput(f"argument {word!r} should look like name:=value")
        out[name] = value
    return out
