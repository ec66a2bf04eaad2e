"""NURBS curves: evaluation, derivatives, knot insertion, pieces, and global interpolation through waypoints.

Bases and control-point algebra follow Piegl and Tiller, The NURBS Book; all batched over u.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array

from .curve import Bezier, homogeneous, parameters_inside, projected, quotient_derivatives


def spans(knots: Array, degree: int, u: Array) -> np.ndarray:
    """Index k of the knot interval [knots[k], knots[k+1]) that holds u, never an empty one; the last one is closed."""
    count = len(knots) - degree - 1
    found = np.searchsorted(knots, u, side="right") - 1
    last = int(np.searchsorted(knots, knots[count], side="left")) - 1
    return np.clip(found, degree, max(last, degree))


def basis(knots: Array, degree: int, u: Array, k: np.ndarray) -> Array:
    """The degree + 1 basis functions that do not vanish at u, (..., degree + 1): N[k - degree], ..., N[k] (A2.2)."""
    out = np.zeros((*u.shape, degree + 1))
    out[..., 0] = 1.0
    left = [u - knots[k + 1 - j] for j in range(degree + 1)]
    right = [knots[k + j] - u for j in range(degree + 1)]
    for j in range(1, degree + 1):
        saved = np.zeros(u.shape)
        for r in range(j):
            width = right[r + 1] + left[j - r]
            fraction = np.divide(out[..., r], width, out=np.zeros(u.shape), where=width != 0)
            out[..., r] = saved + right[r + 1] * fraction
            saved = left[j - r] * fraction
        out[..., j] = saved
    return out


def value(knots: Array, degree: int, control: Array, u: Array) -> Array:
    """Point of a (not rational) B-spline, (..., d), for control points (n, d)."""
    k = spans(knots, degree, u)
    indices = k[..., None] - degree + np.arange(degree + 1)
    point: Array = np.einsum("...j,...jd->...d", basis(knots, degree, u, k), control[indices])
    return point


def differentiated(knots: Array, degree: int, control: Array) -> tuple[Array, int, Array]:
    """Knots, degree and control points of the derivative: Q_i = p (P_{i+1} - P_i) / (u_{i+p+1} - u_{i+1})."""
    width = knots[degree + 1 : -1] - knots[1 : -degree - 1]
    rise = degree * np.diff(control, axis=0)
    slope = np.divide(rise, width[:, None], out=np.zeros_like(rise), where=width[:, None] != 0)
    return knots[1:-1], degree - 1, slope


def inserted(knots: Array, degree: int, control: Array, u: float) -> tuple[Array, Array]:
    """Knots and control points of the same curve with one more knot at u (Boehm)."""
    k = int(spans(knots, degree, np.array(u)))
    new = np.empty((len(control) + 1, control.shape[1]))
    new[: k - degree + 1] = control[: k - degree + 1]
    new[k + 1 :] = control[k:]
    i = np.arange(k - degree + 1, k + 1)
    width = knots[i + degree] - knots[i]
    fraction = np.divide(u - knots[i], width, out=np.ones(len(i)), where=width != 0)[:, None]
    new[i] = fraction * control[i] + (1 - fraction) * control[i - 1]
    return np.insert(knots, k + 1, u), new


def averaged_knots(parameters: Array, degree: int) -> Array:
    """Clamped knots for interpolation at given parameters, by averaging (eq. 9.8): the system is never singular."""
    count = len(parameters)
    inner = [parameters[j : j + degree].mean() for j in range(1, count - degree)]
    return np.concatenate([np.full(degree + 1, parameters[0]), inner, np.full(degree + 1, parameters[-1])])


def solve_collocation(knots: Array, degree: int, parameters: Array, weights: Array, points: Array) -> Array:
    """Control points P (n, d) with sum_i R_i(u_k) P_i = points_k, where R are the rational bases of the weights."""
    count = len(parameters)
    k = spans(knots, degree, parameters)
    columns = k[:, None] - degree + np.arange(degree + 1)
    rows = basis(knots, degree, parameters, k) * weights[columns]
    rows /= rows.sum(axis=1, keepdims=True)
    banded = np.zeros((2 * degree + 1, count))
    row_index = np.broadcast_to(np.arange(count)[:, None], columns.shape)
    banded[degree + row_index - columns, columns] = rows
    from scipy.linalg import solve_banded  # takes a while

    control: Array = solve_banded((degree, degree), banded, points)
    return control


SPACINGS = ("chord", "centripetal", "uniform")


@dataclass(frozen=True, eq=False)
class Nurbs:
    """c(u) = sum_i N_i(u) w_i P_i / sum_i N_i(u) w_i, N_i the B-splines of a degree over the knots."""

    degree: int
    knots: Array  # (n + degree + 1,), never falling
    control: Array  # (n, d)
    weights: Array = field(default_factory=lambda: np.empty(0))  # (n,), positive; all 1 when not given

    def __post_init__(self) -> None:
        control, weights = homogeneous(self.control, self.weights if len(self.weights) else None)
        knots = np.array(self.knots, dtype=float)
        if self.degree < 1:
            raise BadInput(f"the degree of a NURBS curve is 1 or more, got {self.degree}")
        if len(control) < self.degree + 1:
            raise BadInput(f"degree {self.degree} needs at least {self.degree + 1} control points, got {len(control)}")
        if knots.shape != (len(control) + self.degree + 1,):
            raise BadInput(
                f"{len(control)} control points of degree {self.degree} need {len(control) + self.degree + 1} knots, "
                f"got {knots.size}"
            )
        if not np.isfinite(knots).all() or (np.diff(knots) < 0).any():
            raise BadInput("knots must be finite and must not fall")
        if not knots[self.degree] < knots[len(control)]:
            raise BadInput("the knots leave the curve no room: its first and last parameter are the same")
        knots.setflags(write=False)
        for name, value in (("knots", knots), ("control", control), ("weights", weights)):
            object.__setattr__(self, name, value)

    @staticmethod
    def through(
        points: ArrayLike,
        degree: int = 3,
        parameters: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        spacing: str = "chord",
    ) -> Nurbs:
        """The curve that passes through all points (n, d), in order; n > degree.

        `parameters` (n,) say where; else they follow a spacing over [0, 1]: chord, centripetal or uniform.
        `weights` are those of the control points: the points are met whatever they are.
        """
        wanted, w = homogeneous(points, weights)
        if not 1 <= degree < len(wanted):
            raise BadInput(f"degree {degree} needs at least {degree + 1} points, got {len(wanted)}")
        u = waypoint_parameters(wanted, spacing) if parameters is None else np.asarray(parameters, dtype=float)
        if u.shape != (len(wanted),) or not np.isfinite(u).all() or not (np.diff(u) > 0).all():
            raise BadInput(f"{len(wanted)} points need {len(wanted)} parameters that grow")
        knots = averaged_knots(u, degree)
        return Nurbs(degree, knots, solve_collocation(knots, degree, u, w, wanted), w)

    @property
    def domain(self) -> tuple[float, float]:
        """First and last parameter of the curve."""
        return float(self.knots[self.degree]), float(self.knots[len(self.control)])

    @property
    def breaks(self) -> Array:
        """Parameters between which the curve is smooth, ends included."""
        return np.unique(self.knots[self.degree : len(self.control) + 1])

    def evaluate(self, u: ArrayLike, order: int = 0) -> Array:
        """Point (order 0) or derivative of any order at u: (...) -> (..., d)."""
        if order < 0:
            raise BadInput(f"the order of a derivative is 0 or more, got {order}")
        at = parameters_inside(u, self.domain)
        knots, degree, four = self.knots, self.degree, self._four
        parts = []
        for k in range(order + 1):
            if k > self.degree:
                parts.append(np.zeros((*at.shape, four.shape[1])))
                continue
            parts.append(value(knots, degree, four, at))
            if degree > 0:
                knots, degree, four = differentiated(knots, degree, four)
        return quotient_derivatives(parts)[order]

    def with_knot(self, u: float, times: int = 1) -> Nurbs:
        """The same curve with a knot inserted; at most `degree` knots may lie at one place inside."""
        first, last = self.domain
        if not first < u < last:
            raise BadInput(f"a knot can be inserted between {first:g} and {last:g}, got {u:g}")
        present = int(np.count_nonzero(self.knots == u))
        if times < 0 or present + times > self.degree:
            raise BadInput(f"{present} knots lie at {u:g} already; degree {self.degree} allows {self.degree}")
        knots, four = self.knots, self._four
        for _ in range(times):
            knots, four = inserted(knots, self.degree, four, u)
        return Nurbs(self.degree, knots, *projected(four))

    def pieces(self) -> tuple[Bezier, ...]:
        """The Bézier curves that it is made of, each over its own part of the domain; the knots must be clamped."""
        curve = self
        p = self.degree
        if len(set(self.knots[: p + 1])) > 1 or len(set(self.knots[-p - 1 :])) > 1:
            raise BadInput("only a curve with clamped knots (degree + 1 equal ones at both ends) falls into pieces")
        for u in self.breaks[1:-1]:
            curve = curve.with_knot(float(u), p - min(p, int(np.count_nonzero(self.knots == u))))
        out = []
        for low, high in zip(self.breaks[:-1], self.breaks[1:], strict=True):
            k = int(np.searchsorted(curve.knots, low, side="right")) - 1
            part = slice(k - p, k + 1)
            out.append(Bezier(curve.control[part], curve.weights[part], (float(low), float(high))))
        return tuple(out)

    @property
    def _four(self) -> Array:
        return np.concatenate([self.control * self.weights[:, None], self.weights[:, None]], axis=1)


def waypoint_parameters(points: Array, spacing: str = "chord") -> Array:
    """Parameters in [0, 1] of points (n, d): steps as |d|, as sqrt|d|, or all the same."""
    if spacing not in SPACINGS:
        raise UnknownName.among("spacing", spacing, SPACINGS)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if spacing == "uniform":
        steps = np.ones(len(steps))
    elif (steps == 0).any():
        k = int(np.argmin(steps))
        raise BadInput(f"points {k + 1} and {k + 2} are the same; drop one or space them uniformly")
    elif spacing == "centripetal":
        steps = np.sqrt(steps)
    return np.concatenate([[0.0], np.cumsum(steps) / steps.sum()])
