"""Compiled contacts of convex polytopes, half spaces and triangle meshes, by separating axes.

A polytope is told by its corners, its face normals and the directions of its edges. The normal of a contact points
from side B to side A and is the axis of least overlap; a half space is its own axis.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

from ._convex_features import DIRECTIONS, below, copy3, reach, touch

HALF_SPACE, POLYTOPE, MESH = range(3)
EDGE_BIAS = 0.95  # an axis of two edges must be this much better than that of a face
EDGE_AXES = 4096  # pairs of edges beyond which only face normals are looked at (round hulls)


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
    centre: Array,
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
        rotate(q, centre[s], middle[s])
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
