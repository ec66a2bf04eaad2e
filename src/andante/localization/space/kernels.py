"""Compiled parts of localization in six dimensions. Particles are rows x, y, z [m], roll, pitch, yaw [rad]."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.geometry import Array


@njit(nogil=True)
def sum_over_points(
    table: NDArray[np.float32], origin: Array, resolution: float, particles: Array, points: NDArray[np.float32],
    out: Array,
) -> None:  # fmt: skip
    """out (n,) = sum over points (m, 3) of the robot's frame of a table under each particle (n, 6).

    table (nx + 2, ny + 2, nz + 2) has a border of one voxel, which answers for all that lies outside; origin (3,): of
    the inner corner. Rotations are Rz(yaw) Ry(pitch) Rx(roll). Voxels are found in one loop and looked up in another.
    """
    nx, ny, nz = table.shape
    flat = table.ravel()
    scale = 1.0 / resolution
    m = len(points)
    at = np.empty(m, dtype=np.int32)
    top_x, top_y, top_z = np.float32(nx - 1), np.float32(ny - 1), np.float32(nz - 1)
    zero = np.float32(0.0)
    for i in range(len(particles)):
        cr, sr = math.cos(particles[i, 3]), math.sin(particles[i, 3])
        cp, sp = math.cos(particles[i, 4]), math.sin(particles[i, 4])
        cy, sy = math.cos(particles[i, 5]), math.sin(particles[i, 5])
        r00, r01, r02 = np.float32(scale * cy * cp), np.float32(scale * (cy * sp * sr - sy * cr)), np.float32(0.0)
        r02 = np.float32(scale * (cy * sp * cr + sy * sr))
        r10, r11 = np.float32(scale * sy * cp), np.float32(scale * (sy * sp * sr + cy * cr))
        r12 = np.float32(scale * (sy * sp * cr - cy * sr))
        r20, r21, r22 = np.float32(-scale * sp), np.float32(scale * cp * sr), np.float32(scale * cp * cr)
        px = np.float32(scale * (particles[i, 0] - origin[0]) + 1.0)
        py = np.float32(scale * (particles[i, 1] - origin[1]) + 1.0)
        pz = np.float32(scale * (particles[i, 2] - origin[2]) + 1.0)
        for k in range(m):
            x, y, z = points[k, 0], points[k, 1], points[k, 2]
            u = min(max(px + r00 * x + r01 * y + r02 * z, zero), top_x)
            v = min(max(py + r10 * x + r11 * y + r12 * z, zero), top_y)
            w = min(max(pz + r20 * x + r21 * y + r22 * z, zero), top_z)
            at[k] = (np.int32(u) * np.int32(ny) + np.int32(v)) * np.int32(nz) + np.int32(w)
        total = 0.0
        for k in range(m):
            total += flat[at[k]]
        out[i] = total


@njit(nogil=True)
def move_particles(
    particles: Array, step: Array, tilt: Array, before: Array, spread: Array, memory: float, noise: Array
) -> None:
    """Move particles (n, 6) in place by a step of odometry, with noise (n, 6) of standard normal numbers.

    step (4,): x, y, z [m] and yaw [rad] seen from the pose before; tilt, before (2,): roll and pitch of the IMU now and
    then; spread (6,): deviations of x, y, z [m], roll, pitch, yaw [rad]. A particle's tilt is that of the IMU and an
    error e <- memory e + sqrt(1 - memory²) spread n, so that errors keep their deviation.
    """
    fresh = math.sqrt(max(0.0, 1.0 - memory * memory))
    for i in range(len(particles)):
        c, s = math.cos(particles[i, 5]), math.sin(particles[i, 5])
        x, y = step[0] + spread[0] * noise[i, 0], step[1] + spread[1] * noise[i, 1]
        particles[i, 0] += c * x - s * y
        particles[i, 1] += s * x + c * y
        particles[i, 2] += step[2] + spread[2] * noise[i, 2]
        for k in range(2):
            error = particles[i, 3 + k] - before[k]
            particles[i, 3 + k] = tilt[k] + memory * error + fresh * spread[3 + k] * noise[i, 3 + k]
        yaw = particles[i, 5] + step[3] + spread[5] * noise[i, 5]
        particles[i, 5] = (yaw + math.pi) % (2.0 * math.pi) - math.pi


@njit(nogil=True)
def draw(particles: Array, weights: Array, start: float, out: Array) -> None:
    """Fill `out` (m, 6) with particles drawn by weight at start/m, (start + 1)/m, ...; 0 <= start < 1."""
    n, m = len(particles), len(out)
    reached, source = weights[0], 0
    for j in range(m):
        while reached < (start + j) / m and source < n - 1:
            source += 1
            reached += weights[source]
        out[j] = particles[source]
