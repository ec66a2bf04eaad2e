"""Homogeneous control points of rational curves, and the quotient rule for their derivatives."""

from __future__ import annotations

from math import comb

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
