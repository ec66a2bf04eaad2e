"""Static stability: the polygon that standing feet span, and how far inside it a point lies."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array


def hull(points: Array) -> list[tuple[float, float]]:
    """Corners of the convex hull of points (n, 2) counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) <= 2:
        return ordered

    def half(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        out: list[tuple[float, float]] = []
        for x, y in sequence:
            while len(out) >= 2:
                (ax, ay), (bx, by) = out[-2], out[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-12:
                    break
                out.pop()
            out.append((x, y))
        return out

    return half(ordered)[:-1] + half(ordered[::-1])[:-1]


def edges(points: Array) -> list[tuple[float, float, float]]:
    """Lines of the hull as (nx, ny, d) with n·p - d >= 0 inside, |n| = 1; none when the hull has no area."""
    corners = hull(points)
    if len(corners) < 3:
        return []
    out = []
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        dx, dy = bx - ax, by - ay
        length = (dx * dx + dy * dy) ** 0.5
        nx, ny = -dy / length, dx / length
        out.append((nx, ny, nx * ax + ny * ay))
    return out


def margin(points: Array, where: Array) -> float:
    """Distance of a point from the border of the hull of points (n, 2), positive inside [m]; -inf without a polygon."""
    lines = edges(points)
    if not lines:
        return -float("inf")
    return float(min(nx * where[0] + ny * where[1] - d for nx, ny, d in lines))


def inside(points: Array, where: Array, wanted: float) -> Array:
    """The point nearest to `where` that lies at least `wanted` inside the hull [m]; its middle where that is too much.

    Alternating projections onto the half planes of the shrunken polygon, which end near the nearest point.
    """
    lines = edges(points)
    p = np.array(where, dtype=float)
    if not lines:
        return np.mean(points, axis=0)
    for _ in range(40):
        worst = min(lines, key=lambda line: line[0] * p[0] + line[1] * p[1] - line[2])
        gap = wanted - (worst[0] * p[0] + worst[1] * p[1] - worst[2])
        if gap <= 1e-6:
            return p
        p[0] += gap * worst[0]
        p[1] += gap * worst[1]
    return np.mean(points, axis=0)
