"""`andante navigate ROBOT`: let a wheeled robot drive to a goal by its own sensors; told by the simulator's truth."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from .options import Arguments, EngineName, Json, RobotName, Seed, WorldName
from .output import arguments_of, console, print_json

POSE = '"X Y YAW"'


def navigate(
    robot: RobotName,
    arguments: Arguments = None,
    world: WorldName = "empty",
    start: Annotated[str, typer.Option("--start", metavar=POSE, help="In the world [m, m, rad].")] = "0 0 0",
    goal: Annotated[
        str, typer.Option("--goal", metavar=POSE, help="In the world [m, m, rad]; yaw nan or left out: any.")
    ] = "",
    map_file: Annotated[
        Path | None, typer.Option("--map", metavar="M", help="The map's .yaml; without one it plans from live scans.")
    ] = None,
    map_pose: Annotated[
        str, typer.Option("--map-pose", metavar=POSE, help="Where the map's frame lies in the world.")
    ] = "0 0 0",
    tolerance: Annotated[float, typer.Option("--tolerance", metavar="M", help="How near to the goal.")] = 0.25,
    ignore_yaw: Annotated[bool, typer.Option("--ignore-yaw", help="Any heading at the goal will do.")] = False,
    timeout: Annotated[float, typer.Option("--timeout", metavar="S", help="Longest simulated time.")] = 120.0,
    planner: Annotated[
        str, typer.Option("--planner", metavar="P", help="auto, dijkstra, astar, anyangle, hybrid or file.py:Name.")
    ] = "auto",
    controller: Annotated[
        str, typer.Option("--controller", metavar="C", help="mppi, dwa, pursuit, waypoint or file.py:Name.")
    ] = "mppi",
    max_speed: Annotated[
        float | None, typer.Option("--max-speed", metavar="V", help="Lowers the speed of the robot file [m/s].")
    ] = None,
    params: Annotated[
        Path | None, typer.Option("--params", metavar="FILE", help="Tables like [mppi] or [layers], .toml or .json.")
    ] = None,
    engine: EngineName = "mujoco",
    push: Annotated[
        str | None, typer.Option("--push", metavar='"NS DIR T"', help='Push it: "8 left 3.0" [N s, s].')
    ] = None,
    dt: Annotated[float, typer.Option("--dt", metavar="S", help="Step size.")] = 0.002,
    seed: Seed = 0,
    record: Annotated[Path | None, typer.Option("--record", metavar="OUT", help="Record to .mcap or .csv.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="OUT", help="Draw the drive to .png or .svg.")] = None,
    video: Annotated[Path | None, typer.Option("--video", metavar="OUT", help="Film to .mp4, .gif or .webp.")] = None,
    json: Json = False,
) -> None:
    """Let a wheeled robot find its way to a goal and tell how it went."""
    from andante.errors import BadInput
    from andante.runtime.navigate_job import NavigateJob, run_navigate

    if not goal:
        raise BadInput('where to? --goal "x y yaw"')
    job = NavigateJob(
        robot=robot,
        arguments=arguments_of(arguments),
        world=world,
        start=_pose("--start", start),
        goal=_pose("--goal", goal, free=True),
        map=map_file,
        map_pose=_pose("--map-pose", map_pose),
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
    )
    outcome = run_navigate(job, progress=not json)
    if json:
        print_json(outcome.as_dict())
        return
    out = console()
    state = "[green]arrived[/green]" if outcome.success else "[red]not arrived[/red]"
    out.print(
        f"{outcome.robot} on {outcome.engine}: {state} after {outcome.time:.1f} s and {outcome.path_length:.2f} m, "
        f"{outcome.final_error:.3f} m from the goal"
    )
    out.print(outcome.reason, markup=False, style="" if not outcome.success else "dim")
    off = outcome.estimate_error
    out.print(f"its own estimate was off by {off['rms']:.3f} m rms, {off['max']:.3f} m at most", style="dim")
    for path in (record, plot, video):
        if path is not None:
            out.print(f"wrote {path}", markup=False)


def _pose(option: str, text: str, free: bool = False) -> tuple[float, float, float]:
    """x, y, yaw of an option; free: the yaw may be nan or left out."""
    from andante.errors import BadInput

    words = text.replace(",", " ").split()
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if free and len(values) == 2:
        values.append(math.nan)
    if len(values) != 3 or not all(map(math.isfinite, values[:2])) or math.isinf(values[2]):
        raise BadInput(f'{option} is "x y yaw" in metres and radians, got {text!r}')
    if math.isnan(values[2]) and not free:
        raise BadInput(f"{option} needs a yaw that is a number, got {text!r}")
    return values[0], values[1], values[2]
