"""How many trials are enough: for an interval as narrow as wanted, or to see a difference that matters."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import stats

from andante.errors import BadInput

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
