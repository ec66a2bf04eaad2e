"""Statistics of trials: pure functions of arrays. Never a bare mean.

Intervals of a mean, two samples compared (tests, effect sizes, equivalence, correction for many comparisons), agreement
with a reference, how many trials are enough, and how much each factor matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from andante.errors import BadInput
from andante.geometry import Array

RESAMPLES = 4000


@dataclass(frozen=True)
class Summary:
    """A sample in numbers; NaN where it is too small."""

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

    NaN with fewer than two values; a sample without spread has an interval of no width.
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
    scale = float(np.abs(x - mean).max())  # free of units, so that no power of it under- or overflows
    found = stats.bootstrap(
        ((x - mean) / scale,),
        lambda drawn, axis: np.round(drawn.mean(axis=axis), 12),  # means that are equal but for rounding are ties
        n_resamples=resamples,
        confidence_level=level,
        method="BCa",
        batch=max(1, 2_000_000 // n),  # resamples held at once
        random_state=np.random.default_rng(seed),
    ).confidence_interval
    low, high = np.clip(mean + scale * np.array([found.low, found.high]), x.min(), x.max()).tolist()
    return low, high


def _sample(values: ArrayLike) -> Array:
    """A flat array of the values that are numbers."""
    x: Array = np.asarray(values, dtype=float).ravel()
    return x[np.isfinite(x)]


@dataclass(frozen=True)
class Comparison:
    """How far sample `a` is from sample `b`; NaN where they are too small."""

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
    gap = float(x.mean() - y.mean()) if len(x) and len(y) else math.nan
    if len(x) < 2 or len(y) < 2:
        return Comparison(gap, *(math.nan,) * 5)
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
    """Standardized difference of means with the correction for small samples (Hedges 1981).

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
    gap = float(x.mean() - y.mean()) if len(x) and len(y) else math.nan
    if len(x) < 2 or len(y) < 2:
        return Equivalence(gap, margin, math.nan, math.nan, math.nan, False)
    error, freedom = welch_error(x, y)
    if error == 0.0:
        inside = abs(gap) < margin
        return Equivalence(gap, margin, 0.0 if inside else 1.0, gap, gap, inside)
    above = float(stats.t.sf((gap + margin) / error, freedom))  # against: it lies below -margin
    below = float(stats.t.cdf((gap - margin) / error, freedom))  # against: it lies above +margin
    reach = float(stats.t.ppf(1 - alpha, freedom)) * error
    p = max(above, below)
    return Equivalence(gap, margin, p, gap - reach, gap + reach, p < alpha)


@dataclass(frozen=True)
class Agreement:
    """One test: both means, |mean - reference mean| / |commanded|, and whether the mean is in the reference's range."""

    test: str
    mean: float
    reference: float
    error: float  # in parts of what was commanded; NaN where nothing was
    inside: bool


def agreement(
    values: Mapping[str, Array], reference: Mapping[str, Array], commanded: Mapping[str, float | None]
) -> tuple[Agreement, ...]:
    """Every test that both have, by name."""
    found = []
    for test, ours in values.items():
        theirs = reference.get(test, np.empty(0))
        if len(ours) == 0 or len(theirs) == 0:
            continue
        mean, real, told = float(np.mean(ours)), float(np.mean(theirs)), commanded.get(test)
        error = abs(mean - real) / abs(told) if told else math.nan
        found.append(Agreement(test, mean, real, error, bool(np.min(theirs) <= mean <= np.max(theirs))))
    return tuple(found)


def mean_error(tests: Sequence[Agreement]) -> float:
    """The error averaged over tests; NaN when there are none."""
    known = [each.error for each in tests if not math.isnan(each.error)]
    return float(np.mean(known)) if known else math.nan


MOST = 1_000_000


def trials_for_width(deviation: float, half_width: float, level: float = 0.95) -> int:
    """Trials until the interval of the mean is narrow enough: the smallest n with t s / sqrt(n) <= half_width.

    A million stands for a million or more.
    """
    if not (half_width > 0 and deviation >= 0 and 0 < level < 1):
        raise BadInput(
            f"needs a width > 0, a deviation >= 0 and a level in 0..1, got {half_width}, {deviation}, {level}"
        )

    def reach(n: int) -> float:
        return float(stats.t.ppf(0.5 * (1 + level), n - 1)) * deviation / math.sqrt(n)

    return _smallest(lambda n: reach(n) <= half_width)


def trials_for_difference(deviation: float, difference: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Trials in each of two samples until a t test sees a difference with the given power (noncentral t).

    A million stands for a million or more.
    """
    if not (difference > 0 and deviation >= 0 and 0 < power < 1 and 0 < alpha < 1):
        raise BadInput(
            f"needs a difference > 0, a deviation >= 0, power and alpha in 0..1, got {difference}, {deviation}"
        )

    def reached(n: int) -> bool:
        if deviation == 0.0:
            return True
        freedom, shift = 2 * n - 2, difference / deviation * math.sqrt(n / 2)
        edge = stats.t.ppf(1 - alpha / 2, freedom)
        return float(stats.nct.sf(edge, freedom, shift) + stats.nct.cdf(-edge, freedom, shift)) >= power

    return _smallest(reached)


def _smallest(good: Callable[[int], bool]) -> int:
    """The smallest n >= 2 for which `good` holds, which holds for all larger ones; at most `MOST`."""
    high = 2
    while not good(high):
        if high >= MOST:
            return MOST
        high = min(MOST, 2 * high)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return max(2, high)


@dataclass(frozen=True)
class Effect:
    """One factor. fraction: of the variation that it explains (eta squared); range: of the means of its levels."""

    factor: str
    fraction: float
    statistic: float  # F
    p: float
    range: float


def effects(values: ArrayLike, factors: Mapping[str, Sequence[Any]]) -> tuple[Effect, ...]:
    """Effects of factors on values (n,), each factor a sequence of n levels.

    The sum of squares of a factor is by how much the residuals grow when it is left out of the model of all factors; in
    a balanced design that is the variation between the means of its levels.
    """
    y = np.asarray(values, dtype=float)
    for name, levels in factors.items():
        if len(levels) != len(y):
            raise BadInput(f"factor {name} has {len(levels)} levels for {len(y)} values")
    coded = {name: _dummies(levels) for name, levels in factors.items()}
    whole = float(((y - y.mean()) ** 2).sum()) if len(y) else 0.0
    if whole <= 1e-24 * float(y @ y):  # nothing but rounding
        whole = 0.0
    full, rank = _residual(y, list(coded.values()))
    freedom = len(y) - rank
    found = []
    for name, levels in factors.items():
        rest, less = _residual(y, [table for other, table in coded.items() if other != name])
        extra, between = rank - less, max(0.0, rest - full)
        if whole > 0 and extra > 0 and freedom > 0 and full > 1e-12 * whole:
            statistic = (between / extra) / (full / freedom)
            p = float(stats.f.sf(statistic, extra, freedom))
        else:
            sure = whole > 0 and between > 0 and extra > 0 and freedom > 0
            statistic, p = (math.inf, 0.0) if sure else (math.nan, math.nan)
        means = [float(y[[level == each for level in levels]].mean()) for each in dict.fromkeys(levels)]
        fraction = between / whole if whole > 0 else math.nan
        found.append(Effect(name, fraction, statistic, p, max(means) - min(means) if means else math.nan))
    return tuple(found)


def _dummies(levels: Sequence[Any]) -> Array:
    """A column for every level but the first, (n, levels - 1)."""
    kinds = list(dict.fromkeys(levels))
    return np.array([[float(level == kind) for kind in kinds[1:]] for level in levels]).reshape(len(levels), -1)


def _residual(y: Array, tables: Sequence[Array]) -> tuple[float, int]:
    """Sum of squares that a linear model leaves, and its rank."""
    design = np.concatenate([np.ones((len(y), 1)), *tables], axis=1)
    solution, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    return float(((y - design @ solution) ** 2).sum()), int(rank)
