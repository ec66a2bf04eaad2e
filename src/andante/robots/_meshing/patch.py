"""Patches: thin plates that lie on the surface of another mesh, for panels, eyes, lights and lids."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from andante.geometry import Array

from ._grid import closed, from_rows
from .transform import frame_along

if TYPE_CHECKING:
    import trimesh


def circle(radius: float, points: int = 28) -> Array:
    """Outline (n, 2) of a circle [m]."""
    angle = np.linspace(0, 2 * math.pi, points, endpoint=False)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def rounded(width: float, height: float, power: float = 4.0, points: int = 36, taper: float = 0.0) -> Array:
    """Outline (n, 2) of a rectangle with round corners [m]; `taper` narrows its lower end by that share."""
    angle = np.linspace(0, 2 * math.pi, points, endpoint=False)
    c, s = np.cos(angle), np.sin(angle)
    u = np.sign(c) * np.abs(c) ** (2 / power) * width / 2
    v = np.sign(s) * np.abs(s) ** (2 / power) * height / 2
    return np.column_stack([u * (1 - taper * (0.5 - v / height)), v])


def patch(
    surface: trimesh.Trimesh,
    centre: ArrayLike,
    normal: ArrayLike,
    outline: ArrayLike,
    lift: float = 0.0006,
    sink: float = 0.002,
    rings: int = 5,
    hole: float = 0.0,
) -> trimesh.Trimesh:
    """A plate on a surface: an outline about `centre` projected along -normal, raised by `lift`, sunk by `sink` [m].

    Outline coordinates (u, v) lie across the normal: v points up (forward on a level surface), u so that
    (u, v, normal) is right-handed. The outline must be star-shaped about its origin and lie wholly over the surface.
    The back is flat, so the surface should bulge or be flat there.
    `hole` > 0 leaves the inner share of it out, which makes a ring. `rings` says how finely it follows the surface.
    """
    basis = frame_along(normal)
    middle = np.asarray(centre, dtype=float)
    edge = np.asarray(outline, dtype=float)
    shares = np.linspace(hole, 1, rings + 1) if hole > 0 else np.linspace(0, 1, rings + 1)[1:]
    flat = shares[:, None, None] * edge  # (rings, n, 2)
    asked = np.concatenate([flat.reshape(-1, 2), np.zeros((int(hole <= 0), 2))])
    local = (np.asarray(surface.vertices) - middle) @ basis
    height = _heights(local, np.asarray(surface.faces), asked)
    if np.isnan(height).any():
        raise ValueError(f"the patch at {middle.tolist()} reaches beyond the surface; move it or make it smaller")
    top = np.column_stack([asked, height + lift])
    low = np.column_stack([asked, height - sink])
    size = flat.shape[:2]
    upper = top[: size[0] * size[1]].reshape(*size, 3)
    lower = low[: size[0] * size[1]].reshape(*size, 3)
    if hole > 0:
        body = from_rows(np.concatenate([upper, lower[[-1, 0]]]), None, None)
    else:
        body = from_rows(np.concatenate([upper, lower[-1:]]), top[-1], lower[-1].mean(axis=0))
    return closed(np.asarray(body.vertices) @ basis.T + middle, np.asarray(body.faces))


def _heights(points: Array, faces: np.ndarray, asked: Array) -> Array:
    """Greatest height of a mesh (third coordinate) over places (n, 2); NaN where there is none."""
    corners = points[faces]  # (m, 3, 3)
    flat = corners[:, :, :2]
    low, high = asked.min(axis=0), asked.max(axis=0)
    near = (flat.max(axis=1) >= low).all(axis=1) & (flat.min(axis=1) <= high).all(axis=1)
    corners, flat = corners[near], flat[near]
    a, b, c = flat[:, 0], flat[:, 1], flat[:, 2]
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
    keep = area > 1e-14  # faces that look along the normal
    corners, a, b, c, area = corners[keep], a[keep], b[keep], c[keep], area[keep]
    p = asked[:, None]
    wb = ((p[..., 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (p[..., 1] - a[:, 1])) / area
    wc = ((b[:, 0] - a[:, 0]) * (p[..., 1] - a[:, 1]) - (p[..., 0] - a[:, 0]) * (b[:, 1] - a[:, 1])) / area
    wa = 1 - wb - wc
    inside = (wa >= -1e-9) & (wb >= -1e-9) & (wc >= -1e-9)
    z = wa * corners[:, 0, 2] + wb * corners[:, 1, 2] + wc * corners[:, 2, 2]
    best = np.where(inside, z, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(best), best, np.nan)
