"""Compiled contact points of convex polytopes and half spaces along a normal that is known.

They come from the two features that face each other along the normal, which points from side B to side A: the
outermost corners of both sides are projected into the plane across the normal; where their polygons overlap, and how
deep, gives the points.
"""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array

MOST_POINTS = 12  # of a pair
THIN = 0.01  # a contact point that stands out by less than this fraction of the width of all is dropped
MAX_CANDIDATES = 256
FEATURE = 0.05  # corners within this fraction of the radius of the outermost one belong to the facing feature,
THICK = 0.25  # and within this fraction of the thickness, so that a wide slab has two sides,
FLAT = 1e-4  # or this much where there is no thickness, as in triangles [m]


@njit(error_model="numpy")
def copy3(source: Array, target: Array) -> None:
    """Three numbers written over three others (much quicker to compile than a slice)."""
    target[0], target[1], target[2] = source[0], source[1], source[2]


@njit(error_model="numpy")
def reach(points: Array, n: Array) -> tuple[float, float]:
    low, high = math.inf, -math.inf
    for i in range(len(points)):
        d = points[i, 0] * n[0] + points[i, 1] * n[1] + points[i, 2] * n[2]
        low, high = min(low, d), max(high, d)
    return low, high


@njit(error_model="numpy")
def _basis(n: Array, u: Array, v: Array) -> None:
    """Two unit vectors orthogonal to n and to each other."""
    if abs(n[0]) < 0.7:
        u[0], u[1], u[2] = 0.0, n[2], -n[1]
    else:
        u[0], u[1], u[2] = -n[2], 0.0, n[0]
    length = math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    for k in range(3):
        u[k] /= length
    v[0], v[1], v[2] = n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]


@njit(error_model="numpy")
def _feature(points: Array, n: Array, sign: float, u: Array, v: Array) -> Array:
    """Outermost corners along sign * n as (m, 3) rows of two plane coordinates and the height along n.

    They are ordered as the convex polygon that they span in the plane (corners inside it are left out).
    """
    low, high = reach(points, n)
    low_u, high_u = reach(points, u)
    low_v, high_v = reach(points, v)
    size = max(high - low, high_u - low_u, high_v - low_v)
    depth = min(FEATURE * size / 2, max(THICK * (high - low), FLAT))
    flat = np.empty((len(points), 3))
    count = 0
    for i in range(len(points)):
        p = points[i]
        h = p[0] * n[0] + p[1] * n[1] + p[2] * n[2]
        if (sign > 0 and h > high - depth) or (sign < 0 and h < low + depth):
            flat[count, 0] = p[0] * u[0] + p[1] * u[1] + p[2] * u[2]
            flat[count, 1] = p[0] * v[0] + p[1] * v[1] + p[2] * v[2]
            flat[count, 2] = h
            count += 1
    return _polygon(flat[:count])


@njit(error_model="numpy")
def _polygon(points: Array) -> Array:
    """Convex hull in the plane of the first two columns, counter-clockwise (Andrew's chain)."""
    count = len(points)
    if count < 3:
        return points.copy()
    order = np.empty(count, dtype=np.int64)
    for i in range(count):  # insertion by the first coordinate, then the second
        k = i
        while k > 0 and (
            points[i, 0] < points[order[k - 1], 0]
            or (points[i, 0] == points[order[k - 1], 0] and points[i, 1] < points[order[k - 1], 1])
        ):
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    chain = np.empty(2 * count, dtype=np.int64)
    top = 0
    for sweep in range(2):
        start = top
        for s in range(count):
            i = order[s] if sweep == 0 else order[count - 1 - s]
            while top - start >= 2 and _turn(points[chain[top - 2]], points[chain[top - 1]], points[i]) <= 1e-12:
                top -= 1
            chain[top] = i
            top += 1
        top -= 1
    out = np.empty((top, points.shape[1]))
    for k in range(top):
        for c in range(points.shape[1]):
            out[k, c] = points[chain[k], c]
    return out


@njit(error_model="numpy")
def _turn(a: Array, b: Array, c: Array) -> float:
    area: float = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return area


@njit(error_model="numpy")
def _inside(polygon: Array, x: float, y: float) -> bool:
    for i in range(len(polygon)):
        a, b = polygon[i], polygon[(i + 1) % len(polygon)]
        if (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < -1e-12:
            return False
    return True


@njit(error_model="numpy")
def _height(polygon: Array, x: float, y: float) -> float:
    """Height at a point by the plane through the widest triangle of the polygon at its first corner."""
    best, pick = 0.0, -1
    for i in range(1, len(polygon) - 1):
        area = _turn(polygon[0], polygon[i], polygon[i + 1])
        if area > best:
            best, pick = area, i
    if pick < 0:
        lowest: float = polygon[0, 2]
        return lowest
    a, b, c = polygon[0], polygon[pick], polygon[pick + 1]
    s = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / best
    t = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / best
    height: float = a[2] + s * (b[2] - a[2]) + t * (c[2] - a[2])
    return height


@njit(error_model="numpy")
def touch(a: Array, b: Array, n: Array, depth: float, out: Array) -> int:
    """Contact points of two polytopes that overlap along n (from B to A); rows of `out` are x y z depth."""
    u, v = np.empty(3), np.empty(3)
    _basis(n, u, v)
    bottom, top = _feature(a, n, -1.0, u, v), _feature(b, n, 1.0, u, v)
    found = np.empty((MAX_CANDIDATES, 4))  # plane coordinates, height of the middle, depth
    count = 0
    if len(top) >= 3:
        for i in range(len(bottom)):
            p = bottom[i]
            if count < MAX_CANDIDATES and _inside(top, p[0], p[1]):
                d = _height(top, p[0], p[1]) - p[2]
                found[count, 0], found[count, 1], found[count, 2], found[count, 3] = p[0], p[1], p[2] + d / 2, d
                count += 1
    if len(bottom) >= 3:
        for i in range(len(top)):
            p = top[i]
            if count < MAX_CANDIDATES and _inside(bottom, p[0], p[1]):
                d = p[2] - _height(bottom, p[0], p[1])
                found[count, 0], found[count, 1], found[count, 2], found[count, 3] = p[0], p[1], p[2] - d / 2, d
                count += 1
    if len(bottom) >= 2 and len(top) >= 2:
        for i in range(len(bottom) if len(bottom) > 2 else 1):
            p, q = bottom[i], bottom[(i + 1) % len(bottom)]
            for j in range(len(top) if len(top) > 2 else 1):
                r, s = top[j], top[(j + 1) % len(top)]
                det = (q[0] - p[0]) * (s[1] - r[1]) - (q[1] - p[1]) * (s[0] - r[0])
                if abs(det) < 1e-14 or count >= MAX_CANDIDATES:
                    continue
                t = ((r[0] - p[0]) * (s[1] - r[1]) - (r[1] - p[1]) * (s[0] - r[0])) / det
                w = ((r[0] - p[0]) * (q[1] - p[1]) - (r[1] - p[1]) * (q[0] - p[0])) / det
                if 0.0 <= t <= 1.0 and 0.0 <= w <= 1.0:
                    low, high = p[2] + t * (q[2] - p[2]), r[2] + w * (s[2] - r[2])
                    found[count, 0], found[count, 1] = p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])
                    found[count, 2], found[count, 3] = (low + high) / 2, high - low
                    count += 1
    if count == 0:  # the features only meet beside each other: the middle of the two deepest corners
        i, j = 0, 0
        for k in range(len(bottom)):
            i = k if bottom[k, 2] < bottom[i, 2] else i
        for k in range(len(top)):
            j = k if top[k, 2] > top[j, 2] else j
        for k in range(3):
            found[0, k] = (bottom[i, k] + top[j, k]) / 2
        found[0, 3] = depth
        count = 1
    return _keep(found[:count], n, u, v, depth, out)


@njit(error_model="numpy")
def _keep(found: Array, n: Array, u: Array, v: Array, limit: float, out: Array) -> int:
    """The corners that span the overlap, without those that span hardly anything.

    Corners are dropped while they stand out from the line between their neighbors by less than `THIN` of the width,
    so that the edge of a sole lies where statics has it. Where no candidate overlaps the deepest is taken.
    """
    inside = np.empty((len(found), 4))
    count = 0
    for i in range(len(found)):
        if found[i, 3] > 0:
            for k in range(4):
                inside[count, k] = found[i, k]
            count += 1
    if count == 0:
        deepest = 0
        for i in range(len(found)):
            deepest = i if found[i, 3] > found[deepest, 3] else deepest
        for k in range(4):
            inside[0, k] = found[deepest, k]
        count = 1
    ring = _polygon(inside[:count])
    count = len(ring)
    wide = 0.0
    for i in range(count):
        wide = max(wide, math.hypot(ring[0, 0] - ring[i, 0], ring[0, 1] - ring[i, 1]))
    while count > 3:
        least, drop = math.inf, -1
        for i in range(count):
            before, here, after = ring[(i - 1) % count], ring[i], ring[(i + 1) % count]
            chord = math.hypot(after[0] - before[0], after[1] - before[1])
            out_by = abs(_turn(before, here, after)) / max(chord, 1e-12)
            if out_by < least:
                least, drop = out_by, i
        if least > THIN * wide and count <= MOST_POINTS:
            break
        for i in range(drop, count - 1):
            for k in range(4):
                ring[i, k] = ring[i + 1, k]
        count -= 1
    for i in range(count):
        for k in range(3):
            out[i, k] = u[k] * ring[i, 0] + v[k] * ring[i, 1] + n[k] * ring[i, 2]
        out[i, 3] = min(max(ring[i, 3], 0.0), max(limit, 0.0) + 1e-3)
    return count


@njit(error_model="numpy")
def below(points: Array, n: Array, offset: float, out: Array) -> int:
    """Contact points of a polytope with the half space n · x <= offset."""
    u, v = np.empty(3), np.empty(3)
    _basis(n, u, v)
    found = np.empty((len(points), 4))
    count, deepest = 0, 0.0
    for i in range(len(points)):
        p = points[i]
        d = offset - (p[0] * n[0] + p[1] * n[1] + p[2] * n[2])
        if d > 0:
            found[count, 0] = p[0] * u[0] + p[1] * u[1] + p[2] * u[2]
            found[count, 1] = p[0] * v[0] + p[1] * v[1] + p[2] * v[2]
            found[count, 2], found[count, 3] = offset - d, d
            count, deepest = count + 1, max(deepest, d)
    if count == 0:
        return 0
    return _keep(found[:count], n, u, v, deepest, out)
