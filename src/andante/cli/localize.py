"""`andante localize LOG`: where the robot of a log was, on a map or among UWB anchors."""

from __future__ import annotations

import math
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
from .output import console, print_json, tell_written, warn
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
    """Localise the robot of a log on a map, or by UWB ranges."""
    from andante.mapping.io.logs import LogOptions
    from andante.tasks.localize import LocalizeJob, run_localize

    job = LocalizeJob(
        log=log,
        map=map_file,
        initial_pose=None if initial_pose is None else pose_of("--initial-pose", initial_pose),
        anywhere=anywhere,
        uwb=uwb,
        seed=seed,
        trajectory=trajectory,
        reference=reference,
        params=params,
        options=LogOptions(scan, odom, imu, base_frame, tf),
    )
    outcome = run_localize(job, progress=not json)
    for warning in outcome.warnings:
        warn(warning)
    if json:
        print_json(outcome.as_dict())
        return
    words = console()
    x, y, yaw = (float(value) for value in outcome.pose)
    state = "converged" if outcome.converged else "not converged"
    words.print(
        f"{outcome.updates} updates at {outcome.rate:.0f} a second, {state}; "
        f"last at x {x:.3f} m, y {y:.3f} m, yaw {math.degrees(yaw):.1f} deg"
    )
    if outcome.error is not None:
        words.print(_told("error", outcome.error))
    plain = outcome.details.get("trilateration")
    if plain is not None:
        words.print(_told("plain trilateration", plain), style="dim")
    tell_written(outcome.trajectory)


def _told(what: str, error: dict[str, float | int]) -> str:
    return (
        f"{what}: mean {error['mean']:.3f} m, median {error['median']:.3f} m, max {error['max']:.3f} m, "
        f"within 0.5 m {100 * error['within_0_5']:.1f} %"
    )
