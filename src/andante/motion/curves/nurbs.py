"""NURBS curves: evaluation, derivatives, knot insertion, pieces, and global interpolation through waypoints.

After Piegl and Tiller, The NURBS Book, over the B-splines of scipy in homogeneous coordinates; all batched over u.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array

from .curve import Bezier, homogeneous, lifted, parameters_inside, projected, quotient_derivatives

if TYPE_CHECKING:
    from scipy.interpolate import BSpline


def averaged_knots(parameters: Array, degree: int) -> Array:
    """Clamped knots for interpolation at given parameters, by averaging (eq. 9.8): the system is never singular."""
    count = len(parameters)
    inner = [parameters[j : j + degree].mean() for j in range(1, count - degree)]
    return np.concatenate([np.full(degree + 1, parameters[0]), inner, np.full(degree + 1, parameters[-1])])


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
        from scipy.interpolate import BSpline, make_interp_spline  # takes a while

        knots = averaged_knots(u, degree)
        four = make_interp_spline(u, wanted * BSpline(knots, w, degree)(u)[:, None], degree, knots).c
        return Nurbs(degree, knots, four / w[:, None], w)

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
        if (self.weights == self.weights[0]).all():  # a polynomial
            point: Array = self._spline(at, order)[..., :-1] / self.weights[0]
            return point
        return quotient_derivatives([self._spline(at, k) for k in range(order + 1)])[order]

    def with_knot(self, u: float, times: int = 1) -> Nurbs:
        """The same curve with a knot inserted; at most `degree` knots may lie at one place inside."""
        first, last = self.domain
        if not first < u < last:
            raise BadInput(f"a knot can be inserted between {first:g} and {last:g}, got {u:g}")
        present = int(np.count_nonzero(self.knots == u))
        if times < 0 or present + times > self.degree:
            raise BadInput(f"{present} knots lie at {u:g} already; degree {self.degree} allows {self.degree}")
        if times == 0:
            return self
        finer = self._spline.insert_knot(u, times)
        return Nurbs(self.degree, finer.t, *projected(finer.c))

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

    @cached_property
    def _spline(self) -> BSpline:
        """The curve in homogeneous coordinates, (..., d + 1)."""
        from scipy.interpolate import BSpline

        return BSpline(self.knots, lifted(self.control, self.weights), self.degree)


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
