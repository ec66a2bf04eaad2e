"""`andante check | convert | mesh | rig`: what is wrong with a description, and other forms of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from andante.errors import BadInput

from . import options
from .output import console, print_json, show, warn
from .words import arguments_of, numbers_of

COLORS = {"error": "bold red", "warning": "yellow", "info": "dim"}


def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Robot or world: built-in name or file.")],
    arguments: options.Arguments = None,
    json: options.Json = False,
) -> None:
    """Check a robot or world file; exit 1 when it has errors."""
    from andante.tasks.describe import check as run

    report = run(file, arguments_of(arguments))
    if json:
        print_json(report.as_dict())
    else:
        out = console()
        out.print(report.name, style="bold", markup=False, end=" ")
        out.print(f"({report.kind}): {report.links} links, {report.joints} joints, {report.mass:.4g} kg")
        for line in report.recognised:
            out.print(f"  {line}", markup=False)
        for problem in report.problems:
            where = f"{problem.source}: " if str(problem.source) else ""
            out.print(f"[{COLORS[problem.severity]}]{problem.severity:8}[/]", end=" ")
            out.print(f"{where}{problem.message}", markup=False)
        if not report.problems:
            out.print("  no problems found")
    if not report.ok:
        raise typer.Exit(1)


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="Built-in name or file: xacro, URDF, SDF, world, MJCF.")],
    out: options.OutFile,
    arguments: options.Arguments = None,
    meshes: Annotated[
        Path | None,
        typer.Option("--meshes", metavar="DIR", help="Copy the meshes there and refer to the copies."),
    ] = None,
    height: Annotated[
        float | None,
        typer.Option("--height", metavar="M", help="Maps: of the lidar (0.2), or of the walls to pull up (1.0)."),
    ] = None,
    resolution: Annotated[float, typer.Option("--resolution", metavar="M", help="Of the map of a world.")] = 0.05,
    json: options.Json = False,
) -> None:
    """Convert a robot or world: .xacro .urdf .sdf .world .xml (MJCF); also a map.yaml to a world and back."""
    from andante.tasks.describe import convert as run

    result = run(source, out, arguments_of(arguments), meshes=meshes, height=height, resolution=resolution)
    show(result, json)


def mesh(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Mesh to read: .stl .obj .ply .dae .glb .gltf")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Mesh to write: .stl .obj .ply .dae .glb")],
    rotate: Annotated[str, typer.Option(metavar='"r p y"', help="Turn by roll, pitch, yaw in radians.")] = "",
    scale: Annotated[str, typer.Option(metavar="S", help='One factor, or one per axis: "x y z".')] = "",
    center: Annotated[bool, typer.Option("--center", help="Move the middle of the bounding box to 0.")] = False,
    split: Annotated[bool, typer.Option("--split", help="Write connected pieces as OUT_0, OUT_1, ...")] = False,
    hull: Annotated[bool, typer.Option("--hull", help="Write the convex hull (a collision shape).")] = False,
    box: Annotated[bool, typer.Option("--box", help="Write the best-fitting bounding box.")] = False,
    mass: Annotated[float | None, typer.Option(metavar="KG", help="Print the inertia of a part of this mass.")] = None,
    json: options.Json = False,
) -> None:
    """Convert a mesh file; turn, scale, re-center and split it, or wrap it in a hull or box; tell its inertia.

    The steps happen in this order: scale, rotate, center, split, then hull or box of each piece.
    """
    from andante.tasks.mesh import mesh as run

    result = run(
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
    show(result, json)


def _numbers(option: str, text: str, counts: tuple[int, ...]) -> list[float]:
    values = numbers_of(text)
    if len(values) not in counts:
        raise BadInput(f"{option} needs {' or '.join(map(str, counts))} numbers, got {text!r}")
    return values


def rig(
    robot: options.RobotName,
    arguments: options.Arguments = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="RIG.toml", help="File to write; else stdout.")
    ] = None,
    knees: Annotated[str, typer.Option("--knees", help="same, back, front, in, out or up.")] = "same",
    height: Annotated[float | None, typer.Option("--height", metavar="M", help="Of the body over the ground.")] = None,
    json: options.Json = False,
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
