"""Options that several commands share, with one meaning each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Arguments = Annotated[list[str] | None, typer.Argument(metavar="[NAME:=VALUE]...", help="xacro arguments.")]
RobotName = Annotated[str, typer.Argument(metavar="ROBOT", help="Built-in name or a URDF, xacro, SDF or MJCF file.")]
WorldName = Annotated[str, typer.Option("--world", metavar="W", help="Built-in name or an SDF or MJCF file.")]
EngineName = Annotated[str, typer.Option("--engine", metavar="E", help="mujoco, bullet, dart or ode.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of every random number.")]
OutFile = Annotated[Path, typer.Argument(metavar="OUT", help="File to write.")]
