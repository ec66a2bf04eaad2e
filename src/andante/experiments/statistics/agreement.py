"""How near one source comes to another over all tests: the error that the thesis compares simulators by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from andante.geometry import Array


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
