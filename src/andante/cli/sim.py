"""`andante sim ROBOT`: a robot in a world, standing, dropped or pushed; recorded, filmed, photographed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .output import console, print_json, print_written
from .words import arguments_of

TOLD = 3  # warnings shown before the rest is counted


def sim(
    robot: options.RobotName,
    arguments: options.Arguments = None,
    world: options.WorldName = "empty",
    engine: options.EngineName = "mujoco",
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="Simulated time.")] = 5.0,
    dt: options.StepSize = 0.002,
    pose: Annotated[str | None, typer.Option("--pose", metavar="NAME", help="Named pose to hold.")] = None,
    drop: Annotated[float, typer.Option("--drop", metavar="M", help="Let it fall from this height.")] = 0.0,
    fixed: Annotated[bool, typer.Option("--fixed", help="Bolt the root link down, as for an arm.")] = False,
    push: options.Push = None,
    seed: options.Seed = 0,
    record: options.Record = None,
    video: options.Video = None,
    picture: options.Picture = None,
    realtime: Annotated[bool, typer.Option("--realtime", help="Not faster than the wall clock.")] = False,
    json: options.Json = False,
) -> None:
    """Simulate a robot and tell where it ends."""
    from andante.tasks.sim import sim as run

    result = run(
        robot,
        arguments=arguments_of(arguments),
        world=world,
        engine=engine,
        seconds=seconds,
        dt=dt,
        pose=pose,
        drop=drop,
        fixed=fixed,
        push=push,
        seed=seed,
        record=record,
        video=video,
        picture=picture,
        realtime=realtime,
        progress=not json,
    )
    if json:
        print_json(result.as_dict())
        return
    out = console()
    faults = [problem for problem in result.problems if problem.severity != "info"]
    for problem in faults[:TOLD]:
        out.print(str(problem), markup=False, style="dim")
    if len(faults) > TOLD:
        out.print(f"and {len(faults) - TOLD} more; andante check {robot} lists them", markup=False, style="dim")
    out.print(str(result), markup=False)
    print_written(record, video, picture)
    if picture is not None and out.is_terminal:
        show_picture(picture)


def show_picture(path: Path, columns: int = 72) -> None:
    """Print an image with half blocks in true color."""
    from PIL import Image
    from rich.color import Color
    from rich.segment import Segment, Segments
    from rich.style import Style

    with Image.open(path) as opened:
        width = min(columns, console().width)
        height = max(2, round(opened.height * width / opened.width) // 2 * 2)
        small = opened.convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
    segments = []
    for y in range(0, height, 2):
        for x in range(width):
            top, bottom = small.getpixel((x, y)), small.getpixel((x, y + 1))
            style = Style(color=Color.from_rgb(*top), bgcolor=Color.from_rgb(*bottom))  # type: ignore[misc]
            segments.append(Segment("▀", style))
        segments.append(Segment.line())
    console().print(Segments(segments))
