"""Compiled contacts of convex polytopes, half spaces and triangle meshes, by separating axes.

A polytope is given by its corners, its face normals and the directions of its edges. The normal of a contact points
from side B to side A and is the axis of least overlap; a half space is its own axis. Contact points come from the two
features that face each other along the normal: the outermost corners of both sides are projected into the plane across
the normal; where their polygons overlap, and how deep, gives the points.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

DIRECTIONS = 8  # in which the outermost contact points of a pair are kept
THIN = 0.04  # a contact point that adds less than this fraction of the area is dropped
MAX_CANDIDATES = 256
FEATURE = 0.05  # corners within this fraction of the radius of the outermost one belong to the facing feature


@njit(cache=True, error_model="numpy")
def copy3(source: Array, target: Array) -> None:
    """Three numbers written over three others (much quicker to compile than a slice)."""
    target[0], target[1], target[2] = source[0], source[1], source[2]


@njit(cache=True, error_model="numpy")
def reach(points: Array, n: Array) -> tuple[float, float]:
    low, high = math.inf, -math.inf
    for i in range(len(points)):
        d = points[i, 0] * n[0] + points[i, 1] * n[1] + points[i, 2] * n[2]
        low, high = min(low, d), max(high, d)
    return low, high


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
def _feature(points: Array, n: Array, sign: float, u: Array, v: Array) -> Array:
    """Outermost corners along sign * n as (m, 3) rows of two plane coordinates and the height along n.

    They are ordered as the convex polygon that they span in the plane (corners inside it are left out).
    """
    low, high = reach(points, n)
    _, spread_u = reach(points, u)
    low_u, _ = reach(points, u)
    low_v, spread_v = reach(points, v)
    size = max(high - low, spread_u - low_u, spread_v - low_v)
    flat = np.empty((len(points), 3))
    count = 0
    for i in range(len(points)):
        p = points[i]
        h = p[0] * n[0] + p[1] * n[1] + p[2] * n[2]
        if (sign > 0 and h > high - FEATURE * size / 2) or (sign < 0 and h < low + FEATURE * size / 2):
            flat[count, 0] = p[0] * u[0] + p[1] * u[1] + p[2] * u[2]
            flat[count, 1] = p[0] * v[0] + p[1] * v[1] + p[2] * v[2]
            flat[count, 2] = h
            count += 1
    return _polygon(flat[:count])


@njit(cache=True, error_model="numpy")
def _polygon(points: Array) -> Array:
    """Convex hull in the plane of the first two columns, counter-clockwise (Andrew's chain)."""
    count = len(points)
    if count < 3:
        few = np.empty((count, 3))
        for k in range(count):
            copy3(points[k], few[k])
        return few
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
    out = np.empty((top, 3))
    for k in range(top):
        copy3(points[chain[k]], out[k])
    return out


@njit(cache=True, error_model="numpy")
def _turn(a: Array, b: Array, c: Array) -> float:
    area: float = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return area


@njit(cache=True, error_model="numpy")
def _inside(polygon: Array, x: float, y: float) -> bool:
    for i in range(len(polygon)):
        a, b = polygon[i], polygon[(i + 1) % len(polygon)]
        if (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < -1e-12:
            return False
    return True


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
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


@njit(cache=True, error_model="numpy")
def _keep(found: Array, n: Array, u: Array, v: Array, limit: float, out: Array) -> int:
    """The corners that span the overlap: outermost in eight directions, without those that span hardly anything.

    Corners are dropped while their triangle with both neighbors is less than `THIN` of the whole area. Where no
    candidate overlaps the deepest is taken.
    """
    ring = np.empty(DIRECTIONS, dtype=np.int64)
    count = 0
    for k in range(DIRECTIONS):
        angle = 2 * math.pi * (k + 0.37) / DIRECTIONS
        c, s = math.cos(angle), math.sin(angle)
        pick, farthest = -1, -math.inf
        for i in range(len(found)):
            along = c * found[i, 0] + s * found[i, 1]
            if found[i, 3] > 0 and along > farthest + 1e-9:
                pick, farthest = i, along
        known = pick < 0
        for i in range(count):
            other = ring[i]
            known = known or abs(found[other, 0] - found[pick, 0]) + abs(found[other, 1] - found[pick, 1]) < 1e-4
        if not known:
            ring[count] = pick
            count += 1
    if count == 0:
        ring[0], count = 0, 1
        for i in range(len(found)):
            if found[i, 3] > found[ring[0], 3]:
                ring[0] = i
    while count > 3:
        whole, least, drop = 0.0, math.inf, -1
        for i in range(count):
            before, here, after = (
                found[ring[i - 1 if i > 0 else count - 1]],
                found[ring[i]],
                found[ring[(i + 1) % count]],
            )
            corner = abs(_turn(before, here, after))
            whole += here[0] * after[1] - here[1] * after[0]
            if corner < least:
                least, drop = corner, i
        if least > THIN * abs(whole):
            break
        for i in range(drop, count - 1):
            ring[i] = ring[i + 1]
        count -= 1
    for i in range(count):
        row = found[ring[i]]
        for k in range(3):
            out[i, k] = u[k] * row[0] + v[k] * row[1] + n[k] * row[2]
        out[i, 3] = min(max(row[3], 0.0), max(limit, 0.0) + 1e-3)
    return count


@njit(cache=True, error_model="numpy")
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


HALF_SPACE, POLYTOPE, MESH = range(3)
EDGE_BIAS = 0.95  # an axis of two edges must be this much better than that of a face
EDGE_AXES = 4096  # pairs of edges beyond which only face normals are tested (round hulls)


@njit(cache=True, error_model="numpy")
def rotate(q: Array, v: Array, out: Array) -> None:
    """v turned by the quaternion x y z w."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    out[0] = v[0] + w * tx + y * tz - z * ty
    out[1] = v[1] + w * ty + z * tx - x * tz
    out[2] = v[2] + w * tz + x * ty - y * tx


@njit(cache=True, error_model="numpy")
def place_shapes(
    position: np.ndarray, quaternion: np.ndarray, owner: np.ndarray, offset: Array, turn: Array, poses: Array
) -> None:
    """Poses x y z qx qy qz qw of shapes on bodies (quaternions of bodies w first); owner -1 keeps its pose."""
    q = np.empty(4)
    for s in range(len(owner)):
        if owner[s] < 0:
            continue
        b, h = position[owner[s]], quaternion[owner[s]]
        q[0], q[1], q[2], q[3] = h[1], h[2], h[3], h[0]
        rotate(q, offset[s], poses[s, :3])
        for k in range(3):
            poses[s, k] += b[k]
        x, y, z, w = turn[s, 0], turn[s, 1], turn[s, 2], turn[s, 3]
        poses[s, 3] = q[3] * x + q[0] * w + q[1] * z - q[2] * y
        poses[s, 4] = q[3] * y - q[0] * z + q[1] * w + q[2] * x
        poses[s, 5] = q[3] * z + q[0] * y - q[1] * x + q[2] * w
        poses[s, 6] = q[3] * w - q[0] * x - q[1] * y - q[2] * z


@njit(cache=True, error_model="numpy")
def least_overlap(
    a: Array, a_normals: Array, a_edges: Array, b: Array, b_normals: Array, b_edges: Array, guess: Array, best_n: Array
) -> float:
    """Least overlap of two polytopes over all separating axes, negative when they are apart.

    `best_n` is filled with the axis, from B to A. `guess` is tried first and replaced by the axis that separated.
    """
    n = np.empty(3)
    low, _ = reach(a, guess)
    _, high = reach(b, guess)
    if high < low:
        copy3(guess, best_n)
        return high - low
    best = math.inf
    for side in range(2):
        normals = b_normals if side == 0 else a_normals
        sign = 1.0 if side == 0 else -1.0
        for i in range(len(normals)):
            for k in range(3):
                n[k] = sign * normals[i, k]
            low, _ = reach(a, n)
            _, high = reach(b, n)
            depth = high - low
            if depth < best:
                best = depth
                copy3(n, best_n)
                if depth < 0:
                    copy3(n, guess)
                    return depth
    if len(a_edges) * len(b_edges) > EDGE_AXES:
        return best
    for i in range(len(a_edges)):
        for j in range(len(b_edges)):
            e, f = a_edges[i], b_edges[j]
            n[0], n[1], n[2] = e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]
            length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            if length < 1e-4:
                continue
            for k in range(3):
                n[k] /= length
            a_low, a_high = reach(a, n)
            b_low, b_high = reach(b, n)
            depth, sign = b_high - a_low, 1.0
            if a_high - b_low < depth:
                depth, sign = a_high - b_low, -1.0
            if depth < 0 or depth < best * EDGE_BIAS - 1e-6:
                best = depth
                for k in range(3):
                    best_n[k] = sign * n[k]
                if depth < 0:
                    copy3(best_n, guess)
                    return depth
    return best


@njit(cache=True, error_model="numpy")
def collide(
    pairs: np.ndarray,
    guesses: Array,
    kind: np.ndarray,
    spans: np.ndarray,
    corners: Array,
    normals: Array,
    edges: Array,
    poses: Array,
    center: Array,
    radius: Array,
    triangle: Array,
    hits: np.ndarray,
    points: Array,
) -> int:
    """Contacts of all pairs: `hits` gets the pair of each point, `points` x y z, normal, depth. Gives their number.

    `spans` holds first and number of corners, normals and edges of each shape (for a mesh: of its triangles in
    `triangle`, already in the world); `poses` are x y z qx qy qz qw of the shapes.
    """
    world = np.empty((len(corners), 3))
    turned = np.empty((len(normals), 3))
    along = np.empty((len(edges), 3))
    middle = np.empty((len(kind), 3))
    for s in range(len(kind)):
        q = poses[s, 3:]
        rotate(q, center[s], middle[s])
        for k in range(3):
            middle[s, k] += poses[s, k]
        if kind[s] == MESH:
            continue
        for i in range(spans[s, 0], spans[s, 0] + spans[s, 1]):
            rotate(q, corners[i], world[i])
            for k in range(3):
                world[i, k] += poses[s, k]
        for i in range(spans[s, 2], spans[s, 2] + spans[s, 3]):
            rotate(q, normals[i], turned[i])
        for i in range(spans[s, 4], spans[s, 4] + spans[s, 5]):
            rotate(q, edges[i], along[i])
    total = 0
    n, patch = np.empty(3), np.empty((DIRECTIONS, 4))
    flat, face, sides, first = np.empty((3, 3)), np.empty((1, 3)), np.empty((3, 3)), np.empty(3)
    for p in range(len(pairs)):
        a, b = pairs[p, 0], pairs[p, 1]
        A = world[spans[a, 0] : spans[a, 0] + spans[a, 1]]
        if kind[b] == HALF_SPACE:
            copy3(turned[spans[b, 2]], n)
            offset = n[0] * poses[b, 0] + n[1] * poses[b, 1] + n[2] * poses[b, 2]
            height = n[0] * middle[a, 0] + n[1] * middle[a, 1] + n[2] * middle[a, 2] - offset
            if height > radius[a]:
                continue
            total = _write(p, n, patch, below(A, n, offset, patch), hits, points, total)
            continue
        gap = 0.0
        for k in range(3):
            gap += (middle[a, k] - middle[b, k]) ** 2
        if gap > (radius[a] + radius[b]) ** 2:
            continue
        NA = turned[spans[a, 2] : spans[a, 2] + spans[a, 3]]
        EA = along[spans[a, 4] : spans[a, 4] + spans[a, 5]]
        if kind[b] == POLYTOPE:
            B = world[spans[b, 0] : spans[b, 0] + spans[b, 1]]
            NB = turned[spans[b, 2] : spans[b, 2] + spans[b, 3]]
            EB = along[spans[b, 4] : spans[b, 4] + spans[b, 5]]
            depth = least_overlap(A, NA, EA, B, NB, EB, guesses[p], n)
            if depth > 0:
                total = _write(p, n, patch, touch(A, B, n, depth, patch), hits, points, total)
            continue
        for t in range(spans[b, 0], spans[b, 0] + spans[b, 1]):
            for k in range(3):
                rotate(poses[b, 3:], triangle[t, k], flat[k])
                for c in range(3):
                    flat[k, c] += poses[b, c]
            far = False
            for c in range(3):
                low, high = min(flat[0, c], flat[1, c], flat[2, c]), max(flat[0, c], flat[1, c], flat[2, c])
                far = far or low > middle[a, c] + radius[a] or high < middle[a, c] - radius[a]
            if far:
                continue
            for k in range(3):
                for c in range(3):
                    sides[k, c] = flat[(k + 1) % 3, c] - flat[k, c]
            face[0, 0] = sides[0, 1] * sides[1, 2] - sides[0, 2] * sides[1, 1]
            face[0, 1] = sides[0, 2] * sides[1, 0] - sides[0, 0] * sides[1, 2]
            face[0, 2] = sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0]
            size = math.sqrt(face[0, 0] ** 2 + face[0, 1] ** 2 + face[0, 2] ** 2)
            if size < 1e-14:
                continue
            for c in range(3):
                face[0, c] /= size
            copy3(face[0], first)
            depth = least_overlap(A, NA, EA, flat, face, sides, first, n)
            if depth > 0 and n[0] * face[0, 0] + n[1] * face[0, 1] + n[2] * face[0, 2] > 0.7:
                low, _ = reach(A, face[0])
                _, high = reach(flat, face[0])
                total = _write(p, face[0], patch, touch(A, flat, face[0], high - low, patch), hits, points, total)
    return total


@njit(cache=True, error_model="numpy")
def _write(pair: int, n: Array, patch: Array, count: int, hits: np.ndarray, points: Array, total: int) -> int:
    for i in range(count):
        if total == len(hits):
            return total
        hits[total] = pair
        for k in range(3):
            points[total, k], points[total, 3 + k] = patch[i, k], n[k]
        points[total, 6] = patch[i, 3]
        total += 1
    return total
