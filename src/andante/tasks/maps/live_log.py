"""Logs that are being made: scans and odometry of a real robot, or of a lidar that is carried."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from andante import hardware, mobile
from andante.compiling.ahead import compile_ahead
from andante.control.body import Body, BodyState
from andante.description import load_robot
from andante.errors import BadInput
from andante.hardware.pozyx.reader import TagRanges
from andante.hardware.serial.body import SerialBody
from andante.kinematics import find_drive
from andante.localization.uwb import UwbLog
from andante.mapping import Log, Odometry
from andante.mapping.io.logs import LogOptions, read_log
from andante.mapping.records import ImuReading, Record
from andante.progress import bar

from .tag_start import RangeRow, rows_of

LIDAR = "rplidar:"
LIVE = (LIDAR, "serial:", "ws://", "wss://", "http://", "https://")
LOOK = 0.02  # between two looks [s]
GAP = 1.0  # without a scan for so long it is told [s]
SAME = 0.005  # times that differ by less are those of one measurement [s]
SILENT = 10.0  # without a scan for so long it ends [s]
Report = Callable[[float, float, str], None]


def is_live(source: Path | str) -> bool:
    """Whether a log is the address of something that measures now."""
    return str(source).startswith(LIVE)


@dataclass(frozen=True)
class Listening:
    """What is listened to at an address, and for how long."""

    model: str = ""  # of the robot there, a name or a path
    lidar: str = ""  # of a car: rplidar:PORT
    tags: str = ""  # of a car: pozyx:PORT,PORT
    anchors: Path | None = None  # file of anchors and tags
    seconds: float = math.inf

    def refuse(self) -> None:
        """BadInput where any of it is given, since a log is read."""
        if self.model or self.lidar or self.tags or self.seconds != math.inf:
            raise BadInput(
                "model, lidar, tags and seconds are for a robot at an address, such as serial:PORT, not for a log"
            )

    @property
    def body(self) -> dict[str, str]:
        """The table [body] that says so."""
        named = {"lidar": self.lidar, "uwb": self.tags, "anchors": str(self.anchors or "") if self.tags else ""}
        return {name: value for name, value in named.items() if value}


@dataclass
class Heard:
    """Ranges of UWB tags, and the IMU beside them, while they come."""

    ranges: list[RangeRow] = field(default_factory=list)
    imu: list[ImuReading] = field(default_factory=list)

    def take(self, state: BodyState, rounds: Sequence[TagRanges]) -> None:
        """What was felt and measured since the last time."""
        if np.isfinite(state.gyro).all() and (not self.imu or state.time > self.imu[-1].time):
            gyro, pull = ((float(x), float(y), float(z)) for x, y, z in (state.gyro, state.acceleration))
            self.imu.append(ImuReading(state.time, gyro, pull))
        for each in sorted(rounds, key=lambda told: told.time):
            self.ranges.extend(rows_of(each.time, each.tag, each.ranges))


def open_log(source: Path | str, options: LogOptions, live: Listening, progress: bool) -> Log:
    """The log of a file, or of a robot or lidar at an address until Ctrl-C or the end of a time [s]."""
    if not is_live(source):
        live.refuse()
        return read_log(Path(source), options)
    return listen(source, live, progress)[0]


def listen(source: Path | str, live: Listening, progress: bool) -> tuple[Log, UwbLog | None]:
    """What a robot or lidar at an address tells, and the ranges of its tags where it has any."""
    if not live.seconds > 0:
        raise BadInput(f"seconds must be > 0, got {live.seconds}")
    if live.tags and not str(source).startswith("serial:"):
        raise BadInput(f"tags are those of a car at serial:PORT, not of {source}")
    compile_ahead()
    address, records, told, heard = str(source), list[Record](), list[str](), Heard()
    with bar("measuring", progress, unit="s") as report:
        try:
            if address.startswith(LIDAR):
                _carried(address, live.seconds, records, told, report)
            else:
                _driven(address, live, records, heard, told, report)
        except KeyboardInterrupt:
            if not records and not heard.ranges:
                raise
    if live.tags and not heard.ranges:
        raise BadInput(f"{address}: its UWB tags told no range")
    ranges = UwbLog.of_rows(address, heard.ranges, heard.imu) if heard.ranges else None
    return Log(address, tuple(records), tuple(told)), ranges


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
    address: str, live: Listening, records: list[Record], heard: Heard, told: list[str], report: Report
) -> None:
    """Scans, odometry and ranges of a robot that others move."""
    if not live.model:
        raise BadInput(f"{address}: name the robot there too, by model")
    robot = load_robot(live.model)
    body: Body = hardware.open_body(address, robot, live.body)
    try:
        tags = body if live.tags and isinstance(body, SerialBody) else None
        if not body.has_scans and tags is None:
            raise BadInput(f"{body.name} at {body.address} tells no scans; name its lidar, such as rplidar:PORT")
        drive = find_drive(robot)
        odometry = mobile.BaseOdometry(robot, drive)
        pipeline = mobile.ScanPipeline(body, odometry, mobile.OdometryOnly(), drive.reference)
        since = body.time

        def take() -> int:
            nonlocal since
            state = body.read()
            odometry.update(state)
            taken = pipeline.take() if body.has_scans else ()
            for each in taken:
                x, y, yaw = (float(value) for value in each.odom)
                records.extend((Odometry(each.scan.time, (x, y, yaw)), each.scan))
            rounds = () if tags is None else tags.ranges(since + SAME)
            since = max((each.time for each in rounds), default=since)
            heard.take(state, rounds)
            return len(taken) + len(rounds)

        _until(take, live.seconds, address, told, report, lambda: body.read().health.words)
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
