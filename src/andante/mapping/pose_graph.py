"""Pose graphs: poses tied by relative poses, brought into the most likely arrangement (Grisetti et al., 2010)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from ._graph_kernels import linearise


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
    scale: Array  # (edges,) 1: believed, towards 0: switched off


def optimise(
    poses: ArrayLike, edges: Sequence[Edge], *, iterations: int = 30, tolerance: float = 1e-6, fixed: int = 0
) -> GraphSolution:
    """Minimise sum eᵀ Ω e over all edges by Levenberg-Marquardt on the sparse normal equations; node `fixed` stays.

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
        return float(linearise(at, first, second, relative, information, robust, values, gradient, chi2, scale))

    cost, damping, converged, count = tied(x), 1e-6, False, 0
    while count < iterations and not converged and damping < 1e8:
        count += 1
        H = csc_matrix((values.ravel(), (rows, cols)), shape=(size, size))
        diagonal = H.diagonal()
        loose = np.where(diagonal > 0, damping * diagonal, 1.0)
        loose[3 * fixed : 3 * fixed + 3] = 1e12 + diagonal.max()
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
    poses: Array, first: np.ndarray, second: np.ndarray, relative: Array, information: Array, fixed: int
) -> None:
    if poses.ndim != 2 or poses.shape[1] != 3 or not np.isfinite(poses).all():
        raise BadInput(f"a pose graph needs finite poses (n, 3), got shape {poses.shape}")
    if not 0 <= fixed < len(poses):
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
