"""`andante localize LOG`: where the robot of a log was, on a map or among UWB anchors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import (
    POSE,
    BaseFrame,
    ImuTopic,
    Json,
    LogFile,
    MapFile,
    OdometryTopic,
    ScanTopic,
    Seed,
    Trajectory,
    TransformFile,
)
from .output import console, print_json, print_written, warn
from .words import pose_of


def localize(
    log: LogFile,
    map_file: MapFile = None,
    initial_pose: Annotated[
        str | None, typer.Option("--initial-pose", metavar=POSE, help="Start on the map [m, m, rad].")
    ] = None,
    anywhere: Annotated[bool, typer.Option("--global", help="Start without a pose: search the whole map.")] = False,
    uwb: Annotated[
        Path | None,
        typer.Option(
            "--uwb", metavar="ANCHORS", help="Lines 'NAME x y z', 'tag NAME x y z', 'map x y yaw'; LOG may be .csv."
        ),
    ] = None,
    seed: Seed = 0,
    trajectory: Trajectory = None,
    reference: Annotated[
        Path | None, typer.Option("--reference", metavar="FILE", help="True poses: TUM lines or 'time x y yaw'.")
    ] = None,
    params: Annotated[Path | None, typer.Option("--params", metavar="FILE", help="Parameters, .toml or .json.")] = None,
    scan: ScanTopic = "",
    odom: OdometryTopic = "",
    imu: ImuTopic = "",
    base_frame: BaseFrame = "",
    tf: TransformFile = None,
    json: Json = False,
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
    if json:
        print_json(result.as_dict())
        return
    console().print(str(result), markup=False)
    print_written(result.trajectory_file)
