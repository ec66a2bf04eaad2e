"""Depth pictures by rays: shape after shape into a picture of depths, each only where it can be seen.

A pixel (u, v) of a pinhole camera looks along d = a + x l + y w with a ahead, l left and w up, x = (W/2 - u - 1/2) / f,
y = (H/2 - v - 1/2) / f. Since d has length 1 along a, the parameter at which a ray meets a shape is its depth. A shape
is tested in the rectangle that its box covers, so that a pixel is tested with few shapes (compare the one origin of
`rays.cast`, which tests every ray with every shape near it).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.geometry import Array

from .rays import BOX, PLANE, TRIANGLES, _mesh, _slab, _solid

NEAR = 1e-3  # what is nearer than this to the camera's plane is cut off [m]
Depths = NDArray[np.float32]


@njit(nogil=True)
def covered(
    low: Array, high: Array, R: Array, place: Array, axes: Array, focal: float, width: int, height: int,
    out: NDArray[np.int64],
) -> float:  # fmt: skip
    """First and last column and row (4,) of the pixels that a box may cover; returns its least depth, inf: none.

    low, high (3,): of the box in its own frame; R (3, 3), place (3,): of that frame seen from the camera's place in the
    world's axes; axes (3, 3): rows ahead, left, up of the camera. Edges are cut at the near plane.
    """
    points = np.empty((8, 3))
    nearest = math.inf
    for n in range(8):
        x = low[0] if n & 1 else high[0]
        y = low[1] if n & 2 else high[1]
        z = low[2] if n & 4 else high[2]
        wx = place[0] + R[0, 0] * x + R[0, 1] * y + R[0, 2] * z
        wy = place[1] + R[1, 0] * x + R[1, 1] * y + R[1, 2] * z
        wz = place[2] + R[2, 0] * x + R[2, 1] * y + R[2, 2] * z
        for k in range(3):
            points[n, k] = axes[k, 0] * wx + axes[k, 1] * wy + axes[k, 2] * wz
        nearest = min(nearest, points[n, 0])
    left, right, top, bottom = math.inf, -math.inf, math.inf, -math.inf
    for n in range(8):
        for other in (n, n ^ 1, n ^ 2, n ^ 4):
            depth, x, y = points[n, 0], points[n, 1], points[n, 2]
            if depth < NEAR:
                if points[other, 0] <= NEAR:
                    continue
                part = (NEAR - depth) / (points[other, 0] - depth)
                x += part * (points[other, 1] - x)
                y += part * (points[other, 2] - y)
                depth = NEAR
            u, v = 0.5 * width - focal * x / depth - 0.5, 0.5 * height - focal * y / depth - 0.5
            left, right, top, bottom = min(left, u), max(right, u), min(top, v), max(bottom, v)
    if left > right:
        return math.inf
    out[0] = int(max(0.0, math.ceil(min(left, 1.0 * width))))
    out[1] = int(min(width - 1.0, math.floor(max(right, -1.0))))
    out[2] = int(max(0.0, math.ceil(min(top, 1.0 * height))))
    out[3] = int(min(height - 1.0, math.floor(max(bottom, -1.0))))
    return max(nearest, 0.0) if out[0] <= out[1] and out[2] <= out[3] else math.inf


@njit(nogil=True)
def cast_picture(
    eye: Array, axes: Array, focal: float, far: float, skip: NDArray[np.bool_], kind: NDArray[np.int64], sizes: Array,
    boxes: Array, R: Array, t: Array, spans: NDArray[np.int64], nodes: Array, corners: Array, depth: Depths,
) -> None:  # fmt: skip
    """Depths (height, width) [m] of the nearest shapes along the viewing direction; inf where there is none.

    eye (3,), axes (3, 3) rows ahead, left, up: of the camera in the world; focal [px]; far [m]; boxes (shapes, 6): lows
    and highs of the shapes in their frames; the rest as of `rays.cast`.
    """
    height, width = depth.shape
    depth[:] = np.inf
    rectangle = np.zeros(4, dtype=np.int64)
    place, o, d = np.empty(3), np.empty(3), np.empty(3)
    a, b, c = np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(kind)):
        if skip[s]:
            continue
        for k in range(3):
            place[k] = t[s, k] - eye[k]
        if kind[s] == PLANE:
            rectangle[0], rectangle[1], rectangle[2], rectangle[3] = 0, width - 1, 0, height - 1
        elif not covered(boxes[s, :3], boxes[s, 3:], R[s], place, axes, focal, width, height, rectangle) <= far:
            continue
        for k in range(3):  # eye and viewing directions in the frame of the shape: d = a + u b + v c
            o[k] = -(R[s, 0, k] * place[0] + R[s, 1, k] * place[1] + R[s, 2, k] * place[2])
            ahead = R[s, 0, k] * axes[0, 0] + R[s, 1, k] * axes[0, 1] + R[s, 2, k] * axes[0, 2]
            left = R[s, 0, k] * axes[1, 0] + R[s, 1, k] * axes[1, 1] + R[s, 2, k] * axes[1, 2]
            up = R[s, 0, k] * axes[2, 0] + R[s, 1, k] * axes[2, 1] + R[s, 2, k] * axes[2, 2]
            a[k] = ahead + left * (0.5 * width - 0.5) / focal + up * (0.5 * height - 0.5) / focal
            b[k], c[k] = -left / focal, -up / focal
        p = sizes[s]
        for v in range(rectangle[2], rectangle[3] + 1):
            for u in range(rectangle[0], rectangle[1] + 1):
                d[0], d[1], d[2] = a[0] + u * b[0] + v * c[0], a[1] + u * b[1] + v * c[1], a[2] + u * b[2] + v * c[2]
                before = min(far, depth[v, u])
                if kind[s] == BOX:
                    x0, x1 = _slab(o[0], d[0], p[0])
                    y0, y1 = _slab(o[1], d[1], p[1])
                    z0, z1 = _slab(o[2], d[2], p[2])
                    hit, leave = max(x0, y0, z0), min(x1, y1, z1)
                    if hit > leave or leave < 0.0:
                        continue
                    hit = hit if hit >= 0.0 else leave
                elif kind[s] == PLANE:
                    falling = p[0] * d[0] + p[1] * d[1] + p[2] * d[2]
                    above = p[0] * o[0] + p[1] * o[1] + p[2] * o[2]
                    if falling >= 0.0 or above < 0.0:
                        continue
                    hit = -above / falling
                elif kind[s] == TRIANGLES:
                    hit = _mesh(nodes[spans[s, 0] :], corners, spans[s, 2], spans[s, 1], o, d, before)
                else:
                    hit = _solid(kind[s], p, o, d)
                if hit < before:
                    depth[v, u] = np.float32(hit)
