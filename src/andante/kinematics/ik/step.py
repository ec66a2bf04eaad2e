"""The problem of the compiled inverse kinematics, and one step of it: dq = (JᵀWJ + K D + eps)⁻¹ JᵀW e.

D = diag(JᵀWJ) with a floor for joints that hardly matter. Near an optimum that leaves a residual, `curvature` puts the
whole second derivative in the place of JᵀWJ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from andante.geometry import Array

from .kernels import GOAL, NONE, compiled, place, residual, rows

# Options of a solve, in one vector.
TOOL_AXES, POSITION_WEIGHT, ANGLE_WEIGHT, RESTARTS, TOLERANCE, MAX_ITERATIONS, SEED, JOINED, LIMITED = range(9)
OPTIONS = 9


class Problem(NamedTuple):
    """The problem: chains c0 to c1 of the tables over n variables."""

    table: Array
    layout: np.ndarray
    c0: int
    c1: int
    n: int
    limits: Array
    goals: Array
    options: Array


class Scratch(NamedTuple):
    """Memory that all steps of all problems share."""

    axes: Array
    poses: Array
    errors: Array
    J: Array
    H: Array
    L: Array
    g: Array
    dq: Array
    q: Array
    trial: Array
    best: Array
    first: Array
    free: np.ndarray


@compiled
def scratch_of(work: Array, free: np.ndarray, group: int, longest: int, width: int) -> tuple[Scratch, Array]:
    """The parts of one stretch of memory (see `_solver.solve`), and rows for the goals."""
    a = group * longest * 6
    b = a + group * 12
    c = b + group * 6
    d = c + width * 6
    e = d + width * width
    f = e + width * width
    vectors = work[f : f + 6 * width].reshape((6, width))
    made = Scratch(
        work[:a].reshape((group, longest, 6)), work[a:b].reshape((group, 12)), work[b:c].reshape((group, 6)),
        work[c:d].reshape((width, 6)), work[d:e].reshape((width, width)), work[e:f].reshape((width, width)), vectors[0],
        vectors[1], vectors[2], vectors[3], vectors[4], vectors[5], free,
    )  # fmt: skip
    return made, work[f + 6 * width :].reshape((group, GOAL))


FLOOR = 0.01  # fraction of the largest diagonal entry that damps joints of little influence too
EPSILON = 1e-14  # keeps joints without influence from making the system singular
DIFFERENCE = 1e-6  # of joint positions, for second derivatives [rad, m]


@compiled
def measure(
    table: Array, layout: np.ndarray, c0: int, c1: int, goals: Array, weights: tuple[float, float], q: Array,
    axes: Array, poses: Array, errors: Array,
) -> tuple[float, float]:  # fmt: skip
    """Weighted cost and plain squared residual of all chains of a problem at q."""
    cost, plain = 0.0, 0.0
    for c in range(c0, c1):
        k = c - c0
        place(table, layout[c, 0], layout[c, 1], q, axes, poses, k)
        residual(poses, goals, errors, k)
        p = errors[k, 0] * errors[k, 0] + errors[k, 1] * errors[k, 1] + errors[k, 2] * errors[k, 2]
        a = errors[k, 3] * errors[k, 3] + errors[k, 4] * errors[k, 4] + errors[k, 5] * errors[k, 5]
        cost += weights[0] * p + weights[1] * a
        plain += p + a
    return cost, plain


@compiled
def normal_equations(
    table: Array, layout: np.ndarray, c0: int, c1: int, goals: Array, weights: tuple[float, float], n: int, axes: Array,
    poses: Array, errors: Array, J: Array, H: Array, g: Array,
) -> None:  # fmt: skip
    """Lower triangle of H = JᵀWJ, and g = JᵀWe, at the poses and errors that were measured last."""
    wp, wa = weights
    for i in range(n):
        g[i] = 0.0
        for j in range(i + 1):
            H[i, j] = 0.0
    for c in range(c0, c1):
        k = c - c0
        count = layout[c, 2]
        for i in range(count):
            v = layout[c, 3 + i]
            J[v, 0] = J[v, 1] = J[v, 2] = J[v, 3] = J[v, 4] = J[v, 5] = 0.0
        rows(table, layout[c, 0], layout[c, 1], axes, poses, goals, k, J)
        e0, e1, e2 = errors[k, 0], errors[k, 1], errors[k, 2]
        e3, e4, e5 = errors[k, 3], errors[k, 4], errors[k, 5]
        if goals[k, 22] == NONE:  # half of the products when no angle counts
            for i in range(count):
                u = layout[c, 3 + i]
                a0, a1, a2 = wp * J[u, 0], wp * J[u, 1], wp * J[u, 2]
                g[u] += a0 * e0 + a1 * e1 + a2 * e2
                for j in range(i + 1):
                    v = layout[c, 3 + j]
                    H[max(u, v), min(u, v)] += a0 * J[v, 0] + a1 * J[v, 1] + a2 * J[v, 2]
            continue
        for i in range(count):
            u = layout[c, 3 + i]
            a0, a1, a2 = wp * J[u, 0], wp * J[u, 1], wp * J[u, 2]
            a3, a4, a5 = wa * J[u, 3], wa * J[u, 4], wa * J[u, 5]
            g[u] += a0 * e0 + a1 * e1 + a2 * e2 + a3 * e3 + a4 * e4 + a5 * e5
            for j in range(i + 1):
                v = layout[c, 3 + j]
                product = a0 * J[v, 0] + a1 * J[v, 1] + a2 * J[v, 2] + a3 * J[v, 3] + a4 * J[v, 4] + a5 * J[v, 5]
                H[max(u, v), min(u, v)] += product


@compiled
def damped_step(H: Array, g: Array, free: np.ndarray, count: int, K: float, L: Array, dq: Array) -> bool:
    """dq of the damped system over the `count` free variables by Cholesky; False when it is not positive definite."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, abs(H[free[i], free[i]]))
    for i in range(count):  # H = L D Lᵀ: rows of L hold L D until they are divided; the diagonal holds 1 / D
        u = free[i]
        total_d = H[u, u] + K * (abs(H[u, u]) + FLOOR * largest) + EPSILON
        total_g = g[u]
        for j in range(i):
            total = H[u, free[j]]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total
            total_g -= total * dq[j]
        for j in range(i):
            scaled = L[i, j] * L[j, j]
            total_d -= scaled * L[i, j]
            L[i, j] = scaled
        if total_d <= 0.0:
            return False
        L[i, i] = 1.0 / total_d
        dq[i] = total_g * L[i, i]
    for i in range(count - 1, -1, -1):
        total = dq[i]
        for k in range(i + 1, count):
            total -= L[k, i] * dq[k]
        dq[i] = total
    return True


@compiled
def curvature(problem: Problem, s: Scratch) -> None:
    """Replaces H by the whole second derivative of half the cost, by differences of the exact gradient -g.

    JᵀWJ leaves out how J itself changes, which counts as soon as a residual remains.
    """
    table, layout, c0, c1, n, _, goals, options = problem
    weights = (options[POSITION_WEIGHT], options[ANGLE_WEIGHT])
    for i in range(n):
        s.dq[i] = s.g[i]
        s.trial[i] = s.q[i]
    for i in range(n):
        s.trial[i] = s.q[i] + DIFFERENCE
        measure(table, layout, c0, c1, goals, weights, s.trial, s.axes, s.poses, s.errors)
        normal_equations(table, layout, c0, c1, goals, weights, n, s.axes, s.poses, s.errors, s.J, s.H, s.g)
        for j in range(n):
            s.L[i, j] = (s.dq[j] - s.g[j]) / DIFFERENCE
        s.trial[i] = s.q[i]
    for i in range(n):
        s.g[i] = s.dq[i]
        for j in range(i + 1):
            s.H[i, j] = 0.5 * (s.L[i, j] + s.L[j, i])
