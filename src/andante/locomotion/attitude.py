"""Tilt and heading of the body from a gyro and an accelerometer."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array

GRAVITY = 9.81
QUIET = 2.0  # accelerations further from gravity than this are no measure of the vertical [m/s²]


class Attitude:
    """Complementary filter: the vertical turns with the gyro and leans slowly towards the accelerometer.

    Axes are those of the walking frame. Axes that the gyro lacks (NaN) count as not turning.
    """

    def __init__(self, settle: float = 3.0) -> None:
        self.settle = settle  # time in which the accelerometer wins [s]
        self.up = np.array([0.0, 0.0, 1.0])  # the vertical seen from the body
        self.heading = 0.0  # turned since the start, unwrapped [rad]
        self.rate = 0.0  # about the vertical [rad/s]
        self._first = True

    def update(self, gyro: Array, acceleration: Array, dt: float) -> None:
        """Take one reading of angular velocity [rad/s] and specific force [m/s²]."""
        w = np.nan_to_num(gyro)
        x, y, z = self.up
        self.rate = float(w @ self.up)
        self.heading += self.rate * dt
        # d(up)/dt = up × w in body axes
        self.up = self.up + dt * np.array([y * w[2] - z * w[1], z * w[0] - x * w[2], x * w[1] - y * w[0]])
        size = float(np.sqrt(acceleration @ acceleration))
        if math.isfinite(size) and abs(size - GRAVITY) < QUIET:
            share = 1.0 if self._first else min(1.0, dt / self.settle)
            self.up = self.up + share * (acceleration / size - self.up)
            self._first = False
        self.up = self.up / np.sqrt(self.up @ self.up)

    @property
    def level_from_body(self) -> Array:
        """(3, 3) shortest rotation that brings the body's axes level, R up = z."""
        x, y, z = self.up.tolist()
        k = 1.0 / max(1.0 + z, 1e-6)
        return np.array([[1.0 - k * x * x, -k * x * y, -x], [-k * x * y, 1.0 - k * y * y, -y], [x, y, z]])

    @property
    def roll(self) -> float:
        """Lean to the right [rad]."""
        return math.atan2(self.up[1], self.up[2])

    @property
    def pitch(self) -> float:
        """Lean to the front [rad]."""
        return -math.asin(max(-1.0, min(1.0, self.up[0])))
