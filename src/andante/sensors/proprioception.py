"""What a robot feels of its own motion: encoders of joints (positions, derived velocities) and wheels (ticks), IMU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.description.joint import JointType
from andante.description.link import SensorSpec
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array
from andante.settings import check_fields, is_size

from .kernels import inertial, quotients
from .sensor import Scene, stated

AXES = ("x", "y", "z")


class Imu:
    """Gyro w = Rᵀ ω [rad/s] and accelerometer f = Rᵀ (a - g) [m/s²] of a frame on a link.

    Both are means over the last sample period, (v - v_before) / (t - t_before) and the turn over the same time: what
    a sensor with a low pass at its own rate sees. `gyro_axes` and `accelerometer_axes` name the axes that exist
    (the NAO V4 has no yaw gyro); a missing axis reads NaN.
    """

    def __init__(
        self,
        robot: Robot,
        link: str,
        pose: SE3,
        name: str = "imu",
        gyro_axes: str = "xyz",
        accelerometer_axes: str = "xyz",
    ) -> None:
        self.name = name
        self._link = [each.name for each in robot.links].index(robot.link(link).name)
        self._pose = pose
        self._missing = np.array([a not in gyro_axes for a in AXES] + [a not in accelerometer_axes for a in AXES])
        self._blind = bool(self._missing.any())
        self._last: tuple[float, Array] = (math.inf, np.zeros(12))  # time, velocity and rotation; inf: no sample before
        self._frame: Array | None = None  # body_from_sensor

    @property
    def labels(self) -> tuple[str, ...]:
        """gyro_x .. gyro_z, acc_x .. acc_z."""
        return tuple(f"gyro_{a}" for a in AXES) + tuple(f"acc_{a}" for a in AXES)

    def measure(self, scene: Scene) -> Array:
        """True angular velocity and specific force, (6,)."""
        if self._frame is None:
            tree = scene.engine.models[scene.model].tree
            self._body = int(tree.link_body[self._link])
            self._frame = np.ascontiguousarray(tree.link_pose[self._link] @ self._pose.matrix)
            self._gravity = np.array(scene.engine.world.gravity, dtype=float)
        pose, velocity = scene.body_motion(self._body)
        before, memory = self._last
        out, memory = inertial(pose, velocity, self._frame, self._gravity, scene.time - before, memory)
        self._last = (scene.time, memory)
        if self._blind:
            out[self._missing] = np.nan
        return out

    def save(self) -> Any:
        """The velocity and rotation of the sample before."""
        return self._last

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._last = state


class _OfJoints:
    """A sensor with a value per movable joint."""

    robot: Robot

    @property
    def labels(self) -> tuple[str, ...]:
        """Joint names."""
        return self.robot.joint_names


@dataclass(frozen=True)
class PositionEncoders(_OfJoints):
    """Positions of all movable joints [rad, m]."""

    robot: Robot
    name: str = "encoders"

    def measure(self, scene: Scene) -> Array:
        """True joint positions."""
        return scene.joint_positions


@dataclass(frozen=True)
class EffortSensors(_OfJoints):
    """Efforts of all servos, as a current measurement gives them [N m, N]."""

    robot: Robot
    name: str = "efforts"

    def measure(self, scene: Scene) -> Array:
        """Efforts of the last step."""
        return scene.joint_efforts


class VelocityFromEncoders(_OfJoints):
    """Velocities as a controller has them: difference quotient of encoder positions over one sample [rad/s, m/s]."""

    def __init__(self, robot: Robot, resolution: float = 0.0, name: str = "encoder_velocities") -> None:
        self.robot, self.resolution, self.name = robot, resolution, name
        self._last: tuple[float, Array] | None = None

    def measure(self, scene: Scene) -> Array:
        """(q - q_before) / (t - t_before) of the quantized positions; 0 at the first sample."""
        now, known = scene.time, self._last
        if known is None or now <= known[0]:
            seen, speed = quotients(scene.joint_positions, scene.joint_positions, self.resolution, 0.0)
        else:
            seen, speed = quotients(scene.joint_positions, known[1], self.resolution, now - known[0])
        self._last = (now, seen)
        return speed

    def save(self) -> tuple[float, Array] | None:
        """The sample before."""
        return self._last

    def load(self, state: tuple[float, Array] | None) -> None:
        """Put back what `save` returned."""
        self._last = state


@dataclass(frozen=True)
class WheelErrors:
    """Errors of wheel encoders beyond the slip that the physics makes; all zero is a perfect one."""

    ticks: int = 4096  # per turn; 0: no steps
    scale_stddev: float = 0.0  # spread of a wheel's radius, drawn once, as a fraction
    slip_stddev: float = 0.0  # extra slip: spread of the count after 1 rad of turning [rad]; grows with the root

    def __post_init__(self) -> None:
        if self.ticks < 0:
            raise BadInput(f"wheel encoders need ticks >= 0 per turn, got {self.ticks}")
        check_fields(self, "wheel encoder", "at least 0 and finite", is_size, "scale_stddev", "slip_stddev")

    @staticmethod
    def of(spec: SensorSpec) -> WheelErrors:
        """The errors that a description states."""
        return stated(spec, WheelErrors())


def wheel_joints(robot: Robot) -> tuple[str, ...]:
    """Joints that turn without end: what an encoder can count."""
    return tuple(
        joint.name
        for joint in robot.movable
        if joint.type is JointType.CONTINUOUS and not math.isfinite(joint.limits.upper)
    )


class WheelEncoders:
    """Angles of the wheels since the start [rad], in whole ticks, not wrapped.

    Each turn by dq is counted as dq (1 + s) + w sqrt(|dq|) with a scale error s of the wheel and white w: the extra
    slip is a random walk over the rolled angle. `ticks(values)` gives whole numbers.
    """

    def __init__(
        self,
        robot: Robot,
        joints: Sequence[str] | None = None,
        errors: WheelErrors | None = None,
        name: str = "wheel_encoders",
    ) -> None:
        self.joints = tuple(wheel_joints(robot) if joints is None else joints)
        if not self.joints:
            raise BadInput(f"robot {robot.name!r} has no joint that turns without end; name the joints to count")
        self._rows = np.array([robot.joint_names.index(robot.joint(joint).name) for joint in self.joints])
        self.name, self.errors = name, errors or WheelErrors()
        self._before: Array | None = None
        self._counted = np.zeros(len(self.joints))
        self.draw_from(np.random.default_rng(0))

    @property
    def labels(self) -> tuple[str, ...]:
        """Joint names."""
        return self.joints

    def draw_from(self, generator: np.random.Generator) -> None:
        """Take random numbers from this generator; the scale errors are drawn at once."""
        self._generator = generator
        self._scale = 1.0 + self.errors.scale_stddev * generator.standard_normal(len(self.joints))

    def measure(self, scene: Scene) -> Array:
        """Counted angles (wheels,) [rad]."""
        q = scene.joint_positions[self._rows]
        turned = q - (q if self._before is None else self._before)
        self._before = q
        self._counted = self._counted + turned * self._scale
        if self.errors.slip_stddev:
            chance = self._generator.standard_normal(len(q))
            self._counted = self._counted + self.errors.slip_stddev * np.sqrt(np.abs(turned)) * chance
        if not self.errors.ticks:
            return self._counted.copy()
        step = 2 * math.pi / self.errors.ticks
        return np.asarray(np.floor(self._counted / step + 0.5) * step)

    def ticks(self, values: Array) -> np.ndarray:
        """Whole ticks (wheels,) of a reading."""
        return np.rint(np.asarray(values) * self.errors.ticks / (2 * math.pi)).astype(np.int64)

    def save(self) -> Any:
        """What was counted so far and the state of the random numbers."""
        return (self._before, self._counted, self._scale, self._generator.bit_generator.state)

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self._before, self._counted, self._scale, self._generator.bit_generator.state = state
