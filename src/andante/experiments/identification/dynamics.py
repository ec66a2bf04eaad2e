"""Joint motion of a limb under servos on a held base: rigid bodies, servo law, dry friction, play; one compiled loop.

    M(q) ddq + C(q, dq) + g(q) = clip(kp dead(r - q) - kd dq, effort) - d dq - F sign(dq)

M by composite rigid bodies and C + g by recursive Newton-Euler, both with spatial vectors at the origin of the base
(Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 5 and 6). Time is advanced by the implicit midpoint rule in the
servo's terms, which neither damps nor excites a stiff servo, or by the implicit Euler rule, which engines use and which
damps it by kp dt; dry friction is a set-valued force found joint by joint by Gauss-Seidel, so that a joint that sticks
stands still. The base is held, so limbs do not feel each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.compiling import njit
from andante.geometry import Array

PRISMATIC, REVOLUTE = 1, 0
SWEEPS = 200  # of Gauss-Seidel in a step, at most
NEAR = 1e-7  # change of a speed at which the sweeps end [rad/s or m/s]


@dataclass(frozen=True)
class Limb:
    """Bodies of a held tree, parents first; arrays over the bodies, joint i carries body i.

    Positions of all joints are q = ratio y[lead] + offset; joints with lead -1 are locked at their offset.
    """

    parent: np.ndarray  # (bodies,) index, -1: the base
    rotation: Array  # (bodies, 3, 3) parent_from_joint at q = 0
    place: Array  # (bodies, 3) of the joint in its parent [m]
    axis: Array  # (bodies, 3)
    kind: np.ndarray  # (bodies,) REVOLUTE or PRISMATIC
    mass: Array  # (bodies,) [kg]
    com: Array  # (bodies, 3) [m]
    inertia: Array  # (bodies, 3, 3) about the center of mass [kg m^2]
    heavy: Array  # (bodies,) 1: gravity pulls at it, 0: not
    lead: np.ndarray  # (bodies,) index into the independent joints
    ratio: Array
    offset: Array
    gravity: Array  # (3,) in the axes of the base [m/s^2]


@dataclass(frozen=True)
class Servos:
    """What moves the independent joints; arrays (joints,)."""

    kp: Array  # [N m/rad or N/m]
    kd: Array  # of position servos, and the stiffness kv of velocity servos [N m s/rad]
    speed: np.ndarray  # True: a velocity servo
    effort: Array  # [N m or N]
    viscous: Array  # [N m s/rad]
    dry: Array  # Coulomb friction [N m or N]
    armature: Array  # [kg m^2 or kg]
    play: Array  # half of the backlash [rad or m]


@njit(nogil=True)
def _cross(a: Array, b: Array, out: Array) -> None:
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@njit(nogil=True)
def _add_cross(a: Array, b: Array, factor: float, out: Array) -> None:
    out[0] += factor * (a[1] * b[2] - a[2] * b[1])
    out[1] += factor * (a[2] * b[0] - a[0] * b[2])
    out[2] += factor * (a[0] * b[1] - a[1] * b[0])


@njit(nogil=True)
def _times(A: Array, v: Array, out: Array) -> None:
    for r in range(3):
        out[r] = A[r, 0] * v[0] + A[r, 1] * v[1] + A[r, 2] * v[2]


@njit(nogil=True)
def _product(A: Array, B: Array, out: Array) -> None:
    for r in range(3):
        for c in range(3):
            out[r, c] = A[r, 0] * B[0, c] + A[r, 1] * B[1, c] + A[r, 2] * B[2, c]


@njit(nogil=True)
def _turned(base: Array, a: Array, angle: float, out: Array) -> None:
    """base times the rotation about the unit axis a (Rodrigues), into `out`."""
    s, c = np.sin(angle), np.cos(angle)
    d = 1.0 - c
    for r in range(3):
        x, y, z = base[r, 0], base[r, 1], base[r, 2]
        along = d * (x * a[0] + y * a[1] + z * a[2])
        out[r, 0] = c * x + along * a[0] + s * (y * a[2] - z * a[1])
        out[r, 1] = c * y + along * a[1] + s * (z * a[0] - x * a[2])
        out[r, 2] = c * z + along * a[2] + s * (x * a[1] - y * a[0])


@njit(nogil=True)
def _momentum(m: float, h: Array, tensor: Array, V: Array, out: Array) -> None:
    """Spatial momentum (or force) of a body of mass m, first moment h and inertia tensor about the origin."""
    _times(tensor, V[:3], out[:3])
    _add_cross(h, V[3:], 1.0, out[:3])
    for r in range(3):
        out[3 + r] = m * V[3 + r]
    _add_cross(V[:3], h, 1.0, out[3:])


@njit(nogil=True)
def mass_and_bias(
    q: Array, dq: Array, parent: np.ndarray, rotation: Array, place: Array, axis: Array, kind: np.ndarray, mass: Array,
    com: Array, inertia: Array, heavy: Array, gravity: Array, M: Array, bias: Array, R: Array, tensor: Array,
    work: Array,
) -> None:  # fmt: skip
    """Mass matrix and the forces of speed and weight of all joints, into M (n, n) and bias (n,).

    R, tensor (n, 3, 3) and work (n, 31) are memory to work in.
    """
    n = q.shape[0]
    p, h, m = work[:, 0:3], work[:, 3:6], work[:, 6]
    S, V, A, f = work[:, 7:13], work[:, 13:19], work[:, 19:25], work[:, 25:31]  # angular part first, at the origin
    t, center, big = np.empty(6), np.empty(3), np.empty((3, 3))
    for i in range(n):
        k = parent[i]
        a = axis[i]
        if k < 0:
            big[:] = rotation[i]
            p[i] = place[i]
            V[i] = 0.0
            A[i] = 0.0
        else:
            _product(R[k], rotation[i], big)
            _times(R[k], place[i], p[i])
            for r in range(3):
                p[i, r] += p[k, r]
            V[i] = V[k]
            A[i] = A[k]
        world = t[:3]
        _times(big, a, world)
        S[i] = 0.0
        if kind[i] == PRISMATIC:
            R[i] = big
            for r in range(3):
                p[i, r] += world[r] * q[i]
                S[i, 3 + r] = world[r]
        else:
            _turned(big, a, q[i], R[i])
            S[i, :3] = world
            _cross(p[i], world, S[i, 3:])
        _times(R[i], com[i], center)
        square = 0.0
        for r in range(3):
            center[r] += p[i, r]
            h[i, r] = mass[i] * center[r]
            square += center[r] * center[r]
        m[i] = mass[i]
        _product(R[i], inertia[i], big)
        for r in range(3):
            for c in range(3):
                tensor[i, r, c] = big[r, 0] * R[i, c, 0] + big[r, 1] * R[i, c, 1] + big[r, 2] * R[i, c, 2]
                tensor[i, r, c] -= mass[i] * center[r] * center[c]
            tensor[i, r, r] += mass[i] * square
        _add_cross(V[i, :3], S[i, :3], dq[i], A[i, :3])  # A = A_parent + V x S dq
        _add_cross(V[i, :3], S[i, 3:], dq[i], A[i, 3:])
        _add_cross(V[i, 3:], S[i, :3], dq[i], A[i, 3:])
        for r in range(6):
            V[i, r] += S[i, r] * dq[i]
        _momentum(m[i], h[i], tensor[i], A[i], f[i])  # f = I A + V x* I V - weight
        _momentum(m[i], h[i], tensor[i], V[i], t)
        _add_cross(V[i, :3], t[:3], 1.0, f[i, :3])
        _add_cross(V[i, 3:], t[3:], 1.0, f[i, :3])
        _add_cross(V[i, :3], t[3:], 1.0, f[i, 3:])
        _add_cross(h[i], gravity, -heavy[i], f[i, :3])
        for r in range(3):
            f[i, 3 + r] -= heavy[i] * mass[i] * gravity[r]
    M[:] = 0.0
    for i in range(n - 1, -1, -1):
        k = parent[i]
        bias[i] = 0.0
        for r in range(6):
            bias[i] += S[i, r] * f[i, r]
            if k >= 0:
                f[k, r] += f[i, r]
        _momentum(m[i], h[i], tensor[i], S[i], t)
        j = i
        while j >= 0:
            value = 0.0
            for r in range(6):
                value += S[j, r] * t[r]
            M[i, j] = M[j, i] = value
            j = parent[j]
        if k >= 0:
            m[k] += m[i]
            for r in range(3):
                h[k, r] += h[i, r]
                for c in range(3):
                    tensor[k, r, c] += tensor[i, r, c]


@njit(nogil=True)
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


@njit(nogil=True)
def advance(
    start: Array, references: Array, dt: float, at: float, parent: np.ndarray, rotation: Array, place: Array,
    axis: Array, kind: np.ndarray, mass: Array, com: Array, inertia: Array, heavy: Array, lead: np.ndarray,
    ratio: Array, offset: Array, gravity: Array, kp: Array, kd: Array, speed: np.ndarray, effort: Array,
    viscous: Array, dry: Array, armature: Array, play: Array, every: int, positions: Array, efforts: Array,
) -> None:  # fmt: skip
    """Follow references (steps, joints) from rest at `start`; positions (steps + 1, joints) and servo efforts (steps,).

    A step solves (M / (at dt) + d) x + (servo and friction at x) = M v / (at dt) - bias for the speed x of the step;
    at: 0.5 for the midpoint rule, 1 for the implicit Euler rule. M and bias are found for the middle of `every` steps
    (the midpoint rule) or their beginning, and hold for all of them.
    """
    steps, n = references.shape
    bodies = parent.shape[0]
    y, v, x = start.copy(), np.zeros(n), np.zeros(n)
    q, dq = np.zeros(bodies), np.zeros(bodies)
    M, bias = np.zeros((bodies, bodies)), np.zeros(bodies)
    R, tensor, work = np.zeros((bodies, 3, 3)), np.zeros((bodies, 3, 3)), np.zeros((bodies, 31))
    A, b, load = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    b0, b1 = np.zeros(n), np.zeros(n)
    positions[0] = y
    for step in range(steps):
        if step % every == 0:
            for i in range(bodies):
                k = lead[i]
                q[i] = offset[i] if k < 0 else ratio[i] * (y[k] + (1.0 - at) * every * dt * v[k]) + offset[i]
                dq[i] = 0.0 if k < 0 else ratio[i] * v[k]
            mass_and_bias(
                q, dq, parent, rotation, place, axis, kind, mass, com, inertia, heavy, gravity, M, bias, R, tensor, work
            )
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
                break
        for j in range(n):
            efforts[step, j] = min(max(b0[j] - b1[j] * x[j], -effort[j]), effort[j])
            y[j] += dt * x[j]
            v[j] = 0.0 if x[j] == 0.0 and dry[j] > 0.0 else v[j] + (x[j] - v[j]) / at
            positions[step + 1, j] = y[j]


def follow(
    limb: Limb, servos: Servos, start: Array, references: Array, dt: float, at: float = 0.5, every: int = 1
) -> tuple[Array, Array]:
    """Positions (steps + 1, joints) and servo efforts (steps, joints) of a limb that starts at rest.

    Args:
        limb: the bodies.
        servos: gains, friction and limits of the independent joints.
        start: their positions at the start (joints,).
        references: what the servos follow in each step (steps, joints): positions, or speeds of velocity servos.
        dt: length of a step [s].
        at: 0.5 for the midpoint rule, 1 for the implicit Euler rule.
        every: steps for which mass matrix and weight hold; friction and play ask for shorter steps than these do.
    """
    steps, n = references.shape
    positions, efforts = np.empty((steps + 1, n)), np.empty((steps, n))
    advance(
        np.ascontiguousarray(start), np.ascontiguousarray(references), dt, at, limb.parent, limb.rotation, limb.place,
        limb.axis, limb.kind, limb.mass, limb.com, limb.inertia, limb.heavy, limb.lead, limb.ratio, limb.offset,
        limb.gravity, servos.kp, servos.kd, servos.speed, servos.effort, servos.viscous, servos.dry, servos.armature,
        servos.play, every, positions, efforts,
    )  # fmt: skip
    return positions, efforts
