"""Mass matrix and forces of speed and weight of a held tree of bodies, compiled.

Composite rigid bodies and recursive Newton-Euler with spatial vectors at the origin of the base (Featherstone, Rigid
Body Dynamics Algorithms, 2008, ch. 5 and 6). Vectors are three numbers each, not slices of arrays: a slice costs more
than the product that is made of it.
"""

from __future__ import annotations

import numpy as np

from andante.compiling import njit
from andante.geometry import Array

PRISMATIC, REVOLUTE = 1, 0
WORK = 46  # numbers that a body needs: R 9, p 3, V 6, A 6, S 6, f 6, m 1, h 3, tensor 6 (xx xy xz yy yz zz)
_P, _V, _A, _S, _F, _M, _H, _T = 9, 12, 18, 24, 30, 36, 37, 40

Three = tuple[float, float, float]


@njit(nogil=True, inline="always", error_model="numpy")
def _cross(a: Three, b: Three) -> Three:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(nogil=True, inline="always", error_model="numpy")
def _add(a: Three, b: Three) -> Three:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@njit(nogil=True, inline="always", error_model="numpy")
def _scaled(a: Three, factor: float) -> Three:
    return a[0] * factor, a[1] * factor, a[2] * factor


@njit(nogil=True, inline="always", error_model="numpy")
def _three(w: Array, i: int, at: int) -> Three:
    return w[i, at], w[i, at + 1], w[i, at + 2]


@njit(nogil=True, inline="always", error_model="numpy")
def _put(w: Array, i: int, at: int, v: Three) -> None:
    w[i, at], w[i, at + 1], w[i, at + 2] = v


@njit(nogil=True, inline="always", error_model="numpy")
def _turn(w: Array, i: int, x: float, y: float, z: float) -> Three:
    """R of a body times a vector."""
    return (
        w[i, 0] * x + w[i, 1] * y + w[i, 2] * z,
        w[i, 3] * x + w[i, 4] * y + w[i, 5] * z,
        w[i, 6] * x + w[i, 7] * y + w[i, 8] * z,
    )


@njit(nogil=True, inline="always", error_model="numpy")
def _about(w: Array, i: int, a: Three) -> Three:
    """Inertia tensor of a body about the origin times a vector."""
    t = _T
    return (
        w[i, t] * a[0] + w[i, t + 1] * a[1] + w[i, t + 2] * a[2],
        w[i, t + 1] * a[0] + w[i, t + 3] * a[1] + w[i, t + 4] * a[2],
        w[i, t + 2] * a[0] + w[i, t + 4] * a[1] + w[i, t + 5] * a[2],
    )


@njit(nogil=True, inline="always", error_model="numpy")
def _momentum(w: Array, i: int, turning: Three, going: Three) -> tuple[Three, Three]:
    """Spatial momentum (or force) of a body of mass m, first moment h and tensor about the origin: both parts."""
    h, m = _three(w, i, _H), w[i, _M]
    return (
        _add(_about(w, i, turning), _cross(h, going)),
        _add(_scaled(going, m), _cross(turning, h)),
    )


@njit(nogil=True, inline="always", error_model="numpy")
def _place(
    w: Array, i: int, k: int, q: float, rotation: Array, place: Array, axis: Array, prismatic: bool
) -> tuple[Three, Three]:
    """Write R and p of a body whose joint is at q; give its motion by that joint, S: turning and going."""
    if k < 0:
        for r in range(3):
            for c in range(3):
                w[i, 3 * r + c] = rotation[i, r, c]
        p = (place[i, 0], place[i, 1], place[i, 2])
    else:
        for c in range(3):
            column = _turn(w, k, rotation[i, 0, c], rotation[i, 1, c], rotation[i, 2, c])
            w[i, c], w[i, 3 + c], w[i, 6 + c] = column
        p = _add(_three(w, k, _P), _turn(w, k, place[i, 0], place[i, 1], place[i, 2]))
    x, y, z = axis[i, 0], axis[i, 1], axis[i, 2]
    along = _turn(w, i, x, y, z)
    if prismatic:
        _put(w, i, _P, _add(p, _scaled(along, q)))
        return (0.0, 0.0, 0.0), along
    s, c = np.sin(q), np.cos(q)
    for r in range(3):  # R times the rotation about the unit axis (Rodrigues)
        u, v, t = w[i, 3 * r], w[i, 3 * r + 1], w[i, 3 * r + 2]
        part = (1.0 - c) * (u * x + v * y + t * z)
        w[i, 3 * r] = c * u + part * x + s * (v * z - t * y)
        w[i, 3 * r + 1] = c * v + part * y + s * (t * x - u * z)
        w[i, 3 * r + 2] = c * t + part * z + s * (u * y - v * x)
    _put(w, i, _P, p)
    return along, _cross(p, along)


@njit(nogil=True, inline="always", error_model="numpy")
def _weigh(w: Array, i: int, mass: float, com: Array, inertia: Array) -> None:
    """Write m, h and tensor of a body: R I R^T and what its place adds (Steiner)."""
    x, y, z = _add(_three(w, i, _P), _turn(w, i, com[i, 0], com[i, 1], com[i, 2]))
    w[i, _M] = mass
    w[i, _H], w[i, _H + 1], w[i, _H + 2] = mass * x, mass * y, mass * z
    a = _turn(w, i, inertia[i, 0, 0], inertia[i, 1, 0], inertia[i, 2, 0])
    b = _turn(w, i, inertia[i, 0, 1], inertia[i, 1, 1], inertia[i, 2, 1])
    c = _turn(w, i, inertia[i, 0, 2], inertia[i, 1, 2], inertia[i, 2, 2])
    first = _turn(w, i, a[0], b[0], c[0])
    second = _turn(w, i, a[1], b[1], c[1])
    third = _turn(w, i, a[2], b[2], c[2])
    w[i, _T] = first[0] + mass * (y * y + z * z)
    w[i, _T + 1] = first[1] - mass * x * y
    w[i, _T + 2] = first[2] - mass * x * z
    w[i, _T + 3] = second[1] + mass * (x * x + z * z)
    w[i, _T + 4] = second[2] - mass * y * z
    w[i, _T + 5] = third[2] + mass * (x * x + y * y)


@njit(nogil=True, error_model="numpy")
def mass_and_bias(
    q: Array, dq: Array, parent: np.ndarray, rotation: Array, place: Array, axis: Array, kind: np.ndarray, mass: Array,
    com: Array, inertia: Array, heavy: Array, gravity: Array, M: Array, bias: Array, w: Array,
) -> None:  # fmt: skip
    """Mass matrix and the forces of speed and weight of all joints, into M (n, n) and bias (n,).

    w (n, WORK) is memory to work in.
    """
    n = q.shape[0]
    g = (gravity[0], gravity[1], gravity[2])
    for i in range(n):
        k = parent[i]
        s, d = _place(w, i, k, q[i], rotation, place, axis, kind[i] == PRISMATIC)
        _weigh(w, i, mass[i], com, inertia)
        turning = going = faster = further = (0.0, 0.0, 0.0)
        if k >= 0:
            turning, going = _three(w, k, _V), _three(w, k, _V + 3)
            faster, further = _three(w, k, _A), _three(w, k, _A + 3)
        speed = dq[i]
        faster = _add(faster, _scaled(_cross(turning, s), speed))  # A = A_parent + V x S dq
        further = _add(further, _scaled(_add(_cross(turning, d), _cross(going, s)), speed))
        turning, going = _add(turning, _scaled(s, speed)), _add(going, _scaled(d, speed))
        _put(w, i, _S, s)
        _put(w, i, _S + 3, d)
        _put(w, i, _V, turning)
        _put(w, i, _V + 3, going)
        _put(w, i, _A, faster)
        _put(w, i, _A + 3, further)
        torque, force = _momentum(w, i, faster, further)  # f = I A + V x* I V - weight
        angular, linear = _momentum(w, i, turning, going)
        torque = _add(torque, _add(_cross(turning, angular), _cross(going, linear)))
        force = _add(force, _cross(turning, linear))
        torque = _add(torque, _scaled(_cross(_three(w, i, _H), g), -heavy[i]))
        force = _add(force, _scaled(g, -heavy[i] * mass[i]))
        _put(w, i, _F, torque)
        _put(w, i, _F + 3, force)
    M[:] = 0.0
    for i in range(n - 1, -1, -1):
        k = parent[i]
        total = 0.0
        for r in range(6):
            total += w[i, _S + r] * w[i, _F + r]
        bias[i] = total
        torque, force = _momentum(w, i, _three(w, i, _S), _three(w, i, _S + 3))
        j = i
        while j >= 0:
            value = w[j, _S] * torque[0] + w[j, _S + 1] * torque[1] + w[j, _S + 2] * torque[2]
            value += w[j, _S + 3] * force[0] + w[j, _S + 4] * force[1] + w[j, _S + 5] * force[2]
            M[i, j] = M[j, i] = value
            j = parent[j]
        if k >= 0:
            for r in range(_F, WORK):
                w[k, r] += w[i, r]
