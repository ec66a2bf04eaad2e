"""How commands travel to a robot behind ROS: joint targets with a speed, as a trajectory, and velocities of a base."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from andante.bags import messages
from andante.errors import BadInput

Twist = tuple[float, float, float]  # vx, vy [m/s], wz [rad/s]


class JointMove(NamedTuple):
    """One joint on its way."""

    name: str
    target: float  # [rad or m]
    here: float  # where it is now, NaN: not known
    top_speed: float  # [rad/s or m/s]


class JointOrders(Protocol):
    """How joint targets become a message."""

    @property
    def topic(self) -> str: ...
    @property
    def type_name(self) -> str: ...
    @property
    def together(self) -> tuple[str, ...]:
        """Joints that are always commanded together; empty: each by itself."""
        ...

    def message(self, moves: Sequence[JointMove]) -> Any:
        """The message that sends all joints on their way now."""
        ...


@dataclass(frozen=True)
class JointAngles:
    """naoqi_bridge_msgs/JointAnglesWithSpeed: targets that are reached at a share of the top speed (NAO, Pepper)."""

    topic: str = "/joint_angles"
    speed: float = 1.0  # share of the top speed, over 0 to 1
    together: tuple[str, ...] = ()
    type_name: ClassVar[str] = "naoqi_bridge_msgs/msg/JointAnglesWithSpeed"

    def __post_init__(self) -> None:
        if not 0.0 < self.speed <= 1.0:
            raise BadInput(f"speed is a share of the top speed, over 0 to 1, got {self.speed}")

    def message(self, moves: Sequence[JointMove]) -> Any:
        """The message that sends all joints on their way now."""
        return messages.make(
            self.type_name,
            joint_names=[move.name for move in moves],
            joint_angles=[move.target for move in moves],
            speed=self.speed,
        )


@dataclass(frozen=True)
class JointTrajectory:
    """trajectory_msgs/JointTrajectory of one point, as controllers of ros_control and ros2_control hear it.

    The point is reached after `least_time`, or later where a joint would have to be faster than its limit. Controllers
    that refuse a part of their joints need all of them in `together`: those not named keep their last target.
    """

    topic: str = "/joint_trajectory"
    least_time: float = 0.1  # [s]
    together: tuple[str, ...] = ()
    type_name: ClassVar[str] = "trajectory_msgs/msg/JointTrajectory"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.least_time) and self.least_time > 0.0):
            raise BadInput(f"least_time is a time > 0 s, got {self.least_time}")

    def message(self, moves: Sequence[JointMove]) -> Any:
        """The message that sends all joints on their way now; a header without a time means at once."""
        times = [abs(m.target - m.here) / m.top_speed for m in moves if m.top_speed > 0.0 and math.isfinite(m.here)]
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
    max_linear: float = math.inf  # [m/s]
    max_angular: float = math.inf  # [rad/s]

    def __post_init__(self) -> None:
        if not (self.max_linear > 0.0 and self.max_angular > 0.0):
            raise BadInput(f"speed limits must be > 0, got {self.max_linear} m/s and {self.max_angular} rad/s")

    @property
    def type_name(self) -> str:
        """Type of the message."""
        return "geometry_msgs/msg/TwistStamped" if self.stamped else "geometry_msgs/msg/Twist"

    def clipped(self, twist: Twist) -> Twist:
        """The twist within the limits; its direction stays."""
        vx, vy, wz = twist
        speed = math.hypot(vx, vy)
        share = self.max_linear / speed if speed > self.max_linear else 1.0
        return vx * share, vy * share, min(max(wz, -self.max_angular), self.max_angular)

    def message(self, twist: Twist, stamp: float = 0.0) -> Any:
        """The message; `stamp` [s] is the robot's time, for a stamped one."""
        content = {"linear": {"x": twist[0], "y": twist[1]}, "angular": {"z": twist[2]}}
        if self.stamped:
            return messages.make(self.type_name, header=messages.header(stamp), twist=content)
        return messages.make(self.type_name, **content)
