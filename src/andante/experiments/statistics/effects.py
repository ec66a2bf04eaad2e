"""How much every factor has to do with a measure: sums of squares of a linear model of main effects (type II)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from andante.errors import BadInput
from andante.geometry import Array


@dataclass(frozen=True)
class Effect:
    """One factor. share: of the whole variation that it explains (eta squared); range: of the means of its levels."""

    factor: str
    share: float
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
        share = between / whole if whole > 0 else math.nan
        found.append(Effect(name, share, statistic, p, max(means) - min(means) if means else math.nan))
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
