"""Identified parameters: a flat table, some of them for one level of a factor ("curl@speed=40"), kept in TOML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.errors import BadInput
from andante.files import read_text
from andante.parsing import parse_toml
from andante.search.tables import toml_text, write_whole

HEAD = "# Parameters that `andante experiment fit` has identified; `experiment run NAME --model FILE` uses them.\n"


def level_key(name: str, factor: str, level: Any) -> str:
    """The key of a parameter that holds at one level of a factor."""
    return f"{name}@{factor}={level:g}" if isinstance(level, int | float) else f"{name}@{factor}={level}"


def model_at(model: Mapping[str, float], factors: Mapping[str, Any]) -> dict[str, float]:
    """The parameters that hold for a combination of factors; those of a level come before general ones."""
    general = {name: value for name, value in model.items() if "@" not in name}
    own = {level_key(name.partition("@")[0], factor, level): name.partition("@")[0]
           for name in model if "@" in name for factor, level in factors.items()}  # fmt: skip
    return general | {own[name]: value for name, value in model.items() if name in own}


def read_model(path: Path) -> dict[str, float]:
    """The parameters of a file."""
    text = read_text(path)
    try:
        table = parse_toml(text).get("model")
    except ValueError as error:
        raise BadInput(f"{path}: {' '.join(str(error).split())}") from None
    if not isinstance(table, dict) or not table:
        raise BadInput(f"{path}: the table [model] is missing; `andante experiment fit` writes such files")
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"{path}: model.{name} must be a number, got {value!r}")
    return {name: float(value) for name, value in table.items()}


def write_model(path: Path, model: Mapping[str, float], about: Mapping[str, Any]) -> None:
    """Write parameters and what is known of them; the file is whole or absent."""
    write_whole(path, HEAD + toml_text({**about, "model": dict(model)}))
