"""Pieces of the sphere: tiles with thickness, the ribs that carry them, and their convex collision hulls.

All are made in the gore frame (see `_figures.ball_frames`) and moved to the frame of their link.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import trimesh

from andante.description.mesh.modeling import closed, moved
from andante.geometry import Array

from ._figures import ball_frames, figures

Point: TypeAlias = Sequence[float]  # x, y in the frame of a link [m]
SIXTH = math.pi / 6  # half the width of a gore [rad]


def to_link(mesh: trimesh.Trimesh, link: str) -> trimesh.Trimesh:
    """A mesh of the gore frame told in the frame of a leg's link."""
    pose = ball_frames()[link]
    return moved(mesh, pose[:3, :3], pose[:3, 3])


def tile(
    low: float,
    high: float,
    outer: float,
    thickness: float,
    inset: float = 0.0,
    right: float | None = None,
    left: float | None = None,
    step: float = 3.0,
) -> trimesh.Trimesh:
    """A plate on the sphere between two latitudes [deg], as wide as a sixth of it, in the gore frame.

    `outer` is the radius of its outside [m], `inset` what is left free at every edge beyond the seam [m]. `right` and
    `left` cut it at distances y across the gore [m] instead of at its meridians.
    """
    top = surface(low, high, outer, inset, right, left, step)
    bottom = top * ((outer - thickness) / outer)
    return _plate(top, bottom)


def surface(
    low: float,
    high: float,
    radius: float,
    inset: float = 0.0,
    right: float | None = None,
    left: float | None = None,
    step: float = 3.0,
) -> Array:
    """Points (rows, columns, 3) of a piece of the sphere; arguments as for `tile`."""
    edge = (figures()["tile_gap"] + inset) / radius
    rows = max(2, math.ceil((high - low) / step) + 1)
    latitude = np.linspace(math.radians(low) + edge, math.radians(high) - edge, rows)
    ring = radius * np.cos(latitude)
    reach = SIXTH - np.minimum((figures()["tile_gap"] + inset) / ring, SIXTH * 0.8)
    first = -reach if right is None else np.arcsin(np.clip((right + inset) / ring, -1, 1))
    last = reach if left is None else np.arcsin(np.clip((left - inset) / ring, -1, 1))
    columns = max(2, math.ceil(float(np.degrees((last - first).max())) / step) + 1)
    fraction = np.linspace(0, 1, columns)
    azimuth = first[:, None] + (last - first)[:, None] * fraction
    return np.stack(
        [
            ring[:, None] * np.cos(azimuth),
            ring[:, None] * np.sin(azimuth),
            np.broadcast_to(radius * np.sin(latitude)[:, None], azimuth.shape),
        ],
        axis=-1,
    )


def rib(low: float, high: float, across: float, start: Point, end: Point, link: str, width: float) -> trimesh.Trimesh:
    """A web from an arm to the tile in a plane beside the leg, in the frame of a link.

    It joins the arc between two latitudes [deg], `across` [m] from the middle of the gore, to the line from `start` to
    `end` (x, y in the frame of the link) [m]; `width` is its thickness [m].
    """
    f = figures()
    radius = f["ball_radius"] - f["tile_thickness"] * 0.7
    latitude = np.radians(np.linspace(low, high, 10))
    flat = math.sqrt(radius**2 - across**2)
    arc = np.column_stack([flat * np.cos(latitude), np.full(10, across), flat * np.sin(latitude)])
    pose = ball_frames()[link]
    arc = arc @ pose[:3, :3].T + pose[:3, 3]
    line = np.linspace([*start, 0.0], [*end, 0.0], 10)
    line[:, 2] = arc[:, 2]
    shift = np.array([0, 0, width / 2])
    top = np.stack([arc + shift, (arc + line) / 2 + shift, line + shift])
    bottom = np.stack([arc - shift, (arc + line) / 2 - shift, line - shift])
    return _plate(top, bottom)


def hull_of(points: Array, link: str, depth: float) -> trimesh.Trimesh:
    """Convex hull of a piece of the sphere and of its rim sunk by `depth` [m], in the frame of a link."""
    flat = points.reshape(-1, 3)
    corners = points[[0, 0, -1, -1], [0, -1, 0, -1]]
    sunk = corners * (1 - depth / np.linalg.norm(corners, axis=1, keepdims=True))
    body = trimesh.convex.convex_hull(np.concatenate([flat, sunk]))
    return to_link(closed(np.asarray(body.vertices), np.asarray(body.faces)), link)


def _plate(top: Array, bottom: Array) -> trimesh.Trimesh:
    """A closed plate between two grids of points (rows, columns, 3)."""
    rows, columns = top.shape[:2]
    index = np.arange(rows * columns).reshape(rows, columns)
    other = index + rows * columns
    faces = [_quads(index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1])]
    faces.append(_quads(other[:-1, :-1], other[1:, :-1], other[1:, 1:], other[:-1, 1:]))
    rim = np.concatenate([index[0, :-1], index[:-1, -1], index[-1, :0:-1], index[:0:-1, 0]])
    after = np.roll(rim, -1)
    shift = rows * columns
    faces.append(_quads(rim, rim + shift, after + shift, after))
    return closed(np.concatenate([top.reshape(-1, 3), bottom.reshape(-1, 3)]), np.concatenate(faces))


def _quads(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    a, b, c, d = a.ravel(), b.ravel(), c.ravel(), d.ravel()
    return np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
