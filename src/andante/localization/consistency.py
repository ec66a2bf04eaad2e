"""Whether a filter is as sure as it may be: NEES and NIS against the chi-square distribution (Bar-Shalom, 2001)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array


def nees(errors: ArrayLike, covariances: ArrayLike) -> Array:
    """Normalised estimation error squared e' P^-1 e (...,) of errors (..., n) with covariances (..., n, n)."""
    e, P = np.asarray(errors, dtype=float), np.asarray(covariances, dtype=float)
    return np.einsum("...i,...i->...", e, np.linalg.solve(P, e[..., None])[..., 0])


@dataclass(frozen=True)
class Consistency:
    """Mean of a normalised square, the interval that it should lie in, and whether it does."""

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
