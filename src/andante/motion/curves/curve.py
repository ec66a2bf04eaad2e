"""What every curve offers, arc length over any of them, homogeneous coordinates of rational ones, and Bézier curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array


def homogeneous(points: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array]:
    """Checked control points (n, d) and weights (n,), as new read-only arrays."""
    control = np.array(points, dtype=float)
    if control.ndim != 2 or len(control) == 0 or control.shape[1] == 0:
        raise BadInput(f"control points must be a table (n, d), got shape {control.shape}")
    w = np.ones(len(control)) if weights is None else np.array(weights, dtype=float)
    if w.shape != (len(control),):
        raise BadInput(f"{len(control)} control points need as many weights, got {w.size}")
    if not np.isfinite(control).all():
        raise BadInput("control points must be finite numbers")
    if not (np.isfinite(w).all() and (w > 0).all()):
        raise BadInput("the weights of control points must be positive numbers")
    control.setflags(write=False)
    w.setflags(write=False)
    return control, w


def lifted(control: Array, weights: Array) -> Array:
    """Homogeneous coordinates (n, d + 1) of control points (n, d) and their weights (n,)."""
    return np.concatenate([control * weights[:, None], weights[:, None]], axis=1)


def projected(four: Array) -> tuple[Array, Array]:
    """Control points and weights of homogeneous control points (n, d + 1)."""
    return four[:, :-1] / four[:, -1:], four[:, -1]


def quotient_derivatives(parts: list[Array]) -> list[Array]:
    """Derivatives of a / w, given those of (a, w): c_k = (a_k - sum_i C(k, i) w_i c_{k-i}) / w_0 (A4.2)."""
    out: list[Array] = []
    weight = parts[0][..., -1:]
    for k, part in enumerate(parts):
        top = part[..., :-1]
        for i in range(1, k + 1):
            top = top - comb(k, i) * parts[i][..., -1:] * out[k - i]
        out.append(top / weight)
    return out


GAUSS_POINTS = 12
MOST_PIECES = 256  # per break interval
CLOSE = 1e-12  # relative change of the length at which refining stops


class Curve(Protocol):
    """A parametric curve in d dimensions."""

    @property
    def domain(self) -> tuple[float, float]:
        """First and last parameter."""

    @property
    def breaks(self) -> Array:
        """Parameters between which the curve is smooth, ends included."""

    def evaluate(self, u: ArrayLike, order: int = 0) -> Array:
        """Point, or derivative of an order with respect to u: (...) -> (..., d)."""


def parameters_inside(u: ArrayLike, domain: tuple[float, float]) -> Array:
    """The parameters as an array; rounding outside the domain is clipped, anything else is an error."""
    values = np.asarray(u, dtype=float)
    slack = 1e-9 * max(1.0, abs(domain[1] - domain[0]))
    if not np.all((values >= domain[0] - slack) & (values <= domain[1] + slack)):
        raise BadInput(f"the curve parameter must lie between {domain[0]:g} and {domain[1]:g}")
    inside: Array = np.clip(values, *domain)
    return inside


class ArcLength:
    """Arc length of a curve and its inverse, to about 1e-12 of the length.

    s(u) = integral of |c'(v)| dv from the first parameter to u, by Gauss-Legendre quadrature on pieces that are halved
    until the length settles.
    """

    def __init__(self, curve: Curve) -> None:
        self.curve = curve
        self._x, self._w = np.polynomial.legendre.leggauss(GAUSS_POINTS)
        pieces, length = 1, np.inf
        while True:
            nodes = self._nodes(pieces)
            table = np.concatenate([[0.0], np.cumsum(self._integral(nodes[:-1], nodes[1:]))])
            settled = abs(table[-1] - length) <= CLOSE * table[-1]
            if settled or pieces >= MOST_PIECES:
                break
            pieces, length = 2 * pieces, table[-1]
        self._nodes_u, self._table = nodes, table

    @property
    def length(self) -> float:
        """Length of the whole curve [units of its points]."""
        return float(self._table[-1])

    def at(self, u: ArrayLike) -> Array:
        """Length from the start of the curve to the parameter u."""
        values = parameters_inside(u, self.curve.domain)
        k = np.clip(np.searchsorted(self._nodes_u, values, side="right") - 1, 0, len(self._nodes_u) - 2)
        return self._table[k] + self._integral(self._nodes_u[k], values)

    def parameter(self, s: ArrayLike) -> Array:
        """Parameter at which a length from the start is reached, by safeguarded Newton steps."""
        wanted = np.asarray(s, dtype=float)
        slack = 1e-9 * max(self.length, 1e-300)
        if not np.all((wanted >= -slack) & (wanted <= self.length + slack)):
            raise BadInput(f"the arc length must lie between 0 and {self.length:g}")
        wanted = np.clip(wanted, 0.0, self.length)
        k = np.clip(np.searchsorted(self._table, wanted, side="right") - 1, 0, len(self._table) - 2)
        low, high = self._nodes_u[k], self._nodes_u[k + 1]
        start, rest = low, wanted - self._table[k]
        width = self._table[k + 1] - self._table[k]
        u: Array = low + (high - low) * np.divide(rest, width, out=np.zeros_like(rest), where=width > 0)
        for _ in range(60):
            error = self._integral(start, u) - rest
            low, high = np.where(error < 0, u, low), np.where(error > 0, u, high)
            speed = np.linalg.norm(self.curve.evaluate(u, 1), axis=-1)
            step = np.divide(error, speed, out=np.zeros_like(error), where=speed > 0)
            newton = u - step
            better = (newton >= low) & (newton <= high) & (speed > 0)
            settled = np.abs(error) <= 4e-16 * self.length  # such a point stays: bisecting would lead it away
            following = np.where(settled, u, np.where(better, newton, (low + high) / 2))
            done = settled | (np.abs(following - u) <= 1e-16 * np.maximum(1.0, np.abs(u)))
            u = following
            if np.all(done):
                break
        return u

    def point(self, s: ArrayLike) -> Array:
        """Point of the curve at a length from its start."""
        return self.curve.evaluate(self.parameter(s))

    def _nodes(self, pieces: int) -> Array:
        breaks = np.asarray(self.curve.breaks, dtype=float)
        steps = np.linspace(0.0, 1.0, pieces, endpoint=False)
        inner = breaks[:-1, None] + np.diff(breaks)[:, None] * steps
        return np.concatenate([inner.ravel(), breaks[-1:]])

    def _integral(self, low: Array, high: Array) -> Array:
        """Length between two parameters that no break separates."""
        middle, half = (np.asarray(high) + low) / 2, (np.asarray(high) - low) / 2
        at = middle[..., None] + half[..., None] * self._x
        first, last = self.curve.domain
        speed = np.linalg.norm(self.curve.evaluate(np.clip(at, first, last), 1), axis=-1)
        length: Array = half * (speed @ self._w)
        return length


@dataclass(frozen=True, eq=False)
class Bezier:
    """c(u) = sum_i B_i(u) w_i P_i / sum_i B_i(u) w_i for u in `domain`, B_i the Bernstein polynomials."""

    control: Array  # control points (n + 1, d)
    weights: Array = field(default_factory=lambda: np.empty(0))  # (n + 1,), positive; all 1 when not given
    domain: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        control, weights = homogeneous(self.control, self.weights if len(self.weights) else None)
        if not self.domain[0] < self.domain[1]:
            raise BadInput(f"the domain of a curve must grow, got {self.domain}")
        object.__setattr__(self, "control", control)
        object.__setattr__(self, "weights", weights)

    @staticmethod
    def through(points: ArrayLike, parameters: ArrayLike | None = None) -> Bezier:
        """The polynomial curve of degree n - 1 that passes through n points, at even or given parameters in [0, 1].

        Meant for up to about ten points; more oscillate, take `Nurbs.through` there.
        """
        wanted, _ = homogeneous(points, None)
        count = len(wanted)
        u = np.linspace(0, 1, count) if parameters is None else np.asarray(parameters, dtype=float)
        if u.shape != (count,) or not np.all(np.diff(u) > 0) or u[0] < 0 or u[-1] > 1:
            raise BadInput(f"{count} points need {count} growing parameters between 0 and 1")
        i = np.arange(count)
        binomial = np.array([comb(count - 1, int(k)) for k in i], dtype=float)
        bernstein = binomial * u[:, None] ** i * (1 - u[:, None]) ** (count - 1 - i)
        control: Array = np.linalg.solve(bernstein, wanted).astype(float)
        return Bezier(control)

    @property
    def degree(self) -> int:
        """Number of control points less one."""
        return len(self.control) - 1

    @property
    def breaks(self) -> Array:
        """The ends: the curve is smooth in between."""
        return np.array(self.domain)

    def evaluate(self, u: ArrayLike, order: int = 0) -> Array:
        """Point (order 0) or derivative of any order at u: (...) -> (..., d)."""
        if order < 0:
            raise BadInput(f"the order of a derivative is 0 or more, got {order}")
        width = self.domain[1] - self.domain[0]
        at = (parameters_inside(u, self.domain) - self.domain[0]) / width
        four = lifted(self.control, self.weights)
        parts, scale = [], 1.0
        for _ in range(order + 1):
            parts.append(_casteljau(four, at) * scale)
            scale *= max(len(four) - 1, 0) / width
            four = np.diff(four, axis=0) if len(four) > 1 else np.zeros_like(four)
        return quotient_derivatives(parts)[order]

    def split(self, u: float) -> tuple[Bezier, Bezier]:
        """The curve before and after a parameter."""
        at = (float(parameters_inside(u, self.domain)) - self.domain[0]) / (self.domain[1] - self.domain[0])
        level = lifted(self.control, self.weights)
        first, second = [level[0]], [level[-1]]
        while len(level) > 1:
            level = (1 - at) * level[:-1] + at * level[1:]
            first.append(level[0])
            second.append(level[-1])
        left, right = projected(np.array(first)), projected(np.array(second[::-1]))
        return Bezier(*left, (self.domain[0], u)), Bezier(*right, (u, self.domain[1]))


def _casteljau(control: Array, u: Array) -> Array:
    level = np.broadcast_to(control, (*u.shape, *control.shape))
    at = u[..., None, None]
    while level.shape[-2] > 1:
        level = (1 - at) * level[..., :-1, :] + at * level[..., 1:, :]
    return level[..., 0, :]
