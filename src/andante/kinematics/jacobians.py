"""Forward kinematics and geometric Jacobians over batches, and the maps from angular velocity to angle rates."""

from __future__ import annotations

import numpy as np

from andante.errors import UnknownName
from andante.geometry import Array

from .ik.kernels import KIND, MULTIPLIER, REVOLUTE, VARIABLE, compiled, place

ANGLES = ("rpy", "zyz")


def forward(table: Array, q: Array) -> Array:
    """Poses (m, 4, 4) of the tip at joint positions (m, n)."""
    out = np.empty((len(q), 4, 4))
    _forward(table, q, out)
    return out


def geometric(table: Array, q: Array, tool: bool) -> Array:
    """Geometric Jacobians (m, 6, n), linear rows first, in base or tool axes."""
    out = np.zeros((len(q), 6, q.shape[1]))
    _geometric(table, q, tool, out)
    return out


@compiled
def _forward(table: Array, q: Array, out: Array) -> None:
    axes, poses = np.empty((1, table.shape[0], 6)), np.empty((1, 12))
    for m in range(q.shape[0]):
        place(table, 0, table.shape[0], q[m], axes, poses, 0)
        for i in range(3):
            for j in range(3):
                out[m, i, j] = poses[0, 3 * i + j]
            out[m, i, 3] = poses[0, 9 + i]
            out[m, 3, i] = 0.0
        out[m, 3, 3] = 1.0


@compiled
def _geometric(table: Array, q: Array, tool: bool, out: Array) -> None:
    axes, poses, column = np.empty((1, table.shape[0], 6)), np.empty((1, 12)), np.empty(6)
    for m in range(q.shape[0]):
        place(table, 0, table.shape[0], q[m], axes, poses, 0)
        for row in range(table.shape[0] - 1):
            factor, variable = table[row, MULTIPLIER], int(table[row, VARIABLE])
            zx, zy, zz = factor * axes[0, row, 0], factor * axes[0, row, 1], factor * axes[0, row, 2]
            if table[row, KIND] == REVOLUTE:
                dx, dy, dz = (
                    poses[0, 9] - axes[0, row, 3],
                    poses[0, 10] - axes[0, row, 4],
                    poses[0, 11] - axes[0, row, 5],
                )
                column[0], column[1], column[2] = zy * dz - zz * dy, zz * dx - zx * dz, zx * dy - zy * dx
                column[3], column[4], column[5] = zx, zy, zz
            else:
                column[0], column[1], column[2] = zx, zy, zz
                column[3], column[4], column[5] = 0.0, 0.0, 0.0
            for half in range(0, 6, 3):
                a, b, c = column[half], column[half + 1], column[half + 2]
                for i in range(3):
                    if tool:
                        out[m, half + i, variable] += poses[0, i] * a + poses[0, 3 + i] * b + poses[0, 6 + i] * c
                    else:
                        out[m, half + i, variable] += column[half + i]


def analytic_map(R: Array, angles: str) -> Array:
    """(..., 3, 3) map from angular velocity in base axes to angle rates at rotations R.

    "rpy": rates of roll, pitch, yaw with R = Rz(yaw) Ry(pitch) Rx(roll). "zyz": rates of phi, theta, psi with
    R = Rz(phi) Ry(theta) Rz(psi). Infinite at the singularities, pitch = ±pi/2 and theta = 0 or pi.
    """
    if angles not in ANGLES:
        raise UnknownName.among("angles", angles, ANGLES)
    zero = np.zeros(R.shape[:-2])
    with np.errstate(divide="ignore", invalid="ignore"):
        if angles == "rpy":
            cosine = np.hypot(R[..., 0, 0], R[..., 1, 0])
            cy, sy, tangent = R[..., 0, 0] / cosine, R[..., 1, 0] / cosine, -R[..., 2, 0] / cosine
            rows = [[cy / cosine, sy / cosine, zero], [-sy, cy, zero], [cy * tangent, sy * tangent, zero + 1.0]]
        else:
            sine = np.hypot(R[..., 0, 2], R[..., 1, 2])
            cf, sf, cotangent = R[..., 0, 2] / sine, R[..., 1, 2] / sine, R[..., 2, 2] / sine
            rows = [[-cf * cotangent, -sf * cotangent, zero + 1.0], [-sf, cf, zero], [cf / sine, sf / sine, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def to_zyz(R: Array) -> Array:
    """Euler angles phi, theta, psi (..., 3) of R = Rz(phi) Ry(theta) Rz(psi), theta in [0, pi] [rad]."""
    phi = np.arctan2(R[..., 1, 2], R[..., 0, 2])
    theta = np.arctan2(np.hypot(R[..., 0, 2], R[..., 1, 2]), R[..., 2, 2])
    psi = np.arctan2(R[..., 2, 1], -R[..., 2, 0])
    return np.stack([phi, theta, psi], axis=-1)
