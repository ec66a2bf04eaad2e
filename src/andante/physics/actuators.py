"""Actuators as they are sold: torque-speed limit, friction, rotor inertia, backlash and delay, with presets.

`fitted(robot, {"*": ACTUATORS["mx-28"]})` writes the passive part (friction, damping, rotor inertia, limits) into the
joints; `ActuatorDrive` adds the rest between command and servo at run time. `CascadeDrive` controls positions by a PID
whose output is a velocity for the engine's velocity servo.
"""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import Array
from andante.gravity import STANDARD_GRAVITY
from andante.settings import check_fields, is_positive, is_size

from .commands import JointState, ServoOrder
from .state import Mode


@dataclass(frozen=True)
class Actuator:
    """A geared motor seen at its output shaft."""

    stall_torque: float  # torque at standstill [N m]
    no_load_speed: float  # speed without load [rad/s]
    friction: float = 0.0  # dry friction [N m]
    damping: float = 0.0  # viscous friction [N m s/rad]
    armature: float = 0.0  # rotor inertia times gear ratio squared [kg m^2]
    backlash: float = 0.0  # free play of the output, full width [rad]
    delay: float = 0.0  # from command to motor [s]
    peak_torque: float = math.inf  # electronics or gears allow no more [N m]

    def __post_init__(self) -> None:
        check_fields(self, "actuator", "> 0", is_positive, "stall_torque", "no_load_speed", "peak_torque")
        names = ("friction", "damping", "armature", "backlash", "delay")
        check_fields(self, "actuator", ">= 0 and finite", is_size, *names)


IDEAL = Actuator(math.inf, math.inf)
_RPM = 2 * math.pi / 60
_KGCM = STANDARD_GRAVITY / 100


class _Actuators(dict[str, Actuator]):
    """Actuators by name; those that moved to a robot's package are found with a warning."""

    def __missing__(self, name: str) -> Actuator:
        try:
            found: Actuator = getattr(sys.modules[__name__], f"ACTUATORS[{name}]")
        except AttributeError:
            raise KeyError(name) from None
        return found


# Torque and speed: makers' data sheets (Dynamixel at 12 V, hobby servos at 6-7.4 V). Friction, armature (rotor inertia
# x ratio^2), play and delay are estimates of the usual size for such gears.
ACTUATORS: dict[str, Actuator] = _Actuators(
    {
        "hobby-standard": Actuator(3.2 * _KGCM, math.radians(60) / 0.20, 0.02, 0.01, 8e-4, math.radians(1.0), 0.02),
        "hobby-metal-20kg": Actuator(20 * _KGCM, math.radians(60) / 0.16, 0.06, 0.04, 4e-3, math.radians(0.6), 0.02),
        "ax-12a": Actuator(1.5, 59 * _RPM, 0.06, 0.05, 6e-3, math.radians(0.5), 0.008),
        "mx-28": Actuator(2.5, 55 * _RPM, 0.08, 0.06, 9e-3, math.radians(0.33), 0.006),
        "xm430-w350": Actuator(4.1, 46 * _RPM, 0.10, 0.08, 1.1e-2, math.radians(0.25), 0.004),
    }
)


def assign(robot: Robot, actuators: Mapping[str, Actuator]) -> dict[str, Actuator]:
    """Actuator of each movable joint by name or glob; the first pattern that fits wins, joints may stay without."""
    out: dict[str, Actuator] = {}
    for pattern, actuator in actuators.items():
        fits = [name for name in robot.joint_names if fnmatchcase(name, pattern)]
        if not fits:
            names = ", ".join(robot.joint_names)
            raise BadInput(f"actuator pattern {pattern!r} fits no joint of {robot.name!r}: {names}")
        out = dict.fromkeys(fits, actuator) | out
    return out


def fitted(robot: Robot, actuators: Mapping[str, Actuator]) -> Robot:
    """The robot with the passive part of its actuators in the joints (dynamics, effort and velocity limits)."""
    by_joint = assign(robot, actuators)

    def fit(joint: Any) -> Any:
        actuator = by_joint.get(joint.name)
        if actuator is None:
            return joint
        dynamics = replace(
            joint.dynamics, friction=actuator.friction, damping=actuator.damping, armature=actuator.armature
        )
        effort = min(actuator.stall_torque, actuator.peak_torque)
        limits = replace(joint.limits, effort=effort, velocity=actuator.no_load_speed)
        return replace(joint, dynamics=dynamics, limits=limits)

    return replace(robot, joints=tuple(fit(joint) for joint in robot.joints))


class ActuatorDrive:
    """Delay, backlash and torque-speed limit of every joint, between the command and the servo.

    The motor follows the delayed reference; within the free play it does not reach the joint, so the servo sees the
    error through a dead zone of the backlash. A motor that drives at speed w has stall (1 - w / no_load) left; braking
    it has its full torque.
    """

    def __init__(self, robot: Robot, actuators: Mapping[str, Actuator]) -> None:
        by_joint = assign(robot, actuators)
        chosen = [by_joint.get(name, IDEAL) for name in robot.joint_names]
        rows = [(a.stall_torque, a.peak_torque, a.no_load_speed, a.backlash / 2, a.delay) for a in chosen]
        self.stall, self.peak, self.no_load, self.play, self.delay = np.array(rows).reshape(-1, 5).T.copy()
        self._past: deque[tuple[np.ndarray, Array]] = deque()

    def update(self, order: ServoOrder, state: JointState, dt: float) -> ServoOrder:
        """The order that reaches the servo in this step."""
        modes, references = self._delayed(order, dt)
        gains = order.gains
        error = references - state.position
        dead = np.sign(error) * np.maximum(np.abs(error) - self.play, 0.0)
        position = modes == Mode.POSITION
        references = np.where(position, state.position + dead, references)
        pull = np.where(position, gains.kp * dead - gains.kd * state.velocity, gains.kv * (references - state.velocity))
        pull = np.where(modes == Mode.TORQUE, references, pull)
        driving = np.sign(pull) * state.velocity
        with np.errstate(invalid="ignore"):
            fraction = np.where(np.isfinite(self.no_load), 1 - np.maximum(driving, 0.0) / self.no_load, 1.0)
        limit = np.minimum(np.minimum(gains.effort, self.peak), self.stall * np.clip(fraction, 1e-6, 1.0))
        references = np.where(modes == Mode.TORQUE, np.clip(references, -limit, limit), references)
        return ServoOrder(
            modes, references, gains if np.array_equal(limit, gains.effort) else gains.changed(effort=limit)
        )

    def _delayed(self, order: ServoOrder, dt: float) -> tuple[np.ndarray, Array]:
        """Modes and references as they were one delay ago, per joint."""
        steps = np.rint(self.delay / dt).astype(int)
        self._past.append((order.modes.copy(), order.references.copy()))
        while len(self._past) > steps.max(initial=0) + 1:
            self._past.popleft()
        age = np.minimum(steps, len(self._past) - 1)
        picked = len(self._past) - 1 - age
        modes, references = order.modes.copy(), order.references.copy()
        newest = len(self._past) - 1
        for number in set(picked.tolist()) - {newest}:
            old, mine = self._past[number], picked == number
            modes[mine], references[mine] = old[0][mine], old[1][mine]
        return modes, references

    def save(self) -> Any:
        """Commands still on their way."""
        return tuple(self._past)

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._past = deque(state)


class TorqueServoDrive:
    """Position and velocity servos as torques, kp (r - q) - kd dq and kv (r - dq), cut at the effort limit.

    Engines whose motors are velocity constraints do not bend under a load below the limit; by this drive their servos
    do, as those of MuJoCo. The torque u is taken at the start of a step h, which needs steps shorter than inertia / kd.
    With the inertia I that each joint moves, damping is taken at the middle of the step, which no gain makes unstable:

        torque = (u + c load) / (1 + c),  c = h kd / 2 I,  load = torque before - I (dq - dq before) / h
    """

    def __init__(self, inertia: ArrayLike | None = None) -> None:
        self._inertia = None if inertia is None else np.maximum(np.asarray(inertia, dtype=float), 1e-9)
        self._before: tuple[Array, Array] | None = None  # torque and velocity

    def update(self, order: ServoOrder, state: JointState, dt: float) -> ServoOrder:
        """Torque orders for all joints that a servo drives."""
        gains, position = order.gains, order.modes == Mode.POSITION
        pull = np.where(
            position,
            gains.kp * (order.references - state.position) - gains.kd * state.velocity,
            gains.kv * (order.references - state.velocity),
        )
        driven = position | (order.modes == Mode.VELOCITY)
        if self._inertia is not None and self._before is not None:
            share = 0.5 * dt * np.where(position, gains.kd, gains.kv) / self._inertia
            load = self._before[0] - self._inertia * (state.velocity - self._before[1]) / dt
            pull = (pull + share * load) / (1.0 + share)
        torque = np.where(driven, np.clip(pull, -gains.effort, gains.effort), order.references)
        self._before = (torque, state.velocity.copy())
        return ServoOrder(
            np.where(driven, np.int8(Mode.TORQUE), order.modes).astype(np.int8),
            torque,
            gains,
        )

    def save(self) -> Any:
        """Torque and velocity of the step before."""
        return self._before

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._before = state


@dataclass(frozen=True)
class CascadeGains:
    """Gains of the outer loop, scalars or one per joint."""

    kp: ArrayLike = 20.0  # [1/s]
    ki: ArrayLike = 0.0  # [1/s^2]
    kd: ArrayLike = 0.0  # [-]
    integral_limit: ArrayLike = np.inf  # largest part of the velocity that the integral may ask for [rad/s or m/s]

    def __post_init__(self) -> None:
        for name in ("kp", "ki", "kd", "integral_limit"):
            values = np.asarray(getattr(self, name), dtype=float)
            if np.isnan(values).any() or (values < 0).any():
                raise BadInput(f"cascade gain {name} must be >= 0, got {values}")


class CascadeDrive:
    """Position control by a PID whose output is a velocity for the engine's servo; other modes pass through.

    v = kp e + ki ∫e dt + kd de/dt, cut at the joint's velocity limit; while it is cut, the integral stands still unless
    it would come back (conditional integration; Åström and Hägglund, PID Controllers, 1995).
    """

    def __init__(self, gains: CascadeGains | None = None) -> None:
        self.gains = gains or CascadeGains()
        self._integral: Array | None = None
        self._error: Array | None = None

    def update(self, order: ServoOrder, state: JointState, dt: float) -> ServoOrder:
        """Velocity orders for the joints under position control."""
        position = order.modes == Mode.POSITION
        error = np.where(position, order.references - state.position, 0.0)
        kp, ki, kd, most = (
            np.asarray(v, dtype=float) for v in (self.gains.kp, self.gains.ki, self.gains.kd, self.gains.integral_limit)
        )
        integral = np.zeros_like(error) if self._integral is None else self._integral
        rate = np.zeros_like(error) if self._error is None else (error - self._error) / dt
        candidate = np.clip(integral + ki * error * dt, -most, most)
        wanted = kp * error + candidate + kd * rate
        limit = order.gains.velocity
        saturated = np.abs(wanted) > limit
        grows = np.abs(candidate) > np.abs(integral)
        integral = np.where(saturated & grows, integral, candidate)
        velocity = np.clip(kp * error + integral + kd * rate, -limit, limit)
        self._integral, self._error = np.where(position, integral, 0.0), error
        return ServoOrder(
            np.where(position, np.int8(Mode.VELOCITY), order.modes).astype(np.int8),
            np.where(position, velocity, order.references),
            order.gains,
        )

    def save(self) -> Any:
        """Integral and last error."""
        return (self._integral, self._error)

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._integral, self._error = state
