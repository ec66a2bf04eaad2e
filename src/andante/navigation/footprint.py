"""Footprints: the convex outline of a robot on the ground, and discs that cover it for fast collision checks."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from andante.description.extent import support_point
from andante.description.robot import Robot
from andante.description.shapes import Plane
from andante.errors import AndanteError, BadInput
from andante.geometry import Array, se2

_DIRECTIONS = 48  # in which round shapes are touched


def convex_outline(points: ArrayLike) -> Array:
    """Corners (n, 2) of the convex hull of points (m, 2), counterclockwise, without points on straight edges."""
    p = np.asarray(points, dtype=float)
    if p.ndim != 2 or p.shape[1] != 2 or len(p) < 3 or not np.isfinite(p).all():
        raise BadInput(f"a footprint needs three or more finite points x, y, got shape {p.shape}")
    p = np.unique(np.round(p, 9), axis=0)
    half: list[list[Array]] = []
    for row in (p, p[::-1]):  # Andrew's monotone chain, lower and upper
        chain: list[Array] = []
        for q in row:
            while len(chain) >= 2 and _turn(chain[-2], chain[-1], q) <= 1e-12:
                chain.pop()
            chain.append(q)
        half.append(chain[:-1])
    outline = np.array(half[0] + half[1])
    if len(outline) < 3:
        raise BadInput("a footprint needs an area: its points lie in one line")
    return outline


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def rectangle(length: float, width: float, ahead: float = 0.5) -> Array:
    """Corners (4, 2) of a rectangle about a reference point that has the share `ahead` of the length before it [m]."""
    if not (length > 0 and width > 0 and math.isfinite(length * width)):
        raise BadInput(f"a rectangular footprint needs a length and a width > 0, got {length} x {width} m")
    front, rear, side = length * ahead, -length * (1 - ahead), width / 2
    return np.array([[rear, -side], [front, -side], [front, side], [rear, side]])


def robot_outline(robot: Robot, reference: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Outline (n, 2) of all collision shapes of a robot seen from above, told from a pose x, y, yaw in its root frame.

    Shapes whose meshes are missing are left out; a robot without any shape has no outline.
    """
    turns = np.linspace(0.0, 2 * np.pi, _DIRECTIONS, endpoint=False)
    directions = np.stack([np.cos(turns), np.sin(turns), np.zeros_like(turns)], axis=-1)
    points = []
    for name, pose in robot.link_poses().items():
        for collision in robot.link(name).collisions:
            if isinstance(collision.geometry, Plane):
                continue
            place = pose @ collision.pose
            try:
                touched = [support_point(collision.geometry, d) for d in directions @ place.rotation]
            except AndanteError:
                continue
            points.append((np.array(touched) @ place.rotation.T + place.translation)[:, :2])
    if not points:
        raise BadInput(f"robot {robot.name!r} has no collision shapes, so it has no footprint; give one by hand")
    return convex_outline(se2.transform(se2.inverse(reference), np.concatenate(points)))


def edge_distances(outline: Array, points: Array) -> Array:
    """Distance (m,) of points (m, 2) from the edges of a convex outline [m], below 0 outside."""
    start, along = outline, np.roll(outline, -1, axis=0) - outline
    normal = np.stack([-along[:, 1], along[:, 0]], axis=-1) / np.linalg.norm(along, axis=-1, keepdims=True)
    return np.min(np.einsum("mij,ij->mi", points[:, None, :] - start[None], normal), axis=1)


def covering_discs(outline: Array, tolerance: float) -> Array:
    """Discs (k, 3) x, y, radius that together cover a convex outline and reach at most `tolerance` beyond it [m].

    A greedy cover: of the discs about points inside, as large as the tolerance lets them be, always the one that
    covers most of what is left. The first disc is the largest one.
    """
    low, high = outline.min(axis=0), outline.max(axis=0)
    step = max(min(tolerance / 2, float((high - low).min()) / 12), float((high - low).max()) / 60)
    axes = [np.linspace(a, b, max(2, math.ceil((b - a) / step) + 1)) for a, b in zip(low, high, strict=True)]
    inside = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    inside = inside[edge_distances(outline, inside) >= -1e-9]
    edges = [
        np.linspace(a, b, max(2, math.ceil(float(np.linalg.norm(b - a)) / step) + 1))
        for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True)
    ]
    samples = np.concatenate([inside, *edges])
    radii = np.maximum(edge_distances(outline, inside), 0.0) + tolerance
    slack = min(step, tolerance) / math.sqrt(2)  # between samples
    x, y = (samples[:, None, k] - inside[None, :, k] for k in (0, 1))
    gaps = np.sqrt(x * x + y * y)
    covers = gaps <= np.maximum(radii - slack, 0.25 * tolerance)[None]
    left = np.ones(len(samples), dtype=bool)
    chosen = [int(np.argmax(radii))]
    left &= ~covers[:, chosen[0]]
    while left.any():
        gain = covers[left].sum(axis=0)
        best = int(np.argmax(gain))
        if gain[best] == 0:
            break
        chosen.append(best)
        left &= ~covers[:, best]
    discs = np.column_stack([inside[chosen], radii[chosen]])
    return np.ascontiguousarray(discs)
