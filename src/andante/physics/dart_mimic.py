"""Mimic joints in DART: q = m q_leader + c, the load of a follower felt by its leader.

Under a leader that a servo drives, a follower is a SERVO joint without limit that gets the leader's speed, and what it
takes is paid out of the leader's effort (DART's own mimic constraint lags a step, and its two-way form diverges when
the follower's reflected inertia exceeds the leader's). Under a leader that no servo drives, both get the forces that
keep the coupling through the next step of the joint-space dynamics.
"""

from __future__ import annotations

import numpy as np

from andante.description.robot import Robot
from andante.geometry import Array

from .dart_build import Model

GAP_SHARE = 0.5  # share of a coupling error that is closed in one step under a passive leader
LOAD_SHARE = 0.1  # weight of the newest step in the smoothed load that a follower puts on a driven leader


class Followers:
    """The mimic joints of one skeleton."""

    def __init__(self, model: Model, robot: Robot, dt: float) -> None:
        self.source, self.ratio, self.offset = mimic_sources(robot)
        self._skeleton, self._dt = model.skeleton, dt
        self.joints = np.flatnonzero(self.source >= 0)  # among robot.movable
        self._leader, self._follower = model.dofs[self.source[self.joints]], model.dofs[self.joints]
        self._m, self._c = self.ratio[self.joints], self.offset[self.joints]
        self._driven = np.zeros(len(self.joints), dtype=bool)
        self._rows = np.zeros((0, model.skeleton.getNumDofs()))  # (d/dt) (q_follower - m q_leader) of the loose ones
        self._load = np.zeros(len(self.joints))
        self._coupling = np.zeros(len(self.joints))
        self._restored: Array | None = None  # efforts of a restored instant, until the next step

    def set_driven(self, driven: np.ndarray) -> None:
        """Tell which joints of robot.movable are driven by a servo, (joints,) bool."""
        self._driven = driven[self.source[self.joints]]
        loose = np.flatnonzero(~self._driven)
        self._rows = np.zeros((len(loose), self._skeleton.getNumDofs()))
        self._rows[np.arange(len(loose)), self._follower[loose]] = 1.0
        self._rows[np.arange(len(loose)), self._leader[loose]] -= self._m[loose]
        self._load[:] = 0.0
        self._coupling[:] = 0.0

    @property
    def loose(self) -> np.ndarray:
        """Followers (indices into robot.movable) whose leader no servo drives."""
        return self.joints[~self._driven]

    @property
    def loose_efforts(self) -> Array:
        """Efforts of the `loose` followers in the last step."""
        return self._coupling[~self._driven]

    def command(self, command: Array, q: Array) -> None:
        """Fill in the commands of the followers: velocities under driven leaders, forces under passive ones.

        A driven follower gets m dq + (m q + c - q_follower) / dt, so the error after a step is what the leader's speed
        gained in it, times dt.
        """
        v = np.asarray(self._skeleton.getVelocities())
        gap = self._m * q[self._leader] + self._c - q[self._follower]
        on = self._driven
        command[self._follower[on]] = self._m[on] * v[self._leader[on]] + gap[on] / self._dt
        if len(self._rows):
            self._couple(command, v, gap[~on])

    def _couple(self, command: Array, v: Array, gap: Array) -> None:
        """Forces f with C (v + dt (a + M⁻¹ Cᵀ f)) = share gap / dt, a being the accelerations without them."""
        skeleton, rows = self._skeleton, self._rows
        skeleton.setCommands(command)
        skeleton.computeForwardDynamics()
        ahead = v + self._dt * np.asarray(skeleton.getAccelerations())
        yielded = np.linalg.solve(skeleton.getAugMassMatrix(), rows.T)
        force = np.linalg.solve(rows @ yielded, (GAP_SHARE * gap / self._dt - rows @ ahead) / self._dt)
        command += rows.T @ force
        self._coupling[~self._driven] = force

    def burden(self) -> Array:
        """Effort that the followers take from each degree of freedom, smoothed over some steps; full length."""
        pull = self._pull()
        self._restored = None
        self._load += LOAD_SHARE * (np.where(self._driven, pull, 0.0) - self._load)
        out = np.zeros(self._skeleton.getNumDofs())
        np.add.at(out, self._leader, self._m * self._load)
        return out

    def _pull(self) -> Array:
        """Efforts of the driven followers in the last step."""
        if self._restored is not None:
            return self._restored
        return np.asarray(self._skeleton.getJointConstraintImpulses())[self._follower] / self._dt

    def save(self) -> tuple[Array, Array]:
        """The smoothed loads, and the last efforts of the followers."""
        return self._load.copy(), self._pull()

    def load(self, state: tuple[Array, Array]) -> None:
        """Put back what `save` gave."""
        self._load[:], self._restored = state


def mimic_sources(robot: Robot) -> tuple[np.ndarray, Array, Array]:
    """Index of the independent joint that each movable joint follows (-1: none), and q = ratio q[source] + offset."""
    names = {joint.name: i for i, joint in enumerate(robot.movable)}
    count = len(robot.movable)
    source, ratio, offset = np.full(count, -1), np.ones(count), np.zeros(count)
    for i, joint in enumerate(robot.movable):
        at, m, c = joint, 1.0, 0.0
        for _ in range(count):  # chains of mimics end at an independent joint; a cycle follows nobody
            if at.mimic is None or at.mimic.joint not in names:
                break
            m, c = m * at.mimic.multiplier, m * at.mimic.offset + c
            at = robot.movable[names[at.mimic.joint]]
        if at is not joint and at.mimic is None:
            source[i], ratio[i], offset[i] = names[at.name], m, c
    return source, ratio, offset
