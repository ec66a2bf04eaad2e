"""`andante convert IN OUT`: one description format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Arguments, OutFile
from .output import arguments_of, console


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="Built-in name or file: xacro, URDF, SDF, world, MJCF.")],
    out: OutFile,
    arguments: Arguments = None,
    meshes: Annotated[
        Path | None,
        typer.Option("--meshes", metavar="DIR", help="Copy the meshes there and refer to the copies."),
    ] = None,
) -> None:
    """Convert a robot or world: .xacro .urdf .sdf .world .xml (MJCF)."""
    from andante.description.io.convert import convert_file

    written = convert_file(source, out, arguments_of(arguments), meshes)
    for problem in written.problems:
        console().print(str(problem), markup=False)
    console().print(f"wrote {written.path}", markup=False)
