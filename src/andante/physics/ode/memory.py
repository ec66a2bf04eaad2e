"""What QuickStep forgets: the forces of hinges and servos in the last step, as a start for the next one.

QuickStep iterates from zero in every step, so that a chain of n hinges needs some n² sweeps until the weight that a
leg carries has come down to its sole. Here the last forces of the hinges, and the efforts of position servos, act as
outside forces from the beginning, and the solver only has to find what changes. With w the remembered wrench J^T l of
a row and d what the solver adds:

    hinge (five rows, without bounds)     l' = KEPT (l + d)
    servo |l| <= F, v' = c - CFM l        the row is asked for v' = c - CFM l - CFM d within |d| <= F - |l|

The part of a servo that is remembered is at most `SHARE` F, so that its sum never exceeds F and can vanish within one
step. Rows with one-sided bounds (contacts, stops) and dry friction are not remembered. A hinge pushes both bodies at
one point, so what is remembered has no net force or torque.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from panda3d import ode

from andante.compiling import njit
from andante.geometry import Array

from .read import PoseReader, shared

KEPT = 0.97  # fraction of the forces that is remembered from step to step
SHARE = 0.5  # of its effort limit that a servo remembers at most


class Remembered(NamedTuple):
    """Forces to begin the next step with."""

    force: Array  # (hinges, 3) at the anchor, on the child [N]
    torque: Array  # (hinges, 3) across the axis [N m]
    effort: Array  # (hinges,) of servos about the axis [N m]


class Memory:
    """The hinges of one model and the servo beside each."""

    def __init__(
        self, hinges: Sequence[ode.OdeHingeJoint], servos: Sequence[ode.OdeJointFeedback],
        ends: Sequence[tuple[ode.OdeBody | None, ode.OdeBody | None]],
    ) -> None:  # fmt: skip
        """Hinges, feedback structs of their servos, and the bodies (child, parent) that they join."""
        count = len(hinges)
        bodies = list({id(body): body for pair in ends for body in pair if body is not None}.values())
        place = {id(body): i for i, body in enumerate(bodies)}
        self._ends = np.array([[-1 if b is None else place[id(b)] for b in pair] for pair in ends], dtype=np.int64)
        self._poses = PoseReader(bodies)
        self._poses.read()
        self._wrench = np.zeros((len(bodies), 6))
        self._push = [(body.addForce, body.addTorque) for body in bodies]
        self._local = np.zeros((count, 2, 3))  # anchor and axis in the child
        for row, hinge, (child, _) in zip(self._local, hinges, self._ends, strict=True):
            into_child(self._poses.position[child], self._poses.quaternion[child], hinge.getAnchor(), row[0])
            into_child(np.zeros(3, np.float32), self._poses.quaternion[child], hinge.getAxis(), row[1])
        self._now = np.zeros((count, 2, 3))  # lever of the anchor and axis, in the world, of the last step
        self._feedback = [ode.OdeJointFeedback() for _ in hinges]
        for hinge, feedback in zip(hinges, self._feedback, strict=True):
            hinge.setFeedback(feedback)
        self._forces, self._force = shared(count, 3)
        self._torques, self._torque = shared(count, 3)
        self._pulls, self._pull = shared(count, 3)
        self._get = [
            (i, a.getForce1, a.getTorque1, b.getTorque1)
            for i, (a, b) in enumerate(zip(self._feedback, servos, strict=True))
        ]
        self._known = Remembered(np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count))
        self._share = np.zeros(count)
        self._news = False  # whether the solver has run since

    @property
    def effort(self) -> Array:
        """Efforts of servos that act as outside torques in this step, (hinges,) [N m]."""
        return self._known.effort

    def limit(self, efforts: Array) -> None:
        """Effort limits of servos that may be remembered, (hinges,); 0: not remembered."""
        self._share = SHARE * np.where(np.isfinite(efforts), efforts, 0.0)
        np.clip(self._known.effort, -self._share, self._share, out=self._known.effort)

    def forget(self) -> None:
        """Begin anew: bodies were put elsewhere."""
        for part in self._known:
            part[:] = 0.0
        self._news = False

    def recall(self) -> None:
        """Take in what the solver added in the last step, and find the wrenches of the coming one."""
        if self._news:
            self._read()
            fold(self._force, self._torque, self._pull, self._now, self._share, *self._known)
        self._news = True
        self._poses.read()
        wrenches(
            self._poses.position, self._poses.quaternion, self._ends, self._local, *self._known, self._now, self._wrench
        )

    def act(self) -> None:
        """Put the remembered wrenches on the bodies."""
        for (add_force, add_torque), (fx, fy, fz, tx, ty, tz) in zip(self._push, self._wrench.tolist(), strict=True):
            add_force(fx, fy, fz)
            add_torque(tx, ty, tz)

    def _read(self) -> None:
        forces, torques, pulls = self._forces, self._torques, self._pulls
        for i, get_force, get_torque, get_pull in self._get:
            forces[i], torques[i], pulls[i] = get_force(), get_torque(), get_pull()

    def save(self) -> Remembered:
        """What the next step would begin with."""
        known = Remembered(*(part.copy() for part in self._known))
        if self._news:
            self._read()
            fold(self._force, self._torque, self._pull, self._now, self._share, *known)
        return known

    def load(self, known: Remembered) -> None:
        """Put back what `save` returned."""
        for mine, theirs in zip(self._known, known, strict=True):
            mine[:] = theirs
        self._news = False


@njit(error_model="numpy")
def turned(q: Array, v: Array, sign: float, out: Array) -> None:
    """v turned by the quaternion w x y z, or back (sign -1)."""
    w, x, y, z = q[0], sign * q[1], sign * q[2], sign * q[3]
    t0, t1, t2 = 2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])
    out[0] = v[0] + w * t0 + y * t2 - z * t1
    out[1] = v[1] + w * t1 + z * t0 - x * t2
    out[2] = v[2] + w * t2 + x * t1 - y * t0


def into_child(position: Array, quaternion: Array, point: Sequence[float], out: Array) -> None:
    """A point of the world in the frame of a body's center of mass."""
    turned(quaternion.astype(float), np.array([*point]) - position, -1.0, out)


@njit(error_model="numpy")
def fold(
    force: Array, torque: Array, pull: Array, now: Array, share: Array, kept_force: Array, kept_torque: Array,
    kept_effort: Array,
) -> None:  # fmt: skip
    """Add what the solver gave in a step to what is remembered.

    A hinge's torque about the child's center of mass is r x f + t; t along the axis is friction and stops.
    """
    for i in range(len(force)):
        r, a = now[i, 0], now[i, 1]
        f0, f1, f2 = force[i, 0], force[i, 1], force[i, 2]
        t0 = torque[i, 0] - (r[1] * f2 - r[2] * f1)
        t1 = torque[i, 1] - (r[2] * f0 - r[0] * f2)
        t2 = torque[i, 2] - (r[0] * f1 - r[1] * f0)
        along = a[0] * t0 + a[1] * t1 + a[2] * t2
        kept_force[i, 0] = KEPT * (kept_force[i, 0] + f0)
        kept_force[i, 1] = KEPT * (kept_force[i, 1] + f1)
        kept_force[i, 2] = KEPT * (kept_force[i, 2] + f2)
        kept_torque[i, 0] = KEPT * (kept_torque[i, 0] + t0 - along * a[0])
        kept_torque[i, 1] = KEPT * (kept_torque[i, 1] + t1 - along * a[1])
        kept_torque[i, 2] = KEPT * (kept_torque[i, 2] + t2 - along * a[2])
        gained = a[0] * pull[i, 0] + a[1] * pull[i, 1] + a[2] * pull[i, 2]
        kept_effort[i] = min(max(KEPT * (kept_effort[i] + gained), -share[i]), share[i])


@njit(error_model="numpy")
def wrenches(
    position: Array, quaternion: Array, ends: np.ndarray, local: Array, force: Array, torque: Array, effort: Array,
    now: Array, out: Array,
) -> None:  # fmt: skip
    """Sum of the remembered forces and torques on each body about its center of mass into `out` (bodies, 6)."""
    out[:] = 0.0
    q = np.empty(4)
    for i in range(len(force)):
        child, parent = ends[i, 0], ends[i, 1]
        for k in range(4):
            q[k] = quaternion[child, k]
        r, a, f, t = now[i, 0], now[i, 1], force[i], torque[i]
        turned(q, local[i, 0], 1.0, r)
        turned(q, local[i, 1], 1.0, a)
        off = effort[i] - (a[0] * t[0] + a[1] * t[1] + a[2] * t[2])  # the axis has turned a little since
        for side in range(2):
            body = child if side == 0 else parent
            if body < 0:
                continue
            sign = 1.0 if side == 0 else -1.0
            r0, r1, r2 = r[0], r[1], r[2]
            if side == 1:
                r0 += position[child, 0] - position[body, 0]
                r1 += position[child, 1] - position[body, 1]
                r2 += position[child, 2] - position[body, 2]
            for k in range(3):
                out[body, k] += sign * f[k]
            out[body, 3] += sign * (r1 * f[2] - r2 * f[1] + t[0] + off * a[0])
            out[body, 4] += sign * (r2 * f[0] - r0 * f[2] + t[1] + off * a[1])
            out[body, 5] += sign * (r0 * f[1] - r1 * f[0] + t[2] + off * a[2])
