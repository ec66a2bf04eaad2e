"""What a user asks of the joints of one model, and how it reaches the engine's servos.

Gains come from the robot file or from what each joint carries. A position servo pulls with kp (target - q) - kd dq,
solved implicitly by each engine and cut at the effort limit; an engine whose motor is a velocity constraint follows the
same law with the time constant kd / kp and the same cut. A velocity servo pulls with kv (target - dq).

`JointCommands` keeps targets, modes and gains as commanded; position references are slewed at the joint's velocity
limit. A `Drive` may stand between the commands and the servos (actuator models, cascaded controllers), once per step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.description.closure import reflected_inertia
from andante.description.joint import JointType
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import Array

from .state import Mode
from .tree import body_tree


@dataclass(frozen=True)
class ServoGains:
    """Per joint of `robot.movable`, arrays (joints,)."""

    kp: Array  # position stiffness [N m/rad or N/m]
    kd: Array  # damping of the position servo [N m s/rad or N s/m]
    kv: Array  # stiffness of the velocity servo [N m s/rad or N s/m]
    effort: Array  # largest effort [N m or N], inf: unlimited
    velocity: Array  # largest speed at which a position servo moves its own reference [rad/s or m/s], inf: unlimited

    def __post_init__(self) -> None:
        for name in ("kp", "kd", "kv", "effort", "velocity"):
            values = np.array(getattr(self, name), dtype=float)
            if np.isnan(values).any() or (values < 0).any():
                raise BadInput(f"servo gain {name} must be >= 0 for every joint, got {values}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def changed(self, **arrays: ArrayLike) -> ServoGains:
        """A copy with some arrays replaced (scalars are spread over all joints)."""
        count = len(self.kp)
        return replace(self, **{k: np.broadcast_to(np.asarray(v, dtype=float), count) for k, v in arrays.items()})


def default_gains(robot: Robot, bandwidth: float = 8.0) -> ServoGains:
    """Gains of `robot.servos` where given, otherwise from what each joint carries.

    kp = I w^2 and kd = 2 I w with w = 2 pi bandwidth [Hz] and I the inertia about the joint of everything outboard
    (zero pose; in closed loops what the motor moves through them) plus the armature; kp is at least what reaches the
    joint's effort limit at an error of 0.05 rad (5 mm), unless the robot weighs nothing at all: no engine holds its
    stand-in masses with such servos.
    Joints that follow others through closed loops (`robot.passive`) have no motor: all theirs are 0.
    """
    count = len(robot.movable)
    kp, kd, kv = np.zeros(count), np.zeros(count), np.zeros(count)
    effort, velocity = np.full(count, math.inf), np.full(count, math.inf)
    carried = outboard_inertia(robot)
    for name, inertia in reflected_inertia(robot).items():
        carried[robot.joint_names.index(name)] = inertia
    omega, heavy = 2 * math.pi * bandwidth, robot.mass > 0
    for i, joint in enumerate(robot.movable):
        inertia = carried[i] + joint.dynamics.armature
        kp[i], kd[i] = inertia * omega**2, 2 * inertia * omega
        if math.isfinite(joint.limits.effort) and joint.limits.effort > 0:
            effort[i] = joint.limits.effort
            if heavy:
                kp[i] = max(kp[i], effort[i] / (0.05 if joint.type is not JointType.PRISMATIC else 0.005))
            kd[i] = max(kd[i], 2 * math.sqrt(kp[i] * inertia) * 0.7)
        if math.isfinite(joint.limits.velocity) and joint.limits.velocity > 0:
            velocity[i] = joint.limits.velocity
        kv[i] = kd[i]
        for pattern, values in robot.servos.items():
            if fnmatchcase(joint.name, pattern):
                kp[i], kd[i] = values.get("kp", kp[i]), values.get("kd", kd[i])
                kv[i] = values.get("kv", values.get("kd", kv[i]))
                effort[i], velocity[i] = values.get("effort", effort[i]), values.get("velocity", velocity[i])
    idle = np.array([joint.name in robot.passive for joint in robot.movable], dtype=bool)
    kp[idle] = kd[idle] = kv[idle] = effort[idle] = 0.0
    return ServoGains(kp, kd, kv, effort, velocity)


def calm_step(robot: Robot) -> float:
    """The longest step [s] in which all servos stay calm at their limits, by `step` in `robot.servos`; inf: any."""
    return min((values["step"] for values in robot.servos.values() if values.get("step", 0.0) > 0.0), default=math.inf)


def outboard_inertia(robot: Robot) -> Array:
    """Inertia about (along) each movable joint of all bodies that it carries, at the zero pose [kg m^2, kg]."""
    tree = body_tree(robot)
    world = tree.poses(tree.bodies[0].pose, {})
    placed = [body.inertia.transformed(pose) for body, pose in zip(tree.bodies, world, strict=True)]
    masses = np.array([inertia.mass for inertia in placed])
    centers = np.array([inertia.com for inertia in placed])
    tensors = np.array([inertia.matrix for inertia in placed])
    out = np.zeros(len(robot.movable))
    for i, carrier in enumerate(tree.joint_bodies):
        joint, outboard = robot.movable[i], tree.carries[carrier]
        if joint.type is JointType.PRISMATIC:
            out[i] = masses[outboard].sum()
            continue
        axis = world[carrier].rotation @ np.asarray(joint.axis)
        levers = np.cross(axis, centers[outboard] - world[carrier].translation)
        out[i] = axis @ tensors[outboard].sum(axis=0) @ axis + masses[outboard] @ np.sum(levers**2, axis=1)
    return out


POSITION = Mode.POSITION
POSITION_NUMBER = int(POSITION)  # for compiled code
SLOWEST, FASTEST = 1e-100, 1e100  # strides that stand for none and for any [rad or m]


@dataclass(frozen=True)
class ServoOrder:
    """What the engine's servos get for one step; arrays (joints,)."""

    modes: np.ndarray
    references: Array
    gains: ServoGains


@dataclass(frozen=True)
class JointState:
    """Joint positions and velocities, (joints,)."""

    position: Array
    velocity: Array


class Drive(Protocol):
    """Something between command and servo, called once per step; its state can be saved and put back."""

    def update(self, order: ServoOrder, state: JointState, dt: float) -> ServoOrder:
        """The order that the servo gets instead."""

    def save(self) -> Any:
        """The drive's memory as a value."""

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""


@dataclass(frozen=True)
class Push:
    """An outside wrench on a body: force [N] and torque [N m] in world axes, at a point of the body frame [m]."""

    force: Array
    torque: Array
    point: Array


@njit(nogil=True)
def followed(wanted: Array, lower: Array, upper: Array, references: Array, per_stride: Array) -> int:
    """Cut targets (joints,) at their limits in place; 0: within a stride of the references, 1: farther, -1: NaN.

    What `JointCommands.follow` needs.
    """
    far = 0
    for j in range(wanted.shape[0]):
        if wanted[j] != wanted[j]:
            return -1
        wanted[j] = min(max(wanted[j], lower[j]), upper[j])
        gap = abs((wanted[j] - references[j]) * per_stride[j])
        if gap != gap:
            return -1
        if gap > 1.0:
            far = 1
    return far


@njit(nogil=True)
def slewed(references: Array, targets: Array, modes: np.ndarray, stride: Array, per_stride: Array, rows: Array) -> int:
    """Fill `rows` (steps, joints) with the references of the coming steps, up to the one that reaches the targets.

    Returns how many these are, 0 if the steps are too few. Position servos move by at most their stride, others are
    there at once.
    """
    for k in range(rows.shape[0]):
        there = True
        for j in range(targets.shape[0]):
            before = references[j] if k == 0 else rows[k - 1, j]
            gap = targets[j] - before
            if modes[j] == POSITION_NUMBER and abs(gap * per_stride[j]) > 1.0:
                rows[k, j] = before + min(max(gap, -stride[j]), stride[j])
                there = False
            else:
                rows[k, j] = targets[j]
        if there:
            return k + 1
    return 0


@dataclass
class JointCommands:
    """Commands of one model; arrays (joints,), exchanged for new ones and never written to, so they may be shared."""

    modes: np.ndarray
    targets: Array
    references: Array  # the slewed targets
    gains: ServoGains
    lower: Array  # position limits [rad or m]
    upper: Array
    uniform: Mode | None = None  # the mode of all joints; None: they differ, or unknown
    _pace: tuple[ServoGains, float, Array, Array] | None = field(default=None, repr=False)  # gains, dt, `strides`

    @staticmethod
    def idle(robot: Robot, gains: ServoGains) -> JointCommands:
        """All servos off."""
        count = len(robot.movable)
        return JointCommands(
            modes=np.full(count, Mode.OFF, dtype=np.int8),
            targets=np.zeros(count),
            references=np.zeros(count),
            gains=gains,
            lower=np.array([joint.limits.lower for joint in robot.movable]),
            upper=np.array([joint.limits.upper for joint in robot.movable]),
        )

    def copy(self) -> JointCommands:
        """A copy that changes by itself; the arrays, which nobody writes to, are shared."""
        return replace(self)

    def follow(self, values: ArrayLike, dt: float) -> bool | None:
        """Take new targets of all joints the short way, and the references too where they get there within one step.

        True: references and targets are one. False: the references must be slewed. None: nothing is done, take the
        long way; some joint is no position servo, or a value is NaN.
        """
        if self.uniform is not POSITION:
            return None
        wanted = np.empty(len(self.targets))
        wanted[:] = values
        pace = self._pace
        per_stride = pace[3] if pace is not None and pace[0] is self.gains and pace[1] == dt else self.strides(dt)[1]
        far = followed(wanted, self.lower, self.upper, self.references, per_stride)
        if far < 0:
            return None
        self.targets = wanted
        if far == 0:
            self.references = wanted
        return far == 0

    def strides(self, dt: float) -> tuple[Array, Array]:
        """velocity dt of every joint, and 1 / (velocity dt) kept off 0 and infinity, whose products would be NaN."""
        known = self._pace
        if known is None or known[0] is not self.gains or known[1] != dt:
            stride = self.gains.velocity * dt
            known = self._pace = (self.gains, dt, stride, 1 / np.clip(stride, SLOWEST, FASTEST))
        return known[2], known[3]

    def command(self, values: ArrayLike, mode: Mode, joints: ArrayLike | None) -> np.ndarray:
        """Take new targets, clipped to the bounds of the mode; indices of the joints whose mode changed."""
        wanted = np.asarray(values, dtype=float)
        if np.isnan(wanted).any():
            raise BadInput("a servo target is NaN")
        low, high = self._bounds(mode)
        targets, modes = self.targets.copy(), self.modes.copy()
        if joints is None:
            np.minimum(np.maximum(wanted, low), high, out=targets)
            newly = np.flatnonzero(modes != mode)
            self.uniform = mode
        else:
            index = np.asarray(joints, dtype=int)
            targets[index] = np.clip(wanted, low[index], high[index])
            newly = index[modes[index] != mode]
            if len(newly):
                self.uniform = None
        modes[newly] = mode
        self.targets, self.modes = targets, modes
        self.refer(newly, targets[newly])
        return newly

    def refer(self, joints: np.ndarray, values: Array) -> None:
        """Put the references of some joints there at once."""
        if len(joints):
            references = self.references.copy()
            references[joints] = values
            self.references = references

    def ahead(self, dt: float, steps: int) -> tuple[Array, bool]:
        """References of the coming steps (k, joints), at most `steps`, and whether the last are the targets."""
        rows = np.empty((steps, len(self.targets)))
        reached = slewed(self.references, self.targets, self.modes, *self.strides(dt), rows)
        return (rows[:reached], True) if reached else (rows, False)

    def slew(self, dt: float) -> bool:
        """Move the references of position servos towards their targets by at most velocity * dt; True: all there."""
        rows, there = self.ahead(dt, 1)
        self.references = self.targets if there else rows[0]
        return there

    def _bounds(self, mode: Mode) -> tuple[Array, Array]:
        """Smallest and largest target of each joint in a mode."""
        if mode is Mode.POSITION:
            return self.lower, self.upper
        bound = self.gains.velocity if mode is Mode.VELOCITY else self.gains.effort
        return -bound, bound


@dataclass(frozen=True)
class Snapshot:
    """An instant of an engine."""

    steps: int
    state: Any
    commands: tuple[JointCommands, ...]
    drives: dict[int, tuple[Any, ...]]
    pushes: dict[tuple[int, int], Push]
