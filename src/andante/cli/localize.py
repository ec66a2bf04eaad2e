"""`andante localize LOG`: where the robot of a log was, on a map or among UWB anchors."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated

import typer

from .options import Json, Seed
from .output import console, print_json


def localize(
    log: Annotated[
        Path,
        typer.Argument(metavar="LOG", help="rosbag1, rosbag2, MCAP, CARMEN (.log, .clf; .gz); UWB also .csv."),
    ],
    map_file: Annotated[Path | None, typer.Option("--map", metavar="MAP", help="The map's .yaml file.")] = None,
    initial_pose: Annotated[
        str | None, typer.Option("--initial-pose", metavar='"X Y YAW"', help="Start on the map [m, m, rad].")
    ] = None,
    anywhere: Annotated[bool, typer.Option("--global", help="Start without a pose: search the whole map.")] = False,
    uwb: Annotated[
        Path | None,
        typer.Option("--uwb", metavar="ANCHORS", help="Lines 'NAME x y z', 'tag NAME x y z', 'map x y yaw'."),
    ] = None,
    seed: Seed = 0,
    trajectory: Annotated[
        Path | None,
        typer.Option("--trajectory", metavar="FILE", help="TUM lines (.txt, .tum), or CARMEN lines (.log, .clf)."),
    ] = None,
    reference: Annotated[
        Path | None, typer.Option("--reference", metavar="FILE", help="True poses: TUM lines or 'time x y yaw'.")
    ] = None,
    params: Annotated[Path | None, typer.Option("--params", metavar="FILE", help="Parameters, .toml or .json.")] = None,
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
    """Localise the robot of a log on a map, or by UWB ranges."""
    from andante.mapping.io.logs import LogOptions
    from andante.runtime.localize_job import LocalizeJob, run_localize

    job = LocalizeJob(
        log=log,
        map=map_file,
        initial_pose=None if initial_pose is None else _pose(initial_pose),
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
        sys.stderr.write(f"andante: {warning}\n")
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
    if outcome.trajectory is not None:
        words.print(f"wrote {outcome.trajectory}", markup=False)


def _told(what: str, error: dict[str, float | int]) -> str:
    return (
        f"{what}: mean {error['mean']:.3f} m, median {error['median']:.3f} m, max {error['max']:.3f} m, "
        f"within 0.5 m {100 * error['within_0_5']:.1f} %"
    )


def _pose(text: str) -> tuple[float, float, float]:
    from andante.errors import BadInput

    try:
        x, y, yaw = (float(word) for word in text.replace(",", " ").split())
    except ValueError:
        raise BadInput(f'--initial-pose is "x y yaw" in metres and radians, got {text!r}') from None
    if not all(map(math.isfinite, (x, y, yaw))):
        raise BadInput(f"--initial-pose must be finite numbers, got {text!r}")
    return x, y, yaw
