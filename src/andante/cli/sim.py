"""`andante sim ROBOT`: a robot in a world, standing, dropped or pushed; recorded, filmed, photographed."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import (
    Arguments,
    EngineName,
    Json,
    Picture,
    Push,
    Record,
    RobotName,
    Seed,
    StepSize,
    Video,
    WorldName,
)
from .output import console, print_json, print_written
from .words import arguments_of

TOLD = 3  # warnings shown before the rest is counted


def sim(
    robot: RobotName,
    arguments: Arguments = None,
    world: WorldName = "empty",
    engine: EngineName = "mujoco",
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="Simulated time.")] = 5.0,
    dt: StepSize = 0.002,
    pose: Annotated[str | None, typer.Option("--pose", metavar="NAME", help="Named pose to hold.")] = None,
    drop: Annotated[float, typer.Option("--drop", metavar="M", help="Let it fall from this height.")] = 0.0,
    fixed: Annotated[bool, typer.Option("--fixed", help="Bolt the root link down, as for an arm.")] = False,
    push: Push = None,
    seed: Seed = 0,
    record: Record = None,
    video: Video = None,
    picture: Picture = None,
    realtime: Annotated[bool, typer.Option("--realtime", help="Not faster than the wall clock.")] = False,
    json: Json = False,
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
        from .preview import show_picture

        show_picture(picture)
