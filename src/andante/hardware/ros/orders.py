"""How commands travel to a robot behind ROS: streams of joint targets, moves with a speed or a time, velocities."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from andante._moved import renamed
from andante.bags import messages
from andante.control.body import StopPlan, Twist
from andante.description import Robot
from andante.errors import AndanteError, BadInput
from andante.geometry import Array
from andante.kinematics.wheels.finder import find_drive
from andante.motion.joint_motion import MotionLimits

JOINT_STATE, TRAJECTORY = "sensor_msgs/msg/JointState", "trajectory_msgs/msg/JointTrajectory"
Stiffness: TypeAlias = Mapping[str, float] | None  # by joint
STANDING: Twist = (0.0, 0.0, 0.0)
ARM = 0.2  # a turn by an angle counts as a way on a circle of this radius [m]
LONGEST_SLEW = 0.1  # time between two targets that counts for how far they may be apart [s]


class JointMove(NamedTuple):
    """One joint on its way."""

    name: str
    target: float  # [rad or m]
    here: float  # where it is now, NaN: not known
    max_speed: float  # [rad/s or m/s]


class JointOrders(ABC):
    """How joint targets become messages. A subclass gives `topic`, `type_name` and `message`."""

    topic: str
    type_name: ClassVar[str]
    together: tuple[str, ...] = ()  # joints that are always commanded together; empty: each by itself
    stop_topic: str = ""  # where stop plans go; empty: nowhere
    stiffness_topic: str = ""  # where the stiffness goes that the message itself cannot carry; empty: nowhere
    streams: ClassVar[bool] = False  # whether joints go to their targets at once, so that near ones must be streamed

    @abstractmethod
    def message(self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Stiffness = None) -> Any:
        """The message that sends joints on their way now, decided at a time of the robot's clock [s].

        stiffness: fraction 0 to 1 of their strength that servos shall have, where it can be told.
        """

    def stiffness_message(self, stiffness: Mapping[str, float], stamp: float = 0.0) -> Any:
        """The stiffness of joints as sensor_msgs/JointState, in `effort`, for those with a topic for it."""
        return messages.make(
            JOINT_STATE, header=messages.header(stamp), name=list(stiffness), effort=list(stiffness.values())
        )

    def plan_message(self, plan: StopPlan, names: Sequence[str]) -> Any:
        """The message of a stop plan, for those with a topic for it."""
        points = [
            {"positions": row, "time_from_start": messages.duration(k * plan.period)}
            for k, row in enumerate(plan.targets)
        ]
        return messages.make(TRAJECTORY, header=messages.header(plan.time), joint_names=list(names), points=points)


@dataclass(frozen=True)
class JointTargets(JointOrders):
    """sensor_msgs/JointState in a stream: positions, and in `effort` the stiffness from 0 to 1 where it is told.

    A session of ours follows it, and comes to rest by the stop plan when it ceases.
    """

    topic: str = "/joint_targets"
    stop_topic: str = "/joint_targets/stop"
    type_name: ClassVar[str] = JOINT_STATE
    streams: ClassVar[bool] = True

    def message(self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Stiffness = None) -> Any:
        """All joints of the moves at once."""
        return messages.make(
            self.type_name,
            header=messages.header(stamp),
            name=[move.name for move in moves],
            position=[move.target for move in moves],
            effort=[] if stiffness is None else [stiffness[move.name] for move in moves],
        )


@dataclass(frozen=True)
class JointPositions(JointOrders):
    """std_msgs/Float64MultiArray in a stream, as position controllers of ros2_control hear it.

    together: the joints in the order of the controller's parameter `joints`; all of them are sent each time.
    """

    topic: str = "/position_controller/commands"
    together: tuple[str, ...] = ()
    type_name: ClassVar[str] = "std_msgs/msg/Float64MultiArray"
    streams: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.together:
            raise BadInput("a position controller needs its joints in order; give `joints`")

    def message(self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Stiffness = None) -> Any:
        """The numbers in the order of the controller."""
        targets = {move.name: move.target for move in moves}
        return messages.make(self.type_name, data=[targets[name] for name in self.together])


@dataclass(frozen=True)
class JointAngles(JointOrders):
    """naoqi_bridge_msgs/JointAnglesWithSpeed: targets that are reached at a fraction of the top speed (NAO, Pepper).

    The stiffness goes to the topic that NAO's driver hears it on, whenever it changes.
    """

    topic: str = "/joint_angles"
    stiffness_topic: str = "/joint_stiffness"
    speed: float = 1.0  # fraction of the top speed, over 0 to 1
    together: tuple[str, ...] = ()
    type_name: ClassVar[str] = "naoqi_bridge_msgs/msg/JointAnglesWithSpeed"

    def __post_init__(self) -> None:
        if not 0.0 < self.speed <= 1.0:
            raise BadInput(f"speed is a fraction of the top speed, over 0 to 1, got {self.speed}")

    def message(self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Stiffness = None) -> Any:
        """The message that sends all joints on their way now."""
        return messages.make(
            self.type_name,
            joint_names=[move.name for move in moves],
            joint_angles=[move.target for move in moves],
            speed=self.speed,
        )


@dataclass(frozen=True)
class JointTrajectory(JointOrders):
    """trajectory_msgs/JointTrajectory of one point, as controllers of ros_control and ros2_control hear it.

    The point is reached after `least_time`, or later where a joint would have to be faster than its limit. Controllers
    that refuse a part of their joints need all of them in `together`: those not named keep their last target.
    """

    topic: str = "/joint_trajectory"
    least_time: float = 0.1  # [s]
    together: tuple[str, ...] = ()
    type_name: ClassVar[str] = TRAJECTORY

    def __post_init__(self) -> None:
        if not (math.isfinite(self.least_time) and self.least_time > 0.0):
            raise BadInput(f"least_time is a time > 0 s, got {self.least_time}")

    def message(self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Stiffness = None) -> Any:
        """The message that sends all joints on their way now; a header without a time means at once."""
        times = [abs(m.target - m.here) / m.max_speed for m in moves if m.max_speed > 0.0 and math.isfinite(m.here)]
        point = {
            "positions": [move.target for move in moves],
            "time_from_start": messages.duration(max([self.least_time, *times])),
        }
        return messages.make(self.type_name, joint_names=[move.name for move in moves], points=[point])


@renamed(max_linear="max_speed", max_angular="max_turn")
@dataclass(frozen=True)
class BaseVelocity:
    """geometry_msgs/Twist, or TwistStamped, for a base that drives or walks."""

    topic: str = "/cmd_vel"
    stamped: bool = False
    max_speed: float = math.inf  # [m/s]
    max_turn: float = math.inf  # [rad/s]

    def __post_init__(self) -> None:
        if not (self.max_speed > 0.0 and self.max_turn > 0.0):
            raise BadInput(f"speed limits must be > 0, got {self.max_speed} m/s and {self.max_turn} rad/s")

    @property
    def type_name(self) -> str:
        """Type of the message."""
        return "geometry_msgs/msg/TwistStamped" if self.stamped else "geometry_msgs/msg/Twist"

    def clipped(self, twist: Twist) -> Twist:
        """The twist within the limits; its direction stays."""
        vx, vy, wz = twist
        speed = math.hypot(vx, vy)
        fraction = self.max_speed / speed if speed > self.max_speed else 1.0
        return vx * fraction, vy * fraction, min(max(wz, -self.max_turn), self.max_turn)

    def message(self, twist: Twist, stamp: float = 0.0) -> Any:
        """The message; `stamp` [s] is the robot's time, for a stamped one."""
        content = {"linear": {"x": twist[0], "y": twist[1]}, "angular": {"z": twist[2]}}
        if self.stamped:
            return messages.make(self.type_name, header=messages.header(stamp), twist=content)
        return messages.make(self.type_name, **content)


class JointStream:
    """Targets of joints as they are sent: within the limits of the robot's file, and no faster than joints can go.

    Args:
        way: how they travel.
        robot: names and limits of the joints.
        say: called with each line on what was changed, once.
    """

    def __init__(self, way: JointOrders, robot: Robot, say: Callable[[str], None]) -> None:
        self.way, self.limits, self._say = way, MotionLimits.of(robot), say
        self.names = robot.joint_names
        self.targets = np.full(len(self.names), np.nan)  # sent last, of the joints that were commanded
        self._sent_at = -math.inf  # [s]
        self._together = [self.names.index(name) for name in way.together]

    def moves(self, targets: Array, here: Array, time: float) -> list[JointMove] | None:
        """What is sent for targets (joints,), NaN: none, at a time [s]; here: measured. None: it cannot be told."""
        targets = targets.copy()
        for i in self._together:
            if not math.isfinite(targets[i]):
                targets[i] = self.targets[i] if math.isfinite(self.targets[i]) else here[i]
            if not math.isfinite(targets[i]):
                self._say(
                    f"joints of {self.way.topic} move together only, and nothing is known of {self.names[i]!r}: dropped"
                )
                return None
        targets = self._within(targets, here, time)
        chosen = np.array(self._together) if self._together else np.flatnonzero(np.isfinite(targets))
        self.targets[chosen], self._sent_at = targets[chosen], time
        return [
            JointMove(self.names[i], float(targets[i]), float(here[i]), float(self.limits.velocity[i])) for i in chosen
        ]

    def _within(self, targets: Array, here: Array, time: float) -> Array:
        """Targets within the limits: positions, and as far from the last ones as the joint comes in that time."""
        limits = self.limits
        inside = np.clip(targets, limits.lower, limits.upper)
        for i in np.flatnonzero(np.isfinite(targets) & (inside != targets)):
            bounds = f"{limits.lower[i]:.4g} ... {limits.upper[i]:.4g}"
            self._say(f"targets of joint {self.names[i]!r} are clipped to {bounds}")
        if not self.way.streams:
            return inside  # the robot itself goes there at a speed within its limits
        before = np.where(np.isfinite(self.targets), self.targets, here)
        most = limits.velocity * min(max(time - self._sent_at, 0.01), LONGEST_SLEW)
        slow = np.clip(inside, before - most, before + most)
        for i in np.flatnonzero(np.isfinite(slow) & (np.abs(slow - inside) > 1e-9)):
            self._say(f"targets of joint {self.names[i]!r} are slowed down to {limits.velocity[i]:.4g} rad/s")
        return np.where(np.isfinite(slow), slow, inside)


class CommandWatch:
    """Notices commands that get lost on their way while the robot still tells of itself: nothing moves as it is told.

    Told and measured values are followed over windows of time. A window in which some value was told to change by
    `least` and none of those did by `fraction` of that is one whose commands were not heeded.
    """

    def __init__(self, window: float = 0.5, least: float = 0.05, fraction: float = 0.1) -> None:
        self.window, self.least, self.fraction = window, least, fraction
        self._asked = self._moved = np.zeros(0)  # largest changes in the window
        self._way, self._driven_at = np.zeros(2), math.inf  # of a base: told, and by its odometry [m]; when [s]
        self.unheeded = 0  # commands so far
        self.silent = 0.0  # for how long nothing has been heeded [s]
        self._begun: tuple[float, Array, Array] | None = None  # time, told and measured at the start of the window
        self._told: Array | None = None  # the last time
        self._count = 0

    def note(self, time: float, told: Array, measured: Array) -> None:
        """A command was sent at a time [s]: values (n,) told so far, and measured; NaN where nothing is known."""
        before, self._told = measured if self._told is None else self._told, told.copy()
        if self._begun is None or time < self._begun[0] or time - self._begun[0] > 2 * self.window:
            self._begin(time, np.where(np.isfinite(before), before, measured), measured)
        self._count += 1
        assert self._begun is not None
        self._asked = np.fmax(self._asked, np.abs(told - self._begun[1]))
        self._moved = np.fmax(self._moved, np.abs(measured - self._begun[2]))
        if time - self._begun[0] >= self.window:
            asked = (self._asked >= self.least) & np.isfinite(self._moved)
            if asked.any():
                heeded = bool((self._moved[asked] >= self.fraction * self._asked[asked]).any())
                self.unheeded += 0 if heeded else self._count
                self.silent = 0.0 if heeded else self.silent + time - self._begun[0]
            self._begin(time, told, measured)

    def drive(self, time: float, twist: Twist, odometry: Twist | None, wheels: Array) -> None:
        """A twist was sent at a time [s]; the base moves by its odometry with another, its wheels stand at angles."""
        passed, self._driven_at = min(max(time - self._driven_at, 0.0), self.window), time
        self._way += passed * np.array([_pace(twist), math.nan if odometry is None else _pace(odometry)])
        measured = np.append(wheels, self._way[1])
        self.note(time, np.full(len(measured), self._way[0]), measured)

    def _begin(self, time: float, told: Array, measured: Array) -> None:
        self._begun, self._count = (time, told.copy(), measured.copy()), 0
        self._asked, self._moved = np.zeros(len(told)), np.where(np.isfinite(measured), 0.0, np.nan)


def _pace(twist: Twist) -> float:
    """How fast a twist goes [m/s]."""
    return math.hypot(twist[0], twist[1]) + ARM * abs(twist[2])


def driven_by(robot: Robot, velocity: BaseVelocity | None) -> tuple[set[str], BaseVelocity | None]:
    """Joints of the drive, and the way of the twists with the limits of the drive; none for a robot without wheels."""
    try:
        drive = find_drive(robot)
    except AndanteError:
        return set(), velocity
    if velocity is not None:
        velocity = replace(
            velocity,
            max_speed=min(velocity.max_speed, drive.max_speed),
            max_turn=min(velocity.max_turn, drive.max_turn),
        )
    return set(drive.joint_commands(STANDING)), velocity
