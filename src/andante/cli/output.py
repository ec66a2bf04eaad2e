"""What commands print: one JSON object, or words for people; and how errors end."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from .words import arguments_of as arguments_of


def clean(value: Any) -> Any:
    """The value as JSON can carry it: arrays to lists, NaN and infinities to null."""
    if isinstance(value, dict):
        return {str(key): clean(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [clean(entry) for entry in value]
    if hasattr(value, "tolist"):
        return clean(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def print_json(value: Any) -> None:
    """One JSON object on stdout and nothing else."""
    sys.stdout.write(json.dumps(clean(value), allow_nan=False) + "\n")
    sys.stdout.flush()


def console() -> Any:
    """A rich console on stdout, imported only when words are printed."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """A table for people."""
    from rich.markup import escape
    from rich.table import Table

    made = Table(title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        made.add_column(escape(column))
    for row in rows:
        made.add_row(*map(escape, row))
    console().print(made)


def tell_written(*paths: Path | str | None) -> None:
    """Say which files were written; None stands for one that was not asked for."""
    for path in paths:
        if path is not None:
            console().print(f"wrote {path}", markup=False)


def warn(text: str) -> None:
    """A line on stderr beside the result."""
    sys.stderr.write(f"andante: {text}\n")
    sys.stderr.flush()
