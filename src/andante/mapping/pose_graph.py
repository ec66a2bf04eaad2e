"""Pose graphs: poses tied by relative poses, brought into the most likely arrangement (Grisetti et al., 2010)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array


@dataclass(frozen=True)
class Edge:
    """Pose of node `second` seen from node `first` and its information matrix.

    robust: Φ of dynamic covariance scaling, about the χ² from which the edge is mistrusted; infinite: never.
    """

    first: int
    second: int
    pose: Array  # (3,) [m, m, rad]
    information: Array  # (3, 3)
    robust: float = math.inf


@dataclass(frozen=True)
class GraphSolution:
    """Poses (n, 3) and how the solver came by them."""

    poses: Array
    converged: bool
    iterations: int
    cost: float  # robust sum of χ²
    chi2: Array  # (edges,) of each edge before robust scaling
    scale: Array  # (edges,) 1: inlier, toward 0: outlier


def optimize(
    poses: ArrayLike,
    edges: Sequence[Edge],
    *,
    iterations: int = 30,
    tolerance: float = 1e-6,
    fixed: int | np.ndarray = 0,
) -> GraphSolution:
    """Minimize sum eᵀ Ω e over all edges by Levenberg-Marquardt on the sparse normal equations; nodes `fixed` stay.

    Nodes without any edge stay where they are.
    """
    x = np.array(poses, dtype=float)
    if not edges:
        return GraphSolution(x, True, 0, 0.0, np.zeros(0), np.zeros(0))
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    first = np.array([edge.first for edge in edges])
    second = np.array([edge.second for edge in edges])
    relative = np.array([edge.pose for edge in edges], dtype=float)
    information = np.array([edge.information for edge in edges], dtype=float)
    robust = np.array([edge.robust for edge in edges], dtype=float)
    _check(x, first, second, relative, information, fixed)
    size = 3 * len(x)
    ends = np.stack([np.stack([first, first, second, second], 1), np.stack([first, second, first, second], 1)])
    axes = np.arange(3)
    rows = np.broadcast_to((3 * ends[0])[..., None, None] + axes[:, None], (len(first), 4, 3, 3)).ravel()
    cols = np.broadcast_to((3 * ends[1])[..., None, None] + axes[None, :], (len(first), 4, 3, 3)).ravel()
    values, gradient = np.empty((len(first), 4, 3, 3)), np.empty(size)
    chi2, scale = np.empty(len(first)), np.empty(len(first))

    def tied(at: Array) -> float:
        return float(linearize(at, first, second, relative, information, robust, values, gradient, chi2, scale))

    cost, damping, converged, count = tied(x), 1e-6, False, 0
    while count < iterations and not converged and damping < 1e8:
        count += 1
        H = csc_matrix((values.ravel(), (rows, cols)), shape=(size, size))
        diagonal = H.diagonal()
        loose = np.where(diagonal > 0, damping * diagonal, 1.0)
        loose.reshape(-1, 3)[fixed] = 1e12 + diagonal.max()
        H.setdiag(diagonal + loose)
        step = -splu(H, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(gradient).reshape(-1, 3)
        step[fixed] = 0.0
        tried = x + step
        new = tied(tried)
        if new <= cost * (1 + 1e-12):
            x = tried
            small = np.abs(step).max() < tolerance or cost - new < 1e-6 * cost
            cost, damping = new, max(damping / 5, 1e-9)
            converged = bool(small)
        else:
            damping *= 10
            tied(x)
    cost = tied(x)
    x[:, 2] = (x[:, 2] + np.pi) % (2 * np.pi) - np.pi
    return GraphSolution(x, converged, count, cost, chi2, scale)


def _check(
    poses: Array, first: np.ndarray, second: np.ndarray, relative: Array, information: Array, fixed: int | np.ndarray
) -> None:
    if poses.ndim != 2 or poses.shape[1] != 3 or not np.isfinite(poses).all():
        raise BadInput(f"a pose graph needs finite poses (n, 3), got shape {poses.shape}")
    if not ((np.asarray(fixed) >= 0) & (np.asarray(fixed) < len(poses))).all():
        raise BadInput(f"fixed node {fixed} is not one of {len(poses)} poses")
    if relative.shape != (len(first), 3) or information.shape != (len(first), 3, 3):
        raise BadInput(f"edges need poses (3,) and information (3, 3), got {relative.shape} and {information.shape}")
    ends = np.stack([first, second])
    wrong = (ends < 0).any(axis=0) | (ends >= len(poses)).any(axis=0) | (first == second)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise BadInput(f"an edge ties nodes {first[k]} and {second[k]} of a graph of {len(poses)} poses")
    bad = ~(np.isfinite(relative).all(axis=1) & np.isfinite(information).all(axis=(1, 2)))
    if bad.any():
        k = int(np.argmax(bad))
        raise BadInput(f"the edge between nodes {first[k]} and {second[k]} is not finite")


@njit()
def linearize(
    poses: Array, first: np.ndarray, second: np.ndarray, relative: Array, information: Array, robust: Array,
    values: Array, gradient: Array, chi2: Array, scale: Array,
) -> float:  # fmt: skip
    """Fill the blocks of H = sum Jᵀ Ω J and the gradient of all edges; return the robust cost.

    Edge k ties poses i and j: e = (R(i)ᵀ (t_j - t_i) - t_k turned by -yaw_k, wrapped yaw difference). `values`
    (edges, 4, 3, 3) become the blocks ii, ij, ji, jj; `gradient` (3 n,) is J ᵀ Ω e. `robust` (edges,) is Φ of dynamic
    covariance scaling (Agarwal et al., 2013), s = min(1, 2 Φ / (Φ + χ²)), infinite where an edge is trusted; χ² and s
    go to `chi2` and `scale` (edges,). The gradient weighs an edge by s², so its cost is χ² up to Φ and
    3 Φ - 4 Φ² / (Φ + χ²) beyond.
    """
    gradient[:] = 0.0
    cost = 0.0
    A, B, WA, WB = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    e, we = np.zeros(3), np.zeros(3)
    for k in range(len(first)):
        i, j = first[k], second[k]
        ci, si = math.cos(poses[i, 2]), math.sin(poses[i, 2])
        cz, sz = math.cos(relative[k, 2]), math.sin(relative[k, 2])
        dx, dy = poses[j, 0] - poses[i, 0], poses[j, 1] - poses[i, 1]
        lx, ly = ci * dx + si * dy - relative[k, 0], ci * dy - si * dx - relative[k, 1]
        e[0], e[1] = cz * lx + sz * ly, cz * ly - sz * lx
        e[2] = (poses[j, 2] - poses[i, 2] - relative[k, 2] + math.pi) % (2.0 * math.pi) - math.pi
        c, s = math.cos(poses[i, 2] + relative[k, 2]), math.sin(poses[i, 2] + relative[k, 2])
        B[0, 0], B[0, 1], B[1, 0], B[1, 1], B[2, 2] = c, s, -s, c, 1.0
        A[0, 0], A[0, 1], A[1, 0], A[1, 1], A[2, 2] = -c, -s, s, -c, -1.0
        tx, ty = -si * dx + ci * dy, -ci * dx - si * dy
        A[0, 2], A[1, 2] = cz * tx + sz * ty, cz * ty - sz * tx
        x2 = 0.0
        for a in range(3):
            we[a] = information[k, a, 0] * e[0] + information[k, a, 1] * e[1] + information[k, a, 2] * e[2]
            x2 += e[a] * we[a]
        f = 1.0 if robust[k] == math.inf else min(1.0, 2.0 * robust[k] / (robust[k] + x2))
        chi2[k], scale[k] = x2, f
        if f == 1.0:
            cost += x2
        else:  # what has s² for its slope over χ²
            cost += 3.0 * robust[k] - 4.0 * robust[k] * robust[k] / (robust[k] + x2)
        f *= f
        for a in range(3):
            for b in range(3):
                WA[a, b] = WB[a, b] = 0.0
                for m in range(3):
                    WA[a, b] += f * information[k, a, m] * A[m, b]
                    WB[a, b] += f * information[k, a, m] * B[m, b]
        for a in range(3):
            for m in range(3):
                gradient[3 * i + a] += f * A[m, a] * we[m]
                gradient[3 * j + a] += f * B[m, a] * we[m]
            for b in range(3):
                aa = ab = ba = bb = 0.0
                for m in range(3):
                    aa += A[m, a] * WA[m, b]
                    ab += A[m, a] * WB[m, b]
                    ba += B[m, a] * WA[m, b]
                    bb += B[m, a] * WB[m, b]
                values[k, 0, a, b], values[k, 1, a, b] = aa, ab
                values[k, 2, a, b], values[k, 3, a, b] = ba, bb
    return cost
