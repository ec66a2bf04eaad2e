"""Compiled kernels of laser scans: from ranges to points on the floor plan."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def scan_points(
    ranges: Array,
    angle_min: float,
    angle_increment: float,
    range_min: float,
    range_max: float,
    sensor: Array,
    height: float,
    tilt: Array,
    floor: float,
    velocity: Array,
    time_increment: float,
    no_return: float,
    points: Array,
    beams: np.ndarray,
) -> int:
    """Fill `points` (n, 2) in the robot's frame at the time of the first beam and `beams` (n,); return how many.

    Beam i at angle a leaves the sensor along Ry(pitch) Rx(roll) (cos a, sin a, 0); its end is projected on the
    horizontal plane and left out where it lies lower than `floor` above the ground. The robot has moved by the
    constant twist `velocity` for i · time_increment when beam i is taken. `no_return` > 0 keeps beams without an
    echo, as ends at that range; 0 leaves them out.
    """
    sr, cr = math.sin(tilt[0]), math.cos(tilt[0])
    sp, cp = math.sin(tilt[1]), math.cos(tilt[1])
    sy, cy = math.sin(sensor[2]), math.cos(sensor[2])
    level = tilt[0] == 0.0 and tilt[1] == 0.0
    still = time_increment == 0.0 or (velocity[0] == 0.0 and velocity[1] == 0.0 and velocity[2] == 0.0)
    count = 0
    for i in range(len(ranges)):
        r = ranges[i]
        if r >= range_min and r <= range_max:
            length = r
        elif no_return > 0.0 and r > range_max:
            length = no_return
        else:
            continue
        angle = angle_min + i * angle_increment
        bx, by = math.cos(angle), math.sin(angle)
        if level:
            px, py = length * bx, length * by
        else:
            ux, uy, uz = cp * bx + sp * sr * by, cr * by, -sp * bx + cp * sr * by
            if height + length * uz < floor and height > 0.0:
                if no_return == 0.0 or r <= range_max:
                    continue
                length = max(0.0, (floor - height) / uz)
            px, py = length * ux, length * uy
        x = sensor[0] + cy * px - sy * py
        y = sensor[1] + sy * px + cy * py
        if not still:
            t = i * time_increment
            yaw = velocity[2] * t
            half = 0.5 * yaw
            chord = 1.0 - half * half / 6.0 if abs(half) < 1e-4 else math.sin(half) / half
            ch, sh = math.cos(half), math.sin(half)
            mx = t * chord * (ch * velocity[0] - sh * velocity[1])
            my = t * chord * (sh * velocity[0] + ch * velocity[1])
            c, s = math.cos(yaw), math.sin(yaw)
            x, y = mx + c * x - s * y, my + s * x + c * y
        points[count, 0], points[count, 1] = x, y
        beams[count] = i
        count += 1
    return count
