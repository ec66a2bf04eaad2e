"""Compiled parts of `StandFilter`: soles and center of mass seen from a sole, and the step that keeps both."""

from __future__ import annotations

import numpy as np

from andante.compiling import njit
from andante.geometry import Array
from andante.locomotion.rigs.balance import MassTree, frames

from .kernels import BipedLegs, Tables, outboard, sole_frame, solve_positive

FEET, CENTER, LIMIT = 1e6, 1e6, 1e6  # weights of what must hold beside that of a joint's gap
ANGLE = 0.1  # meters that count as a radian
TRIES = 25  # steps of Newton to find what is active; some five are needed
HALVINGS = 30  # of the way of such a step
MOST = 0.2  # of a joint in a step [rad]


@njit(nogil=True)
def turned_back(turn: Array, v: Array) -> Array:
    """turn^T v."""
    out = np.empty(3)
    for i in range(3):
        out[i] = turn[0, i] * v[0] + turn[1, i] * v[1] + turn[2, i] * v[2]
    return out


@njit(nogil=True)
def crossed(a: Array, b: Array) -> Array:
    """a x b."""
    out = np.empty(3)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out


@njit(nogil=True)
def seen_from_sole(
    q: Array, masses: Tables, feet: Tables, foot: int, upright: Array, pose: Array, center: Array, up: Array
) -> None:
    """Fill the other sole's pose (4, 4), the center of mass (3,) [m] and the trunk's up (3,), in axes of a foot's sole.

    upright (3, 3): level_from_root in the stance.
    """
    tree, legs = MassTree(*masses), BipedLegs(*feet)
    bodies = tree.parent.shape[0]
    turns, at = np.empty((bodies, 3, 3)), np.empty((bodies, 3))
    moment, carried = np.empty((bodies, 3)), np.empty(bodies)
    own, other, p0, p1 = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    frames(q, tree, turns, at)
    outboard(tree, turns, at, moment, carried)
    sole_frame(foot, legs, turns, at, own, p0)
    sole_frame(1 - foot, legs, turns, at, other, p1)
    pose[:3, 3] = turned_back(own, p1 - p0)
    for j in range(3):
        pose[:3, j] = turned_back(own, other[:, j])
    center[:] = turned_back(own, moment[0] / carried[0] - p0)
    up[:] = turned_back(own, upright[2])


@njit(nogil=True)
def root_from_sole(q: Array, masses: Tables, feet: Tables, foot: int, turn: Array, place: Array) -> None:
    """Fill the rotation (3, 3) and place (3,) [m] of the root in axes of a foot's sole."""
    tree, legs = MassTree(*masses), BipedLegs(*feet)
    bodies = tree.parent.shape[0]
    turns, at = np.empty((bodies, 3, 3)), np.empty((bodies, 3))
    own, p0 = np.empty((3, 3)), np.empty(3)
    frames(q, tree, turns, at)
    sole_frame(foot, legs, turns, at, own, p0)
    turn[:] = own.T
    place[:] = -turned_back(own, p0)


@njit(nogil=True)
def spin_between(q: Array, to: Array, masses: Tables, feet: Tables, foot: int, out: Array) -> None:
    """Fill Σ m (r - c) x (r' - r) [kg m²] and Σ m r x (r' - r) [kg m²] (6,) in axes of a foot's sole.

    q, to (joints,): r and r' are where the links' masses are in them, seen from that sole, which stays where it is seen
    from the root; c is their center in q. Over the time between them these are the spin about c and about the sole.
    """
    tree, legs = MassTree(*masses), BipedLegs(*feet)
    bodies = tree.parent.shape[0]
    turns, at = np.empty((bodies, 3, 3)), np.empty((bodies, 3))
    own, p0 = np.empty((3, 3)), np.empty(3)
    places, whole, center = np.empty((bodies, 3)), 0.0, np.zeros(3)
    frames(q, tree, turns, at)
    sole_frame(foot, legs, turns, at, own, p0)
    for k in range(bodies):
        places[k] = at[k] + turns[k] @ tree.center[k]
        center += tree.mass[k] * places[k]
        whole += tree.mass[k]
    center /= whole
    frames(to, tree, turns, at)
    spin, over = np.zeros(3), np.zeros(3)
    for k in range(bodies):
        moves = tree.mass[k] * (at[k] + turns[k] @ tree.center[k] - places[k])
        spin += crossed(places[k] - center, moves)
        over += crossed(places[k] - p0, moves)
    out[:3], out[3:] = turned_back(own, spin), turned_back(own, over)


@njit(nogil=True)
def keep(
    q: Array, goal: Array, masses: Tables, feet: Tables, foot: int, upright: Array, pose: Array, fixed: bool,
    normals: Array, bound: Array, rounds: int,
) -> float:  # fmt: skip
    """Change leg joints of q (joints,) towards goal (unknowns,) with the other sole at `pose` seen from a foot's sole.

    fixed: whether it must stay there. normals (n, 4), bound (n,): x and y of the center of mass [m] and of the trunk's
    up (upright (3, 3): level_from_root in the stance) have normals (c, up) >= bound. What must hold is weighed so that
    1 rad of gap moves it by micrometers; Gauss-Newton, what is active chosen anew in each round. Returns what is left
    of the sole's pose [m].
    """
    tree, legs = MassTree(*masses), BipedLegs(*feet)
    bodies, unknown, count, n = tree.parent.shape[0], legs.lower.shape[0], legs.moved.shape[0], normals.shape[0]
    turns, at = np.empty((bodies, 3, 3)), np.empty((bodies, 3))
    moment, carried = np.empty((bodies, 3)), np.empty(bodies)
    own, other, p0, p1 = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    u = np.empty(unknown)
    for k in range(count):
        if legs.gain[k] == 1.0:
            u[legs.variable[k]] = q[tree.joint[legs.moved[k]]]
    jac, res = np.empty((10, unknown)), np.empty(10)  # of the pose (6), the center of mass (2) and the trunk's up (2)
    base, right_side = np.empty((unknown, unknown)), np.empty(unknown)
    step, err, rows, least = np.empty(unknown), np.empty((3, 3)), np.empty((n, unknown)), np.empty(n)
    missed = 0.0
    for turn in range(rounds + 1):
        for k in range(count):
            q[tree.joint[legs.moved[k]]] = legs.gain[k] * u[legs.variable[k]]
        frames(q, tree, turns, at)
        outboard(tree, turns, at, moment, carried)
        sole_frame(foot, legs, turns, at, own, p0)
        sole_frame(1 - foot, legs, turns, at, other, p1)
        com = moment[0] / carried[0]
        away, over = p1 - p0, com - p0
        res[:3] = pose[:3, 3] - turned_back(own, away)
        for i in range(3):
            for j in range(3):  # pose (own^T other)^T
                err[i, j] = 0.0
                for m in range(3):
                    err[i, j] += pose[i, m] * (
                        own[0, j] * other[0, m] + own[1, j] * other[1, m] + own[2, j] * other[2, m]
                    )
        res[3] = ANGLE * 0.5 * (err[2, 1] - err[1, 2])
        res[4] = ANGLE * 0.5 * (err[0, 2] - err[2, 0])
        res[5] = ANGLE * 0.5 * (err[1, 0] - err[0, 1])
        res[6:8] = turned_back(own, over)[:2]
        res[8:] = turned_back(own, upright[2])[:2]
        missed = np.abs(res[:6]).max()
        if turn == rounds:
            break
        jac[:] = 0.0
        for k in range(count):
            b, v, g = legs.moved[k], legs.variable[k], legs.gain[k]
            ax = np.empty(3)
            for i in range(3):
                ax[i] = (
                    turns[b, i, 0] * tree.axis[b, 0]
                    + turns[b, i, 1] * tree.axis[b, 1]
                    + turns[b, i, 2] * tree.axis[b, 2]
                )
            center = crossed(ax, (moment[b] - carried[b] * at[b]) / carried[0])
            sole_moves, spin = np.zeros(3), np.zeros(3)
            if legs.on_path[1 - foot, k]:
                sole_moves += crossed(ax, p1 - at[b])
                spin += ax
            if legs.on_path[foot, k]:
                moves = crossed(ax, p0 - at[b])
                sole_moves -= moves + crossed(ax, away)
                center -= moves + crossed(ax, over)
                spin -= ax
                jac[8:, v] -= g * turned_back(own, crossed(ax, upright[2]))[:2]
            jac[:3, v] += g * turned_back(own, sole_moves)
            jac[3:6, v] += g * ANGLE * turned_back(own, spin)
            jac[6:8, v] += g * turned_back(own, center)[:2]
        base[:], right_side[:] = np.eye(unknown), goal - u
        if fixed:
            for r in range(6):
                _add(base, right_side, jac[r], res[r], FEET)
        for c in range(n):
            least[c] = bound[c] - _along(normals[c], res[6:])
            for i in range(unknown):
                rows[c, i] = _along(normals[c], jac[6:, i])
        nearest_step(base, right_side, rows, least, legs.lower - u, legs.upper - u, step)
        for i in range(unknown):
            u[i] += min(max(step[i], -MOST), MOST)
            u[i] = min(max(u[i], legs.lower[i]), legs.upper[i])
    return missed


@njit(nogil=True)
def nearest_step(base: Array, right: Array, rows: Array, least: Array, low: Array, high: Array, step: Array) -> int:
    """Fill the step x (n,) that makes x.base x / 2 - right.x least with rows (m, n) x >= least and low <= x <= high.

    What must hold is weighed, w max(0, b - a.x)² / 2 for each: where all can be met it is but for micrometers, else
    the sum of what is missed is least. Newton's method on that convex function, whose second derivative jumps where
    something becomes active, with a search along the way: it cannot go round in circles.
    Returns how many steps it took.
    """
    n = step.shape[0]
    normal, comes, way = np.empty((n, n)), np.empty(n), np.empty(n)
    step[:] = 0.0
    for k in range(TRIES):
        normal[:], comes[:] = base, right
        for c in range(rows.shape[0]):
            if rows[c] @ step < least[c]:
                _add(normal, comes, rows[c], least[c], CENTER)
        for i in range(n):
            if step[i] < low[i] or step[i] > high[i]:
                normal[i, i] += LIMIT
                comes[i] += LIMIT * (low[i] if step[i] < low[i] else high[i])
        solve_positive(normal, comes, n)
        way[:] = comes - step
        if _slope(base, right, rows, least, low, high, comes, way) <= 0.0:
            ahead = 1.0
        else:
            ahead, behind = 0.0, 1.0
            for _ in range(HALVINGS):
                middle = 0.5 * (ahead + behind)
                if _slope(base, right, rows, least, low, high, step + middle * way, way) <= 0.0:
                    ahead = middle
                else:
                    behind = middle
        step += ahead * way
        if np.abs(way).max() * max(ahead, 1e-3) < 1e-9:
            return k + 1
    return TRIES


@njit(nogil=True)
def _slope(
    base: Array, right: Array, rows: Array, least: Array, low: Array, high: Array, x: Array, way: Array
) -> float:
    """How fast what `nearest_step` makes least grows at x (n,) along a way (n,)."""
    out = float(way @ (base @ x) - way @ right)
    for c in range(rows.shape[0]):
        missing = least[c] - rows[c] @ x
        if missing > 0.0:
            out -= CENTER * missing * (rows[c] @ way)
    for i in range(x.shape[0]):
        if x[i] < low[i]:
            out -= LIMIT * (low[i] - x[i]) * way[i]
        elif x[i] > high[i]:
            out += LIMIT * (x[i] - high[i]) * way[i]
    return out


@njit(nogil=True)
def _along(normal: Array, place: Array) -> float:
    """normal . place of vectors (4,)."""
    made: float = normal[0] * place[0] + normal[1] * place[1] + normal[2] * place[2] + normal[3] * place[3]
    return made


@njit(nogil=True)
def _add(normal: Array, step: Array, row: Array, left: float, weight: float) -> None:
    """Add the equation row x = left to a least squares problem."""
    for i in range(row.shape[0]):
        step[i] += weight * row[i] * left
        for j in range(row.shape[0]):
            normal[i, j] += weight * row[i] * row[j]
