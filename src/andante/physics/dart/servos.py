"""Servos of one actor in DART: modes, gains and references as joint actuators and their commands.

DART's SERVO actuator is a velocity constraint, solved together with contacts and cut at the effort limit.

* POSITION: the commanded velocity is (reference - q) kp / kd, no more than the joint's largest speed, so an error
  decays with the time constant kd / kp (at least two steps). This is the velocity at which kp (reference - q) - kd dq
  vanishes; the joint is brought to it by whatever effort it takes within the limit, so a load below the limit does
  not bend it. (DART's implicit springs would bend, but contact impulses do not see them, and legs fold under them.)
  A servo without kp only damps (kd), without kd it takes two steps.
* VELOCITY: the reference is the commanded velocity, under the same limit.
* TORQUE: FORCE actuator, cut at the limit. OFF: PASSIVE.
* Dry friction is DART's own constraint on joints without a SERVO; with one it narrows the effort that moves the joint,
  as does the load of joints that mimic it.
"""

from __future__ import annotations

from typing import Any

import dartpy
import numpy as np
from numpy.typing import ArrayLike

from andante.description.robot import Robot
from andante.geometry import Array
from andante.physics.servos import ServoGains
from andante.physics.state import Mode

from . import kernels
from .build import Model
from .mimic import Followers

ACTUATOR = dartpy.dynamics.ActuatorType
LOSS_STEP = 0.005  # share of an effort limit by which DART's knowledge of it may be off for long,
LOSS_JUMP = 0.2  # or for some steps,
LOSS_WAIT = 5  # so many: after news of limits DART sorts all collision shapes anew, which takes as long as a step
LEAST_STEPS = 2.0  # a position error decays with a time constant of at least this many steps


class JointServos:
    """Commands to the joints of one skeleton. Private vectors run over the skeleton's degrees of freedom."""

    def __init__(self, model: Model, robot: Robot, dt: float) -> None:
        self._joints, self._skeleton, self._dofs, self._dt = model.joints, model.skeleton, model.dofs, dt
        count, movable = model.skeleton.getNumDofs(), robot.movable
        self.followers = Followers(model, robot, dt)
        self._led = self.followers.sources >= 0
        self._kinds: list[Any] = [ACTUATOR.PASSIVE] * len(movable)
        self._damping = np.array([joint.dynamics.damping for joint in movable])
        self._extra = np.zeros(len(movable))  # damping of position servos without stiffness
        self._dry = np.array([joint.dynamics.friction for joint in movable])
        self._modes = np.zeros(len(movable), dtype=np.int8)
        self._servo = np.zeros(len(movable), dtype=bool)
        self._direct = np.zeros(0, dtype=int)  # joints whose reference is the command itself
        self._rate, self._top = np.zeros(count), np.full(count, np.inf)
        self._reference, self._feed, self._command = np.zeros(count), np.zeros(count), np.zeros(count)
        self._effort, self._rub = np.full(count, np.inf), np.zeros(count)
        self._loss, self._told = np.zeros(count), np.zeros(count)  # effort lost, now and as DART knows it
        self._late = 0  # steps since DART's knowledge of the losses is off
        self._restored: Array | None = None  # joint impulses of a restored instant, until the next step
        self.busy = False  # whether `update` must run before every step
        self._lossy = False

    def set_modes(self, modes: np.ndarray, gains: ServoGains) -> None:
        """Take modes and gains; references follow by `set_references`."""
        dofs = self._dofs
        self._modes = np.where(self._led, Mode.OFF, modes).astype(np.int8)
        held = self._modes == Mode.POSITION
        stiff = held & (gains.kp > 0)
        damped = held & ~stiff
        self._servo = stiff | (self._modes == Mode.VELOCITY)
        driven = self._servo | (self._modes == Mode.TORQUE)
        self._direct = np.flatnonzero(driven & ~stiff)
        self._feed[:] = 0.0
        self.followers.set_driven(self._servo)
        slowest = np.maximum(gains.kd, LEAST_STEPS * self._dt * gains.kp)
        self._rate[dofs] = np.divide(gains.kp, slowest, out=np.zeros(len(dofs)), where=stiff)
        self._top[dofs] = np.where(held, gains.velocity, np.inf)
        self._effort[dofs] = np.where(driven, gains.effort, np.inf)
        self._set_joints(driven, np.where(damped, gains.kd, 0.0))
        bounded = self._servo & np.isfinite(gains.effort)
        self._rub[dofs] = np.where(bounded, self._dry, 0.0)
        self._loss[:] = 0.0
        self._tell(self._loss)
        leads = np.zeros(len(dofs), dtype=bool)
        leads[self.followers.sources[self.followers.joints]] = True
        self._lossy = bool(self._rub.any() or (leads & bounded).any())
        self.busy = bool(stiff.any()) or self._lossy or len(self.followers.joints) > 0

    def _set_joints(self, driven: np.ndarray, extra: Array) -> None:
        """Change actuator types and damping where they differ from what DART has."""
        kinds = [
            ACTUATOR.SERVO if servo else ACTUATOR.FORCE if forced else ACTUATOR.PASSIVE
            for servo, forced in zip(self._servo, driven, strict=True)
        ]
        for i in self.followers.joints:
            kinds[i] = ACTUATOR.SERVO
        for i in self.followers.loose:
            kinds[i] = kinds[self.followers.sources[i]] = ACTUATOR.FORCE
        for i, joint in enumerate(self._joints):
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
        if self._direct.size:
            self._feed[self._dofs[self._direct]] = values[self._direct]
        if not self.busy and len(values):
            self._skeleton.setCommands(self._feed)

    def update(self) -> None:
        """Commands for the next step from where the joints are now."""
        skeleton, ties, command = self._skeleton, self.followers, self._command
        q, v = skeleton.getPositions(), skeleton.getVelocities()
        kernels.commands(
            q, v, self._reference, self._rate, self._top, self._feed,
            ties.leader, ties.follower, ties.ratio, ties.offset, ties.driven, self._dt, command,
        )  # fmt: skip
        if self._lossy:
            off = kernels.losses(
                v, self._impulses(), self._rub, self._effort,
                ties.leader, ties.follower, ties.ratio, ties.driven, self._dt, ties.load, self._told, self._loss,
            )  # fmt: skip
            self._late = self._late + 1 if off > LOSS_STEP else 0
            if off > LOSS_JUMP or self._late >= LOSS_WAIT:
                self._tell(self._loss)
        self._restored = None
        if ties.slack:
            ties.couple(command, q, v)
        skeleton.setCommands(command)

    def _tell(self, loss: Array) -> None:
        """Give DART the effort limits, narrowed by a loss.

        Bounds of an LCP must enclose 0, so a loss above the limit leaves a servo powerless and does not drive it back.
        """
        self._told[:], self._late = loss, 0
        self._skeleton.setForceUpperLimits(np.maximum(self._effort - loss, 0.0))
        self._skeleton.setForceLowerLimits(np.minimum(-self._effort - loss, 0.0))

    def _impulses(self) -> Array:
        """Impulses of servos, limits and dry friction (not of contacts) in the last step, full length [N m s, N s]."""
        return self._skeleton.getJointConstraintImpulses() if self._restored is None else self._restored

    def save(self) -> tuple[Array, Array, Array, int]:
        """Loads of followers, losses as told and since when they are off, impulses of the last step."""
        return self.followers.load.copy(), self._told.copy(), np.array(self._impulses()), self._late

    def load(self, state: tuple[Array, Array, Array, int]) -> None:
        """Put back what `save` gave."""
        self.followers.load[:], told, self._restored, late = state
        if len(told):
            self._tell(told)
        self._late = late

    def efforts(self) -> Array:
        """Efforts of the servos in the last step, (joints,): the impulse of the servo constraint by dt, or the torque.

        What dry friction and followers took counts as pulled by the servo. A follower tells what the coupling pulled.
        Where a servo presses against a joint limit DART solves both as one; then the value is cut at the servo's limit.
        """
        dofs = self._dofs
        pull = np.asarray(self._impulses())[dofs] / self._dt + self._loss[dofs]
        damped = -self._extra * np.asarray(self._skeleton.getVelocities())[dofs]
        out = np.where(self._servo | self._led, pull, damped)
        out[self._modes == Mode.TORQUE] = self._feed[dofs][self._modes == Mode.TORQUE]
        out[self.followers.loose] = self.followers.loose_efforts
        bound = self._effort[dofs]
        return np.clip(out, -bound, bound)
