"""Polygons as triangles, and prisms over them."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array


def triangulated(points: Array) -> np.ndarray | None:
    """Triangles (n - 2, 3) of a polygon (n, 2), counter-clockwise, by cutting ears; None when its sides cross.

    Meisters, "Polygons have ears", 1975.
    """
    order = list(range(len(points))) if _area(points) > 0 else list(range(len(points)))[::-1]
    small = 1e-12 * float(np.max(np.abs(points)) ** 2 + 1e-300)
    faces: list[tuple[int, int, int]] = []
    while len(order) > 3:
        for at in range(len(order)):
            a, b, c = order[at - 1], order[at], order[(at + 1) % len(order)]
            turn = float(_cross(points[b] - points[a], points[c] - points[b]))
            if turn < -small:
                continue
            others = points[[k for k in order if k not in (a, b, c)]]
            if turn <= small or not _inside(others, points[a], points[b], points[c]).any():
                faces.append((a, b, c))
                del order[at]
                break
        else:
            return None
    faces.append((order[0], order[1], order[2]))
    made = np.array(faces)
    corners = points[made]
    sizes = _cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    whole = abs(_area(points))
    return made if abs(float(np.sum(np.abs(sizes))) - whole) <= 1e-6 * whole + small else None


def prism(points: Array, faces: np.ndarray, height: float) -> str:
    """Wavefront text of the prism over a polygon from z = 0 to its height, faces outward."""
    n = len(points)
    lines = [f"v {x!r} {y!r} {z!r}" for z in (0.0, height) for x, y in points.tolist()]
    for a, b, c in (faces + 1).tolist():
        lines += [f"f {a} {c} {b}", f"f {n + a} {n + b} {n + c}"]
    around = list(range(n)) if _area(points) > 0 else list(range(n))[::-1]
    for i, j in zip(around, [*around[1:], around[0]], strict=True):
        lines += [f"f {i + 1} {j + 1} {n + j + 1}", f"f {i + 1} {n + j + 1} {n + i + 1}"]
    return "\n".join(lines) + "\n"


def _area(points: Array) -> float:
    x, y = points[:, 0], points[:, 1]
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _inside(points: Array, a: Array, b: Array, c: Array) -> np.ndarray:
    """Which points lie in a triangle or on its sides, its corners apart."""
    corner = (points == a).all(axis=1) | (points == b).all(axis=1) | (points == c).all(axis=1)
    sides = [_cross(q - p, points - p) >= 0 for p, q in ((a, b), (b, c), (c, a))]
    return np.asarray(sides[0] & sides[1] & sides[2] & ~corner)
