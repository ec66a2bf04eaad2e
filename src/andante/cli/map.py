"""`andante map LOG -o MAP`: a map and a trajectory from a log of laser scans."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .options import Json
from .output import console, print_json


def map_command(
    log: Annotated[
        Path,
        typer.Argument(metavar="LOG", help="rosbag1, rosbag2 (folder, .db3, .mcap) or CARMEN (.log, .clf; .gz)."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="MAP", help="Writes MAP.pgm and MAP.yaml.")],
    no_odometry: Annotated[bool, typer.Option("--no-odometry", help="Match scans without wheel odometry.")] = False,
    no_loop_closure: Annotated[bool, typer.Option("--no-loop-closure", help="Track only; faster.")] = False,
    trajectory: Annotated[
        Path | None,
        typer.Option("--trajectory", metavar="FILE", help="TUM lines (.txt, .tum), or CARMEN lines (.log, .clf)."),
    ] = None,
    params: Annotated[
        Path | None, typer.Option("--params", metavar="FILE", help="Mapping parameters, .toml or .json.")
    ] = None,
    scan: Annotated[str, typer.Option("--scan", metavar="TOPIC", help="Topic of the scans; FLASER or RLASER.")] = "",
    odom: Annotated[str, typer.Option("--odom", metavar="TOPIC", help="Topic of the odometry.")] = "",
    imu: Annotated[str, typer.Option("--imu", metavar="TOPIC", help="Topic of the IMU.")] = "",
    base_frame: Annotated[str, typer.Option("--base-frame", metavar="FRAME", help="Frame of the robot.")] = "",
    tf: Annotated[
        Path | None,
        typer.Option("--tf", metavar="FILE", help="Robot file, or lines 'parent child x y z yaw pitch roll'."),
    ] = None,
    json: Json = False,
) -> None:
    """Make a map from a log of laser scans."""
    from andante.mapping.io.logs import LogOptions
    from andante.runtime.map_job import MapJob, run_map

    options = LogOptions(scan, odom, imu, base_frame, tf)
    job = MapJob(log, out, not no_odometry, not no_loop_closure, trajectory, params, options)
    outcome = run_map(job, progress=not json)
    for warning in outcome.warnings:
        sys.stderr.write(f"andante: {warning}\n")
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
    for path in (outcome.map, outcome.trajectory):
        if path is not None:
            words.print(f"wrote {path}", markup=False)
