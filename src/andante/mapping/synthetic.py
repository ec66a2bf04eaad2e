"""Synthetic drives through drawn rooms, with noise and the true trajectory: logs for examples and tests."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.gravity import GRAVITY

from .records import ImuReading, Log, Odometry, Record, Trajectory
from .scan import Scan

IMU_STEPS = 5  # readings between two scans


@dataclass(frozen=True)
class DriveNoise:
    """Standard deviations and systematic errors of the sensors of a drive."""

    range_sigma: float = 0.01  # [m]
    way_scale: float = 1.0  # of the wheels
    turn_scale: float = 1.0
    drift: float = 0.0  # of the wheels' heading [rad/m]
    step_sigma: float = 0.003  # of the wheels per step, along and across [m]
    turn_sigma: float = 0.002  # of the wheels per step [rad]
    gyro_bias: float = 0.0  # [rad/s]


@dataclass(frozen=True)
class Drive:
    """A log and the true poses (n, 3) of its scans."""

    log: Log
    truth: Trajectory


def rooms(outline: ArrayLike, *boxes: tuple[float, float, float, float]) -> Array:
    """Walls (n, 4) x1, y1, x2, y2 [m]: a closed outline through corners (k, 2), and boxes x, y, width, depth inside."""
    corners = np.asarray(outline, dtype=float)
    loops = [corners] + [
        np.array([[x, y], [x + w, y], [x + w, y + d], [x, y + d]], dtype=float) for x, y, w, d in boxes
    ]
    return np.concatenate([np.concatenate([loop, np.roll(loop, -1, axis=0)], axis=1) for loop in loops])


def cast(walls: Array, origins: Array, angles: Array) -> Array:
    """Distance (m,) from origins (m, 2) along angles (m,) to the nearest wall (n, 4) [m]; infinite: none."""
    d = np.stack([np.cos(angles), np.sin(angles)], axis=-1)[:, None]
    a, along = walls[None, :, :2], walls[None, :, 2:] - walls[None, :, :2]
    to = a - origins[:, None]
    cross = d[..., 0] * along[..., 1] - d[..., 1] * along[..., 0]
    safe = np.where(np.abs(cross) < 1e-12, np.nan, cross)
    t = (to[..., 0] * along[..., 1] - to[..., 1] * along[..., 0]) / safe
    u = (to[..., 0] * d[..., 1] - to[..., 1] * d[..., 0]) / safe
    hit = (t > 1e-9) & (u >= 0) & (u <= 1)
    nearest: Array = np.where(hit, t, np.inf).min(axis=1)
    return nearest


def smooth_path(waypoints: ArrayLike, step: float = 0.05) -> Array:
    """Poses (n, 3) along a rounded way through waypoints (k, 2), about `step` [m] apart, looking ahead."""
    points = np.asarray(waypoints, dtype=float)
    if points.ndim != 2 or len(points) < 2:
        raise BadInput(f"a drive needs at least two waypoints (k, 2), got {points.shape}")
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    fine = np.arange(0.0, length[-1], step / 4)
    line = np.stack([np.interp(fine, length, points[:, k]) for k in range(2)], axis=1)
    width = 41
    padded = np.concatenate([np.repeat(line[:1], width // 2, 0), line, np.repeat(line[-1:], width // 2, 0)])
    kernel = np.hanning(width + 2)[1:-1]
    soft = np.stack([np.convolve(padded[:, k], kernel / kernel.sum(), "valid") for k in range(2)], axis=1)[::4]
    moved = np.gradient(soft, axis=0)
    return np.concatenate([soft, np.arctan2(moved[:, 1], moved[:, 0])[:, None]], axis=1)


def drive(
    walls: Array,
    path: ArrayLike,
    *,
    seed: int = 0,
    noise: DriveNoise | None = None,
    beams: int = 180,
    field: float = math.pi,
    range_max: float = 12.0,
    dt: float = 0.2,
    sweep: float = 0.0,
    sensor: tuple[float, float, float] = (0.0, 0.0, 0.0),
    imu: bool = False,
) -> Drive:
    """A log of scans, wheel odometry and on demand an IMU, along poses (n, 3) that are `dt` [s] apart.

    sweep: time that one turn of the lidar takes [s], during which the robot moves on; 0: all beams at once.
    """
    n, poses = noise or DriveNoise(), np.asarray(path, dtype=float)
    generator = np.random.default_rng(seed)
    increment = field / beams
    angles = -field / 2 + increment * np.arange(beams)
    gap = sweep / beams
    wheels = np.zeros(3)
    records: list[Record] = []
    for k, pose in enumerate(poses):
        step = se2.between(poses[k - 1], pose) if k else np.zeros(3)
        following = se2.between(pose, poses[min(k + 1, len(poses) - 1)])
        if k:
            told = step * np.array([n.way_scale, n.way_scale, n.turn_scale]) + [0.0, 0.0, n.drift * step[0]]
            wheels = se2.compose(wheels, told + generator.normal(size=3) * [n.step_sigma, n.step_sigma, n.turn_sigma])
        time = k * dt
        moving = se2.exp((np.arange(beams) * gap / dt)[:, None] * se2.log(following))
        eyes = se2.compose(se2.compose(pose, moving), sensor)
        ranges = cast(walls, eyes[:, :2], eyes[:, 2] + angles)
        ranges = ranges + generator.normal(size=beams) * n.range_sigma
        ranges = np.where(ranges > range_max, np.inf, ranges)
        x, y, yaw = (float(value) for value in wheels)
        records.append(Odometry(time, (x, y, yaw)))
        records.append(Scan(time, ranges, float(angles[0]), increment, 0.05, range_max, gap, sensor))
        if imu:
            rate = (0.0, 0.0, float(following[2]) / dt + n.gyro_bias)
            when = (time + dt * (j + 0.5) / IMU_STEPS for j in range(IMU_STEPS))
            records += [ImuReading(each, rate, (0.0, 0.0, GRAVITY)) for each in when]
    return Drive(Log("drive", tuple(records)), Trajectory(dt * np.arange(len(poses), dtype=np.float64), poses))
