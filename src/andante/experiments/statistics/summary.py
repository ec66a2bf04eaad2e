"""Mean, spread and confidence interval of a sample."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from andante.errors import BadInput
from andante.geometry import Array

RESAMPLES = 4000


@dataclass(frozen=True)
class Summary:
    """A sample in numbers; NaN where it is too small to tell."""

    count: int
    mean: float
    deviation: float  # standard deviation, divided by n - 1
    low: float  # confidence interval of the mean
    high: float
    median: float
    least: float
    most: float


def summarize(values: ArrayLike, level: float = 0.95, seed: int = 0) -> Summary:
    """Count, mean, spread and a bootstrap confidence interval of the mean."""
    x = _sample(values)
    if len(x) == 0:
        return Summary(0, *(math.nan,) * 7)
    low, high = bootstrap_interval(x, level, seed)
    spread = float(x.std(ddof=1)) if len(x) > 1 else math.nan
    median, least, most = float(np.median(x)), float(x.min()), float(x.max())
    return Summary(len(x), float(x.mean()), spread, low, high, median, least, most)


def bootstrap_interval(
    values: ArrayLike, level: float = 0.95, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Confidence interval of the mean by the bias-corrected and accelerated bootstrap (Efron 1987) of scipy.

    NaN with fewer than two values; a sample without spread has an interval of no width. Where so few values leave the
    bias unbounded, the plain quantiles of the resampled means are taken.
    """
    x = _sample(values)
    if not 0 < level < 1:
        raise BadInput(f"a confidence level lies between 0 and 1, got {level}")
    if len(x) < 2:
        return math.nan, math.nan
    least, spread = float(x.min()), float(np.ptp(x))
    if spread == 0.0:
        return least, least
    with warnings.catch_warnings(action="ignore", category=stats.DegenerateDataWarning):
        found = stats.bootstrap(
            ((x - least) / spread,),  # free of units, so that no power under- or overflows
            _rounded_mean,
            n_resamples=resamples,
            batch=max(1, 2_000_000 // len(x)),
            confidence_level=level,
            method="BCa",
            rng=np.random.default_rng(seed),
        )
    bounds = np.array(found.confidence_interval)
    if not np.isfinite(bounds).all():
        bounds = np.quantile(found.bootstrap_distribution, [0.5 * (1 - level), 0.5 * (1 + level)])
    low, high = least + spread * bounds
    return float(low), float(high)


def _rounded_mean(x: Array, axis: int = -1) -> Array:
    """Mean to nine places, so that means which are equal but for rounding count as ties."""
    return np.round(x.mean(axis=axis), 9)


def _sample(values: ArrayLike) -> Array:
    """A flat array of the values that are numbers."""
    x = np.asarray(values, dtype=float).ravel()
    return x[np.isfinite(x)]
