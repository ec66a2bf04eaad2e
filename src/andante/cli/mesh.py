"""`andante mesh`: convert, turn, scale, re-center, split and wrap mesh files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from andante.errors import BadInput, MissingFile

from .options import Json
from .output import print_json
from .words import numbers_of

if TYPE_CHECKING:
    import trimesh

    from andante.description.inertia import Inertia


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
    """Convert a mesh file; turn, scale, re-center and split it, or wrap it in a hull or box; tell its inertia.

    The steps happen in this order: scale, rotate, center, split, then hull or box of each piece.
    """
    import numpy as np

    from andante.description.inertia import inertia_element
    from andante.description.io.mesh.files import load_mesh_file
    from andante.description.io.mesh.writer import WRITABLE, mesh_bytes
    from andante.description.mesh.tools import report
    from andante.files import write_all

    if hull and box:
        raise BadInput("give --hull or --box, not both")
    if target.suffix.lower() not in WRITABLE:
        raise BadInput(f"{target}: cannot write {target.suffix or 'a file without suffix'}; use {', '.join(WRITABLE)}")
    if not target.parent.is_dir():
        raise MissingFile(f"{target.parent}: no such folder; make it first")
    turn = _numbers("--rotate", rotate, (3,)) if rotate else None
    factors = _numbers("--scale", scale, (1, 3)) if scale else None
    pieces = _apply(load_mesh_file(source), turn, factors, center, split, hull, box)
    inertias = _inertias(pieces, mass) if mass is not None else []
    names = [target.with_name(f"{target.stem}_{i}{target.suffix}") for i in range(len(pieces))] if split else [target]
    contents = [mesh_bytes(piece, target.suffix) for piece in pieces]
    write_all(list(zip(contents, names, strict=True)))
    reports = [{"file": str(name), **asdict(report(piece))} for name, piece in zip(names, pieces, strict=True)]
    if mass is not None:
        for row, inertia in zip(reports, inertias, strict=True):
            row |= {"mass": inertia.mass, "com": list(inertia.com), "inertia": list(inertia.moments)}
    if json:
        print_json({"source": str(source), "files": reports})
        return
    for row in reports:
        volume = "open surface" if row["volume"] is None else f"{row['volume']:.6g} m^3"
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(row["lower"], row["upper"], strict=True))
        typer.echo(f"{row['file']}: {row['vertices']} vertices, {row['faces']} faces, {size} m, {volume}")
    for inertia in inertias:
        origin = " ".join(f"{value:.3g}" for value in np.round(inertia.com, 6) + 0.0)
        typer.echo(f'<inertial>\n  <origin xyz="{origin}"/>\n  <mass value="{inertia.mass:.4g}"/>')
        typer.echo(f"  {inertia_element(inertia)}\n</inertial>")


def _inertias(pieces: Sequence[trimesh.Trimesh], mass: float) -> list[Inertia]:
    """Inertia of each piece about its center of mass, all of one density, together of that mass [kg]."""
    from andante.description.inertia import Inertia
    from andante.description.mesh.tools import convex_hull
    from andante.description.solids import mesh_moments

    if not (math.isfinite(mass) and mass > 0):
        raise BadInput(f"--mass must be a positive number of kilograms, got {mass:g}")
    closed = [piece if piece.is_watertight and piece.is_winding_consistent else convex_hull(piece) for piece in pieces]
    moments = [mesh_moments(piece) for piece in closed]
    density = mass / sum(each.volume for each in moments)
    return [Inertia.from_matrix(density * each.volume, each.com, density * each.tensor) for each in moments]


def _apply(
    mesh: trimesh.Trimesh,
    turn: list[float] | None,
    factors: list[float] | None,
    center: bool,
    split: bool,
    hull: bool,
    box: bool,
) -> tuple[trimesh.Trimesh, ...]:
    """The steps of the command on a loaded mesh."""
    from andante.description.mesh import tools

    if factors is not None:
        mesh = tools.scale(mesh, factors if len(factors) == 3 else factors[0])
    if turn is not None:
        mesh = tools.rotate(mesh, turn)
    if center:
        mesh = tools.recenter(mesh)
    pieces = tools.split(mesh) if split else (mesh,)
    if hull:
        return tuple(tools.convex_hull(piece) for piece in pieces)
    if box:
        return tuple(tools.box_mesh(*tools.oriented_box(piece)) for piece in pieces)
    return pieces


def _numbers(option: str, text: str, counts: tuple[int, ...]) -> list[float]:
    values = numbers_of(text)
    if len(values) not in counts:
        raise BadInput(f"{option} needs {' or '.join(map(str, counts))} numbers, got {text!r}")
    return values
