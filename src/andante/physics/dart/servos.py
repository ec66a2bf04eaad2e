"""Servos of one model in DART: modes, gains and references as joint actuators and their commands.

DART's SERVO actuator is a velocity constraint, solved together with contacts and cut at the effort limit. DART softens
it by a fraction c of what the joint yields, A = (M⁻¹)_ii (`JointConstraint` CFM, one number for the whole world):

    v' = u - c A h effort, with u the commanded velocity and h the step

* POSITION: u = v + c A h (kp (reference - q) - K v) with K = kd + h kp, so that

      effort = kp (reference - q) - K v - (v' - v) / (c A h)

  the spring and damper of the servo, taken at the beginning of the step, and an inertia 1 / (c A) of numerical origin
  that keeps it stable; a load bends it by load / kp. (DART's implicit springs would bend too, but contact impulses do
  not see them, and legs fold under them; without softness the legs of a walker are rigid and its soles chatter.)
  kp (reference - q) / K is cut at the joint's largest speed. The time constant kd / kp is at least two steps.
  A servo without kp only damps (kd).
* VELOCITY: the reference is the commanded velocity, under the same limit; where other joints hold positions the
  smoothed effort h c A effort is added, so that a load does not slow it.
* TORQUE: FORCE actuator, cut at the limit. OFF: PASSIVE.
* Dry friction is DART's own constraint on joints without a SERVO; with one it narrows the effort that moves the joint,
  as does the load of joints that mimic it.

Mimic joints, q = m q_leader + c: under a leader that a servo drives, a follower is a SERVO joint without limit that
gets the leader's speed, and what it takes is paid out of the leader's effort (DART's own mimic constraint lags a step,
and its two-way form diverges when the follower's reflected inertia exceeds the leader's). Under a leader that no servo
drives, both get the forces that keep the coupling through the next step of the joint-space dynamics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dartpy
import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.geometry import Array
from andante.physics.commands import ServoGains
from andante.physics.state import Mode
from andante.physics.tree import BodyTree, Mimics

from . import servos as kernels
from .build import Built

GAP_FRACTION = 0.5  # fraction of a coupling error that is closed in one step under a passive leader


class Followers:
    """The mimic joints of one skeleton; arrays have one entry per follower."""

    def __init__(self, built: Built, mimics: Mimics, dt: float) -> None:
        self.sources = mimics.source  # (joints,)
        self.joints = np.flatnonzero(mimics.led)  # among robot.movable
        self.leader, self.follower = built.dofs[self.sources[self.joints]], built.dofs[self.joints]
        self.ratio, self.offset = mimics.ratio[self.joints], mimics.offset[self.joints]
        self.driven = np.zeros(len(self.joints), dtype=bool)
        self.slack = False  # whether some leader is not driven
        self.load = np.zeros(len(self.joints))  # smoothed effort under a driven leader
        self._skeleton, self._dt = built.skeleton, dt
        self._rows = np.zeros((0, built.skeleton.getNumDofs()))  # d/dt (q_follower - m q_leader) of the loose ones
        self.coupling = np.zeros(len(self.joints))

    def set_driven(self, driven: np.ndarray) -> None:
        """Set which joints of robot.movable are driven by a servo, (joints,) bool."""
        self.driven = driven[self.sources[self.joints]]
        loose = np.flatnonzero(~self.driven)
        self._rows = np.zeros((len(loose), self._skeleton.getNumDofs()))
        self._rows[np.arange(len(loose)), self.follower[loose]] = 1.0
        self._rows[np.arange(len(loose)), self.leader[loose]] -= self.ratio[loose]
        self.coupling[:] = 0.0
        self.slack = len(loose) > 0

    @property
    def loose(self) -> np.ndarray:
        """Followers (indices into robot.movable) whose leader no servo drives."""
        return self.joints[~self.driven]

    def couple(self, command: Array, q: Array, v: Array) -> None:
        """Add the forces f of the loose followers to the commands.

        C (v + dt (a + M⁻¹ Cᵀ f)) = fraction · gap / dt, a being the accelerations without them.
        """
        skeleton, rows, loose = self._skeleton, self._rows, ~self.driven
        gap = (self.ratio * q[self.leader] + self.offset - q[self.follower])[loose]
        skeleton.setCommands(command)
        skeleton.computeForwardDynamics()
        ahead = v + self._dt * np.asarray(skeleton.getAccelerations())
        yielded = np.linalg.solve(skeleton.getAugMassMatrix(), rows.T)
        force = np.linalg.solve(rows @ yielded, (GAP_FRACTION * gap / self._dt - rows @ ahead) / self._dt)
        command += rows.T @ force
        self.coupling[loose] = force


STICTION_SPEED = 1e-2  # speed at which dry friction of a servo joint is fully developed [rad/s or m/s]
LOAD_WEIGHT = 0.02  # weight of the newest step in the smoothed load that a follower puts on a driven leader
AT_LIMIT = 0.95  # a servo that pulls with this fraction of its effort limit feels where the limit lies


@njit()
def commands(
    q: Array, v: Array, reference: Array, rate: Array, top: Array, feed: Array, share: Array, leader: np.ndarray,
    follower: np.ndarray, ratio: Array, offset: Array, driven: np.ndarray, dt: float, out: Array,
) -> None:  # fmt: skip
    """Commands of all degrees of freedom into `out`.

    u = feed + rate (reference - q), the second part cut at +-top; where a soft servo takes only a `share` > 0 of the
    way to it, v + share (u - v). A follower of a driven leader gets m dq + (m q + c - q_follower) / dt, so its error
    after a step is what the leader's speed gained in it, times dt.
    """
    for i in range(q.shape[0]):
        out[i] = feed[i] + min(max(rate[i] * (reference[i] - q[i]), -top[i]), top[i])
        if share[i] > 0.0:
            out[i] = v[i] + share[i] * (out[i] - v[i])
    for k in range(leader.shape[0]):
        if driven[k]:
            a, b = leader[k], follower[k]
            out[b] = ratio[k] * v[a] + (ratio[k] * q[a] + offset[k] - q[b]) / dt


@njit()
def losses(
    v: Array, impulses: Array, dry: Array, effort: Array, leader: np.ndarray, follower: np.ndarray, ratio: Array,
    driven: np.ndarray, dt: float, load: Array, given: Array, out: Array,
) -> float:  # fmt: skip
    """Efforts lost to dry friction and to followers, into `out`; how far those `given` to DART are off.

    That is the largest difference among servos at their limit, as a fraction of the limit; the others do not feel it.

    Friction dry sign(v) grows linearly up to the stiction speed. `load` is the smoothed effort of each follower and is
    carried on; its leader pays m load. Only joints with a finite effort limit have losses.
    """
    for i in range(v.shape[0]):
        out[i] = dry[i] * min(max(v[i] / STICTION_SPEED, -1.0), 1.0)
    for k in range(leader.shape[0]):
        if driven[k]:
            load[k] += LOAD_WEIGHT * (impulses[follower[k]] / dt - load[k])
            if np.isfinite(effort[leader[k]]):
                out[leader[k]] += ratio[k] * load[k]
    off = 0.0
    for i in range(v.shape[0]):
        if 0.0 < effort[i] < np.inf:
            pull, gap = impulses[i] / dt, abs(out[i] - given[i])
            if gap > off * effort[i] and max(abs(pull + out[i]), abs(pull + given[i])) > AT_LIMIT * effort[i]:
                off = gap / effort[i]
    return off


ACTUATOR = dartpy.dynamics.ActuatorType
LOSS_STEP = 0.005  # fraction of an effort limit by which DART's knowledge of it may be off for long,
LOSS_JUMP = 0.2  # or for some steps,
LOSS_WAIT = 5  # so many: after news of limits DART sorts all collision shapes anew, which takes as long as a step
LEAST_STEPS = 2.0  # a position error decays with a time constant of at least this many steps
SOFTEST = 1.0  # largest softness c of the servos of a world
MOST_GAIN = 1.5  # of the speed error that a soft servo corrects in one step; above 2 it would not settle
YIELD_STEPS = 10  # after so many steps it is measured anew how much each joint yields
LIMIT_ERP = 0.2  # fraction of the overshoot of a joint limit that one step gives back


@dataclass(frozen=True)
class ServoState:
    """What the servos of a skeleton remember from step to step."""

    follower_load: Array
    told: Array  # losses as given to DART
    impulses: Array  # of the last step
    late: int  # steps since the losses are off
    load: Array  # of velocity servos
    share: Array
    droop: Array
    age: int  # steps since the servos were softened


class JointServos:
    """Commands to the joints of one skeleton. Private vectors run over the skeleton's degrees of freedom."""

    def __init__(self, built: Built, tree: BodyTree, dt: float) -> None:
        self._joints, self._skeleton, self._dofs, self._dt = built.joints, built.skeleton, built.dofs, dt
        count, movable = built.skeleton.getNumDofs(), tree.robot.movable
        self.followers, self._led = Followers(built, tree.mimics, dt), tree.mimics.led
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
        self._soft = np.zeros(0, dtype=int)  # degrees of freedom of position servos
        self._damp = np.zeros(0)  # their K [N m s/rad]
        self._speeds = np.zeros(0, dtype=int)  # those of velocity servos
        self._load = np.zeros(count)  # smoothed effort of velocity servos
        self._share = np.zeros(count)
        self._droop = np.zeros(0)  # slowing of velocity servos by their load [rad/s per N m]
        self._softness, self._age = 0.0, 0

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
        damp = np.maximum(gains.kd, LEAST_STEPS * self._dt * gains.kp) + self._dt * gains.kp
        self._rate[dofs] = np.divide(gains.kp, damp, out=np.zeros(len(dofs)), where=stiff)
        self._soft, self._damp = dofs[stiff], damp[stiff]
        self._speeds = dofs[self._modes == Mode.VELOCITY]
        self._load[:] = 0.0
        self._top[dofs] = np.where(held, gains.velocity, np.inf)
        self._effort[dofs] = np.where(driven, gains.effort, np.inf)
        self._set_joints(driven, np.where(damped, gains.kd, 0.0))
        bounded = self._servo & np.isfinite(gains.effort)
        self._rub[dofs] = np.where(bounded, self._dry, 0.0)
        self._loss[:] = 0.0
        self._set_losses(self._loss)
        leads = np.zeros(len(dofs), dtype=bool)
        leads[self.followers.sources[self.followers.joints]] = True
        self._lossy = bool(self._rub.any() or (leads & bounded).any())
        self.busy = bool(stiff.any()) or self._lossy or len(self.followers.joints) > 0

    @property
    def holds(self) -> bool:
        """Whether a servo holds a position."""
        return len(self._soft) > 0

    def softest(self) -> float:
        """Largest softness c that the position servos bear.

        A step corrects the speed error of a free joint by the fraction g = K h A c / (1 + c) <= `MOST_GAIN`.
        """
        most = MOST_GAIN / np.maximum(self._damp * self._dt * self._yields()[self._soft], 1e-300)
        return float(np.min(np.where(most < 1.0, most / np.maximum(1.0 - most, 1e-12), np.inf)))

    def soften(self, softness: float) -> None:
        """The servos of the world have this softness now; 0: none."""
        self._softness, self._age = softness, 0

    def _yields(self) -> Array:
        """(M⁻¹)_ii of all degrees of freedom where the skeleton is now [1/(kg m²), 1/kg]."""
        return np.diagonal(self._skeleton.getInvMassMatrix())

    def _measure(self) -> None:
        """How far the commanded velocities of soft servos go, from how much the joints yield now."""
        self._share[:] = 0.0
        if self._softness > 0.0:
            reach = self._softness * self._dt * self._yields()
            self._share[self._soft] = reach[self._soft] * self._damp
            self._droop = reach[self._speeds]

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
        if self._age % YIELD_STEPS == 0:
            self._measure()
        self._age += 1
        kernels.commands(
            q, v, self._reference, self._rate, self._top, self._feed, self._share,
            ties.leader, ties.follower, ties.ratio, ties.offset, ties.driven, self._dt, command,
        )  # fmt: skip
        if self._lossy:
            off = kernels.losses(
                v, self._impulses(), self._rub, self._effort,
                ties.leader, ties.follower, ties.ratio, ties.driven, self._dt, ties.load, self._told, self._loss,
            )  # fmt: skip
            self._late = self._late + 1 if off > LOSS_STEP else 0
            if off > LOSS_JUMP or self._late >= LOSS_WAIT:
                self._set_losses(self._loss)
        if len(self._speeds) and self._softness > 0.0:
            pull = np.asarray(self._impulses())[self._speeds] / self._dt
            self._load[self._speeds] += LOAD_WEIGHT * (pull - self._load[self._speeds])
            command[self._speeds] += self._droop * self._load[self._speeds]
        self._restored = None
        if ties.slack:
            ties.couple(command, q, v)
        skeleton.setCommands(command)

    def _set_losses(self, loss: Array) -> None:
        """Give DART the effort limits, narrowed by a loss.

        Bounds of an LCP must enclose 0, so a loss above the limit leaves a servo powerless and does not drive it back.
        """
        self._told[:], self._late = loss, 0
        self._skeleton.setForceUpperLimits(np.maximum(self._effort - loss, 0.0))
        self._skeleton.setForceLowerLimits(np.minimum(-self._effort - loss, 0.0))

    def _impulses(self) -> Array:
        """Impulses of servos, limits and dry friction (not of contacts) in the last step, full length [N m s, N s]."""
        return self._skeleton.getJointConstraintImpulses() if self._restored is None else self._restored

    def save(self) -> ServoState:
        """What the servos remember."""
        return ServoState(
            self.followers.load.copy(), self._told.copy(), np.array(self._impulses()), self._late,
            self._load.copy(), self._share.copy(), self._droop.copy(), self._age,
        )  # fmt: skip

    def load(self, state: ServoState) -> None:
        """Put back what `save` returned."""
        self.followers.load[:], self._restored = state.follower_load, state.impulses
        if len(state.told):
            self._set_losses(state.told)
        self._late = state.late
        self._load[:], self._share[:] = state.load, state.share
        self._droop, self._age = state.droop.copy(), state.age

    def efforts(self) -> Array:
        """Efforts of the servos in the last step, (joints,): the impulse of the servo constraint by dt, or the torque.

        What dry friction and followers took counts as pulled by the servo. A follower reports what the coupling pulled.
        Where a servo presses against a joint limit DART solves both as one; then the value is cut at the servo's limit.
        """
        dofs = self._dofs
        pull = np.asarray(self._impulses())[dofs] / self._dt + self._loss[dofs]
        damped = -self._extra * np.asarray(self._skeleton.getVelocities())[dofs]
        out = np.where(self._servo | self._led, pull, damped)
        out[self._modes == Mode.TORQUE] = self._feed[dofs][self._modes == Mode.TORQUE]
        out[self.followers.loose] = self.followers.coupling[~self.followers.driven]
        bound = self._effort[dofs]
        return np.asarray(np.clip(out, -bound, bound))
