"""`trilaterate`: where a tag is, from ranges to anchors at known places."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping.planar import three_numbers

CUT = 2.5  # residuals beyond this count little [sigma]
INLIER = 0.25  # weight from which a range counts as an inlier


@renamed(honest="inliers")
@dataclass(frozen=True)
class Fix:
    """A position by ranges, and what is needed to judge it."""

    position: Array  # (3,) [m]
    covariance: Array  # (3, 3) [m^2], for ranges of the stated sigma
    residuals: Array  # (m,) |position - anchor| - range [m]; NaN: no such range
    inliers: np.ndarray  # (m,) bool: ranges that the position agrees with
    converged: bool

    @property
    def rms(self) -> float:
        """Root mean square of the inlier residuals [m]."""
        good = self.residuals[self.inliers]
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

    Minimizes the sum of rho(|p - a_i| - r_i) by Gauss-Newton: squares, or with `robust` the loss of Geman and McClure,
    which tolerates outliers. NaN and non-positive ranges are left out. Three ranges are needed, two or more where
    the height is known.

    Args:
        anchors: positions (m, 3) [m].
        ranges: distances (m,) to the anchors [m].
        start: first guess (3,) [m]; None: below the middle of the anchors.
        height: known z of the tag [m]; None: unknown.
        sigma: standard deviation of a range [m].
        robust: down-weight outliers.
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
    residuals, inliers = np.full(len(measured), np.nan), np.zeros(len(measured), dtype=bool)
    a, r = np.ascontiguousarray(places[good]), np.ascontiguousarray(measured[good])
    if len(r) < free:
        return Fix(at, np.full((3, 3), np.inf), residuals, inliers, False)
    weights = np.ones(len(r))
    if robust:
        converged = bool(robust_fix(a, r, sigma, CUT, free, at, weights))
    else:
        converged = bool(weighted_fix(a, r, weights, free, at, 50))
    away = at - a
    distance = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
    residuals[good] = distance - r
    inliers[good] = weights >= INLIER
    return Fix(at, _covariance(away / distance[:, None], weights, free, sigma), residuals, inliers, converged)


def _first(anchors: Array, start: ArrayLike | None, height: float | None) -> Array:
    if start is not None:
        at = three_numbers("a start", start, "x, y, z")
    else:
        at = anchors.mean(axis=0) if len(anchors) else np.zeros(3)
        at[2] = (anchors[:, 2].min() if len(anchors) else 0.0) - 1.0
    if height is not None:
        at[2] = height
    return at


def _covariance(directions: Array, weights: Array, free: int, sigma: float) -> Array:
    """sigma² (J^T W J)^-1 over the free axes; 0 for a known height, infinite where not determined."""
    J = directions[:, :free] * np.sqrt(weights)[:, None]
    out = np.zeros((3, 3))
    try:
        out[:free, :free] = sigma**2 * np.linalg.inv(J.T @ J)
    except np.linalg.LinAlgError:
        out[:free, :free] = np.inf
    return out


@njit()
def _solve3(a: Array, b: Array, n: int, x: Array) -> bool:
    """Solve the leading n x n part of a symmetric positive system by Cholesky; False where it is singular."""
    low = np.zeros((3, 3))
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= low[i, k] * low[j, k]
            if i == j:
                if total <= 1e-12:
                    return False
                low[i, i] = math.sqrt(total)
            else:
                low[i, j] = total / low[j, j]
    y = np.zeros(3)
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= low[i, k] * y[k]
        y[i] = total / low[i, i]
    for i in range(n - 1, -1, -1):
        total = y[i]
        for k in range(i + 1, n):
            total -= low[k, i] * x[k]
        x[i] = total / low[i, i]
    return True


@njit()
def weighted_fix(anchors: Array, ranges: Array, weights: Array, free: int, position: Array, rounds: int) -> bool:
    """Improve `position` (3,) in place: least weighted squares of |position - anchor| - range, by damped Gauss-Newton.

    free: 3, or 2 where the height is known and stays. Returns whether the geometry allowed a solution.
    """
    trial = np.zeros(3)
    normal, gradient, step = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    damping, cost = 1e-6, _cost(anchors, ranges, weights, position)
    good = False
    for _ in range(rounds):
        normal[:] = 0.0
        gradient[:] = 0.0
        for i in range(len(ranges)):
            dx, dy, dz = position[0] - anchors[i, 0], position[1] - anchors[i, 1], position[2] - anchors[i, 2]
            d = max(math.sqrt(dx * dx + dy * dy + dz * dz), 1e-9)
            u = (dx / d, dy / d, dz / d)
            r = d - ranges[i]
            for a in range(free):
                gradient[a] -= weights[i] * u[a] * r
                for b in range(free):
                    normal[a, b] += weights[i] * u[a] * u[b]
        for a in range(free):
            normal[a, a] += damping
        step[:] = 0.0
        if not _solve3(normal, gradient, free, step):
            return good
        trial[:] = position + step
        new = _cost(anchors, ranges, weights, trial)
        small = abs(step[0]) + abs(step[1]) + abs(step[2]) < 1e-7
        if small and damping < 1.0:
            good = True  # it started at the optimum, where rounding decides which way the cost goes
        if new <= cost:
            position[:] = trial
            good = True
            cost, damping = new, max(damping * 0.3, 1e-9)
            if small:
                break
        else:
            damping *= 10.0
            if (good and small) or damping > 1e6:
                break
    return good


@njit()
def _cost(anchors: Array, ranges: Array, weights: Array, position: Array) -> float:
    total = 0.0
    for i in range(len(ranges)):
        dx, dy, dz = position[0] - anchors[i, 0], position[1] - anchors[i, 1], position[2] - anchors[i, 2]
        r = math.sqrt(dx * dx + dy * dy + dz * dz) - ranges[i]
        total += weights[i] * r * r
    return total


@njit()
def robust_fix(
    anchors: Array, ranges: Array, sigma: float, cut: float, free: int, position: Array, weights: Array
) -> bool:
    """Position (3,) by ranges with outliers: graduated non-convexity with the loss of Geman and McClure.

    Weights (m,) w = (k / (k + e²))² with e in sigmas and k falling from the greatest e² to cut² (Yang et al., 2020).
    Obstacles make ranges longer, never shorter, so ranges that are too short for a position are doubted less: their e
    counts half. `position` holds the start.
    """
    weights[:] = 1.0
    if not weighted_fix(anchors, ranges, weights, free, position, 30):
        return False
    if len(ranges) <= free:
        return True
    widest = 0.0
    squares = np.empty(len(ranges))
    for i in range(len(ranges)):
        squares[i] = _doubt(position, anchors[i], ranges[i], sigma)
        widest = max(widest, squares[i])
    k = max(2.0 * widest, cut * cut)
    while True:
        for i in range(len(ranges)):
            w = k / (k + squares[i])
            weights[i] = w * w
        if not weighted_fix(anchors, ranges, weights, free, position, 8):
            return False
        for i in range(len(ranges)):
            squares[i] = _doubt(position, anchors[i], ranges[i], sigma)
        if k <= cut * cut:
            return True
        k = max(k / 1.6, cut * cut)


@njit()
def _doubt(a: Array, b: Array, measured: float, sigma: float) -> float:
    """Squared error of a range in sigmas; of one that is too short a quarter of it."""
    e = (math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2) - measured) / sigma
    return e * e if e < 0.0 else 0.25 * e * e
