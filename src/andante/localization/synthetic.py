"""Synthetic drives among UWB anchors, with noise, outliers and walls, and the true trajectory."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.geometry import Array
from andante.gravity import STANDARD_GRAVITY
from andante.mapping import OccupancyGrid, Trajectory
from andante.mapping.records import ImuReading

from .uwb import UwbLog, UwbSetup

SETUP = UwbSetup(
    {"0x6902": (0.0, 0.0, 0.0), "0x6e7a": (0.0, 6.0, 0.0), "0x6e44": (8.0, 0.0, 0.0), "0x6e6c": (8.0, 6.0, 1.2)},
    {"tag0": (0.0, 0.0, 0.0), "tag1": (-0.3, 0.0, 0.0)},
)
WALLS = ((2.5, 1.5, 2.5, 3.2), (5.5, 2.8, 5.5, 4.6))  # x1 y1 x2 y2 [m]


@dataclass(frozen=True)
class UwbNoise:
    """Noise, outliers and dropouts of ranges, and noise of the IMU."""

    range_sigma: float = 0.08  # [m]
    outliers: float = 0.05  # fraction of outliers
    outlier_reach: float = 4.0  # ... by up to this much [m]
    wall_bias: float = 0.4  # mean of what a wall adds [m]
    drop_outs: float = 0.05  # fraction of dropouts
    gyro_sigma: float = 0.01  # [rad/s]
    gyro_bias: float = 0.01  # [rad/s]
    force_sigma: float = 0.1  # [m/s^2]
    force_bias: float = 0.05  # [m/s^2]


@dataclass(frozen=True)
class UwbDrive:
    """A log, what stood where, and the true way of the first tag."""

    log: UwbLog
    setup: UwbSetup
    truth: Trajectory


def uwb_drive(
    seed: int,
    seconds: float = 60.0,
    noise: UwbNoise | None = None,
    *,
    setup: UwbSetup = SETUP,
    walls: tuple[tuple[float, float, float, float], ...] = WALLS,
    height: float = -0.8,
    range_rate: float = 10.0,
    imu_rate: float = 100.0,
) -> UwbDrive:
    """A loop through the hall with 2 s of standing at its begin; height: of the first tag in the UWB frame [m]."""
    n, rng = noise or UwbNoise(), np.random.default_rng(seed)
    phase, laps = rng.uniform(0, 2 * math.pi), rng.uniform(0.9, 1.1)
    t = np.arange(0.0, seconds, 1.0 / imu_rate)
    position, yaw = _way(t, phase, laps)
    step = 1.0 / imu_rate
    velocity = np.gradient(position, step, axis=0)
    acceleration, rate = np.gradient(velocity, step, axis=0), np.gradient(np.unwrap(yaw), step)
    c, s = np.cos(yaw), np.sin(yaw)
    along, across = c * acceleration[:, 0] + s * acceleration[:, 1], c * acceleration[:, 1] - s * acceleration[:, 0]
    gyro = np.stack([0 * t, 0 * t, rate], axis=1) + n.gyro_bias * rng.standard_normal(3)
    gyro += n.gyro_sigma * rng.standard_normal(gyro.shape)
    force = np.stack([along, across, STANDARD_GRAVITY + 0 * t], axis=1) + n.force_bias * rng.standard_normal(3)
    force += n.force_sigma * rng.standard_normal(force.shape)
    readings = tuple(ImuReading(float(t[k]), _three(gyro[k]), _three(force[k])) for k in range(len(t)))
    rows: list[tuple[float, int, int, float]] = []
    anchors, tags = setup.anchor_positions, setup.tag_positions
    wall_bias = n.wall_bias * rng.uniform(0.5, 1.5, len(anchors))
    for k in range(0, len(t), max(1, round(imu_rate / range_rate))):
        turn = np.array([[c[k], -s[k]], [s[k], c[k]]])
        for tag, lever in enumerate(tags):
            place = np.array([*(position[k] + turn @ lever[:2]), height + lever[2]])
            for anchor, at in enumerate(anchors):
                distance = float(np.linalg.norm(place - at)) + n.range_sigma * rng.standard_normal()
                if any(_crosses(place[:2], at[:2], wall) for wall in walls):
                    distance += wall_bias[anchor] * rng.uniform(0.7, 1.3)
                if rng.random() < n.outliers:
                    distance += rng.uniform(0.5, n.outlier_reach)
                if rng.random() >= n.drop_outs:
                    rows.append((float(t[k]), tag, anchor, max(distance, 0.01)))
    log = UwbLog.of_rows(f"drive {seed}", rows, readings)
    return UwbDrive(log, setup, Trajectory(t, np.column_stack([position, yaw])))


def _way(t: Array, phase: float, laps: float) -> tuple[Array, Array]:
    """Positions (n, 2) and headings (n,): two seconds of standing, then a figure of eight at about 0.5 m/s."""
    run = np.maximum(t - 2.0, 0.0)
    ease = run * run / (run + 1.5)  # speeds up smoothly
    u = phase + laps * 0.16 * ease
    x, y = 4.0 + 2.6 * np.cos(u), 3.0 + 1.7 * np.sin(2 * u)
    yaw = np.arctan2(3.4 * np.cos(2 * u), -2.6 * np.sin(u))
    return np.stack([x, y], axis=1), yaw


def _three(row: Array) -> tuple[float, float, float]:
    return float(row[0]), float(row[1]), float(row[2])


def _crosses(a: Array, b: Array, wall: tuple[float, float, float, float]) -> bool:
    """Whether the segment from a to b crosses a wall x1 y1 x2 y2."""
    p, q = np.array(wall[:2]), np.array(wall[2:])

    def side(o: Array, u: Array, v: Array) -> float:
        return float((u[0] - o[0]) * (v[1] - o[1]) - (u[1] - o[1]) * (v[0] - o[0]))

    return side(a, b, p) * side(a, b, q) < 0 and side(p, q, a) * side(p, q, b) < 0


def map_of_walls(walls: Array, resolution: float = 0.05, margin: float = 0.5) -> OccupancyGrid:
    """A map of walls (n, 4) x1 y1 x2 y2 [m]: their cells are occupied, what they shut out is unknown, the rest free."""
    from scipy.ndimage import label

    low = walls.reshape(-1, 2).min(axis=0) - margin
    high = walls.reshape(-1, 2).max(axis=0) + margin
    cols, rows = (int(n) for n in np.ceil((high - low) / resolution))
    cells = np.zeros((rows, cols), dtype=np.int8)
    for x1, y1, x2, y2 in walls:
        along = np.linspace(0.0, 1.0, max(2, math.ceil(4 * math.hypot(x2 - x1, y2 - y1) / resolution)))
        at = np.stack([x1 + along * (x2 - x1), y1 + along * (y2 - y1)])
        col, row = ((at - low[:, None]) // resolution).astype(np.int64)
        cells[np.clip(row, 0, rows - 1), np.clip(col, 0, cols - 1)] = 100
    parts, _ = label(cells == 0)
    cells[parts == parts[0, 0]] = -1
    return OccupancyGrid(resolution, (float(low[0]), float(low[1]), 0.0), cells)
