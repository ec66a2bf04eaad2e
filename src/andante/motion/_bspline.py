"""B-spline bases and control-point algebra on plain arrays (Piegl and Tiller, The NURBS Book); all batched over u."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array


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
            share = np.divide(out[..., r], width, out=np.zeros(u.shape), where=width != 0)
            out[..., r] = saved + right[r + 1] * share
            saved = left[j - r] * share
        out[..., j] = saved
    return out


def value(knots: Array, degree: int, control: Array, u: Array) -> Array:
    """Point of a (not rational) B-spline, (..., d), for control points (n, d)."""
    k = spans(knots, degree, u)
    indices = k[..., None] - degree + np.arange(degree + 1)
    return np.einsum("...j,...jd->...d", basis(knots, degree, u, k), control[indices])


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
    share = np.divide(u - knots[i], width, out=np.ones(len(i)), where=width != 0)[:, None]
    new[i] = share * control[i] + (1 - share) * control[i - 1]
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

    return solve_banded((degree, degree), banded, points)
