"""Compiled inverse kinematics: damped Levenberg-Marquardt with joint limits and restarts, one kernel for all calls.

A problem is one chain, or several chains that share variables (parallel robots). The step is
dq = (JᵀWJ + K D + eps)⁻¹ JᵀW e, D = diag(JᵀWJ) with a floor for joints that hardly matter, over the variables that are
free to move: one that stands at a limit and is pushed outwards is left out (active set), and the step is cut at the
limits. K shrinks after a step that helps and
grows after one that does not. An attempt that crawls is given up; the next begins at random within the limits. When no
attempt reaches the goal, the best one is followed to its optimum, with the second derivatives of the residual.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import uint64

from andante.geometry import Array

from ._kernels import GOAL, NONE, borrowed, compiled, place, residual, rows, set_goal

# Options of a solve, in one vector.
TOOL_AXES, POSITION_WEIGHT, ANGLE_WEIGHT, RESTARTS, TOLERANCE, MAX_ITERATIONS, SEED, JOINED, LIMITED = range(9)
OPTIONS = 9

FIRST_DAMPING = 0.3  # largest K of the first step of an attempt
LEAST_DAMPING = 1e-9
GIVE_UP_DAMPING = 1e4  # an attempt that needs more is at a place that steps do not improve
MOST_DAMPING = 1e12  # the same when the optimum itself is wanted
FLOOR = 0.01  # share of the largest diagonal entry that damps joints of little influence too
EPSILON = 1e-14  # keeps joints without influence from making the system singular
GOOD = 0.1  # a step is good when it leaves less than this share of the cost
SHRINK_GOOD, SHRINK, GROW = 0.01, 0.3, 8.0  # of K after a good step, a step that helps, one that does not
SLOW = 0.9  # a step is slow when it leaves more than this share of the cost
PATIENCE = 2  # slow steps in a row before an attempt is given up
DIFFERENCE = 1e-6  # of joint positions, for second derivatives [rad, m]
STILL = 1e-15  # relative gain below which the optimum is reached
OUTSIDE = 0.05  # of a joint's range: a start that is further out than a measurement would be is refused
BAD_GOAL = -1.0


class Problem(NamedTuple):
    """What is asked: chains c0 to c1 of the tables over n variables."""

    table: Array
    layout: np.ndarray
    c0: int
    c1: int
    n: int
    limits: Array
    goals: Array
    options: Array


class Scratch(NamedTuple):
    """Memory that all steps of all problems share."""

    axes: Array
    poses: Array
    errors: Array
    J: Array
    H: Array
    L: Array
    g: Array
    dq: Array
    q: Array
    trial: Array
    best: Array
    first: Array
    free: np.ndarray


@compiled
def measure(
    table: Array,
    layout: np.ndarray,
    c0: int,
    c1: int,
    goals: Array,
    weights: tuple[float, float],
    q: Array,
    axes: Array,
    poses: Array,
    errors: Array,
) -> tuple[float, float]:
    """Weighted cost and plain squared residual of all chains of a problem at q."""
    cost, plain = 0.0, 0.0
    for c in range(c0, c1):
        k = c - c0
        place(table, layout[c, 0], layout[c, 1], q, axes, poses, k)
        residual(poses, goals, errors, k)
        p = errors[k, 0] * errors[k, 0] + errors[k, 1] * errors[k, 1] + errors[k, 2] * errors[k, 2]
        a = errors[k, 3] * errors[k, 3] + errors[k, 4] * errors[k, 4] + errors[k, 5] * errors[k, 5]
        cost += weights[0] * p + weights[1] * a
        plain += p + a
    return cost, plain


@compiled
def normal_equations(
    table: Array,
    layout: np.ndarray,
    c0: int,
    c1: int,
    goals: Array,
    weights: tuple[float, float],
    n: int,
    axes: Array,
    poses: Array,
    errors: Array,
    J: Array,
    H: Array,
    g: Array,
) -> None:
    """Lower triangle of H = JᵀWJ, and g = JᵀWe, at the poses and errors that were measured last."""
    wp, wa = weights
    for i in range(n):
        g[i] = 0.0
        for j in range(i + 1):
            H[i, j] = 0.0
    for c in range(c0, c1):
        k = c - c0
        count = layout[c, 2]
        for i in range(count):
            v = layout[c, 3 + i]
            J[v, 0] = J[v, 1] = J[v, 2] = J[v, 3] = J[v, 4] = J[v, 5] = 0.0
        rows(table, layout[c, 0], layout[c, 1], axes, poses, goals, k, J)
        e0, e1, e2 = errors[k, 0], errors[k, 1], errors[k, 2]
        e3, e4, e5 = errors[k, 3], errors[k, 4], errors[k, 5]
        if goals[k, 22] == NONE:  # half of the products when no angle counts
            for i in range(count):
                u = layout[c, 3 + i]
                a0, a1, a2 = wp * J[u, 0], wp * J[u, 1], wp * J[u, 2]
                g[u] += a0 * e0 + a1 * e1 + a2 * e2
                for j in range(i + 1):
                    v = layout[c, 3 + j]
                    H[max(u, v), min(u, v)] += a0 * J[v, 0] + a1 * J[v, 1] + a2 * J[v, 2]
            continue
        for i in range(count):
            u = layout[c, 3 + i]
            a0, a1, a2 = wp * J[u, 0], wp * J[u, 1], wp * J[u, 2]
            a3, a4, a5 = wa * J[u, 3], wa * J[u, 4], wa * J[u, 5]
            g[u] += a0 * e0 + a1 * e1 + a2 * e2 + a3 * e3 + a4 * e4 + a5 * e5
            for j in range(i + 1):
                v = layout[c, 3 + j]
                product = a0 * J[v, 0] + a1 * J[v, 1] + a2 * J[v, 2] + a3 * J[v, 3] + a4 * J[v, 4] + a5 * J[v, 5]
                H[max(u, v), min(u, v)] += product


@compiled
def damped_step(H: Array, g: Array, free: np.ndarray, count: int, K: float, L: Array, dq: Array) -> bool:
    """dq of the damped system over the `count` free variables by Cholesky; False when it is not positive definite."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, abs(H[free[i], free[i]]))
    for i in range(count):  # H = L D Lᵀ: rows of L hold L D until they are divided; the diagonal holds 1 / D
        u = free[i]
        total_d = H[u, u] + K * (abs(H[u, u]) + FLOOR * largest) + EPSILON
        total_g = g[u]
        for j in range(i):
            total = H[u, free[j]]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total
            total_g -= total * dq[j]
        for j in range(i):
            scaled = L[i, j] * L[j, j]
            total_d -= scaled * L[i, j]
            L[i, j] = scaled
        if total_d <= 0.0:
            return False
        L[i, i] = 1.0 / total_d
        dq[i] = total_g * L[i, i]
    for i in range(count - 1, -1, -1):
        total = dq[i]
        for k in range(i + 1, count):
            total -= L[k, i] * dq[k]
        dq[i] = total
    return True


@compiled
def _curvature(problem: Problem, s: Scratch) -> None:
    """Replaces H by the whole second derivative of half the cost, by differences of the exact gradient -g.

    JᵀWJ leaves out how J itself changes, which counts as soon as a residual remains.
    """
    table, layout, c0, c1, n, _, goals, options = problem
    weights = (options[POSITION_WEIGHT], options[ANGLE_WEIGHT])
    for i in range(n):
        s.dq[i] = s.g[i]
        s.trial[i] = s.q[i]
    for i in range(n):
        s.trial[i] = s.q[i] + DIFFERENCE
        measure(table, layout, c0, c1, goals, weights, s.trial, s.axes, s.poses, s.errors)
        normal_equations(table, layout, c0, c1, goals, weights, n, s.axes, s.poses, s.errors, s.J, s.H, s.g)
        for j in range(n):
            s.L[i, j] = (s.dq[j] - s.g[j]) / DIFFERENCE
        s.trial[i] = s.q[i]
    for i in range(n):
        s.g[i] = s.dq[i]
        for j in range(i + 1):
            s.H[i, j] = 0.5 * (s.L[i, j] + s.L[j, i])


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
def _scatter(problem: Problem, s: Scratch, attempt: int, state: Any) -> Any:
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
            _curvature(problem, s)
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
            state = _scatter(problem, s, attempt, state)
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
def _scratch(work: Array, free: np.ndarray, group: int, longest: int, width: int) -> tuple[Scratch, Array]:
    """The parts of one stretch of memory (see `solve`), and rows for the goals."""
    a = group * longest * 6
    b = a + group * 12
    c = b + group * 6
    d = c + width * 6
    e = d + width * width
    f = e + width * width
    vectors = work[f : f + 6 * width].reshape((6, width))
    made = Scratch(
        work[:a].reshape((group, longest, 6)),
        work[a:b].reshape((group, 12)),
        work[b:c].reshape((group, 6)),
        work[c:d].reshape((width, 6)),
        work[d:e].reshape((width, width)),
        work[e:f].reshape((width, width)),
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        vectors[4],
        vectors[5],
        free,
    )
    return made, work[f + 6 * width :].reshape((group, GOAL))


@compiled
def _solve_all(
    table: Array,
    layout: np.ndarray,
    bounds: Array,
    targets: Array,
    options: Array,
    out: Array,
    s: Scratch,
    goals: Array,
) -> None:
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
    s, goals = _scratch(borrowed(work), borrowed(free), group, longest, width)
    _solve_all(
        borrowed(table),
        borrowed(layout),
        borrowed(bounds),
        borrowed(targets),
        borrowed(options),
        borrowed(out),
        s,
        goals,
    )
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
    s, goals = _scratch(kept[:size], borrowed(free), 1, longest, width)
    out = kept[size:].reshape((1, width + 3))
    for i in range(width):
        out[0, i] = q[i]
    _solve_all(
        borrowed(table),
        borrowed(layout),
        borrowed(bounds),
        borrowed(target).reshape((1, 6)),
        borrowed(options),
        out,
        s,
        goals,
    )
    for i in range(width):
        q[i] = out[0, i]
    error, iterations, status = out[0, width], int(out[0, width + 1]), out[0, width + 2]
    work[0] = free[0] = 0  # the memory is used until here
    return error, iterations, status
