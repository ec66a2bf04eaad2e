"""`andante map LOG -o MAP`: a map and a trajectory from a log of laser scans."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import (
    BaseFrame,
    ImuTopic,
    Json,
    LogFile,
    MappingParameters,
    OdometryTopic,
    ScanTopic,
    Trajectory,
    TransformFile,
)
from .output import console, print_json, tell_written, warn


def map_command(
    log: LogFile,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="MAP", help="Writes MAP.pgm and MAP.yaml.")],
    no_odometry: Annotated[bool, typer.Option("--no-odometry", help="Match scans without wheel odometry.")] = False,
    no_loop_closure: Annotated[bool, typer.Option("--no-loop-closure", help="Track only; faster.")] = False,
    trajectory: Trajectory = None,
    params: MappingParameters = None,
    scan: ScanTopic = "",
    odom: OdometryTopic = "",
    imu: ImuTopic = "",
    base_frame: BaseFrame = "",
    tf: TransformFile = None,
    json: Json = False,
) -> None:
    """Make a map from a log of laser scans."""
    from andante.mapping.io.logs import LogOptions
    from andante.tasks.map_log import MapJob, run_map

    options = LogOptions(scan, odom, imu, base_frame, tf)
    job = MapJob(log, out, not no_odometry, not no_loop_closure, trajectory, params, options)
    outcome = run_map(job, progress=not json)
    for warning in outcome.warnings:
        warn(warning)
    if json:
        print_json(outcome.as_dict())
        return
    words = console()
    words.print(
        f"{outcome.scans} scans over {outcome.length:.1f} m at {outcome.rate:.0f} scans/s, {outcome.keys} key scans, "
        f"{outcome.loops} loops closed, map of {outcome.size[0]} x {outcome.size[1]} cells of {outcome.resolution:g} m"
    )
    if outcome.unmatched:
        words.print(f"{outcome.unmatched} scans fitted nothing and were placed by dead reckoning", style="dim")
    tell_written(outcome.map, outcome.trajectory)
