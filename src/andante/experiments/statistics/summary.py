"""Mean, spread and confidence interval of a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

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
    """Confidence interval of the mean by the bias-corrected and accelerated bootstrap (Efron 1987).

    Quantiles a1, a2 of the resampled means with a = Phi(z0 + (z0 + z) / (1 - c (z0 + z))), z0 the bias and c the
    acceleration by the jackknife. NaN with fewer than two values; a sample without spread has an interval of no width.
    """
    x = _sample(values)
    if not 0 < level < 1:
        raise BadInput(f"a confidence level lies between 0 and 1, got {level}")
    n = len(x)
    if n < 2:
        return math.nan, math.nan
    mean = float(x.mean())
    if np.ptp(x) == 0.0:
        return mean, mean
    means = np.sort(_resampled_means(x, seed, resamples))
    near = 1e-9 * float(np.ptp(x))  # equal but for rounding
    ties = np.count_nonzero(np.abs(means - mean) <= near)
    below = (np.count_nonzero(means < mean - near) + 0.5 * ties) / resamples
    z0 = float(special.ndtri(min(max(below, 0.5 / resamples), 1 - 0.5 / resamples)))
    left_out = (x.sum() - x) / (n - 1)  # means without one value
    d = left_out.mean() - left_out
    d = d / (float(np.abs(d).max()) or 1.0)  # free of units, so that no power of it under- or overflows
    acceleration = float((d**3).sum() / (6.0 * (d**2).sum() ** 1.5)) if d.any() else 0.0
    tails = special.ndtri(np.array([0.5 * (1 - level), 0.5 * (1 + level)]))
    shares = special.ndtr(z0 + (z0 + tails) / (1.0 - acceleration * (z0 + tails)))
    low, high = np.quantile(means, shares)
    return float(low), float(high)


def _resampled_means(x: Array, seed: int, resamples: int) -> Array:
    """Means of samples drawn with replacement, (resamples,), some thousand numbers at a time."""
    rng = np.random.default_rng(seed)
    step = max(1, 2_000_000 // len(x))
    parts = [
        x[rng.integers(0, len(x), (min(step, resamples - done), len(x)))].mean(axis=1)
        for done in range(0, resamples, step)
    ]
    return np.concatenate(parts)


def _sample(values: ArrayLike) -> Array:
    """A flat array of the values that are numbers."""
    x = np.asarray(values, dtype=float).ravel()
    return x[np.isfinite(x)]
