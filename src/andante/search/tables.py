"""Plain tables as TOML text, and atomic writing of files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.errors import BadInput


def toml_text(table: Mapping[str, Any], above: str = "") -> str:
    """The table as TOML: first its own entries, then its tables under their headings."""
    lines = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if not isinstance(value, Mapping)]
    parts = ["\n".join(lines) + "\n"] if lines else []
    for name, value in table.items():
        if isinstance(value, Mapping):
            path = f"{above}.{_key(name)}" if above else _key(name)
            inner = toml_text(value, path)
            only_tables = bool(value) and all(isinstance(entry, Mapping) for entry in value.values())
            parts.append(inner if only_tables else f"[{path}]\n{inner}")
    return "\n".join(parts)


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically: afterwards it is the old or the new one."""
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def _key(name: str) -> str:
    bare = name and all(letter.isascii() and (letter.isalnum() or letter in "_-") for letter in name)
    return name if bare else _quoted(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(value)
        return text if "e" not in text or "." in text else text.replace("e", ".0e")
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(name)} = {_value(entry)}" for name, entry in value.items()) + "}"
    raise BadInput(f"{value!r} cannot be written as TOML")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
