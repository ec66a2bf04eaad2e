"""`Drive`: from a chassis twist to joint commands and back, within the limits of wheels and steering."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.errors import BadInput, UnknownName
from andante.geometry import Array, se2

from .base import ChassisMotion, WheelBase, WheelMotion
from .wheel import SteeredWheel, Wheel

JointValues: TypeAlias = Mapping[str, ArrayLike]

VELOCITY, POSITION, OFF = "velocity", "position", "off"  # names of the engine's servo modes in lower case


@dataclass(frozen=True)
class DriveWheel:
    """A wheel of a drive with the joints that move it."""

    wheel: Wheel  # relative to the reference point of the drive
    joint: str  # joint that spins it
    steering: str = ""  # joint that turns it: commanded for a steered wheel, free for a caster
    steering_sign: float = 1.0  # beta = rest + sign * position of the steering joint
    driven: bool = True  # False: it rolls freely
    max_speed: float = math.inf  # [rad/s]
    rollers: tuple[str, ...] = ()  # joints of free rollers


@renamed(max_linear="max_speed", max_angular="max_turn")
@dataclass(frozen=True)
class Drive:
    """The drive of a base: twists (vx, vy, w) of its reference point, x forward, against joint speeds and angles.

    The reference point lies on the axle of the fixed wheels where there is one: about it a car or a differential base
    moves with vy = 0.
    """

    kind: str
    wheels: tuple[DriveWheel, ...]
    max_speed: float = math.inf  # [m/s]
    max_turn: float = math.inf  # [rad/s]
    reference: tuple[float, float, float] = (0.0, 0.0, 0.0)  # x, y, yaw of the reference in the root frame [m, rad]
    footprint_radius: float = math.nan  # of the circle about the reference that holds the robot [m]
    name: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)  # what the finder had to decide

    def __post_init__(self) -> None:
        if not (self.max_speed > 0 and self.max_turn > 0):
            raise BadInput(f"a drive needs speed limits > 0, got {self.max_speed} m/s and {self.max_turn} rad/s")
        twice = [name for name in self.wheel_joints if self.wheel_joints.count(name) > 1]
        if twice:
            raise BadInput(f"{self._who}: joint {twice[0]!r} is named for two wheels; each wheel needs its own")
        for part in self.wheels:
            if isinstance(part.wheel, SteeredWheel) and not part.steering:
                raise BadInput(f"{self._who}: the steered wheel {part.joint!r} needs a steering joint")
        if self.wheels and self.base.degrees.mobility == 0:
            raise BadInput(
                f"{self._who}: the wheels {', '.join(self.wheel_joints)} contradict each other: no motion is left"
            )

    @property
    def _who(self) -> str:
        return f"{self.kind} drive" + (f" of robot {self.name!r}" if self.name else "")

    @cached_property
    def base(self) -> WheelBase:
        """The wheels as a base, relative to the reference point."""
        return WheelBase(part.wheel for part in self.wheels)

    @cached_property
    def wheel_joints(self) -> tuple[str, ...]:
        """Joints that spin the wheels: the order of wheel speeds."""
        return tuple(part.joint for part in self.wheels)

    @cached_property
    def _turning(self) -> tuple[DriveWheel, ...]:
        return tuple(self.wheels[i] for i in self.base.turning)

    @cached_property
    def steering_joints(self) -> tuple[str, ...]:
        """Joints that turn wheels, caster forks included: the order of steering angles."""
        return tuple(dict.fromkeys(part.steering for part in self._turning if part.steering))

    @cached_property
    def holonomic(self) -> bool:
        """Whether every twist is possible at once."""
        return self.base.degrees.mobility == 3

    # ---- twist to joints -------------------------------------------------------------------------
    def wheel_motion(self, twist: ArrayLike, steering: JointValues | ArrayLike | None = None) -> WheelMotion:
        """Wheel speeds and beta angles under a twist (..., 3) as given; steered wheels turn to it from `steering`."""
        return self.base.inverse(twist, near=self._betas(steering))

    def joint_commands(
        self, twist: ArrayLike, steering: JointValues | ArrayLike | None = None, *, limit: bool = True
    ) -> dict[str, tuple[str, Array]]:
        """Servo mode and value (...,) of every joint of the drive under a twist (..., 3), `limited` unless disabled.

        Driven wheels: ("velocity", rad/s); steering joints: ("position", rad); what rolls or trails freely: ("off", 0).
        `steering` are the present steering angles, which choose between two ways to turn a wheel.
        """
        if limit and steering is None and not self.base.turning and np.shape(twist) == (3,):
            return self._rolled(np.asarray(twist, dtype=float))
        near = self._betas(steering)
        motion = self._limited(twist, near)[1] if limit else self.base.inverse(twist, near=near)
        angles = self._joint_angles(motion.angles)
        free = np.zeros(motion.speeds.shape[:-1])
        out: dict[str, tuple[str, Array]] = {}
        for i, part in enumerate(self.wheels):
            out[part.joint] = (VELOCITY, np.asarray(motion.speeds[..., i])) if part.driven else (OFF, free)
            if part.steering:
                steered = isinstance(part.wheel, SteeredWheel)
                out[part.steering] = (POSITION, angles[part.steering]) if steered else (OFF, free)
            out |= dict.fromkeys(part.rollers, (OFF, free))
        return out

    def _rolled(self, twist: Array) -> dict[str, tuple[str, Array]]:
        """`joint_commands` of one twist (3,) where no wheel turns."""
        _, speeds = self._scaled(twist)
        out: dict[str, tuple[str, Array]] = {}
        for part, speed in zip(self.wheels, speeds, strict=True):
            out[part.joint] = (VELOCITY, np.asarray(speed)) if part.driven else (OFF, np.zeros(()))
            out |= dict.fromkeys(part.rollers, (OFF, np.zeros(())))
        return out

    def _scaled(self, twist: Array) -> tuple[Array, Array]:
        """`limited` of one twist (3,) where no wheel turns, and its wheel speeds: linear in it, scaled as a whole."""
        feasible = twist @ self.base.projector
        vx, vy, turn = feasible.tolist()
        speeds = self._gear @ twist
        excess = max(1.0, math.hypot(vx, vy) / self.max_speed, abs(turn) / self.max_turn)
        if len(speeds):
            excess = max(excess, float(np.max(np.abs(speeds) / self._tops)))
        return feasible / excess, speeds / excess

    @cached_property
    def _gear(self) -> Array:
        """(N, 3): speeds of wheels that do not turn under a twist, of which what they forbid is dropped."""
        return self.base.inverse(self.base.nearest(np.eye(3))).speeds.T

    def _joint_angles(self, betas: Array) -> dict[str, Array]:
        return {
            part.steering: np.asarray(part.steering_sign * (betas[..., k] - part.wheel.angle))
            for k, part in enumerate(self._turning)
            if part.steering
        }

    # ---- joints to twist -------------------------------------------------------------------------
    def twist(self, speeds: JointValues | ArrayLike, steering: JointValues | ArrayLike | None = None) -> ChassisMotion:
        """Twist of the reference point that fits joint speeds and steering angles best, and how much they disagree.

        speeds: joint -> (...,) [rad/s], wheels that are not named count as unknown; or (..., N) in the order of
        `wheel_joints`. steering: joint -> (...,) [rad], or (..., K) in the order of `steering_joints`; rest without.
        """
        return self.base.forward(self._speeds(speeds), self._betas(steering))

    def _speeds(self, speeds: JointValues | ArrayLike) -> Array:
        if not isinstance(speeds, Mapping):
            return np.asarray(speeds, dtype=float)
        UnknownName.check("wheel joint", speeds, self.wheel_joints, f"the {self._who}")
        return _columns([speeds.get(name, math.nan) for name in self.wheel_joints])

    def _betas(self, steering: JointValues | ArrayLike | None) -> Array | None:
        """beta of the turning wheels from positions of the steering joints."""
        if steering is None:
            return None
        if isinstance(steering, Mapping):
            UnknownName.check("steering joint", steering, self.steering_joints, f"the {self._who}")
            values = dict(steering)
        else:
            array = np.asarray(steering, dtype=float)
            if array.shape[-1:] != (len(self.steering_joints),):
                listed = ", ".join(self.steering_joints) or "none"
                raise BadInput(
                    f"{self._who}: steering angles are (..., {len(self.steering_joints)}): {listed}; got {array.shape}"
                )
            values = {name: array[..., k] for k, name in enumerate(self.steering_joints)}
        return _columns(
            [
                part.wheel.angle + part.steering_sign * np.asarray(values.get(part.steering, 0.0), dtype=float)
                for part in self._turning
            ]
        )

    # ---- limits ----------------------------------------------------------------------------------
    @cached_property
    def curvature_limits(self) -> tuple[float, float]:
        """Sharpest right (<= 0) and left (>= 0) turn that the steering allows, w / vx [1/m]; infinite: on the spot."""
        return -self._sharpest(-1.0), self._sharpest(1.0)

    def _sharpest(self, side: float) -> float:
        if bool(self.base.feasible([0.0, 0.0, side])):
            return math.inf
        low, high = 0.0, math.pi / 2
        for _ in range(50):
            middle = (low + high) / 2
            fits = self.base.feasible([math.cos(middle), 0.0, side * math.sin(middle)], tolerance=1e-9)
            low, high = (middle, high) if fits else (low, middle)
        return math.tan(low)

    @property
    def turning_radius(self) -> float:
        """Smallest radius of the reference point's circle that can be driven to both sides [m]; 0: on the spot."""
        right, left = self.curvature_limits
        sharpest = min(-right, left)
        return 0.0 if math.isinf(sharpest) else 1.0 / sharpest if sharpest > 0 else math.inf

    def limited(self, twist: ArrayLike) -> Array:
        """The twist (..., 3) that the drive carries out: feasible, steerable, scaled as a whole into the speed limits.

        Sideways speed that fixed wheels forbid is dropped, turns sharper than the steering allows are widened, then all
        three numbers shrink by one factor, so that curvature and direction stay.
        """
        if not self.base.turning and np.shape(twist) == (3,):
            return self._scaled(np.asarray(twist, dtype=float))[0]
        return self._limited(twist, None)[0]

    def _limited(self, twist: ArrayLike, near: Array | None) -> tuple[Array, WheelMotion]:
        """The limited twist and its wheel motion: angles do not change with the size of a twist, speeds go with it."""
        v = self.base.nearest(twist)
        if self._bends:
            right, left = self.curvature_limits
            bounds = np.sort(np.stack([_times(right, v[..., 0]), _times(left, v[..., 0])]), axis=0)
            v = np.stack([v[..., 0], v[..., 1], np.clip(v[..., 2], bounds[0], bounds[1])], axis=-1)
        motion = self.base.inverse(v, near=near)
        excess = np.maximum(np.hypot(v[..., 0], v[..., 1]) / self.max_speed, np.abs(v[..., 2]) / self.max_turn)
        if self.wheels:
            excess = np.maximum(excess, np.max(np.abs(motion.speeds) / self._tops, axis=-1))
        fraction = 1.0 / np.maximum(excess, 1.0)[..., None]
        scaled = {name: fraction * getattr(motion, name) for name in ("speeds", "rates", "rollers", "slip")}
        return v * fraction, replace(motion, **scaled)

    @cached_property
    def _tops(self) -> Array:
        return np.array([part.max_speed for part in self.wheels])

    @cached_property
    def _bends(self) -> bool:
        """Whether one curvature determines how the base may move: steered wheels together with a fixed axle."""
        steered = any(isinstance(part.wheel, SteeredWheel) for part in self.wheels)
        return steered and self.base.motions(steerable=True).shape[1] < 3

    # ---- frames ----------------------------------------------------------------------------------
    def at_root(self, twist: ArrayLike) -> Array:
        """Twist (..., 3) of the reference point, expressed at the origin and in the axes of the root link."""
        x, y, yaw = self.reference
        v = np.asarray(twist, dtype=float)
        c, s = math.cos(yaw), math.sin(yaw)
        if v.shape == (3,):
            vx, vy, w = v.tolist()
            return np.array([c * vx - s * vy + w * y, s * vx + c * vy - w * x, w])
        vx, vy, w = c * v[..., 0] - s * v[..., 1], s * v[..., 0] + c * v[..., 1], v[..., 2]
        return np.stack([vx + w * y, vy - w * x, w], axis=-1)

    def from_root(self, twist: ArrayLike) -> Array:
        """Twist (..., 3) of the root link, expressed at the reference point: undoes `at_root`."""
        x, y, yaw = self.reference
        v = np.asarray(twist, dtype=float)
        c, s = math.cos(yaw), math.sin(yaw)
        if v.shape == (3,):
            vx, vy, w = v.tolist()
            vx, vy = vx - w * y, vy + w * x
            return np.array([c * vx + s * vy, c * vy - s * vx, w])
        vx, vy = v[..., 0] - v[..., 2] * y, v[..., 1] + v[..., 2] * x
        return np.stack([c * vx + s * vy, c * vy - s * vx, v[..., 2]], axis=-1)

    def pose_from_root(self, root_pose: ArrayLike) -> Array:
        """Pose (..., 3) of the reference point from the pose of the root link, both x, y, yaw in the world."""
        return se2.compose(root_pose, np.asarray(self.reference))


def _times(limit: float, speed: Array) -> Array:
    """limit * speed with infinity * 0 = infinity: a base that turns on the spot does so at rest."""
    return np.where(speed == 0, limit if math.isinf(limit) else 0.0, limit * np.where(speed == 0, 1.0, speed))


def _columns(values: list[ArrayLike]) -> Array:
    """Values (...,) of several joints as one array (..., count)."""
    if not values:
        return np.zeros(0)
    return np.stack(np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values)), axis=-1)
