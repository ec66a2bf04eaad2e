"""Solids of revolution, rings, sweeps, prisms and rounded boxes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ._grid import from_rows
from .loft import Section, loft
from .transform import frame_along, moved

if TYPE_CHECKING:
    import trimesh


def revolve(profile: ArrayLike, origin: ArrayLike, axis: ArrayLike, around: int = 24) -> trimesh.Trimesh:
    """A solid of revolution; `profile` (n, 2) is [place along the axis, radius], rising; its ends are closed flat."""
    along, radius = np.asarray(profile, dtype=float).T
    angle = np.linspace(0, 2 * math.pi, around, endpoint=False)
    rows = np.stack(
        [
            radius[:, None] * np.cos(angle),
            radius[:, None] * np.sin(angle),
            np.broadcast_to(along[:, None], (len(along), around)),
        ],
        axis=-1,
    )
    ends = np.array([[0, 0, along[0]], [0, 0, along[-1]]])
    return moved(from_rows(rows, ends[0], ends[1]), frame_along(axis), origin)


def ring(
    radius: float, thickness: float, origin: ArrayLike, axis: ArrayLike, around: int = 24, section: int = 5
) -> trimesh.Trimesh:
    """A torus about an axis; `thickness` is the radius of its round section [m]."""
    turn = np.linspace(0, 2 * math.pi, around, endpoint=False)[:, None]
    roll = np.linspace(0, 2 * math.pi, section, endpoint=False)[None]
    arm = radius + thickness * np.cos(roll)
    rows = np.stack([arm * np.cos(turn), arm * np.sin(turn), thickness * np.sin(roll) + 0 * turn], axis=-1)
    return moved(from_rows(rows, None, None), frame_along(axis), origin)


def ellipsoid(centre: ArrayLike, radii: ArrayLike, around: int = 28, along: int = 14) -> trimesh.Trimesh:
    """An ellipsoid with half axes x, y, z [m]."""
    x, y, z = (float(r) for r in np.asarray(radii, dtype=float))
    body = loft(
        [Section(-z, (-x, x), (-y, y), 2), Section(z, (-x, x), (-y, y), 2)],
        round_start=z * (1 - 1e-6),
        round_end=z * (1 - 1e-6),
        around=around,
        along=2,
        cap=along // 2,
    )
    return moved(body, np.eye(3), centre)


def rounded_box(centre: ArrayLike, size: ArrayLike, radius: float, power: float = 6.0) -> trimesh.Trimesh:
    """A box with soft edges; full edge lengths x, y, z; `radius` rounds top and bottom [m]."""
    x, y, z = (float(s) / 2 for s in np.asarray(size, dtype=float))
    sections = [Section(-z, (-x, x), (-y, y), power), Section(z, (-x, x), (-y, y), power)]
    body = loft(sections, round_start=radius, round_end=radius, around=24, along=2, cap=3)
    return moved(body, np.eye(3), centre)


def tube(path: ArrayLike, radii: ArrayLike, around: int = 12, along: int = 7, flat: float = 1.0) -> trimesh.Trimesh:
    """A round bar along a smooth curve through points (n, 3) with radii (n,) [m] and half-round ends.

    `flat` scales its width across the plane of the curve.
    """
    from scipy.interpolate import make_interp_spline

    points, widths = np.asarray(path, dtype=float), np.asarray(radii, dtype=float)
    knots = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    curve = make_interp_spline(knots, points, k=min(2, len(points) - 1))
    place = np.linspace(0, knots[-1], along)
    centre, tangent = curve(place), curve.derivative()(place)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    width = np.interp(place, knots, widths)
    bow = np.cross(tangent[0], tangent[-1])
    side = bow if np.linalg.norm(bow) > 1e-6 else frame_along(tangent[0])[:, 0]
    side = side / np.linalg.norm(side)
    tip = np.linspace(0, math.pi / 2, 5)[:-1]  # half-round ends
    centre = np.concatenate(
        [
            centre[0] - np.outer(np.cos(tip) * width[0], tangent[0]),
            centre,
            centre[-1] + np.outer(np.cos(tip[::-1]) * width[-1], tangent[-1]),
        ]
    )[1:-1]
    tangent = np.concatenate([np.tile(tangent[0], (4, 1)), tangent, np.tile(tangent[-1], (4, 1))])[1:-1]
    width = np.concatenate([np.sin(tip) * width[0], width, np.sin(tip[::-1]) * width[-1]])[1:-1]
    across = side - (tangent @ side)[:, None] * tangent
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    up = np.cross(tangent, across)
    angle = np.linspace(0, 2 * math.pi, around, endpoint=False)
    rows = centre[:, None] + width[:, None, None] * (
        flat * np.cos(angle)[None, :, None] * across[:, None] + np.sin(angle)[None, :, None] * up[:, None]
    )
    start = centre[0] - tangent[0] * (widths[0] - math.cos(tip[1]) * widths[0])
    end = centre[-1] + tangent[-1] * (widths[-1] - math.cos(tip[1]) * widths[-1])
    return from_rows(rows, start, end)


def prism(outline: ArrayLike, low: float, high: float, bevel: float = 0.0) -> trimesh.Trimesh:
    """A prism over a convex outline (n, 2) between two heights z [m]; `bevel` [m] slants its upper and lower edges.

    The bevel keeps the outline at mid height and shrinks it at top and bottom; 0 gives the exact prism.
    """
    points = np.asarray(outline, dtype=float)
    middle = points.mean(axis=0)
    if bevel > 0:
        reach = np.linalg.norm(points - middle, axis=1, keepdims=True)
        small = middle + (points - middle) * (1 - bevel / reach)
        layers = [(small, low), (points, low + bevel), (points, high - bevel), (small, high)]
    else:
        layers = [(points, low), (points, high)]
    rows = np.stack([np.column_stack([flat, np.full(len(flat), z)]) for flat, z in layers])
    return from_rows(rows, np.array([*middle, low]), np.array([*middle, high]))
