"""Errors of an estimated trajectory against a reference, and consistency of filters (NEES, NIS; Bar-Shalom, 2001)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.mapping import Trajectory


@dataclass(frozen=True)
class PositionError:
    """Distances in the plane between estimate and reference [m], over `count` instants."""

    mean: float
    median: float
    max: float
    rms: float
    within_0_5: float  # fraction of instants nearer than 0.5 m, 0 to 1
    count: int

    def as_dict(self) -> dict[str, float | int]:
        """The keys of the command-line contract, and more."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def error_of(distances: Array) -> PositionError:
    """Statistics of distances (n,) [m]."""
    d = np.asarray(distances, dtype=float)
    if len(d) == 0:
        raise BadInput("there is nothing to compare")
    return PositionError(
        float(d.mean()), float(np.median(d)), float(d.max()), float(np.sqrt((d * d).mean())), float((d <= 0.5).mean()),
        len(d),
    )  # fmt: skip


def position_error(estimate: Trajectory, reference: Trajectory) -> PositionError:
    """Compare at the times of whichever has fewer poses, the other one interpolated; only where the two overlap."""
    mine, theirs = _matched(estimate, reference)
    return error_of(np.linalg.norm(theirs - mine, axis=1))


def frame_shift(estimate: Trajectory, reference: Trajectory) -> tuple[Array, PositionError]:
    """The pose x, y, yaw by which the estimate, moved as a whole, fits the reference best, and the errors after it.

    Least squares over the points of `position_error`: yaw = atan2(sum a x b, sum a . b) of both about their means
    (Arun, Huang and Blostein, 1987, in the plane).
    """
    mine, theirs = _matched(estimate, reference)
    a, b = mine - mine.mean(axis=0), theirs - theirs.mean(axis=0)
    yaw = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a * b).sum()))
    turned = se2.transform((0.0, 0.0, yaw), mine)
    x, y = theirs.mean(axis=0) - turned.mean(axis=0)
    shift = np.array([x, y, yaw])
    return shift, error_of(np.linalg.norm(theirs - se2.transform(shift, mine), axis=1))


def _matched(estimate: Trajectory, reference: Trajectory) -> tuple[Array, Array]:
    """Places (n, 2) of both at the times of whichever has fewer poses; BadInput where they do not overlap in time."""
    sparse, dense = (estimate, reference) if len(estimate) <= len(reference) else (reference, estimate)
    other = dense.at(sparse.times)
    good = np.isfinite(other).all(axis=1)
    if not good.any():
        raise BadInput(
            f"the reference ({reference.times.min():.3f} to {reference.times.max():.3f} s) and the log "
            f"({estimate.times.min():.3f} to {estimate.times.max():.3f} s) do not overlap in time"
        )
    pair = sparse.poses[good, :2], other[good, :2]
    return pair if sparse is estimate else pair[::-1]


def nees(errors: ArrayLike, covariances: ArrayLike) -> Array:
    """Normalized estimation error squared e' P^-1 e (...,) of errors (..., n) with covariances (..., n, n)."""
    e, P = np.asarray(errors, dtype=float), np.asarray(covariances, dtype=float)
    squared: Array = np.einsum("...i,...i->...", e, np.linalg.solve(P, e[..., None])[..., 0])
    return squared


@dataclass(frozen=True)
class Consistency:
    """Mean of a normalized square, the interval that it should lie in, and whether it does."""

    mean: float
    low: float
    high: float

    @property
    def ok(self) -> bool:
        """Whether the mean lies inside."""
        return self.low <= self.mean <= self.high


def consistency(values: ArrayLike, dimension: int, level: float = 0.99) -> Consistency:
    """Test of independent NEES or NIS values (n,) of the given dimension.

    n times the mean is chi-square with n · dimension degrees of freedom when the filter is consistent.
    """
    from scipy.stats import chi2

    v = np.asarray(values, dtype=float).ravel()
    if len(v) == 0 or dimension < 1 or not 0 < level < 1:
        raise BadInput("a test of consistency needs values, a dimension and a level within 0 to 1")
    low, high = chi2.ppf([(1 - level) / 2, (1 + level) / 2], len(v) * dimension) / len(v)
    return Consistency(float(v.mean()), float(low), float(high))
