"""`andante walk ROBOT`: let a robot walk a distance, turn, or follow a velocity; told by the simulator's truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .bodies import BodyAddress, DryRun, Yes, allow, print_lines, refuse_simulated
from .options import (
    Arguments,
    EngineName,
    GaitParameters,
    Json,
    Push,
    Record,
    RobotName,
    Seed,
    StepSize,
    Video,
    WorldName,
)
from .output import console, print_json, print_written
from .words import arguments_of, velocity_of


def walk(
    robot: RobotName,
    arguments: Arguments = None,
    world: WorldName = "empty",
    engine: EngineName = "mujoco",
    gait: Annotated[
        str,
        typer.Option(
            "--gait", metavar="G", help="walk (two legs), tripod, ripple, wave, crawl, trot ... or file.py:Name."
        ),
    ] = "",
    distance: Annotated[float | None, typer.Option("--distance", metavar="M", help="Straight ahead.")] = None,
    turn: Annotated[float | None, typer.Option("--turn", metavar="DEG", help="On the spot, left positive.")] = None,
    velocity: Annotated[
        str | None, typer.Option("--velocity", metavar='"VX VY WZ"', help="Constant, with --seconds [m/s, rad/s].")
    ] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", metavar="S", help="How long --velocity lasts.")] = None,
    speed: Annotated[float, typer.Option("--speed", metavar="PERCENT", help="Of the gait's top speed.")] = 60.0,
    push: Push = None,
    params: GaitParameters = None,
    rig: Annotated[
        Path | None, typer.Option("--rig", metavar="RIG", help="Rig file; else NAME.rig.toml, else inferred.")
    ] = None,
    dt: StepSize = 0.002,
    seed: Seed = 0,
    record: Record = None,
    video: Video = None,
    body: BodyAddress = "sim",
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Let a robot walk and tell how far it came."""
    if dry_run:
        from andante.tasks.dry_run import dry_walk

        refuse_simulated(body)
        print_lines(dry_walk(robot, body, gait, params, rig, arguments_of(arguments)))
        return
    allow(body, robot, yes)
    from andante.tasks.walk import walk as run

    result = run(
        robot,
        world=world,
        engine=engine,
        gait=gait,
        arguments=arguments_of(arguments),
        distance=distance,
        turn=turn,
        velocity=None if velocity is None else velocity_of(velocity),
        seconds=seconds,
        speed=speed,
        push=push,
        params=params,
        rig=rig,
        dt=dt,
        seed=seed,
        record=record,
        video=video,
        body=body,
        progress=not json,
    )
    if json:
        print_json(result.as_dict())
        return
    console().print(str(result), markup=False)
    print_written(record, video)
