"""`andante convert IN OUT`: one description format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Arguments, Json, OutFile
from .output import console, print_json
from .words import arguments_of


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="Built-in name or file: xacro, URDF, SDF, world, MJCF.")],
    out: OutFile,
    arguments: Arguments = None,
    meshes: Annotated[
        Path | None,
        typer.Option("--meshes", metavar="DIR", help="Copy the meshes there and refer to the copies."),
    ] = None,
    height: Annotated[
        float | None,
        typer.Option("--height", metavar="M", help="Maps: of the lidar (0.2), or of the walls to pull up (1.0)."),
    ] = None,
    resolution: Annotated[float, typer.Option("--resolution", metavar="M", help="Of the map of a world.")] = 0.05,
    json: Json = False,
) -> None:
    """Convert a robot or world: .xacro .urdf .sdf .world .xml (MJCF); also a map.yaml to a world and back."""
    from andante.tasks.describe import convert as run

    result = run(source, out, arguments_of(arguments), meshes=meshes, height=height, resolution=resolution)
    if json:
        print_json(result.as_dict())
    else:
        console().print(str(result), markup=False)
