"""`andante navigate ROBOT` and `andante explore ROBOT`: a robot drives to a goal or maps a world by its sensors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .output import print_lines, show, warn
from .words import arguments_of, pose_of


def navigate(
    robot: options.RobotName,
    arguments: options.Arguments = None,
    world: options.WorldName = "empty",
    start: options.Start = "0 0 0",
    goal: Annotated[
        str, typer.Option("--goal", metavar=options.POSE, help="In the world [m, m, rad]; yaw nan or left out: any.")
    ] = "",
    map_file: options.MapFile = None,
    map_pose: Annotated[
        str, typer.Option("--map-pose", metavar=options.POSE, help="Where the map's frame lies in the world.")
    ] = "0 0 0",
    tolerance: Annotated[float, typer.Option("--tolerance", metavar="M", help="How near to the goal.")] = 0.25,
    ignore_yaw: Annotated[bool, typer.Option("--ignore-yaw", help="Any heading at the goal will do.")] = False,
    timeout: options.LongestTime = 120.0,
    planner: options.Planner = "auto",
    controller: options.Controller = "mppi",
    max_speed: Annotated[float | None, options.MAX_SPEED] = None,
    params: Annotated[
        Path | None, typer.Option("--params", metavar="FILE", help="Tables like [mppi] or [layers], .toml or .json.")
    ] = None,
    engine: options.EngineName = "mujoco",
    push: options.Push = None,
    dt: options.StepSize = 0.002,
    seed: options.Seed = 0,
    record: options.Record = None,
    plot: options.Plot = None,
    video: options.Video = None,
    body: options.BodyAddress = "sim",
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Let a wheeled robot find its way to a goal and tell how it went; without a map it plans from live scans."""
    from andante.errors import BadInput
    from andante.tasks.navigate import navigate as run

    if not goal:
        raise BadInput('no goal is given: --goal "x y yaw"')
    if dry_run:
        from andante.tasks.dry_run import dry_drive

        options.refuse_simulated(body)
        print_lines(dry_drive(robot, body, params, arguments_of(arguments)))
        return
    options.allow(body, robot, yes)
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
    show(result, json, record, plot, video)


def explore(
    robot: options.RobotName,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="MAP", help="Writes MAP.pgm, MAP.yaml and MAP.tum.")],
    arguments: options.Arguments = None,
    world: Annotated[
        str | None, typer.Option("--world", metavar="W", help="To simulate; a real robot (--body) needs none.")
    ] = None,
    start: options.Start = "0 0 0",
    waypoints: Annotated[
        Path | None,
        typer.Option("--waypoints", metavar="FILE", help="Lines 'x y [yaw]' in the world to drive along."),
    ] = None,
    timeout: options.LongestTime = 600.0,
    trajectory: options.Trajectory = None,
    planner: options.Planner = "auto",
    controller: options.Controller = "pursuit",
    max_speed: Annotated[float, options.MAX_SPEED] = 0.5,
    params: options.MappingParameters = None,
    engine: options.EngineName = "mujoco",
    seed: options.Seed = 0,
    record: options.Record = None,
    plot: options.Plot = None,
    video: options.Video = None,
    body: options.BodyAddress = "sim",
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Let a robot map a world by itself, or along waypoints. Ctrl-C keeps the map made so far."""
    from andante.tasks.explore import explore as run

    if dry_run:
        from andante.tasks.dry_run import dry_drive

        options.refuse_simulated(body)
        print_lines(dry_drive(robot, body, params, arguments_of(arguments)))
        return
    options.allow(body, robot, yes)
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
    show(result, json, result.map, result.trajectory, record, plot, video)
