"""Compiled step of the attitude filter."""

from __future__ import annotations

import math

from numba import njit

from andante.geometry import Array


@njit(cache=True)
def ahrs_step(q: Array, bias: Array, gyro: Array, force: Array, dt: float, level: float, learn: float) -> None:
    """Turn the quaternion q (4,) x y z w, world_from_body, in place by the gyro for dt, drawn towards gravity.

    Mahony et al. (2008): w = gyro - bias + level e, bias' = -learn e, with e the cross product of the measured and the
    predicted direction of the specific force. Forces that are not about gravity alone (10 %) draw nothing.
    """
    x, y, z, w = q[0], q[1], q[2], q[3]
    ex = ey = ez = 0.0
    size = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    if 8.8 < size < 10.8:
        ux, uy, uz = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
        ax, ay, az = force[0] / size, force[1] / size, force[2] / size
        ex, ey, ez = ay * uz - az * uy, az * ux - ax * uz, ax * uy - ay * ux
    bias[0] -= learn * ex * dt
    bias[1] -= learn * ey * dt
    bias[2] -= learn * ez * dt
    wx, wy, wz = gyro[0] - bias[0] + level * ex, gyro[1] - bias[1] + level * ey, gyro[2] - bias[2] + level * ez
    angle = math.sqrt(wx * wx + wy * wy + wz * wz) * dt
    half = 0.5 * dt * (math.sin(0.5 * angle) / (0.5 * angle) if angle > 1e-9 else 1.0)
    dx, dy, dz, dw = half * wx, half * wy, half * wz, math.cos(0.5 * angle)
    q[0] = w * dx + x * dw + y * dz - z * dy
    q[1] = w * dy - x * dz + y * dw + z * dx
    q[2] = w * dz + x * dy - y * dx + z * dw
    q[3] = w * dw - x * dx - y * dy - z * dz
    length = math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    for k in range(4):
        q[k] /= length
