"""`andante explore ROBOT --world W -o MAP`: a robot maps a world by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .bodies import BodyAddress, DryRun, Yes, allow, print_lines, refuse_simulated
from .options import (
    MAX_SPEED,
    Arguments,
    Controller,
    EngineName,
    Json,
    LongestTime,
    MappingParameters,
    Planner,
    Plot,
    Record,
    RobotName,
    Seed,
    Start,
    Trajectory,
    Video,
    WorldName,
)
from .output import console, print_json, print_written, warn
from .words import arguments_of, pose_of


def explore(
    robot: RobotName,
    world: WorldName,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="MAP", help="Writes MAP.pgm, MAP.yaml and MAP.tum.")],
    arguments: Arguments = None,
    start: Start = "0 0 0",
    waypoints: Annotated[
        Path | None,
        typer.Option("--waypoints", metavar="FILE", help="Lines 'x y [yaw]' in the world to drive along."),
    ] = None,
    timeout: LongestTime = 600.0,
    trajectory: Trajectory = None,
    planner: Planner = "auto",
    controller: Controller = "pursuit",
    max_speed: Annotated[float, MAX_SPEED] = 0.5,
    params: MappingParameters = None,
    engine: EngineName = "mujoco",
    seed: Seed = 0,
    record: Record = None,
    plot: Plot = None,
    video: Video = None,
    body: BodyAddress = "sim",
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Let a robot map a world by itself, or along waypoints. Ctrl-C keeps the map made so far."""
    from andante.tasks.explore import explore as run

    if dry_run:
        from andante.tasks.dry_run import dry_drive

        refuse_simulated(body)
        print_lines(dry_drive(robot, body, params, arguments_of(arguments)))
        return
    allow(body, robot, yes)
    result = run(
        robot,
        world=world,
        out=out,
        start=pose_of("--start", start),
        waypoints=waypoints,
        trajectory=trajectory,
        timeout=timeout,
        engine=engine,
        planner=planner,
        controller=controller,
        max_speed=max_speed,
        params=params,
        arguments=arguments_of(arguments),
        seed=seed,
        record=record,
        plot=plot,
        video=video,
        body=body,
        progress=not json,
    )
    for warning in result.warnings:
        warn(warning)
    if json:
        print_json(result.as_dict())
        return
    console().print(str(result), markup=False)
    print_written(result.map, result.trajectory, record, plot, video)
