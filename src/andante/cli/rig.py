"""`andante rig FILE -o RIG.toml`: legs, feet, stance, steps and gains of any legged robot, as a file to edit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .options import Arguments, Json, RobotName
from .output import console, print_json, warn
from .words import arguments_of


def rig(
    robot: RobotName,
    arguments: Arguments = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="RIG.toml", help="File to write; else stdout.")
    ] = None,
    knees: Annotated[str, typer.Option("--knees", help="same, back, front, in, out or up.")] = "same",
    height: Annotated[float | None, typer.Option("--height", metavar="M", help="Of the body over the ground.")] = None,
    json: Json = False,
) -> None:
    """Infer a rig: what gaits must know about a legged robot."""
    from andante.tasks.describe import rig as run

    result = run(robot, out, knees=knees, height=height, arguments=arguments_of(arguments))
    if json:
        print_json(result.as_dict())
        return
    if out is None:
        sys.stdout.write(result.text)
    else:
        console().print(str(result), markup=False)
    if result.warning:
        warn(result.warning)
