"""`track_uwb`: a UWB log into a trajectory, by ranges and IMU, and by plain trilateration for comparison."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, so3
from andante.mapping import Trajectory

from .range_filter import RangeInertialFilter, RangeNoise
from .trilateration import trilaterate
from .uwb import Epoch, UwbLog, UwbSetup, epochs

START_EPOCHS = 8  # of the first tag whose median begins the filter
IMU_REACH = 1.0  # the heading of tags is used where IMU readings are at least this near [s]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class UwbResult:
    """Trajectory of the robot (its first tag) in the UWB frame."""

    trajectory: Trajectory  # at each epoch of the first tag
    positions: Array  # (n, 3) [m]
    deviation: float  # of the last position in the plane [m]
    accepted: int  # ranges that passed the gate
    refused: int
    restarts: int
    seconds: float

    @property
    def updates(self) -> int:
        """Epochs of the first tag."""
        return len(self.positions)

    @property
    def rate(self) -> float:
        """Epochs per second of work."""
        return self.updates / self.seconds if self.seconds > 0 else float("inf")

    @property
    def converged(self) -> bool:
        """Whether the position is known within 0.3 m at the end."""
        return self.deviation < 0.3


def track_uwb(
    log: UwbLog,
    setup: UwbSetup,
    noise: RangeNoise | None = None,
    height: float | None = None,
    progress: Progress = lambda done, total: None,
) -> UwbResult:
    """Trajectory of the first tag from ranges and IMU readings, by a tightly coupled Kalman filter.

    Args:
        log: ranges and IMU readings.
        setup: positions of anchors and tags.
        noise: deviations of ranges, IMU and motion; None: the defaults.
        height: of the first tag in the UWB frame [m]; None: unknown.
        progress: called now and then with how many epochs of how many are done.
    """
    groups = list(epochs(log))
    first = [group for group in groups if group.tag == 0]
    if not first:
        raise BadInput(f"{log.name}: holds no ranges of the first tag ({next(iter(setup.tags))})")
    filter_ = RangeInertialFilter(setup.anchor_positions, setup.tag_positions, noise)
    n = filter_.noise
    began = time.perf_counter()
    readings = sorted(log.imu, key=lambda reading: reading.time)
    at, yaw = _first_pose(groups, setup, n.range_sigma, height, bool(readings))
    filter_.start(first[0].time, at, yaw)
    times, poses, places = [], [], []
    recent: list[Epoch] = []
    next_imu = restarts = 0
    while next_imu < len(readings) and readings[next_imu].time < first[0].time - IMU_REACH:
        next_imu += 1
    for k, group in enumerate(groups):
        while next_imu < len(readings) and readings[next_imu].time <= group.time:
            reading = readings[next_imu]
            filter_.imu(reading.time, reading.gyro, reading.acceleration)
            next_imu += 1
        if group.time < first[0].time:
            continue
        for anchor, distance in zip(group.anchors, group.ranges, strict=True):
            filter_.range(group.time, group.tag, int(anchor), float(distance))
        if height is not None:
            filter_.hold_height(height - float(setup.tag_positions[0][2]))
        recent = [*recent[-7:], group]
        if filter_.lost:
            at, turn = _first_pose(recent, setup, n.range_sigma, height, bool(readings))
            filter_.start(group.time, at, turn)
            restarts += 1
        if group.tag == 0:
            times.append(group.time)
            poses.append([*filter_.position[:2], filter_.yaw])
            places.append(filter_.position)
        if k % 256 == 0:
            progress(k, len(groups))
    P = filter_.covariance
    return UwbResult(
        Trajectory(np.array(times), np.array(poses)), np.array(places), math.sqrt(P[0, 0] + P[1, 1]), filter_.accepted,
        filter_.refused, restarts, time.perf_counter() - began,
    )  # fmt: skip


def trilaterate_log(
    log: UwbLog, setup: UwbSetup, *, robust: bool = False, height: float | None = None, sigma: float = 0.1
) -> tuple[Array, Array]:
    """Times (n,) and positions (n, 3) of the first tag by each epoch's ranges alone; each starts at the one before."""
    anchors = setup.anchor_positions
    times, places = [], []
    last: Array | None = None
    for group in epochs(log):
        if group.tag != 0:
            continue
        fix = trilaterate(anchors[group.anchors], group.ranges, start=last, height=height, sigma=sigma, robust=robust)
        if fix.converged:
            times.append(group.time)
            places.append(fix.position)
            last = fix.position
    return np.array(times), np.array(places).reshape(-1, 3)


def tag_pose(
    groups: list[Epoch], setup: UwbSetup, sigma: float = 0.1, height: float | None = None
) -> tuple[Array, float | None]:
    """Position (3,) of the robot and heading (None with one tag) by the median of the tags' positions over epochs."""
    return _first_pose(groups, setup, sigma, height, True)


def _first_pose(
    groups: list[Epoch], setup: UwbSetup, sigma: float, height: float | None, turned: bool
) -> tuple[Array, float | None]:
    anchors, tags = setup.anchor_positions, setup.tag_positions
    found: dict[int, list[Array]] = {}
    for group in groups:
        rows = found.setdefault(group.tag, [])
        if len(rows) < START_EPOCHS:
            level = None if height is None else height + tags[group.tag][2] - tags[0][2]
            fix = trilaterate(anchors[group.anchors], group.ranges, height=level, sigma=sigma)
            if fix.converged:
                rows.append(fix.position)
    if not found.get(0):
        raise BadInput("the ranges of the first tag give no position; at least 3 anchors must answer at a time")
    middle = {tag: np.median(rows, axis=0) for tag, rows in found.items() if rows}
    yaw: float | None = None
    if turned and 1 in middle and len(tags) > 1:
        on_robot, seen = tags[1] - tags[0], middle[1] - middle[0]
        if np.hypot(*on_robot[:2]) > 0.05 and np.hypot(*seen[:2]) > 0.02:
            yaw = math.atan2(seen[1], seen[0]) - math.atan2(on_robot[1], on_robot[0])
    turn = so3.from_rpy([0.0, 0.0, yaw or 0.0])
    return middle[0] - turn @ tags[0], yaw
