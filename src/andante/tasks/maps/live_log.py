"""Logs that are being made: scans and odometry of a real robot, or of a lidar that is carried."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

from andante import hardware, mobile
from andante.compiling.ahead import compile_ahead
from andante.control.body import Body
from andante.description import load_robot
from andante.errors import BadInput
from andante.kinematics import find_drive
from andante.mapping import Log, Odometry
from andante.mapping.io.logs import LogOptions, read_log
from andante.mapping.records import Record
from andante.progress import bar

LIDAR = "rplidar:"
LIVE = (LIDAR, "serial:", "ws://", "wss://", "http://", "https://")
LOOK = 0.02  # between two looks [s]
GAP = 1.0  # without a scan for so long it is told [s]
SILENT = 10.0  # without a scan for so long it ends [s]
Report = Callable[[float, float, str], None]


def is_live(source: Path | str) -> bool:
    """Whether a log is the address of something that measures now."""
    return str(source).startswith(LIVE)


def open_log(source: Path | str, options: LogOptions, model: str, lidar: str, seconds: float, progress: bool) -> Log:
    """The log of a file, or of a robot or lidar at an address until Ctrl-C or the end of a time [s]."""
    if not is_live(source):
        if model or lidar or seconds != math.inf:
            raise BadInput("model, lidar and seconds are for a robot at an address, such as serial:PORT, not for a log")
        return read_log(Path(source), options)
    if not seconds > 0:
        raise BadInput(f"seconds must be > 0, got {seconds}")
    compile_ahead()
    address, records, told = str(source), list[Record](), list[str]()
    with bar("measuring", progress, unit="s") as report:
        try:
            if address.startswith(LIDAR):
                _carried(address, seconds, records, told, report)
            else:
                _driven(address, model, lidar, seconds, records, told, report)
        except KeyboardInterrupt:
            if not records:
                raise
    return Log(address, tuple(records), tuple(told))


def _carried(address: str, seconds: float, records: list[Record], told: list[str], report: Report) -> None:
    """Scans of a lidar alone."""
    with hardware.open_lidar(address).connect() as lidar:
        since = -math.inf

        def take() -> int:
            nonlocal since
            scans = lidar.scans(since)
            records.extend(scans)
            since = scans[-1].time if scans else since
            return len(scans)

        _until(take, seconds, address, told, report, lambda: lidar.trouble)


def _driven(
    address: str, model: str, lidar: str, seconds: float, records: list[Record], told: list[str], report: Report
) -> None:
    """Scans and odometry of a robot that others move."""
    if not model:
        raise BadInput(f"{address}: name the robot there too, by model")
    robot = load_robot(model)
    body: Body = hardware.open_body(address, robot, {"lidar": lidar} if lidar else {})
    try:
        if not body.has_scans:
            raise BadInput(f"{body.name} at {address} tells no scans; name its lidar, such as rplidar:PORT")
        drive = find_drive(robot)
        odometry = mobile.BaseOdometry(robot, drive)
        pipeline = mobile.ScanPipeline(body, odometry, mobile.OdometryOnly(), drive.reference)

        def take() -> int:
            odometry.update(body.read())
            taken = pipeline.take()
            for each in taken:
                x, y, yaw = (float(value) for value in each.odom)
                records.extend((Odometry(each.scan.time, (x, y, yaw)), each.scan))
            return len(taken)

        _until(take, seconds, address, told, report, lambda: body.read().health.words)
    finally:
        body.close()


def _until(
    take: Callable[[], int], seconds: float, address: str, told: list[str], report: Report, why: Callable[[], str]
) -> None:
    """Take what comes until the time is over [s]; BadInput when nothing comes for long, shorter gaps are told."""
    began = heard = time.monotonic()
    gap = ""  # why nothing comes at present
    while (now := time.monotonic()) - began < seconds:
        if take():
            if gap:
                told.append(f"{address}: no scan for {now - heard:.1f} s from {heard - began:.1f} s on: {gap}")
            heard, gap = now, ""
        elif now - heard > SILENT:
            raise BadInput(f"{address}: no scan for {SILENT:g} s: {why() or 'it tells nothing'}")
        elif now - heard > GAP and heard > began:
            gap = why() or gap or "it told nothing"
        report(now - began, seconds if math.isfinite(seconds) else 0.0, f"Ctrl-C ends it{gap and '; no scan: ' + gap}")
        time.sleep(LOOK)
