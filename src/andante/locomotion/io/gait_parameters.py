"""Parameters of a gait from a TOML or JSON file: one flat table of names and values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from andante.description.io.xmltree import read_bytes
from andante.errors import BadInput, MissingFile
from andante.parsing import parse_json, parse_toml

MAX_BYTES = 1024 * 1024


def read_parameter_file(path: Path) -> Any:
    """What a parameter file holds, TOML or, by its ending, JSON; the caller checks what it must be."""
    if not path.is_file():
        raise MissingFile(f"{path}: no such parameter file")
    text = read_bytes(path, MAX_BYTES)
    try:
        return parse_json(text) if path.suffix.lower() == ".json" else parse_toml(text.decode("utf-8"))
    except ValueError as error:
        raise BadInput(f"{path}: cannot be read as parameters ({' '.join(str(error).split())})") from None


def read_parameters(path: Path, tables: tuple[str, ...] = ()) -> dict[str, Any]:
    """Names and values (numbers, true/false, words) of a file; those of `tables` may be anything."""
    data = read_parameter_file(path)
    if not isinstance(data, dict):
        raise BadInput(f"{path}: parameters are lines like NAME = VALUE")
    checked_parameters({name: value for name, value in data.items() if name not in tables}, str(path))
    return data


def checked_parameters(data: dict[str, Any], path: str) -> dict[str, Any]:
    """The same names and values; BadInput names the file where one is no number, word or true/false."""
    for name, value in data.items():
        if isinstance(value, dict):
            raise BadInput(f"{path}: there is no table [{name}] here; parameters are lines like NAME = VALUE")
        if not isinstance(value, int | float | str | bool):
            raise BadInput(f"{path}: {name} needs a number, a word or true/false")
        if isinstance(value, float) and not abs(value) < 1e9:
            raise BadInput(f"{path}: {name} needs a finite number, got {value}")
    return data
