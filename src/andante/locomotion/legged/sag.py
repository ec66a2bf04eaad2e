"""What soft servos give way under the load of standing legs, added to their targets."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.description import Robot
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.locomotion.rigs.gains import stated_gains
from andante.locomotion.rigs.rig import SAG, LegSolver, Rig, loads

LEARNING = 0.1  # time in which a stand tells how far servos really give way [s]
LEAST = 1e-4  # a bend that tells something [rad²]


class Sag:
    """Joint torques over stiffness, J' f / kp, of the joints that would give way by more than usual.

    Those are joints whose file states a softer servo than `leg_gains` gives. The weight is carried by the standing legs
    alike. How much of the bend is true (an engine may hold its servos rigidly) is measured while the robot stands.
    """

    def __init__(self, robot: Robot, rig: Rig, solver: LegSolver) -> None:
        self.fraction = 0.0  # of the bend that is made up for
        self._legs, self._index, self._weight = solver.legs, solver.index, rig.mass * GRAVITY
        self._bases = (
            np.broadcast_to(np.eye(4), (len(rig.legs), 4, 4)) if solver.legs.bases is None else solver.legs.bases
        )
        self._stiffness = np.full(len(robot.joint_names), math.inf)  # [N m/rad]
        poses, half = robot.link_poses(rig.stance), 2.0 * rig.mass / len(rig.legs)
        for leg in rig.legs:
            held = loads(robot, poses, leg.joints, poses[leg.foot] @ np.asarray(leg.point), half)
            for name, (load, _) in held.items():
                kp = stated_gains(robot, name).get("kp", math.inf)
                if kp > 0 and load / kp > 1.05 * SAG:
                    self._stiffness[robot.joint_names.index(name)] = kp
        self.needed = bool(np.isfinite(self._stiffness).any())
        self._sent, self._bend = np.zeros(len(robot.joint_names)), np.zeros(len(robot.joint_names))

    def made_up(self, q: Array, standing: NDArray[np.bool_]) -> Array:
        """Targets (joints,) that bring loaded joints to q (joints,); standing (legs,) tells which legs carry."""
        if not self.needed:
            return q.copy()
        self._bend = np.zeros(len(q))
        push, first = self._weight / max(2, int(standing.sum())), 0
        for chain, base, carries in zip(self._legs.chains, self._bases, standing.tolist(), strict=True):
            index = self._index[first : first + len(chain.joint_names)]
            first += len(index)
            if carries:
                up = base[2, :3] * push  # the push of the ground in the axes of the hip
                self._bend[index] = -(chain.jacobian(q[index])[:3].T @ up) / self._stiffness[index]
        self._sent = q + self.fraction * self._bend
        return self._sent.copy()

    def learn(self, measured: Array, dt: float) -> None:
        """Take measured joints (joints,) of a robot that stands."""
        size = float(self._bend @ self._bend)
        if size > LEAST and bool(np.isfinite(measured).all()):
            seen = float(self._bend @ (self._sent - measured)) / size
            self.fraction += min(1.0, dt / LEARNING) * (min(1.0, max(0.0, seen)) - self.fraction)
