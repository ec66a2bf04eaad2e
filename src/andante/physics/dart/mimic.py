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

from .build import Model

GAP_SHARE = 0.5  # share of a coupling error that is closed in one step under a passive leader


class Followers:
    """The mimic joints of one skeleton; arrays have one entry per follower."""

    def __init__(self, model: Model, robot: Robot, dt: float) -> None:
        self.sources, self.ratios, self.offsets = mimic_sources(robot)  # (joints,)
        self.joints = np.flatnonzero(self.sources >= 0)  # among robot.movable
        self.leader, self.follower = model.dofs[self.sources[self.joints]], model.dofs[self.joints]
        self.ratio, self.offset = self.ratios[self.joints], self.offsets[self.joints]
        self.driven = np.zeros(len(self.joints), dtype=bool)
        self.slack = False  # whether some leader is not driven
        self.load = np.zeros(len(self.joints))  # smoothed effort under a driven leader
        self._skeleton, self._dt = model.skeleton, dt
        self._rows = np.zeros((0, model.skeleton.getNumDofs()))  # d/dt (q_follower - m q_leader) of the loose ones
        self._coupling = np.zeros(len(self.joints))

    def set_driven(self, driven: np.ndarray) -> None:
        """Tell which joints of robot.movable are driven by a servo, (joints,) bool."""
        self.driven = driven[self.sources[self.joints]]
        loose = np.flatnonzero(~self.driven)
        self._rows = np.zeros((len(loose), self._skeleton.getNumDofs()))
        self._rows[np.arange(len(loose)), self.follower[loose]] = 1.0
        self._rows[np.arange(len(loose)), self.leader[loose]] -= self.ratio[loose]
        self._coupling[:] = 0.0
        self.slack = len(loose) > 0

    @property
    def loose(self) -> np.ndarray:
        """Followers (indices into robot.movable) whose leader no servo drives."""
        return self.joints[~self.driven]

    @property
    def loose_efforts(self) -> Array:
        """Efforts of the `loose` followers in the last step."""
        return self._coupling[~self.driven]

    def couple(self, command: Array, q: Array, v: Array) -> None:
        """Add the forces f of the loose followers to the commands.

        C (v + dt (a + M⁻¹ Cᵀ f)) = share gap / dt, a being the accelerations without them.
        """
        skeleton, rows, loose = self._skeleton, self._rows, ~self.driven
        gap = (self.ratio * q[self.leader] + self.offset - q[self.follower])[loose]
        skeleton.setCommands(command)
        skeleton.computeForwardDynamics()
        ahead = v + self._dt * np.asarray(skeleton.getAccelerations())
        yielded = np.linalg.solve(skeleton.getAugMassMatrix(), rows.T)
        force = np.linalg.solve(rows @ yielded, (GAP_SHARE * gap / self._dt - rows @ ahead) / self._dt)
        command += rows.T @ force
        self._coupling[loose] = force


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
