"""Compiled loops of the rolling ball: the openings of six legs, and one step of the attitude filter."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def stroke_openings(
    openings: Array,
    points: Array,
    radii: Array,
    down: Array,
    back: Array,
    floor: float,
    nearest: float,
    full: float,
    depth: float,
) -> Array:
    """Openings (legs,) at which legs reach the floor behind the centre, and deeper by what they shall push.

    `points` (n, p, 3) with spheres of `radii` (p,) are the outside of one leg at its `openings` (n,); `down` and `back`
    (legs, 3) are the directions of the floor and against the wanted way, seen from each leg. The first opening whose
    lowest point reaches beyond `floor`, more than `nearest` behind, begins the push; its depth grows to `depth` at
    `full` behind. A leg that cannot reach so deep opens to where it reaches deepest; one that does not touch is closed.
    """
    legs, n, p = down.shape[0], points.shape[0], points.shape[1]
    out = np.zeros(legs)
    reach = np.zeros(n)
    for leg in range(legs):
        goal = -1.0
        for i in range(n):
            best, at = -1e9, 0
            for k in range(p):
                along = (
                    points[i, k, 0] * down[leg, 0]
                    + points[i, k, 1] * down[leg, 1]
                    + points[i, k, 2] * down[leg, 2]
                    + radii[k]
                )
                if along > best:
                    best, at = along, k
            reach[i] = best
            if goal < 0 and best > floor:
                behind = 0.0
                for axis in range(3):
                    behind += (points[i, at, axis] + radii[at] * down[leg, axis]) * back[leg, axis]
                if behind > nearest:
                    goal = floor + depth * min(1.0, (behind - nearest) / (full - nearest))
        if goal < 0:
            continue
        deepest = 0
        found = False
        for i in range(n):
            if reach[i] >= goal:
                if i == 0:
                    out[leg] = openings[0]
                else:
                    share = (goal - reach[i - 1]) / (reach[i] - reach[i - 1])
                    out[leg] = openings[i - 1] + share * (openings[i] - openings[i - 1])
                found = True
                break
            if reach[i] > reach[deepest]:
                deepest = i
        if not found:
            out[leg] = openings[deepest]
    return out


@njit(cache=True)
def turned(rotation: Array, x: float, y: float, z: float) -> Array:
    """exp([w]x) R for a rotation vector w = (x, y, z) in outer axes [rad] (Rodrigues)."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < 1e-9:
        return rotation.copy()
    x, y, z = x / angle, y / angle, z / angle
    c, s = math.cos(angle), math.sin(angle)
    v = 1.0 - c
    turn = np.array(
        [
            [c + v * x * x, v * x * y - s * z, v * x * z + s * y],
            [v * x * y + s * z, c + v * y * y, v * y * z - s * x],
            [v * x * z - s * y, v * y * z + s * x, c + v * z * z],
        ]
    )
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                out[i, j] += turn[i, k] * rotation[k, j]
    return out


@njit(cache=True)
def in_body(mount: Array, sensed: Array) -> Array:
    """A sensor's vector in body axes, mount @ sensed; NaN counts as 0."""
    out = np.zeros(3)
    for j in range(3):
        if not math.isnan(sensed[j]):
            for i in range(3):
                out[i] += mount[i, j] * sensed[j]
    return out


@njit(cache=True)
def seen_from_legs(vector: Array, azimuth: Array) -> Array:
    """A body vector (3,) seen from the x axis of each leg, (legs, 3)."""
    out = np.empty((len(azimuth), 3))
    for leg in range(len(azimuth)):
        c, s = math.cos(azimuth[leg]), math.sin(azimuth[leg])
        out[leg, 0] = c * vector[0] + s * vector[1]
        out[leg, 1] = c * vector[1] - s * vector[0]
        out[leg, 2] = vector[2]
    return out


@njit(cache=True)
def filter_step(
    rotation: Array, gyro: Array, force: Array, dt: float, share: float, gravity: float, tolerance: float
) -> Array:
    """heading_from_body after one step: turned by the gyro, then leant by `share` towards the felt vertical.

    The result is brought back to a rotation by one step of Newton for the polar factor, R (3 I - RᵀR) / 2.
    """
    w = np.zeros(3)
    for i in range(3):
        for j in range(3):
            w[i] += rotation[i, j] * gyro[j]
    out = turned(rotation, w[0] * dt, w[1] * dt, w[2] * dt)
    size = math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2)
    if size > 1e-6:
        trust = max(0.0, 1.0 - abs(size - gravity) / tolerance)
        fx = (out[0, 0] * force[0] + out[0, 1] * force[1] + out[0, 2] * force[2]) / size
        fy = (out[1, 0] * force[0] + out[1, 1] * force[1] + out[1, 2] * force[2]) / size
        out = turned(out, share * trust * fy, -share * trust * fx, 0.0)
    polar = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            polar[i, j] = 1.5 * out[i, j]
            for k in range(3):
                dot = out[0, k] * out[0, j] + out[1, k] * out[1, j] + out[2, k] * out[2, j]
                polar[i, j] -= 0.5 * out[i, k] * dot
    return polar


@njit(cache=True)
def upright(force: Array) -> Array:
    """heading_from_body (3, 3) of a body at rest: up is the felt force, x ahead (z, where x points up)."""
    size = max(math.sqrt(force[0] ** 2 + force[1] ** 2 + force[2] ** 2), 1e-9)
    up = force / size
    ahead = np.zeros(3)
    ahead[0 if abs(up[0]) < 0.9 else 2] = 1.0
    dot = ahead[0] * up[0] + ahead[1] * up[1] + ahead[2] * up[2]
    x = ahead - dot * up
    x = x / math.sqrt(x[0] ** 2 + x[1] ** 2 + x[2] ** 2)
    out = np.empty((3, 3))
    out[0], out[2] = x, up
    out[1, 0] = up[1] * x[2] - up[2] * x[1]
    out[1, 1] = up[2] * x[0] - up[0] * x[2]
    out[1, 2] = up[0] * x[1] - up[1] * x[0]
    return out


@njit(cache=True)
def attitude_step(
    rotation: Array,
    spin: Array,
    clock: Array,
    mount: Array,
    gyro: Array,
    acceleration: Array,
    time_constant: float,
    tolerance: float,
    gravity: float,
    dt: float,
) -> Array:
    """heading_from_body after a reading in sensor axes; `spin` and `clock` (has it started, its age) change too.

    The share of the accelerometer is dt / min(time constant, age).
    """
    rate, force = in_body(mount, gyro), in_body(mount, acceleration)
    start = rotation
    if clock[0] == 0.0:
        start = upright(force)
        clock[0], clock[1] = 1.0, 0.0
    clock[1] += dt
    out = filter_step(start, rate, force, dt, min(1.0, dt / min(time_constant, clock[1])), gravity, tolerance)
    for i in range(3):
        spin[i] = out[i, 0] * rate[0] + out[i, 1] * rate[1] + out[i, 2] * rate[2]
    return out
