"""`andante explore ROBOT --world W -o MAP`: a robot maps a world by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
from .output import console, print_json, tell_written, warn
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
    json: Json = False,
) -> None:
    """Let a robot map a world by itself, or along waypoints. Ctrl-C keeps the map made so far."""
    from andante.tasks.explore import ExploreJob, run_explore

    job = ExploreJob(
        robot=robot,
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
    )
    outcome = run_explore(job, progress=not json)
    for warning in outcome.warnings:
        warn(warning)
    if json:
        print_json(outcome.as_dict())
        return
    words = console()
    words.print(
        f"{outcome.scans} scans over {outcome.distance:.1f} m in {outcome.time:.0f} s, {outcome.keys} key scans, "
        f"{outcome.loops} loops closed; {100 * outcome.coverage:.0f} % of the floor mapped; {outcome.reason}",
        markup=False,
    )
    for missed in outcome.missed:
        words.print(f"not reached: ({missed.place[0]:.2f}, {missed.place[1]:.2f}): {missed.reason}", style="dim")
    walls = outcome.walls
    if walls is not None:
        words.print(
            f"by the truth: {100 * walls.true_walls:.0f} % of the map's walls are true within {walls.reach:g} m, "
            f"{100 * walls.found_walls:.0f} % of the true ones were found; the robot errs by "
            f"{outcome.pose_error[0]:.3f} m at the end",
            markup=False,
        )
    if outcome.collided:
        words.print(outcome.collided, style="red", markup=False)
    tell_written(outcome.map, outcome.trajectory, record, plot, video)
