"""`andante navigate ROBOT`: let a wheeled robot drive to a goal by its own sensors; told by the simulator's truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .bodies import BodyAddress, DryRun, Yes, allow, print_lines, refuse_simulated
from .options import (
    MAX_SPEED,
    POSE,
    Arguments,
    Controller,
    EngineName,
    Json,
    LongestTime,
    MapFile,
    Planner,
    Plot,
    Push,
    Record,
    RobotName,
    Seed,
    Start,
    StepSize,
    Video,
    WorldName,
)
from .output import console, print_json, print_written
from .words import arguments_of, pose_of


def navigate(
    robot: RobotName,
    arguments: Arguments = None,
    world: WorldName = "empty",
    start: Start = "0 0 0",
    goal: Annotated[
        str, typer.Option("--goal", metavar=POSE, help="In the world [m, m, rad]; yaw nan or left out: any.")
    ] = "",
    map_file: MapFile = None,
    map_pose: Annotated[
        str, typer.Option("--map-pose", metavar=POSE, help="Where the map's frame lies in the world.")
    ] = "0 0 0",
    tolerance: Annotated[float, typer.Option("--tolerance", metavar="M", help="How near to the goal.")] = 0.25,
    ignore_yaw: Annotated[bool, typer.Option("--ignore-yaw", help="Any heading at the goal will do.")] = False,
    timeout: LongestTime = 120.0,
    planner: Planner = "auto",
    controller: Controller = "mppi",
    max_speed: Annotated[float | None, MAX_SPEED] = None,
    params: Annotated[
        Path | None, typer.Option("--params", metavar="FILE", help="Tables like [mppi] or [layers], .toml or .json.")
    ] = None,
    engine: EngineName = "mujoco",
    push: Push = None,
    dt: StepSize = 0.002,
    seed: Seed = 0,
    record: Record = None,
    plot: Plot = None,
    video: Video = None,
    body: BodyAddress = "sim",
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Let a wheeled robot find its way to a goal and tell how it went; without a map it plans from live scans."""
    from andante.errors import BadInput
    from andante.tasks.navigate import navigate as run

    if not goal:
        raise BadInput('no goal is given: --goal "x y yaw"')
    if dry_run:
        from andante.tasks.dry_run import dry_drive

        refuse_simulated(body)
        print_lines(dry_drive(robot, body, params, arguments_of(arguments)))
        return
    allow(body, robot, yes)
    result = run(
        robot,
        arguments=arguments_of(arguments),
        world=world,
        start=pose_of("--start", start),
        goal=pose_of("--goal", goal, free_yaw=True),
        map=map_file,
        map_pose=pose_of("--map-pose", map_pose),
        tolerance=tolerance,
        ignore_yaw=ignore_yaw,
        timeout=timeout,
        planner=planner,
        controller=controller,
        max_speed=max_speed,
        params=params,
        engine=engine,
        push=push,
        dt=dt,
        seed=seed,
        record=record,
        plot=plot,
        video=video,
        body=body,
        progress=not json,
    )
    if json:
        print_json(result.as_dict())
        return
    console().print(str(result), markup=False)
    print_written(record, plot, video)
