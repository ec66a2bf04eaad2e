"""Lofts: smooth bodies through superelliptic cross sections."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from andante.geometry import Array

from ._grid import from_rows

if TYPE_CHECKING:
    import trimesh

AXES = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}  # along, u, v


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
    body = np.linspace(first + start, last - end, along)
    places, scales = [body], [np.ones(along)]
    angle = np.linspace(0, math.pi / 2, cap + 1)[1:]  # from near the tip to the body
    if start > 0:
        places.insert(0, first + start * (1 - np.cos(angle[:-1])))
        scales.insert(0, np.sin(angle[:-1]))
    if end > 0:
        places.append(last - end * (1 - np.cos(angle[:-1]))[::-1])
        scales.append(np.sin(angle[:-1])[::-1])
    return np.concatenate(places), np.concatenate(scales)
