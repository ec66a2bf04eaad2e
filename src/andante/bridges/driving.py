"""Velocity commands: which types they are, and whether one asks for motion. A driver that is lost stops its robot."""

from __future__ import annotations

from typing import Any

STOPPABLE = ("geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped")


def is_moving(message: Any) -> bool:
    """Whether a Twist or TwistStamped asks for motion."""
    twist = getattr(message, "twist", message)
    return any(getattr(part, axis) != 0.0 for part in (twist.linear, twist.angular) for axis in "xyz")
