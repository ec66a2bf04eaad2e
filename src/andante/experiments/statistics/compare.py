"""Two samples compared: tests, effect sizes, and a correction for many comparisons."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from andante.errors import BadInput
from andante.geometry import Array


@dataclass(frozen=True)
class Comparison:
    """How far sample `a` is from sample `b`; NaN where they are too small to tell."""

    difference: float  # mean of a - mean of b
    low: float  # confidence interval of the difference (Welch)
    high: float
    welch: float  # p of Welch's t test
    rank: float  # p of the test of Mann and Whitney
    effect: float  # Hedges' g

    @property
    def size(self) -> str:
        """The effect in words, by Cohen's marks."""
        g = abs(self.effect)
        if math.isnan(g):
            return "unknown"
        return "negligible" if g < 0.2 else "small" if g < 0.5 else "medium" if g < 0.8 else "large"


def compare(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Comparison:
    """Compare two independent samples without assuming equal spread."""
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if len(x) < 2 or len(y) < 2:
        gap = float(x.mean() - y.mean()) if len(x) and len(y) else math.nan
        return Comparison(gap, *(math.nan,) * 5)
    gap = float(x.mean() - y.mean())
    error, freedom = welch_error(x, y)
    if error == 0.0:  # neither varies: equal for sure, or different for sure
        p = 1.0 if gap == 0.0 else 0.0
        return Comparison(gap, gap, gap, p, p, 0.0 if gap == 0.0 else math.copysign(math.inf, gap))
    reach = float(stats.t.ppf(0.5 * (1 + level), freedom)) * error
    p = float(2 * stats.t.sf(abs(gap) / error, freedom))
    rank = float(stats.mannwhitneyu(x, y, alternative="two-sided").pvalue)
    return Comparison(gap, gap - reach, gap + reach, p, rank, hedges_g(x, y))


def welch_error(x: Array, y: Array) -> tuple[float, float]:
    """Standard error of the difference of two means and its degrees of freedom (Welch and Satterthwaite)."""
    u, v = float(x.var(ddof=1)) / len(x), float(y.var(ddof=1)) / len(y)
    if u + v == 0.0:
        return 0.0, math.inf
    return math.sqrt(u + v), (u + v) ** 2 / (u**2 / (len(x) - 1) + v**2 / (len(y) - 1))


def hedges_g(a: ArrayLike, b: ArrayLike) -> float:
    """Standardised difference of means with the correction for small samples (Hedges 1981).

    g = J (mean a - mean b) / s, s pooled, J = Gamma(m/2) / (sqrt(m/2) Gamma((m-1)/2)) with m = n_a + n_b - 2.
    """
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    m = len(x) + len(y) - 2
    if len(x) < 1 or len(y) < 1 or m < 2:
        return math.nan
    pooled = math.sqrt((((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()) / m)
    gap = float(x.mean() - y.mean())
    if pooled == 0.0:
        return 0.0 if gap == 0.0 else math.copysign(math.inf, gap)
    correction = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2)
    return correction * gap / pooled


def holm(p: ArrayLike) -> Array:
    """p values corrected for their number so that the chance of any false alarm stays below the level (Holm 1979).

    The k-th smallest of m is multiplied by m - k + 1 and made no smaller than those before. NaN stays NaN and does not
    count.
    """
    values = np.asarray(p, dtype=float)
    if values.ndim != 1:
        raise BadInput(f"p values are a list, got shape {values.shape}")
    out = np.full(len(values), math.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    factors = len(order) - np.arange(len(order))
    out[order] = np.minimum(1.0, np.maximum.accumulate(factors * values[order]))
    return out
