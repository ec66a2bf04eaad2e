"""`trilaterate`: where a tag is, from ranges to anchors at known places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from ._range_kernels import robust_fix, weighted_fix

CUT = 2.5  # residuals beyond this count little [sigma]
INLIER = 0.25  # weight from which a range counts as honest


@dataclass(frozen=True)
class Fix:
    """A position by ranges, and what is needed to judge it."""

    position: Array  # (3,) [m]
    covariance: Array  # (3, 3) [m^2], for ranges of the stated sigma
    residuals: Array  # (m,) |position - anchor| - range [m]; NaN: no such range
    honest: np.ndarray  # (m,) bool: ranges that the position agrees with
    converged: bool

    @property
    def rms(self) -> float:
        """Root mean square of the honest residuals [m]."""
        good = self.residuals[self.honest]
        return float(np.sqrt(np.mean(good * good))) if len(good) else float("nan")


def trilaterate(
    anchors: ArrayLike,
    ranges: ArrayLike,
    *,
    start: ArrayLike | None = None,
    height: float | None = None,
    sigma: float = 0.1,
    robust: bool = True,
) -> Fix:
    """Position whose distances to anchors (m, 3) [m] are nearest to ranges (m,) [m].

    Minimises the sum of rho(|p - a_i| - r_i) by Gauss-Newton: squares, or with `robust` the loss of Geman and McClure,
    which lets single ranges lie. NaN and non-positive ranges are left out. Three ranges are needed, two or more where
    the height is known. Without a start the search begins below the middle of the anchors.
    """
    places, measured = np.asarray(anchors, dtype=float), np.asarray(ranges, dtype=float)
    if places.ndim != 2 or places.shape[1] != 3 or measured.shape != (len(places),):
        raise BadInput(f"trilateration needs anchors (m, 3) and ranges (m,), got {places.shape} and {measured.shape}")
    if not np.isfinite(places).all():
        raise BadInput("anchor positions must be finite numbers")
    if not sigma > 0:
        raise BadInput(f"the deviation of a range must be above 0, got {sigma}")
    good = np.isfinite(measured) & (measured > 0)
    free = 3 if height is None else 2
    at = _first(places, start, height)
    residuals, honest = np.full(len(measured), np.nan), np.zeros(len(measured), dtype=bool)
    a, r = np.ascontiguousarray(places[good]), np.ascontiguousarray(measured[good])
    if len(r) < free:
        return Fix(at, np.full((3, 3), np.inf), residuals, honest, False)
    weights = np.ones(len(r))
    if robust:
        converged = bool(robust_fix(a, r, sigma, CUT, free, at, weights))
    else:
        converged = bool(weighted_fix(a, r, weights, free, at, 50))
    away = at - a
    distance = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    residuals[good] = distance - r
    honest[good] = weights >= INLIER
    return Fix(at, _covariance(away / distance[:, None], weights, free, sigma), residuals, honest, converged)


def _first(anchors: Array, start: ArrayLike | None, height: float | None) -> Array:
    if start is not None:
        at = np.array(start, dtype=float)
        if at.shape != (3,) or not np.isfinite(at).all():
            raise BadInput(f"a start must be x, y, z as finite numbers, got {start!r}")
    else:
        at = anchors.mean(axis=0) if len(anchors) else np.zeros(3)
        at[2] = (anchors[:, 2].min() if len(anchors) else 0.0) - 1.0
    if height is not None:
        at[2] = height
    return at


def _covariance(directions: Array, weights: Array, free: int, sigma: float) -> Array:
    """sigma² (J^T W J)^-1 over the free axes; zero for a known height, infinite where the geometry tells nothing."""
    J = directions[:, :free] * np.sqrt(weights)[:, None]
    out = np.zeros((3, 3))
    try:
        out[:free, :free] = sigma**2 * np.linalg.inv(J.T @ J)
    except np.linalg.LinAlgError:
        out[:free, :free] = np.inf
    return out
