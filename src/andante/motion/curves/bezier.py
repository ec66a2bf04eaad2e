"""Bézier curves of any degree, polynomial or rational, by de Casteljau's construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .curve import homogeneous, parameters_inside, projected, quotient_derivatives


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
        four = np.concatenate([self.control * self.weights[:, None], self.weights[:, None]], axis=1)
        parts, scale = [], 1.0
        for _ in range(order + 1):
            parts.append(_casteljau(four, at) * scale)
            scale *= max(len(four) - 1, 0) / width
            four = np.diff(four, axis=0) if len(four) > 1 else np.zeros_like(four)
        return quotient_derivatives(parts)[order]

    def split(self, u: float) -> tuple[Bezier, Bezier]:
        """The curve before and after a parameter."""
        at = (float(parameters_inside(u, self.domain)) - self.domain[0]) / (self.domain[1] - self.domain[0])
        level = np.concatenate([self.control * self.weights[:, None], self.weights[:, None]], axis=1)
        first, second = [level[0]], [level[-1]]
        while len(level) > 1:
            level = (1 - at) * level[:-1] + at * level[1:]
            first.append(level[0])
            second.append(level[-1])
        left, right = projected(np.array(first)), projected(np.array(second[::-1]))
        return Bezier(*left, (self.domain[0], u)), Bezier(*right, (u, self.domain[1]))

    def elevated(self) -> Bezier:
        """The same curve with a degree more."""
        four = np.concatenate([self.control * self.weights[:, None], self.weights[:, None]], axis=1)
        fraction = (np.arange(len(four) + 1) / len(four))[:, None]
        before, after = np.vstack([four[:1], four]), np.vstack([four, four[-1:]])
        return Bezier(*projected(fraction * before + (1 - fraction) * after), self.domain)


def _casteljau(control: Array, u: Array) -> Array:
    level = np.broadcast_to(control, (*u.shape, *control.shape))
    at = u[..., None, None]
    while level.shape[-2] > 1:
        level = (1 - at) * level[..., :-1, :] + at * level[..., 1:, :]
    return level[..., 0, :]
