"""Compiled kernels of the sensor models: looks into likelihood fields and rays through maps."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def sum_over_beams(
    table: np.ndarray, origin: Array, resolution: float, particles: Array, points: Array, out: Array
) -> None:
    """out (n,) = sum over points (m, 2) of the robot's frame of a table under each particle (n, 3).

    table (rows + 2, cols + 2) has a border of one cell, which answers for all that lies outside; the origin (3,) is the
    pose of the inner corner. Cells are found in one loop without branches and looked up in another.
    """
    rows, cols = table.shape
    flat = table.ravel()
    scale = 1.0 / resolution
    c0, s0 = math.cos(origin[2]), math.sin(origin[2])
    last_col, last_row, zero = np.float32(cols - 1), np.float32(rows - 1), np.float32(0.0)
    m = len(points)
    xs, ys = points[:, 0].astype(np.float32), points[:, 1].astype(np.float32)
    at = np.empty(m, dtype=np.int32)
    for i in range(len(particles)):
        dx, dy = particles[i, 0] - origin[0], particles[i, 1] - origin[1]
        px, py = np.float32(scale * (c0 * dx + s0 * dy) + 1.0), np.float32(scale * (c0 * dy - s0 * dx) + 1.0)
        yaw = particles[i, 2] - origin[2]
        c, s = np.float32(scale * math.cos(yaw)), np.float32(scale * math.sin(yaw))
        for k in range(m):
            x = min(max(px + c * xs[k] - s * ys[k], zero), last_col)
            y = min(max(py + s * xs[k] + c * ys[k], zero), last_row)
            at[k] = np.int32(y) * np.int32(cols) + np.int32(x)
        total = 0.0
        for k in range(m):
            total += flat[at[k]]
        out[i] = total


@njit(cache=True)
def cast_ray(
    distance: np.ndarray, resolution: float, x: float, y: float, cosine: float, sine: float, longest: float
) -> float:
    """Way [m] from (x, y) [m, in the frame of the table] to the first obstacle along a direction; `longest` if none.

    distance (rows, cols): from each cell's middle to the nearest obstacle [m]. The ray advances by the free distance
    less a cell's diagonal (sphere tracing), at least by half a cell.
    """
    rows, cols = distance.shape
    way = 0.0
    while way < longest:
        column, row = (x + way * cosine) / resolution, (y + way * sine) / resolution
        if column < 0.0 or row < 0.0 or column >= cols or row >= rows:
            return longest
        free = distance[int(row), int(column)]
        if free <= 0.0:
            return way
        way += max(0.5 * resolution, free - 1.5 * resolution)
    return longest


@njit(cache=True)
def beam_log_likelihood(
    distance: np.ndarray,
    origin: Array,
    resolution: float,
    particles: Array,
    sensor: Array,
    angles: Array,
    ranges: Array,
    longest: float,
    mixture: Array,
    out: Array,
) -> None:
    """out (n,) = sum over beams (m,) of log p(range | pose): hit, short, no echo and random parts.

    mixture: z_hit, z_short, z_max, z_rand, sigma_hit [m], lambda_short [1/m]. Thrun, Burgard and Fox (2005), eq. 6.12.
    Ranges of at least `longest` are beams without an echo.
    """
    z_hit, z_short, z_max, z_rand, sigma, rate = mixture
    peak = z_hit / (math.sqrt(2.0 * math.pi) * sigma)
    c0, s0 = math.cos(origin[2]), math.sin(origin[2])
    for i in range(len(particles)):
        c, s = math.cos(particles[i, 2]), math.sin(particles[i, 2])
        wx = particles[i, 0] + c * sensor[0] - s * sensor[1] - origin[0]
        wy = particles[i, 1] + s * sensor[0] + c * sensor[1] - origin[1]
        x, y = c0 * wx + s0 * wy, c0 * wy - s0 * wx
        yaw = particles[i, 2] + sensor[2] - origin[2]
        total = 0.0
        for k in range(len(ranges)):
            direction = yaw + angles[k]
            expected = cast_ray(distance, resolution, x, y, math.cos(direction), math.sin(direction), longest)
            seen = ranges[k]
            if seen >= longest:
                p = z_max + 1e-9
                if expected >= longest:
                    p += z_hit
            else:
                gap = (seen - expected) / sigma
                p = peak * math.exp(-0.5 * gap * gap) + z_rand / longest
                if seen < expected:
                    p += z_short * rate * math.exp(-rate * seen) / max(1e-6, 1.0 - math.exp(-rate * expected))
            total += math.log(p)
        out[i] = total
