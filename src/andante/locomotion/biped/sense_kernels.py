"""Compiled state estimation of a walking body: its vertical, its feet and its center of mass in one call."""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.gravity import GRAVITY

from .kernels import Tables, measure

Pair = tuple[float, float]
Triple = tuple[float, float, float]

AVERAGED = 0.3  # time over which the first readings of the accelerometer are averaged [s]
QUIET = 2.0  # accelerations further from gravity than this are no measure of the vertical [m/s²]


@njit(nogil=True)
def turn_vertical(up: Array, gyro: Triple, force: Triple, seen: float, first: float, settle: float, dt: float) -> float:
    """Turn the vertical `up` (3,) with the gyro [rad/s] and lean it toward a specific force [m/s²].

    seen: for how long such forces have been seen [s]; for a time `first` they are averaged over the last 0.3 s, later
    over `settle`. Returns the new `seen`.
    """
    wx, wy, wz = gyro
    x, y, z = up[0], up[1], up[2]
    x, y, z = x + dt * (y * wz - z * wy), y + dt * (z * wx - x * wz), z + dt * (x * wy - y * wx)
    fx, fy, fz = force
    size = math.sqrt(fx * fx + fy * fy + fz * fz)
    if abs(size - GRAVITY) < QUIET and dt > 0.0:
        seen += dt
        window = min(seen, AVERAGED) if seen < first else settle
        fraction = dt / max(window, dt)
        x, y, z = x + fraction * (fx / size - x), y + fraction * (fy / size - y), z + fraction * (fz / size - z)
    size = math.sqrt(x * x + y * y + z * z)
    up[0], up[1], up[2] = x / size, y / size, z / size
    return seen


@njit(nogil=True)
def rotated(turn: Array, v: Triple) -> Triple:
    """turn v."""
    x, y, z = v
    return (
        turn[0, 0] * x + turn[0, 1] * y + turn[0, 2] * z,
        turn[1, 0] * x + turn[1, 1] * y + turn[1, 2] * z,
        turn[2, 0] * x + turn[2, 1] * y + turn[2, 2] * z,
    )


@njit(nogil=True)
def feel(
    q: Array, masses: Tables, feet: Tables, stance: int, upright: Array, shift: Array, imu: Array, gyro: Triple,
    acceleration: Triple, planned: Pair, yaw: float, up: Array, seen: Triple, place: Pair, speed: Pair,
    bandwidth: float, dt: float, turns: Array, at: Array, out: Array,
) -> None:  # fmt: skip
    """Fill out (16,): `kernels.measure` (10), place and speed of the center of mass (4), the body's turn, `seen`.

    gyro [rad/s; NaN: an axis that is missing counts as not turning, and the body's turn is NaN] and acceleration
    [m/s²] in axes of the sensor, imu (3, 3) turns them to the body's. planned: acceleration that the plan gives the
    body [m/s²], yaw: the body's heading [rad], both seen from the standing foot. up (3,) and seen: see
    `turn_vertical`, with `first` and `settle` [s]. A second-order observer of a bandwidth [rad/s] follows the center:
    the accelerometer gives its motion, the legs its place; bandwidth 0: nothing is known yet.
    """
    wx, wy, wz = rotated(imu, gyro)
    out[14] = up[0] * wx + up[1] * wy + up[2] * wz
    if math.isnan(gyro[0] + gyro[1] + gyro[2]):
        known = (
            0.0 if math.isnan(gyro[0]) else gyro[0],
            0.0 if math.isnan(gyro[1]) else gyro[1],
            0.0 if math.isnan(gyro[2]) else gyro[2],
        )
        wx, wy, wz = rotated(imu, known)
    fx, fy, fz = rotated(imu, acceleration)
    c, s = math.cos(yaw), math.sin(yaw)
    ox, oy = c * planned[0] + s * planned[1], c * planned[1] - s * planned[0]
    out[15] = turn_vertical(up, (wx, wy, wz), (fx - ox, fy - oy, fz), seen[0], seen[1], seen[2], dt)
    force = np.empty(3)
    force[0], force[1], force[2] = fx, fy, fz
    measure(q, masses, feet, stance, upright, shift, up, force, turns, at, out)
    near = min(1.0, 2.0 * bandwidth * dt)
    for i in range(2):
        if bandwidth == 0.0:
            out[10 + i], out[12 + i] = out[5 + i], speed[i]
            continue
        a = out[7 + i]
        guess = place[i] + speed[i] * dt + 0.5 * a * dt * dt
        off = out[5 + i] - guess
        out[10 + i] = guess + near * off
        out[12 + i] = speed[i] + a * dt + bandwidth * bandwidth * dt * off
