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
from .output import console, print_json, print_written, warn


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
    from andante.tasks.map_log import map_log

    result = map_log(
        log,
        out,
        odometry=not no_odometry,
        loop_closure=not no_loop_closure,
        trajectory=trajectory,
        params=params,
        scan=scan,
        odom=odom,
        imu=imu,
        base_frame=base_frame,
        tf=tf,
        progress=not json,
    )
    for warning in result.warnings:
        warn(warning)
    if json:
        print_json(result.as_dict())
        return
    console().print(str(result), markup=False)
    print_written(result.map, result.trajectory_file)
