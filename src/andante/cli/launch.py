"""`andante launch FILE [NAME:=VALUE ...]`: everything that a launch file names, until Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Json
from .output import console, print_json


def launch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Launch file (.toml).")],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME:=VALUE]...", help="robot:=shell, server.port:=9000, /nao/pgain:=80 ..."),
    ] = None,
    json: Json = False,
) -> None:
    """Start robot, world, engine, behaviours and bridges of a launch file; Ctrl-C ends all of them."""
    from andante.studio.launch import launch as run

    def say(text: str) -> None:
        if not json:
            console().print(text, markup=False)

    outcome = run(file, *(overrides or ()), say=say)
    if json:
        print_json(outcome.as_dict())
    else:
        console().print(str(outcome), markup=False)
