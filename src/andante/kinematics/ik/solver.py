"""Compiled inverse kinematics: damped Levenberg-Marquardt with joint limits and restarts, one kernel for all calls.

A problem is one chain, or several chains that share variables (parallel robots). A step (`step`) is taken over the
variables that are free to move: one that stands at a limit and is pushed outwards is left out (active set), and the
step is cut at the limits. Its damping K shrinks after a step that helps and grows after one that does not. An attempt
that crawls is given up; the next begins at random within the limits. When no attempt reaches the goal, the
best one is followed to its optimum, with the second derivatives of the residual.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import uint64

from andante.geometry import Array

from .kernels import GOAL, borrowed, compiled, set_goal
from .step import (
    ANGLE_WEIGHT,
    EPSILON,
    JOINED,
    LIMITED,
    MAX_ITERATIONS,
    POSITION_WEIGHT,
    RESTARTS,
    SEED,
    TOLERANCE,
    TOOL_AXES,
    Problem,
    Scratch,
    curvature,
    damped_step,
    measure,
    normal_equations,
    scratch_of,
)


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
        measure(
            problem.table, problem.layout, problem.c0, problem.c1, problem.goals,
            (problem.options[POSITION_WEIGHT], problem.options[ANGLE_WEIGHT]), s.best, s.axes, s.poses, s.errors,
        )  # fmt: skip
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


FIRST_DAMPING = 0.3  # largest K of the first step of an attempt
LEAST_DAMPING = 1e-9
GIVE_UP_DAMPING = 1e4  # an attempt that needs more is at a place that steps do not improve
MOST_DAMPING = 1e12  # the same when the optimum itself is wanted
GOOD = 0.1  # a step is good when it leaves less than this fraction of the cost
SHRINK_GOOD, SHRINK, GROW = 0.01, 0.3, 8.0  # of K after a good step, a step that helps, one that does not
SLOW = 0.9  # a step is slow when it leaves more than this fraction of the cost
PATIENCE = 2  # slow steps in a row before an attempt is given up
STILL = 1e-15  # relative gain below which the optimum is reached
OUTSIDE = 0.05  # of a joint's range: a start that is further out than a measurement would be is refused
BAD_GOAL = -1.0


@compiled
def _descend(problem: Problem, s: Scratch, polish: bool) -> tuple[float, float, int]:
    """Steps from q until the goal, a standstill or (unless polishing) a crawl: cost, squared residual, steps tried."""
    table, layout, c0, c1, n, limits, goals, options = problem
    axes, poses, errors, J, H, L, g, dq, q, trial, _, _, free = s
    weights = (options[POSITION_WEIGHT], options[ANGLE_WEIGHT])
    limited = options[LIMITED] != 0.0
    tolerance = options[TOLERANCE] * options[TOLERANCE]
    most, most_damping = int(options[MAX_ITERATIONS]), MOST_DAMPING if polish else GIVE_UP_DAMPING
    cost, plain = measure(table, layout, c0, c1, goals, weights, q, axes, poses, errors)
    K, slow, steps = FIRST_DAMPING, 0, 0
    while plain > tolerance and steps < most:
        normal_equations(table, layout, c0, c1, goals, weights, n, axes, poses, errors, J, H, g)
        if steps == 0:  # near the goal, where a step is about (cost / H)^1/2, little damping is needed
            largest = EPSILON
            for i in range(n):
                largest = max(largest, H[i, i])
            K = max(LEAST_DAMPING, min(FIRST_DAMPING, cost / largest))
        if polish:
            curvature(problem, s)
        count = 0
        for i in range(n):
            if limited and ((q[i] <= limits[i, 0] and g[i] <= 0.0) or (q[i] >= limits[i, 1] and g[i] >= 0.0)):
                continue
            free[count] = i
            count += 1
        helped, new_cost, new_plain = False, cost, plain
        while count > 0 and most_damping > K and steps < most:
            steps += 1
            if damped_step(H, g, free, count, K, L, dq):
                for i in range(n):
                    trial[i] = q[i]
                for i in range(count):
                    v = free[i]
                    trial[v] = q[v] + dq[i]
                    if limited:
                        trial[v] = min(max(trial[v], limits[v, 0]), limits[v, 1])
                new_cost, new_plain = measure(table, layout, c0, c1, goals, weights, trial, axes, poses, errors)
                if new_cost < cost:
                    helped = True
                    break
            K *= GROW
        if not helped:
            break
        for i in range(n):
            q[i] = trial[i]
        gain = cost - new_cost
        slow = slow + 1 if new_cost > SLOW * cost else 0
        K = max(LEAST_DAMPING, K * (SHRINK_GOOD if new_cost < GOOD * cost else SHRINK))
        cost, plain = new_cost, new_plain
        if gain <= STILL * cost or (slow >= PATIENCE and not polish):
            break
    return cost, plain, steps


@compiled
def _attempts(problem: Problem, s: Scratch) -> tuple[float, int]:
    """Attempts from the start and from random places; the best q goes to `best`. Error and number of steps."""
    tolerance = problem.options[TOLERANCE] * problem.options[TOLERANCE]
    restarts = int(problem.options[RESTARTS])
    state = uint64(problem.options[SEED])
    best_cost, best_plain, steps = math.inf, math.inf, 0
    for attempt in range(restarts + 2):
        polish = attempt == restarts + 1
        if attempt == 0 or polish:
            for i in range(problem.n):
                s.q[i] = s.best[i] if polish else s.first[i]
        else:
            state = scatter(problem, s, attempt, state)
        cost, plain, tried = _descend(problem, s, polish)
        steps += tried
        if cost < best_cost or plain <= tolerance:
            best_cost, best_plain = cost, plain
            for i in range(problem.n):
                s.best[i] = s.q[i]
        if best_plain <= tolerance:
            break
    return math.sqrt(best_plain), steps


@compiled
def _solve_all(
    table: Array, layout: np.ndarray, bounds: Array, targets: Array, options: Array, out: Array, s: Scratch,
    goals: Array,
) -> None:  # fmt: skip
    """Solve many problems, one after the other (see `solve`)."""
    chains = layout.shape[0]
    joined = options[JOINED] != 0.0
    group = chains if joined else 1
    width = out.shape[1] - 3
    for index in range(out.shape[0]):
        c0 = 0 if joined else index % chains
        n = width if joined else layout[c0, 2]
        limits = bounds[c0]
        problem = Problem(table, layout, c0, c0 + group, n, limits, goals, options)
        good = True
        for k in range(group):
            good = set_goal(targets, index * group + k, options[TOOL_AXES] != 0.0, goals, k) and good
        for i in range(n):
            s.first[i] = out[index, i]
            good = good and math.isfinite(s.first[i])
            if options[LIMITED] != 0.0:
                low, high = limits[i, 0], limits[i, 1]
                slack = OUTSIDE * (high - low)
                good = good and low - slack <= s.first[i] <= high + slack
                s.first[i] = min(max(s.first[i], limits[i, 0]), limits[i, 1])
        if not good:
            out[index, width + 2] = BAD_GOAL
            continue
        error, steps = _attempts(problem, s)
        for i in range(n):
            out[index, i] = s.best[i]
            if limits[i, 2] != 0.0:  # the turn nearest to the start
                out[index, i] -= 2.0 * math.pi * np.round((s.best[i] - s.first[i]) / (2.0 * math.pi))
        out[index, width] = error
        out[index, width + 1] = steps
        out[index, width + 2] = 1.0 if error <= options[TOLERANCE] else 0.0


@compiled
def solve(table: Array, layout: np.ndarray, bounds: Array, targets: Array, options: Array, out: Array) -> float:
    """Solve many problems, one after the other; the status of the last.

    table: rows of all chains. layout (chains, 3 + variables): first row, row after the last, number of variables, the
    variables. bounds (chains or 1, variables, 3): lower, upper, 1 where whole turns do not matter. targets (m, 6).
    out (problems, variables + 3): the start on the way in; q, error, iterations and status (1 converged, 0 not, -1 bad
    input) on the way out.
    """
    group = layout.shape[0] if options[JOINED] != 0.0 else 1
    width = out.shape[1] - 3
    longest = 1
    for c in range(layout.shape[0]):
        longest = max(longest, layout[c, 1] - layout[c, 0])
    work = np.empty(group * (6 * longest + 18 + GOAL) + width * (12 + 2 * width))
    free = np.empty(width, np.int64)
    s, goals = scratch_of(borrowed(work), borrowed(free), group, longest, width)
    _solve_all(
        borrowed(table), borrowed(layout), borrowed(bounds), borrowed(targets), borrowed(options), borrowed(out), s,
        goals,
    )  # fmt: skip
    work[0] = free[0] = 0  # the memory is used until here
    return out[out.shape[0] - 1, width + 2] if out.shape[0] else 0.0


@compiled
def solve_one(
    table: Array, layout: np.ndarray, bounds: Array, target: Array, options: Array, q: Array
) -> tuple[float, int, float]:
    """Solve one problem of one chain from `q` into `q`; error, iterations and status as `solve` gives them."""
    width = q.shape[0]
    longest = layout[0, 1]
    size = 6 * longest + 18 + GOAL + width * (12 + 2 * width)
    work = np.empty(size + width + 3)
    free = np.empty(width, np.int64)
    kept = borrowed(work)
    s, goals = scratch_of(kept[:size], borrowed(free), 1, longest, width)
    out = kept[size:].reshape((1, width + 3))
    for i in range(width):
        out[0, i] = q[i]
    _solve_all(
        borrowed(table), borrowed(layout), borrowed(bounds), borrowed(target).reshape((1, 6)), borrowed(options), out,
        s, goals,
    )  # fmt: skip
    for i in range(width):
        q[i] = out[0, i]
    error, iterations, status = out[0, width], int(out[0, width + 1]), out[0, width + 2]
    work[0] = free[0] = 0  # the memory is used until here
    return error, iterations, status
