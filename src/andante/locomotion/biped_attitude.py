"""Tilt of a walking body from gyro and accelerometer, without what the walk itself accelerates."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array
from andante.gravity import GRAVITY


class BipedAttitude:
    """Complementary filter: the vertical turns with the gyro and leans towards the accelerometer's.

    `first` [s] is the time in which it averages at the start, `settle` [s] that of the accelerometer later on.
    Axes that the gyro lacks (NaN) count as not turning.
    """

    def __init__(self, settle: float = 4.0, first: float = 0.3) -> None:
        self.settle, self.first = settle, first
        self.up = np.array([0.0, 0.0, 1.0])  # the vertical seen from the body
        self.seen = 0.0  # [s]

    def update(self, gyro: Array, force: tuple[float, float, float], dt: float) -> None:
        """Take angular velocity [rad/s] and specific force without the planned acceleration [m/s²], body axes."""
        wx, wy, wz = gyro.tolist()
        x, y, z = self.up.tolist()
        x, y, z = x + dt * (y * wz - z * wy), y + dt * (z * wx - x * wz), z + dt * (x * wy - y * wx)
        fx, fy, fz = force
        size = math.sqrt(fx * fx + fy * fy + fz * fz)
        if abs(size - GRAVITY) < 2.0 and dt > 0.0:
            self.seen += dt
            share = dt / max(min(self.seen, self.settle), dt) if self.seen < self.first else dt / self.settle
            x, y, z = x + share * (fx / size - x), y + share * (fy / size - y), z + share * (fz / size - z)
        size = math.sqrt(x * x + y * y + z * z)
        self.up = np.array([x / size, y / size, z / size])

    @property
    def roll(self) -> float:
        """Lean to the right [rad]."""
        return math.atan2(self.up[1], self.up[2])

    @property
    def pitch(self) -> float:
        """Lean to the front [rad]."""
        return -math.asin(max(-1.0, min(1.0, self.up[0])))
