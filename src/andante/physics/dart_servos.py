"""Servos of one actor in DART: modes, gains and references as joint actuators and their commands.

DART's SERVO actuator is a velocity constraint, solved together with contacts and cut at the effort limit.

* POSITION: the commanded velocity is (reference - q) kp / kd, no more than the joint's largest speed, so an error decays
  with the time constant kd / kp (at least two steps). This is the velocity at which kp (reference - q) - kd dq vanishes;
  the joint is brought to it by whatever effort it takes within the limit, so a load below the limit does not bend it.
  A servo without kp only damps (kd), without kd it takes two steps.
* VELOCITY: the reference is the commanded velocity, under the same limit.
* TORQUE: FORCE actuator, cut at the limit. OFF: PASSIVE.
* Mimic joints are SERVO joints without limit that follow m q + c of their source; the source does not feel them.
* Dry friction is DART's own constraint on joints without a SERVO; with one it narrows the effort that moves the joint.
"""

from __future__ import annotations

from typing import Any

import dartpy
import numpy as np
from numpy.typing import ArrayLike

from andante.description.robot import Robot
from andante.geometry import Array

from .dart_build import Model
from .servos import ServoGains
from .state import Mode

ACTUATOR = dartpy.dynamics.ActuatorType
LEAST_STEPS = 2.0  # a position error decays with a time constant of at least this many steps
STICTION_SPEED = 1e-2  # speed at which dry friction of a servo joint is fully developed [rad/s or m/s]


class JointServos:
    """Commands to the joints of one skeleton. Vectors over the skeleton's degrees of freedom, hence full length."""

    def __init__(self, model: Model, robot: Robot, dt: float) -> None:
        self._model, self._skeleton, self._dofs, self._dt = model, model.skeleton, model.dofs, dt
        count = model.skeleton.getNumDofs()
        movable = robot.movable
        self._kinds: list[Any] = [ACTUATOR.PASSIVE] * len(movable)
        self._damping = np.array([joint.dynamics.damping for joint in movable])
        self._extra = np.zeros(len(movable))  # damping of position servos without stiffness
        self._dry = np.array([joint.dynamics.friction for joint in movable])
        self.source, self.ratio, self.offset = mimic_sources(robot)
        self._followers = np.flatnonzero(self.source >= 0)
        self._free = np.array([joint.mimic is None or self.source[i] < 0 for i, joint in enumerate(movable)], dtype=bool)
        self._rate, self._top = np.zeros(count), np.full(count, np.inf)
        self._reference, self._feed = np.zeros(count), np.zeros(count)
        self._command = np.zeros(count)
        self._effort, self._rub = np.full(count, np.inf), np.zeros(count)
        self._modes = np.zeros(len(movable), dtype=np.int8)
        self.busy = len(self._followers) > 0  # whether `update` must run before every step
        self._positions = self._limited = self._rubbing = False

    def set_modes(self, modes: np.ndarray, gains: ServoGains) -> None:
        """Take modes and gains; references follow by `set_references`."""
        self._modes = np.where(self._free, modes, Mode.OFF).astype(np.int8)
        held = self._modes == Mode.POSITION
        stiff = held & (gains.kp > 0)
        self._rate[self._dofs] = np.where(
            stiff, gains.kp / np.maximum(gains.kd, LEAST_STEPS * self._dt * np.where(stiff, gains.kp, 1.0)), 0.0
        )
        self._top[self._dofs] = np.where(held, gains.velocity, np.inf)
        kinds = [ACTUATOR.PASSIVE if m == Mode.OFF else ACTUATOR.FORCE if m == Mode.TORQUE else ACTUATOR.SERVO
                 for m in self._modes]  # fmt: skip
        for i in np.flatnonzero(held & ~stiff):
            kinds[i] = ACTUATOR.PASSIVE
        for i in self._followers:
            kinds[i] = ACTUATOR.SERVO
        self._set_joints(kinds, np.where(held & ~stiff, gains.kd, 0.0))
        driven = np.array([kind is not ACTUATOR.PASSIVE for kind in kinds], dtype=bool) & self._free
        servo = np.array([kind is ACTUATOR.SERVO for kind in kinds], dtype=bool)
        self._effort[self._dofs] = np.where(driven, gains.effort, np.inf)
        self._rub[self._dofs] = np.where(servo & driven & np.isfinite(gains.effort), self._dry, 0.0)
        self._skeleton.setForceUpperLimits(self._effort)
        self._skeleton.setForceLowerLimits(-self._effort)
        self._positions = bool(stiff.any())
        self._limited = bool(np.isfinite(self._top).any())
        self._rubbing = bool(self._rub.any())
        self.busy = self._positions or self._rubbing or len(self._followers) > 0

    def _set_joints(self, kinds: list[Any], extra: Array) -> None:
        """Change actuator types and damping where they differ from what DART has."""
        for i, joint in enumerate(self._model.joints):
            if kinds[i] is not self._kinds[i]:
                joint.setCommand(0, 0.0)
                joint.setActuatorType(kinds[i])
                joint.setCoulombFriction(0, 0.0 if kinds[i] is ACTUATOR.SERVO else self._dry[i])
                self._kinds[i] = kinds[i]
            if extra[i] != self._extra[i]:
                joint.setDampingCoefficient(0, self._damping[i] + extra[i])
                self._extra[i] = extra[i]

    def set_references(self, references: ArrayLike) -> None:
        """Take references: positions, velocities or efforts, by mode, (joints,)."""
        values = np.asarray(references, dtype=float)
        self._reference[self._dofs] = values
        direct = (self._modes == Mode.VELOCITY) | (self._modes == Mode.TORQUE)
        self._feed[self._dofs] = np.where(direct, values, 0.0)
        if self.busy:
            self.update()
        else:
            self._skeleton.setCommands(self._feed)

    def update(self) -> None:
        """Commands for the next step from where the joints are now."""
        command, skeleton = self._command, self._skeleton
        q = skeleton.getPositions()
        if self._positions:
            np.subtract(self._reference, q, out=command)
            command *= self._rate
            if self._limited:
                np.clip(command, -self._top, self._top, out=command)
            command += self._feed
        else:
            command[:] = self._feed
        if len(self._followers):
            self._follow(command, q)
        if self._rubbing:
            loss = self._rub * np.clip(skeleton.getVelocities() / STICTION_SPEED, -1.0, 1.0)
            skeleton.setForceUpperLimits(np.maximum(self._effort - loss, 0.0))
            skeleton.setForceLowerLimits(np.minimum(-self._effort - loss, 0.0))
        skeleton.setCommands(command)

    def _follow(self, command: Array, q: Array) -> None:
        """Followers get m dq + (m q + c - q_follower) / dt: the error after a step is what the source gained in it."""
        chain = self._followers
        leader, follower = self._dofs[self.source[chain]], self._dofs[chain]
        ratio = self.ratio[chain]
        gap = ratio * q[leader] + self.offset[chain] - q[follower]
        command[follower] = ratio * self._skeleton.getVelocities()[leader] + gap / self._dt

    def efforts(self) -> Array:
        """Efforts of the servos in the last step, (joints,): the impulse of the servo constraint by dt, or the torque.

        Where a servo presses against a joint limit DART solves both as one; what is told then is cut at the servo's
        own limit.
        """
        dofs = self._dofs
        pull = np.asarray(self._skeleton.getConstraintForces())[dofs]
        speed = np.asarray(self._skeleton.getVelocities())[dofs]
        servo = np.array([kind is ACTUATOR.SERVO for kind in self._kinds], dtype=bool)
        if self._rubbing:
            pull = pull + self._rub[dofs] * np.clip(speed / STICTION_SPEED, -1.0, 1.0)
        bound = self._effort[dofs]
        torque = np.where(self._modes == Mode.TORQUE, self._feed[dofs], -self._extra * speed)
        return np.clip(np.where(servo, pull, torque), -bound, bound)


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
