"""What commands print: one JSON object, or words for people; and how errors end."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from andante.stages import PATIENCE, Teller

WIDEST = 2000  # columns of a table that no terminal shows
LONGEST_LINE = 3000  # letters of a message


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
    """A rich console on stdout, imported only when words are printed; names out of files cannot steer the terminal."""
    from rich.console import Console

    class Words(Console):
        def print(self, *objects: Any, **options: Any) -> None:
            super().print(*(printable(each) if isinstance(each, str) else each for each in objects), **options)

    # names in a pipe are whole, for whoever reads them there
    return Words(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else WIDEST)


def printable(text: str) -> str:
    """The text with everything that is no letter, mark, blank or line end written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def one_line(text: str) -> str:
    """The text on one line that can be printed, its middle left out where it is very long."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 500]} ... {line[-495:]}"


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """A table for people."""
    from rich.markup import escape
    from rich.table import Table

    made = Table(title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        made.add_column(escape(column))
    for row in rows:
        made.add_row(*(escape(printable(cell)) for cell in row))
    console().print(made)


def print_written(*paths: Path | str | None) -> None:
    """Say which files were written; None stands for one that was not asked for."""
    for path in paths:
        if path is not None:
            console().print(f"wrote {path}", markup=False)


def print_lines(lines: list[dict[str, Any]]) -> None:
    """One JSON object per line on stdout."""
    for line in lines:
        print_json(line)


def warn(text: str) -> None:
    """A line on stderr beside the result."""
    sys.stderr.write(f"andante: {one_line(text)}\n")
    sys.stderr.flush()


def tell_stages(patience: float = PATIENCE) -> None:
    """Say at a terminal what a command does that lasts; programs that read stderr compare it, so they get nothing."""
    if sys.stderr.isatty():
        Teller(patience)
