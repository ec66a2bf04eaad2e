"""Compiled kernel of the pose graph: the normal equations of all edges."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array


@njit(cache=True)
def linearise(
    poses: Array,
    first: np.ndarray,
    second: np.ndarray,
    relative: Array,
    information: Array,
    robust: Array,
    values: Array,
    gradient: Array,
    chi2: Array,
    scale: Array,
) -> float:
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
