"""`andante explore ROBOT --world W -o MAP`: a robot maps a world by itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .options import Arguments, EngineName, Json, RobotName, Seed
from .output import arguments_of, console, print_json


def explore(
    robot: RobotName,
    world: Annotated[str, typer.Option("--world", metavar="W", help="Built-in name or an SDF or MJCF file.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="MAP", help="Writes MAP.pgm, MAP.yaml and MAP.tum.")],
    arguments: Arguments = None,
    start: Annotated[
        str, typer.Option("--start", metavar='"X Y YAW"', help="Where it stands in the world [m, rad].")
    ] = "0 0 0",
    waypoints: Annotated[
        Path | None,
        typer.Option("--waypoints", metavar="FILE", help="Lines 'x y [yaw]' in the world to drive along."),
    ] = None,
    timeout: Annotated[float, typer.Option("--timeout", metavar="S", help="Longest simulated time.")] = 600.0,
    trajectory: Annotated[
        Path | None, typer.Option("--trajectory", metavar="FILE", help="TUM or CARMEN lines; else MAP.tum.")
    ] = None,
    planner: Annotated[str, typer.Option("--planner", metavar="P", help="auto, astar, hybrid ...")] = "auto",
    controller: Annotated[str, typer.Option("--controller", metavar="C", help="pursuit, mppi or dwa.")] = "pursuit",
    max_speed: Annotated[float, typer.Option("--max-speed", metavar="V", help="[m/s]")] = 0.5,
    params: Annotated[
        Path | None, typer.Option("--params", metavar="FILE", help="Mapping parameters, .toml or .json.")
    ] = None,
    engine: EngineName = "mujoco",
    seed: Seed = 0,
    record: Annotated[Path | None, typer.Option("--record", metavar="OUT", help="Record to .mcap or .csv.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="OUT", help="Map and way as .png, .svg ...")] = None,
    video: Annotated[Path | None, typer.Option("--video", metavar="OUT", help="Film to .mp4, .gif or .webp.")] = None,
    json: Json = False,
) -> None:
    """Let a robot map a world by itself, or along waypoints. Ctrl-C keeps the map made so far."""
    from andante.runtime.explore_job import ExploreJob, run_explore

    job = ExploreJob(
        robot=robot,
        world=world,
        out=out,
        start=_pose(start),
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
        sys.stderr.write(f"andante: {warning}\n")
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
    for path in (outcome.map, outcome.trajectory, record, plot, video):
        if path is not None:
            words.print(f"wrote {path}", markup=False)


def _pose(text: str) -> tuple[float, float, float]:
    from andante.errors import BadInput

    try:
        x, y, yaw = (float(word) for word in text.replace(",", " ").split())
    except ValueError:
        raise BadInput(f"--start {text!r} should be 'x y yaw' in metres and radians, like '0 0 0'") from None
    return x, y, yaw
