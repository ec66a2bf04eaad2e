"""Tools to make good-looking closed meshes by code: lofts, solids of revolution, sweeps, prisms and surface patches.

Every function returns a watertight `trimesh.Trimesh` with outward normals, in meters. Parts of one color are put
together with `join`; overlapping bodies may be joined as they are, since only their outside is seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from andante.geometry import Array

if TYPE_CHECKING:
    import trimesh

AXES = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}  # along, u, v


def from_rows(rows: Array, start: Array | None, end: Array | None) -> trimesh.Trimesh:
    """Mesh of rows of points (rows, around, 3), each a closed ring, closed by a point at either end.

    Without end points the last row joins the first, as in a torus. Faces are turned outwards.
    """
    count, around = rows.shape[:2]
    points = [rows.reshape(-1, 3)]
    index = np.arange(count * around).reshape(count, around)
    following = np.roll(index, -1, axis=1)
    last = count if start is None else count - 1
    a, b = index, following
    c, d = np.roll(following, -1, axis=0), np.roll(index, -1, axis=0)
    faces = [np.stack([x[:last].ravel() for x in corners], axis=1) for corners in ((a, b, c), (a, c, d))]
    if start is not None and end is not None:
        points += [start[None], end[None]]
        first, final = count * around, count * around + 1
        faces.append(np.stack([following[0], index[0], np.full(around, first)], axis=1))
        faces.append(np.stack([index[-1], following[-1], np.full(around, final)], axis=1))
    return closed(np.concatenate(points), np.concatenate(faces))


def closed(points: Array, faces: np.ndarray) -> trimesh.Trimesh:
    """A mesh of points and consistently wound faces, turned inside out where its volume is negative."""
    import trimesh

    mesh = trimesh.Trimesh(points, faces, process=False)
    if mesh.volume < 0:
        mesh = trimesh.Trimesh(points, faces[:, ::-1], process=False)
    return mesh


def frame_along(axis: ArrayLike) -> Array:
    """A rotation (3, 3) whose third column is the axis; the second leans to +z, or to +x for an upright axis."""
    third = np.asarray(axis, dtype=float)
    third = third / np.linalg.norm(third)
    hint = np.array([1.0, 0.0, 0.0]) if abs(third[2]) > 0.99 else np.array([0.0, 0.0, 1.0])
    second = hint - (hint @ third) * third
    second /= np.linalg.norm(second)
    return np.column_stack([np.cross(second, third), second, third])


def moved(mesh: trimesh.Trimesh, rotation: ArrayLike, translation: ArrayLike) -> trimesh.Trimesh:
    """The mesh turned by a rotation (3, 3), then shifted [m]."""
    points = np.asarray(mesh.vertices) @ np.asarray(rotation, dtype=float).T + np.asarray(translation, dtype=float)
    return closed(points, np.asarray(mesh.faces))


def mirror(mesh: trimesh.Trimesh) -> trimesh.Trimesh:
    """The mirror image at the plane y = 0: left becomes right."""
    return closed(np.asarray(mesh.vertices) * [1.0, -1.0, 1.0], np.asarray(mesh.faces)[:, ::-1])


def join(*meshes: trimesh.Trimesh) -> trimesh.Trimesh:
    """Several bodies in one mesh, for parts of one color."""
    shift = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    points = np.concatenate([np.asarray(mesh.vertices) for mesh in meshes])
    faces = np.concatenate([np.asarray(mesh.faces) + start for mesh, start in zip(meshes, shift, strict=False)])
    return closed(points, faces)


def circle(radius: float, points: int = 28) -> Array:
    """Outline (n, 2) of a circle [m]."""
    angle = np.linspace(0, 2 * math.pi, points, endpoint=False)
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


def rounded(width: float, height: float, power: float = 4.0, points: int = 36, taper: float = 0.0) -> Array:
    """Outline (n, 2) of a rectangle with round corners [m]; `taper` narrows its lower end by that fraction."""
    angle = np.linspace(0, 2 * math.pi, points, endpoint=False)
    c, s = np.cos(angle), np.sin(angle)
    u = np.sign(c) * np.abs(c) ** (2 / power) * width / 2
    v = np.sign(s) * np.abs(s) ** (2 / power) * height / 2
    return np.column_stack([u * (1 - taper * (0.5 - v / height)), v])


def patch(
    surface: trimesh.Trimesh,
    center: ArrayLike,
    normal: ArrayLike,
    outline: ArrayLike,
    lift: float = 0.0006,
    sink: float = 0.002,
    rings: int = 5,
    hole: float = 0.0,
) -> trimesh.Trimesh:
    """A plate on a surface: an outline about `center` projected along -normal, raised by `lift`, sunk by `sink` [m].

    Outline coordinates (u, v) lie across the normal: v points up (forward on a level surface), u so that
    (u, v, normal) is right-handed. The outline must be star-shaped about its origin and lie wholly over the surface.
    The back is flat, so the surface should bulge or be flat there.
    `hole` > 0 leaves that inner fraction of it out, which makes a ring. `rings` says how finely it follows the surface.
    """
    basis = frame_along(normal)
    middle = np.asarray(center, dtype=float)
    edge = np.asarray(outline, dtype=float)
    fractions = np.linspace(hole, 1, rings + 1) if hole > 0 else np.linspace(0, 1, rings + 1)[1:]
    flat = fractions[:, None, None] * edge  # (rings, n, 2)
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


@dataclass(frozen=True)
class Section:
    """A cross section: |u|^power + |v|^power = 1 stretched over the given extents [m].

    `at` is the place along the axis. The u and v axes follow the axis cyclically: along x they are y and z, along y
    they are z and x, along z they are x and y. power 2 is an ellipse, 4 a box with round edges.
    """

    at: float
    u: tuple[float, float]
    v: tuple[float, float]
    power: float = 2.4


def loft(
    sections: Sequence[Section],
    axis: str = "z",
    round_start: float = 0.0,
    round_end: float = 0.0,
    around: int = 36,
    along: int = 20,
    cap: int = 6,
) -> trimesh.Trimesh:
    """A body through sections given in rising order along an axis, shape-preserving cubic in between.

    The ends are rounded elliptically over `round_start` and `round_end` [m]; 0 leaves them flat. A ring has `around`
    points; there are `along` rings on the body and `cap` more on each rounded end.
    """
    from scipy.interpolate import PchipInterpolator

    table = np.array([[s.at, *s.u, *s.v, s.power] for s in sections], dtype=float)
    shape = PchipInterpolator(table[:, 0], table[:, 1:])
    first, last = table[0, 0], table[-1, 0]
    places, scales = _rows(first, last, round_start, round_end, along, cap)
    low_u, high_u, low_v, high_v, power = shape(places).T
    angle = np.linspace(0, 2 * math.pi, around, endpoint=False)
    cosine, sine = np.cos(angle), np.sin(angle)
    exponent = 2 / power[:, None]
    u = np.sign(cosine) * np.abs(cosine) ** exponent * (scales * (high_u - low_u) / 2)[:, None]
    v = np.sign(sine) * np.abs(sine) ** exponent * (scales * (high_v - low_v) / 2)[:, None]
    mid_u, mid_v = (high_u + low_u) / 2, (high_v + low_v) / 2
    rows = np.empty((len(places), around, 3))
    a, b, c = AXES[axis]
    rows[..., a], rows[..., b], rows[..., c] = places[:, None], u + mid_u[:, None], v + mid_v[:, None]
    ends = []
    for place in (first, last):
        point = np.empty(3)
        values = shape(place)
        point[[a, b, c]] = place, (values[0] + values[1]) / 2, (values[2] + values[3]) / 2
        ends.append(point)
    return from_rows(rows, ends[0], ends[1])


def _rows(first: float, last: float, start: float, end: float, along: int, cap: int) -> tuple[Array, Array]:
    """Places of the rings and their scale: sqrt(1 - t^2) on the rounded ends, 1 between."""
    places, scales = [np.linspace(first + start, last - end, along)], [np.ones(along)]
    angle = np.linspace(0, math.pi / 2, cap + 1)[1:]  # from near the tip to the body
    if start > 0:
        places.insert(0, first + start * (1 - np.cos(angle[:-1])))
        scales.insert(0, np.sin(angle[:-1]))
    if end > 0:
        places.append(last - end * (1 - np.cos(angle[:-1]))[::-1])
        scales.append(np.sin(angle[:-1])[::-1])
    return np.concatenate(places), np.concatenate(scales)


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


def ellipsoid(center: ArrayLike, radii: ArrayLike, around: int = 28, along: int = 14) -> trimesh.Trimesh:
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
    return moved(body, np.eye(3), center)


def rounded_box(center: ArrayLike, size: ArrayLike, radius: float, power: float = 6.0) -> trimesh.Trimesh:
    """A box with soft edges; full edge lengths x, y, z; `radius` rounds top and bottom [m]."""
    x, y, z = (float(s) / 2 for s in np.asarray(size, dtype=float))
    sections = [Section(-z, (-x, x), (-y, y), power), Section(z, (-x, x), (-y, y), power)]
    body = loft(sections, round_start=radius, round_end=radius, around=24, along=2, cap=3)
    return moved(body, np.eye(3), center)


def tube(path: ArrayLike, radii: ArrayLike, around: int = 12, along: int = 7, flat: float = 1.0) -> trimesh.Trimesh:
    """A round bar along a smooth curve through points (n, 3) with radii (n,) [m] and half-round ends.

    `flat` scales its width across the plane of the curve.
    """
    from scipy.interpolate import make_interp_spline

    points, widths = np.asarray(path, dtype=float), np.asarray(radii, dtype=float)
    knots = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    curve = make_interp_spline(knots, points, k=min(2, len(points) - 1))
    place = np.linspace(0, knots[-1], along)
    center, tangent = curve(place), curve.derivative()(place)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    width = np.interp(place, knots, widths)
    bow = np.cross(tangent[0], tangent[-1])
    side = bow if np.linalg.norm(bow) > 1e-6 else frame_along(tangent[0])[:, 0]
    side = side / np.linalg.norm(side)
    tip = np.linspace(0, math.pi / 2, 5)[:-1]  # half-round ends
    center = np.concatenate(
        [
            center[0] - np.outer(np.cos(tip) * width[0], tangent[0]),
            center,
            center[-1] + np.outer(np.cos(tip[::-1]) * width[-1], tangent[-1]),
        ]
    )[1:-1]
    tangent = np.concatenate([np.tile(tangent[0], (4, 1)), tangent, np.tile(tangent[-1], (4, 1))])[1:-1]
    width = np.concatenate([np.sin(tip) * width[0], width, np.sin(tip[::-1]) * width[-1]])[1:-1]
    across = side - (tangent @ side)[:, None] * tangent
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    up = np.cross(tangent, across)
    angle = np.linspace(0, 2 * math.pi, around, endpoint=False)
    rows = center[:, None] + width[:, None, None] * (
        flat * np.cos(angle)[None, :, None] * across[:, None] + np.sin(angle)[None, :, None] * up[:, None]
    )
    start = center[0] - tangent[0] * (widths[0] - math.cos(tip[1]) * widths[0])
    end = center[-1] + tangent[-1] * (widths[-1] - math.cos(tip[1]) * widths[-1])
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
