"""Steps of a limb under servos, dry friction and play, compiled.

A step solves for the speeds x of the independent joints

    A x + viscous x + F sign(x) = b + clip(b0 - b1 x, effort),   A = M / (at dt)

with F sign(0) anything from -F to F: by the implicit midpoint rule (at = 0.5), which neither damps nor excites a stiff
servo, or by the implicit Euler rule (at = 1), which engines use and which damps it by kp dt. Every joint sticks, slips
to one side, or is cut at its effort limit; what it did in the step before is tried first, the linear system of that
choice is solved by a Cholesky factor that lasts until A or a choice changes, and joints that contradict their choice
change it (a semismooth Newton method; Qi, Sun 1993). A is positive definite and friction monotone, so there is one
solution; where the choices run in a circle, Gauss-Seidel finds it. A joint that sticks stands still.
"""

from __future__ import annotations

import numpy as np

from andante.compiling import njit
from andante.geometry import Array

from .bodies import WORK, mass_and_bias

CHOICES = 12  # that are tried in a step
SWEEPS = 200  # of Gauss-Seidel in a step, at most
NEAR = 1e-7  # change of a speed at which the sweeps end [rad/s or m/s]


@njit(nogil=True, inline="always", error_model="numpy")
def _speed(a: float, c: float, b0: float, b1: float, effort: float, dry: float) -> float:
    """The x with a x + c = clip(b0 - b1 x, effort) - dry sign(x), sign(0) being anything from -1 to 1; a > 0, b1 >= 0.

    The left side less the clipped pull grows with x, so there is one.
    """
    pull = min(max(b0, -effort), effort)
    if abs(pull - c) <= dry:
        return 0.0
    rub = dry if pull > c else -dry
    x = (b0 - c - rub) / (a + b1)
    pull = b0 - b1 * x
    if pull > effort:
        x = (effort - c - rub) / a
    elif pull < -effort:
        x = (-effort - c - rub) / a
    return x


@njit(nogil=True, error_model="numpy")
def _by_sweeps(A: Array, b: Array, b0: Array, b1: Array, effort: Array, viscous: Array, dry: Array, x: Array) -> None:
    """The speeds joint by joint, until they change no more."""
    n = x.shape[0]
    for _sweep in range(SWEEPS):
        change = 0.0
        for j in range(n):
            c = -b[j]
            for k in range(n):
                if k != j:
                    c += A[j, k] * x[k]
            new = _speed(A[j, j] + viscous[j], c, b0[j], b1[j], effort[j], dry[j])
            change = max(change, abs(new - x[j]))
            x[j] = new
        if change < NEAR or n == 1:
            return


@njit(nogil=True, inline="always", error_model="numpy")
def _factor(A: Array, diagonal: Array, slip: np.ndarray, L: Array) -> None:
    """L with L D L^T = A + diagonal, 1 / D on its diagonal; joints that stick have rows of their own."""
    n = slip.shape[0]
    for j in range(n):
        if slip[j] == 0:
            for k in range(j):
                L[j, k] = 0.0
            L[j, j] = 1.0
            continue
        for k in range(j):
            value = A[j, k] if slip[k] != 0 else 0.0
            for r in range(k):
                value -= L[j, r] * L[k, r]  # L[j, r] still times D[r]
            L[j, k] = value
        d = A[j, j] + diagonal[j]
        for k in range(j):
            scaled = L[j, k] * L[k, k]
            d -= scaled * L[j, k]
            L[j, k] = scaled
        L[j, j] = 1.0 / d


@njit(nogil=True, inline="always", error_model="numpy")
def _solve(L: Array, x: Array) -> None:
    """L D L^T x = right side, in place."""
    n = x.shape[0]
    for j in range(n):
        value = x[j]
        for k in range(j):
            value -= L[j, k] * x[k]
        x[j] = value
    for j in range(n):
        x[j] *= L[j, j]
    for j in range(n - 1, -1, -1):
        value = x[j]
        for k in range(j):
            x[k] -= L[j, k] * value


@njit(nogil=True, inline="always", error_model="numpy")
def _speeds(
    A: Array, b: Array, b0: Array, b1: Array, effort: Array, viscous: Array, dry: Array, slip: np.ndarray,
    cut: np.ndarray, diagonal: Array, L: Array, old: bool, x: Array,
) -> bool:  # fmt: skip
    """The speeds of a step into x; whether L is the factor of A and diagonal.

    slip (-1, 0, 1) and cut (-1, 0, 1) are the choices of the step before, and of this one afterwards; old: L was made
    for this A and diagonal.
    """
    n = x.shape[0]
    for _ in range(CHOICES):
        for j in range(n):
            d = viscous[j] if cut[j] != 0 else viscous[j] + b1[j]
            if d != diagonal[j]:
                diagonal[j], old = d, False
            x[j] = 0.0
            if slip[j] != 0:
                x[j] = b[j] + (cut[j] * effort[j] if cut[j] != 0 else b0[j]) - slip[j] * dry[j]
        if not old:
            _factor(A, diagonal, slip, L)
            old = True
        _solve(L, x)
        fits = True
        for j in range(n):
            if slip[j] == 0:
                free = min(max(b0[j], -effort[j]), effort[j]) + b[j]
                for k in range(n):
                    free -= A[j, k] * x[k]
                if abs(free) > dry[j]:
                    slip[j], fits, old = (1 if free > 0 else -1), False, False
                continue
            pull = b0[j] - b1[j] * x[j]
            now = 1 if pull > effort[j] else (-1 if pull < -effort[j] else 0)
            if now != cut[j]:
                cut[j], fits = now, False
            if dry[j] > 0 and x[j] * slip[j] <= 0:
                slip[j], cut[j], fits, old = 0, 0, False, False
        if fits:
            return old
    _by_sweeps(A, b, b0, b1, effort, viscous, dry, x)
    for j in range(n):
        slip[j] = 1 if dry[j] == 0 or x[j] > 0 else (-1 if x[j] < 0 else 0)
        cut[j] = 0
    return False


@njit(nogil=True, error_model="numpy")
def advance(
    start: Array, references: Array, dt: float, at: float, parent: np.ndarray, rotation: Array, place: Array,
    axis: Array, kind: np.ndarray, mass: Array, com: Array, inertia: Array, heavy: Array, lead: np.ndarray,
    ratio: Array, offset: Array, gravity: Array, kp: Array, kd: Array, speed: np.ndarray, effort: Array,
    viscous: Array, dry: Array, armature: Array, play: Array, every: int, positions: Array, efforts: Array,
) -> None:  # fmt: skip
    """Follow references (steps, joints) from rest at `start`; positions (steps + 1, joints) and servo efforts (steps,).

    at: 0.5 for the midpoint rule, 1 for the implicit Euler rule. M and bias are found for the middle of `every` steps
    (the midpoint rule) or their beginning, and hold for all of them.
    """
    steps, n = references.shape
    bodies = parent.shape[0]
    y, v, x = start.copy(), np.zeros(n), np.zeros(n)
    q, dq = np.zeros(bodies), np.zeros(bodies)
    M, bias, work = np.zeros((bodies, bodies)), np.zeros(bodies), np.zeros((bodies, WORK))
    A, b, load, L = np.zeros((n, n)), np.zeros(n), np.zeros(n), np.zeros((n, n))
    b0, b1, diagonal = np.zeros(n), np.zeros(n), np.zeros(n)
    slip, cut = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for j in range(n):
        slip[j] = 0 if dry[j] > 0 else 1
    old = False
    positions[0] = y
    for step in range(steps):
        if step % every == 0:
            old = False
            for i in range(bodies):
                k = lead[i]
                q[i] = offset[i] if k < 0 else ratio[i] * (y[k] + (1.0 - at) * every * dt * v[k]) + offset[i]
                dq[i] = 0.0 if k < 0 else ratio[i] * v[k]
            mass_and_bias(q, dq, parent, rotation, place, axis, kind, mass, com, inertia, heavy, gravity, M, bias, work)
            A[:] = 0.0
            load[:] = 0.0
            for i in range(bodies):
                r = lead[i]
                if r < 0:
                    continue
                load[r] += ratio[i] * bias[i]
                for j in range(bodies):
                    s = lead[j]
                    if s >= 0:
                        A[r, s] += ratio[i] * ratio[j] * M[i, j] / (at * dt)
            for j in range(n):
                A[j, j] += armature[j] / (at * dt)
        for j in range(n):
            b[j] = -load[j]
            for k in range(n):
                b[j] += A[j, k] * v[k]
            reference = references[step, j]
            if speed[j]:
                b0[j], b1[j] = kd[j] * reference, kd[j]
            else:
                gap = reference - y[j] - (1.0 - at) * dt * v[j]
                if abs(gap) <= play[j]:
                    b0[j], b1[j] = 0.0, kd[j]
                else:
                    b0[j] = kp[j] * (reference - y[j] - (play[j] if gap > 0 else -play[j]))
                    b1[j] = kd[j] + at * dt * kp[j]
        old = _speeds(A, b, b0, b1, effort, viscous, dry, slip, cut, diagonal, L, old, x)
        for j in range(n):
            efforts[step, j] = min(max(b0[j] - b1[j] * x[j], -effort[j]), effort[j])
            y[j] += dt * x[j]
            v[j] = 0.0 if x[j] == 0.0 and dry[j] > 0.0 else v[j] + (x[j] - v[j]) / at
            positions[step + 1, j] = y[j]
