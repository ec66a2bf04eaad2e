"""Heading and tilt at the time of each scan, from the IMU readings of a log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from andante.geometry import Array, so3

from .records import ImuReading, Log
from .scan import Scan

LONGEST_GAP = 0.5  # scans further than this from any reading get none [s]
LEVELLING = 1.0  # time constant by which gravity corrects roll and pitch [s]
LEAST_TILT = 0.002  # smaller tilts are left alone [rad]


def imu_at_scans(log: Log) -> tuple[Array, Array]:
    """Unwrapped heading (n,) and roll, pitch (n, 2) of the robot at each scan [rad]; NaN where no reading is near."""
    times = np.array([scan.time for scan in log.scans])
    yaw, tilt = np.full(len(times), np.nan), np.full((len(times), 2), np.nan)
    readings = sorted(log.imu, key=lambda reading: reading.time)
    if len(readings) < 2 or len(times) == 0:
        return yaw, tilt
    when = np.array([reading.time for reading in readings])
    angles = attitude(readings)
    after = np.clip(np.searchsorted(when, times), 1, len(when) - 1)
    gap = np.minimum(np.abs(when[after] - times), np.abs(when[after - 1] - times))
    near = gap <= LONGEST_GAP
    yaw[near] = np.interp(times[near], when, angles[:, 2])
    for k in range(2):
        tilt[near, k] = np.interp(times[near], when, angles[:, k])
    return yaw, tilt


def attitude(readings: Sequence[ImuReading]) -> Array:
    """Roll, pitch and unwrapped yaw (n, 3) [rad] at each reading, sorted by time.

    Taken from the sensor where all readings have an orientation; else yaw is the integral of the gyro, and roll and
    pitch follow the gyro and are drawn toward gravity (a complementary filter).
    """
    if all(reading.orientation is not None for reading in readings):
        told = np.array([reading.orientation for reading in readings], dtype=float)
        return np.stack([told[:, 0], told[:, 1], np.unwrap(told[:, 2])], axis=1)
    out = np.zeros((len(readings), 3))
    roll, pitch, yaw = _level(readings[0].acceleration) or (0.0, 0.0, 0.0)
    last = readings[0]
    for k, reading in enumerate(readings):
        dt = min(max(reading.time - last.time, 0.0), LONGEST_GAP)
        p, q, r = (0.5 * (a + b) for a, b in zip(last.gyro, reading.gyro, strict=True))
        last = reading
        roll += dt * (p + math.tan(pitch) * (q * math.sin(roll) + r * math.cos(roll)))
        pitch += dt * (q * math.cos(roll) - r * math.sin(roll))
        yaw += dt * (q * math.sin(roll) + r * math.cos(roll)) / max(math.cos(pitch), 0.1)
        level = _level(reading.acceleration)
        if level is not None:
            fraction = dt / (LEVELLING + dt)
            roll += fraction * (level[0] - roll)
            pitch += fraction * (level[1] - pitch)
        pitch = min(max(pitch, -1.4), 1.4)
        out[k] = roll, pitch, yaw
    return out


def _level(force: tuple[float, float, float]) -> tuple[float, float, float] | None:
    """Roll and pitch of a robot at rest under a specific force; None when it is not about gravity alone."""
    x, y, z = force
    size = math.sqrt(x * x + y * y + z * z)
    if not 8.8 < size < 10.8:
        return None
    return math.atan2(y, z), math.atan2(-x, math.hypot(y, z)), 0.0


def tilted(scan: Scan, roll: float, pitch: float) -> Scan:
    """The scan with its sensor tilted as the robot was; the same scan where the tilt is not known or too small."""
    if not (math.isfinite(roll) and math.isfinite(pitch)) or max(abs(roll), abs(pitch)) < LEAST_TILT:
        return scan
    x, y, yaw = scan.sensor
    turned = so3.to_rpy(so3.from_rpy([roll, pitch, 0.0]) @ so3.from_rpy([*scan.tilt, yaw]))
    return replace(scan, sensor=(x, y, float(turned[2])), tilt=(float(turned[0]), float(turned[1])))
