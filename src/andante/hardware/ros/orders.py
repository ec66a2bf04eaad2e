"""How commands travel to a robot behind ROS: streams of joint targets, moves with a speed or a time, velocities."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from andante.bags import messages
from andante.control.body import StopPlan, Twist
from andante.errors import BadInput

TRAJECTORY = "trajectory_msgs/msg/JointTrajectory"


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
    streams: ClassVar[bool] = False  # whether joints go to their targets at once, so that near ones must be streamed

    @abstractmethod
    def message(
        self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Mapping[str, float] | None = None
    ) -> Any:
        """The message that sends joints on their way now, decided at a time of the robot's clock [s].

        stiffness: fraction 0 to 1 of their strength that servos shall have, where it can be told.
        """

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
    type_name: ClassVar[str] = "sensor_msgs/msg/JointState"
    streams: ClassVar[bool] = True

    def message(
        self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Mapping[str, float] | None = None
    ) -> Any:
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

    def message(
        self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Mapping[str, float] | None = None
    ) -> Any:
        """The numbers in the order of the controller."""
        targets = {move.name: move.target for move in moves}
        return messages.make(self.type_name, data=[targets[name] for name in self.together])


@dataclass(frozen=True)
class JointAngles(JointOrders):
    """naoqi_bridge_msgs/JointAnglesWithSpeed: targets that are reached at a fraction of the top speed (NAO, Pepper)."""

    topic: str = "/joint_angles"
    speed: float = 1.0  # fraction of the top speed, over 0 to 1
    together: tuple[str, ...] = ()
    type_name: ClassVar[str] = "naoqi_bridge_msgs/msg/JointAnglesWithSpeed"

    def __post_init__(self) -> None:
        if not 0.0 < self.speed <= 1.0:
            raise BadInput(f"speed is a fraction of the top speed, over 0 to 1, got {self.speed}")

    def message(
        self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Mapping[str, float] | None = None
    ) -> Any:
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

    def message(
        self, moves: Sequence[JointMove], stamp: float = 0.0, stiffness: Mapping[str, float] | None = None
    ) -> Any:
        """The message that sends all joints on their way now; a header without a time means at once."""
        times = [abs(m.target - m.here) / m.max_speed for m in moves if m.max_speed > 0.0 and math.isfinite(m.here)]
        point = {
            "positions": [move.target for move in moves],
            "time_from_start": messages.duration(max([self.least_time, *times])),
        }
        return messages.make(self.type_name, joint_names=[move.name for move in moves], points=[point])


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
