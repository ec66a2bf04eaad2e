"""Compiled Kalman updates and the process models of the two filters."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

SOFT = 0.25  # fraction of the gate from which ranges are doubted


@njit(cache=True)
def kalman_update(x: Array, P: Array, gap: Array, H: Array, R: Array) -> float:
    """Correct state x (n,) and covariance P (n, n) in place by an innovation (m,); return its NIS y' S^-1 y.

    Joseph form: P = (I - K H) P (I - K H)' + K R K'.
    """
    PH = P @ H.T
    S = H @ PH + R
    S_inverse = np.linalg.inv(S)
    K = PH @ S_inverse
    x += K @ gap
    A = np.eye(len(x)) - K @ H
    P[:] = A @ P @ A.T + K @ R @ K.T
    P[:] = 0.5 * (P + P.T)
    return float(np.sum(gap * (S_inverse @ gap)))


@njit(cache=True)
def predict_twist(x: Array, P: Array, dt: float, noise: Array) -> None:
    """Move x = (px, py, yaw, vx, vy, w, gyro bias) and P in place by dt under a constant body twist.

    noise (4,): densities of the white accelerations along, across and in turn, and of the walk of the gyro's bias
    [m/s^2, m/s^2, rad/s^2, rad/s per root second].
    """
    middle = x[2] + 0.5 * x[5] * dt
    c, s = math.cos(middle), math.sin(middle)
    vx, vy = x[3], x[4]
    F = np.eye(7)
    F[0, 2], F[1, 2] = dt * (-s * vx - c * vy), dt * (c * vx - s * vy)
    F[0, 3], F[0, 4] = dt * c, -dt * s
    F[1, 3], F[1, 4] = dt * s, dt * c
    F[0, 5], F[1, 5] = 0.5 * dt * F[0, 2], 0.5 * dt * F[1, 2]
    F[2, 5] = dt
    x[0] += dt * (c * vx - s * vy)
    x[1] += dt * (s * vx + c * vy)
    x[2] += dt * x[5]
    P[:] = F @ P @ F.T
    for k in range(3):
        q = noise[k] * noise[k]
        P[3 + k, 3 + k] += q * dt
    P[6, 6] += noise[3] * noise[3] * dt
    P[:] = 0.5 * (P + P.T)


@njit(cache=True)
def predict_inertial(
    x: Array, P: Array, dt: float, turn_rate: float, ax: float, ay: float, heading_known: bool, noise: Array
) -> None:
    """Move x = (p 3, v 3, yaw, gyro bias, accelerometer bias 2) and P in place by dt.

    turn_rate: about the vertical [rad/s]; ax, ay: acceleration in the level plane, along and across the robot [m/s²].
    With a known heading the velocity follows the acceleration; otherwise it turns as the robot does. noise (6,):
    accelerometer [m/s²], free acceleration where the heading is unknown, vertical acceleration, gyro [rad/s], walks of
    the biases of gyro and accelerometer, each per root second.
    """
    F = np.eye(10)
    F[0, 3], F[1, 4], F[2, 5] = dt, dt, dt
    rate = turn_rate - x[7]
    px, py, pz = x[0] + dt * x[3], x[1] + dt * x[4], x[2] + dt * x[5]
    if heading_known:
        yaw = x[6] + 0.5 * dt * rate
        c, s = math.cos(yaw), math.sin(yaw)
        bx, by = ax - x[8], ay - x[9]
        wx, wy = c * bx - s * by, s * bx + c * by
        half = 0.5 * dt * dt
        F[3, 6], F[4, 6] = -dt * wy, dt * wx
        F[0, 6], F[1, 6] = -half * wy, half * wx
        F[3, 8], F[3, 9], F[4, 8], F[4, 9] = -dt * c, dt * s, -dt * s, -dt * c
        F[0, 8], F[0, 9], F[1, 8], F[1, 9] = -half * c, half * s, -half * s, -half * c
        px, py = px + half * wx, py + half * wy
        x[3] += dt * wx
        x[4] += dt * wy
        free = noise[0]
    else:
        c, s = math.cos(dt * rate), math.sin(dt * rate)
        vx, vy = x[3], x[4]
        F[3, 3], F[3, 4], F[4, 3], F[4, 4] = c, -s, s, c
        F[3, 7], F[4, 7] = dt * (s * vx + c * vy), -dt * (c * vx - s * vy)
        x[3], x[4] = c * vx - s * vy, s * vx + c * vy
        free = noise[1]
    F[6, 7] = -dt
    fade = math.exp(-2.0 * dt)  # a ground robot's height has no lasting speed
    F[5, 5] = fade
    x[0], x[1], x[2] = px, py, pz
    x[5] *= fade
    x[6] += dt * rate
    P[:] = F @ P @ F.T
    P[3, 3] += free * free * dt
    P[4, 4] += free * free * dt
    P[5, 5] += noise[2] * noise[2] * dt
    P[6, 6] += noise[3] * noise[3] * dt
    P[7, 7] += noise[4] * noise[4] * dt
    P[8, 8] += noise[5] * noise[5] * dt
    P[9, 9] += noise[5] * noise[5] * dt
    P[:] = 0.5 * (P + P.T)


@njit(cache=True)
def range_update(
    x: Array, P: Array, anchor: Array, lever: Array, measured: float, sigma: float, gate: float
) -> tuple[float, float]:
    """Correct the state of `predict_inertial` by one range; return the innovation over its gate (> 1: refused) and [m].

    The tag sits at `lever` (3,) on the robot. Walls and reflections make ranges longer, never shorter. So ranges that
    are too long are doubted early: beyond a quarter of the gate they count as noisier, in proportion (Huber), beyond
    the gate they change nothing; ranges that are too short have twice the room.
    """
    c, s = math.cos(x[6]), math.sin(x[6])
    lx, ly = c * lever[0] - s * lever[1], s * lever[0] + c * lever[1]
    dx, dy, dz = x[0] + lx - anchor[0], x[1] + ly - anchor[1], x[2] + lever[2] - anchor[2]
    d = max(math.sqrt(dx * dx + dy * dy + dz * dz), 1e-6)
    H = np.zeros(10)
    H[0], H[1], H[2] = dx / d, dy / d, dz / d
    H[6] = -H[0] * ly + H[1] * lx
    PH = P @ H
    S = float(np.sum(H * PH)) + sigma * sigma
    gap = measured - d
    room = gate if gap > 0.0 else 2.0 * gate
    size = abs(gap) / math.sqrt(S)
    if size > room:
        return size / room, gap
    doubt = size / (SOFT * room)
    if doubt > 1.0:
        S += (doubt - 1.0) * (sigma * sigma) * doubt
    K = PH / S
    x += K * gap
    P -= np.outer(K, PH)
    P[:] = 0.5 * (P + P.T)
    return size / room, gap
