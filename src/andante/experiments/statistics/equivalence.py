"""Equivalence: whether two means differ by less than a margin that matters (two one-sided tests, Schuirmann 1987)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from andante.errors import BadInput

from .compare import welch_error


@dataclass(frozen=True)
class Equivalence:
    """The larger p of the two one-sided tests, and the interval of the difference that they compare with the margin."""

    difference: float
    margin: float
    p: float
    low: float  # interval of level 1 - 2 alpha
    high: float
    equivalent: bool


def equivalence(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> Equivalence:
    """Test mean a - mean b against -margin and +margin; spreads need not be equal.

    Equivalent when both are rejected at alpha, which is when the interval of level 1 - 2 alpha lies within the margin.
    """
    if not (math.isfinite(margin) and margin > 0):
        raise BadInput(f"the margin of equivalence must be above 0, got {margin}")
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if len(x) < 2 or len(y) < 2:
        gap = float(x.mean() - y.mean()) if len(x) and len(y) else math.nan
        return Equivalence(gap, margin, math.nan, math.nan, math.nan, False)
    gap = float(x.mean() - y.mean())
    error, freedom = welch_error(x, y)
    if error == 0.0:
        inside = abs(gap) < margin
        return Equivalence(gap, margin, 0.0 if inside else 1.0, gap, gap, inside)
    above = float(stats.t.sf((gap + margin) / error, freedom))  # against: it lies below -margin
    below = float(stats.t.cdf((gap - margin) / error, freedom))  # against: it lies above +margin
    reach = float(stats.t.ppf(1 - alpha, freedom)) * error
    p = max(above, below)
    return Equivalence(gap, margin, p, gap - reach, gap + reach, p < alpha)
