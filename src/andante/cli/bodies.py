"""`--body`: the question before a real robot moves, and what `--dry-run` prints."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from .output import clean

BodyAddress = Annotated[
    str,
    typer.Option(
        "--body",
        metavar="B",
        help="sim, ws://HOST:9090, http://HOST:11311, serial:PORT or file.py:Name (a real robot).",
    ),
]
BodyParameters = Annotated[
    Path | None, typer.Option("--params", metavar="FILE", help="Table [body] for a real robot, .toml or .json.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only print what a real robot would be sent.")]
Yes = Annotated[bool, typer.Option("--yes", help="Move a real robot without asking.")]


def allow(body: str, robot: str, yes: bool) -> None:
    """Ask before a real robot moves; ends the command where the answer is no."""
    from andante.errors import BadInput
    from andante.hardware.open import SIMULATED, check_address

    check_address(body)
    if body == SIMULATED or yes:
        return
    if not sys.stdin.isatty():
        raise BadInput(f"{robot} at {body} would move and nobody can be asked here; --yes moves it, --dry-run does not")
    sys.stderr.write(f"move {robot} at {body}? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
        raise BadInput("nothing was moved")


def print_lines(lines: list[dict[str, Any]]) -> None:
    """One JSON object per line on stdout."""
    for line in lines:
        sys.stdout.write(json.dumps(clean(line), allow_nan=False) + "\n")
    sys.stdout.flush()


def refuse_simulated(body: str) -> None:
    """A dry run is for real robots."""
    from andante.errors import BadInput
    from andante.hardware.open import SIMULATED, check_address

    check_address(body)
    if body == SIMULATED:
        raise BadInput("--dry-run prints what a real robot would be sent; name one with --body")
