"""`andante map LOG -o MAP` and `andante localize LOG`: a map, and where the robot was, from a log of laser scans."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .output import show, warn
from .words import pose_of


def map(
    log: options.LogFile,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="MAP", help="Writes MAP.pgm and MAP.yaml.")],
    no_odometry: Annotated[bool, typer.Option("--no-odometry", help="Match scans without wheel odometry.")] = False,
    no_loop_closure: Annotated[bool, typer.Option("--no-loop-closure", help="Track only; faster.")] = False,
    trajectory: options.Trajectory = None,
    params: options.MappingParameters = None,
    scan: options.ScanTopic = "",
    odom: options.OdometryTopic = "",
    imu: options.ImuTopic = "",
    base_frame: options.BaseFrame = "",
    tf: options.TransformFile = None,
    json: options.Json = False,
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
    show(result, json, result.map, result.trajectory_file)


def localize(
    log: options.LogFile,
    map_file: options.MapFile = None,
    initial_pose: Annotated[
        str | None, typer.Option("--initial-pose", metavar=options.POSE, help="Start on the map [m, m, rad].")
    ] = None,
    anywhere: Annotated[bool, typer.Option("--global", help="Start without a pose: search the whole map.")] = False,
    uwb: Annotated[
        Path | None,
        typer.Option(
            "--uwb", metavar="ANCHORS", help="Lines 'NAME x y z', 'tag NAME x y z', 'map x y yaw'; LOG may be .csv."
        ),
    ] = None,
    seed: options.Seed = 0,
    trajectory: options.Trajectory = None,
    reference: Annotated[
        Path | None, typer.Option("--reference", metavar="FILE", help="True poses: TUM lines or 'time x y yaw'.")
    ] = None,
    params: Annotated[Path | None, typer.Option("--params", metavar="FILE", help="Parameters, .toml or .json.")] = None,
    scan: options.ScanTopic = "",
    odom: options.OdometryTopic = "",
    imu: options.ImuTopic = "",
    base_frame: options.BaseFrame = "",
    tf: options.TransformFile = None,
    json: options.Json = False,
) -> None:
    """Localize the robot of a log on a map, or by UWB ranges."""
    from andante.tasks.localize import localize as run

    result = run(
        log,
        map=map_file,
        initial_pose=None if initial_pose is None else pose_of("--initial-pose", initial_pose),
        anywhere=anywhere,
        uwb=uwb,
        seed=seed,
        trajectory=trajectory,
        reference=reference,
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
    show(result, json, result.trajectory_file)
