"""Random places from which the compiled inverse kinematics begins again."""

from __future__ import annotations

import math
from typing import Any

from numba import uint64

from ._kernels import compiled
from ._problem import ANGLE_WEIGHT, LIMITED, POSITION_WEIGHT, TOLERANCE, Problem, Scratch
from ._step import measure


@compiled
def next_random(state: Any) -> tuple[Any, float]:
    """Next state and a number in [0, 1) (splitmix64, Steele, Lea, Flood 2014)."""
    state = uint64(state) + uint64(0x9E3779B97F4A7C15)
    z = state
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    z = z ^ (z >> uint64(31))
    return state, float(z >> uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def scatter(problem: Problem, s: Scratch, attempt: int, state: Any) -> Any:
    """Puts a random place within the limits into q; the random state after it.

    Chains that share variables keep what works: three times in four only the chains that miss their goal at the best
    place so far are scattered, and every other of these times the shared variables stay.
    """
    limited = problem.options[LIMITED] != 0.0
    keep = problem.c1 - problem.c0 > 1 and attempt % 4 != 0
    for i in range(problem.n):
        s.free[i] = 0 if keep else 1
    if keep:
        tolerance = problem.options[TOLERANCE] * problem.options[TOLERANCE] / (problem.c1 - problem.c0)
        weights = (problem.options[POSITION_WEIGHT], problem.options[ANGLE_WEIGHT])
        measure(
            problem.table,
            problem.layout,
            problem.c0,
            problem.c1,
            problem.goals,
            weights,
            s.best,
            s.axes,
            s.poses,
            s.errors,
        )
        for c in range(problem.c0, problem.c1):
            missed = 0.0
            for i in range(6):
                missed += s.errors[c - problem.c0, i] ** 2
            for i in range(problem.layout[c, 2]):
                v = problem.layout[c, 3 + i]
                if missed > tolerance and s.free[v] >= 0:
                    s.free[v] = 1
                if attempt % 2 == 1:
                    for other in range(problem.c0, problem.c1):
                        for j in range(problem.layout[other, 2]):
                            if other != c and problem.layout[other, 3 + j] == v:
                                s.free[v] = -1
    for i in range(problem.n):
        s.q[i] = s.best[i]
        state, u = next_random(state)
        if s.free[i] <= 0:
            continue
        low, high = problem.limits[i, 0], problem.limits[i, 1]
        if not (limited and math.isfinite(low) and math.isfinite(high)):
            low, high = s.first[i] - math.pi, s.first[i] + math.pi
            if limited:
                low, high = max(low, problem.limits[i, 0]), min(high, problem.limits[i, 1])
        s.q[i] = low + u * (high - low)
    return state
