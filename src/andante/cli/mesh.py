"""`andante mesh`: convert, turn, scale, re-centre, split and wrap mesh files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from andante.errors import BadInput

from .options import Json
from .output import print_json
from .words import numbers_of


def mesh_command(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Mesh to read: .stl .obj .ply .dae .glb .gltf")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Mesh to write: .stl .obj .ply .dae .glb")],
    rotate: Annotated[str, typer.Option(metavar='"r p y"', help="Turn by roll, pitch, yaw in radians.")] = "",
    scale: Annotated[str, typer.Option(metavar="S", help='One factor, or one per axis: "x y z".')] = "",
    center: Annotated[bool, typer.Option("--center", help="Move the middle of the bounding box to 0.")] = False,
    split: Annotated[bool, typer.Option("--split", help="Write connected pieces as OUT_0, OUT_1, ...")] = False,
    hull: Annotated[bool, typer.Option("--hull", help="Write the convex hull (a collision shape).")] = False,
    box: Annotated[bool, typer.Option("--box", help="Write the best-fitting bounding box.")] = False,
    mass: Annotated[float | None, typer.Option(metavar="KG", help="Print the inertia of a part of this mass.")] = None,
    json: Json = False,
) -> None:
    """Convert a mesh file; turn, scale, re-centre and split it, or wrap it in a hull or box; tell its inertia.

    The steps happen in this order: scale, rotate, center, split, then hull or box of each piece.
    """
    from andante.tasks.mesh import mesh

    result = mesh(
        source,
        target,
        rotate=_numbers("--rotate", rotate, (3,)) if rotate else None,
        scale=_numbers("--scale", scale, (1, 3)) if scale else None,
        center=center,
        split=split,
        hull=hull,
        box=box,
        mass=mass,
    )
    if json:
        print_json(result.as_dict())
    else:
        typer.echo(str(result))


def _numbers(option: str, text: str, counts: tuple[int, ...]) -> list[float]:
    values = numbers_of(text)
    if len(values) not in counts:
        raise BadInput(f"{option} needs {' or '.join(map(str, counts))} numbers, got {text!r}")
    return values
