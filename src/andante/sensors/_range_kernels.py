"""Compiled parts of sensors that measure distances: rays of a moving sensor, and errors of ranges."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

from ._kernels import _matrix


@njit(cache=True, nogil=True)
def between(first: Array, second: Array, u: float, out: Array) -> None:
    """Pose (7,) a share u of the way from one to another: straight in place, the shorter turn at constant rate."""
    dot = 0.0
    for k in range(3, 7):
        dot += first[k] * second[k]
    sign = 1.0 if dot >= 0.0 else -1.0
    angle = math.acos(min(1.0, abs(dot)))
    a, b = 1.0 - u, u
    if angle > 1e-6:
        a, b = math.sin((1.0 - u) * angle) / math.sin(angle), math.sin(u * angle) / math.sin(angle)
    for k in range(3):
        out[k] = (1.0 - u) * first[k] + u * second[k]
    for k in range(3, 7):
        out[k] = a * first[k] + b * sign * second[k]


@njit(cache=True, nogil=True)
def moving_rays(
    first: Array, second: Array, shares: Array, body_from_sensor: Array, local: Array
) -> tuple[Array, Array]:
    """Origins and unit directions (n, 3) in the world of rays `local` (n, 3) of a sensor on a moving body.

    The body goes from pose `first` to `second` (7,); ray i leaves a share shares[i] of the way.
    """
    count = local.shape[0]
    origins, directions, pose = np.empty((count, 3)), np.empty((count, 3)), np.empty(7)
    last, body = -1.0, np.eye(3)
    for i in range(count):
        if shares[i] != last:
            last = shares[i]
            between(first, second, last, pose)
            body = _matrix(pose[3:7])
        for k in range(3):
            origins[i, k], directions[i, k] = pose[k], 0.0
            for j in range(3):
                origins[i, k] += body[k, j] * body_from_sensor[j, 3]
                along = 0.0
                for m in range(3):
                    along += body_from_sensor[j, m] * local[i, m]
                directions[i, k] += body[k, j] * along
    return origins, directions


@njit(cache=True, nogil=True)
def told_ranges(
    ranges: Array, normal: Array, chance: Array, constant: float, proportional: float, offset: float,
    resolution: float, lowest: float, highest: float, dropout: float,
) -> Array:  # fmt: skip
    """What a sensor says of true distances (n,) [m], after REP 117.

    r + offset + n sqrt(constant² + (proportional r)²), in steps of the resolution; -inf below `lowest`, +inf above
    `highest`, NaN for the share `dropout`. normal (n,) and chance (n,) are random numbers.
    """
    out = np.empty(len(ranges))
    for i in range(len(ranges)):
        r = ranges[i]
        if dropout > 0.0 and chance[i] < dropout:
            out[i] = np.nan
            continue
        if r != math.inf:
            wide = proportional * r
            r = r + offset + normal[i] * math.sqrt(constant * constant + wide * wide)
            if resolution > 0.0:
                r = np.rint(r / resolution) * resolution
        if r > highest:
            r = math.inf
        elif r < lowest:
            r = -math.inf
        out[i] = r
    return out


@njit(cache=True, nogil=True)
def strongest(distances: Array, directions: Array, lowest_cosine: float) -> float:
    """Nearest distance of triples of rays (3 n,) whose surface faces the sensor; inf: no echo comes back.

    Rays 3 i + 1 and 3 i + 2 lie a little beside ray 3 i; the three ends span the surface there. An echo
    returns when the angle between ray and surface normal has at least this cosine.
    """
    best = math.inf
    a, b = np.empty(3), np.empty(3)
    for i in range(0, len(distances), 3):
        r0, r1, r2 = distances[i], distances[i + 1], distances[i + 2]
        if r0 >= best or r1 == math.inf or r2 == math.inf:
            continue
        for k in range(3):
            a[k] = r1 * directions[i + 1, k] - r0 * directions[i, k]
            b[k] = r2 * directions[i + 2, k] - r0 * directions[i, k]
        nx, ny, nz = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
        size = math.sqrt(nx * nx + ny * ny + nz * nz)
        if size <= 0.0:
            continue
        cosine = abs(nx * directions[i, 0] + ny * directions[i, 1] + nz * directions[i, 2]) / size
        if cosine >= lowest_cosine:
            best = r0
    return best
