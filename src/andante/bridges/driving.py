"""Velocity commands: which types they are, whether one asks for motion, and a watch that stops a silent driver."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from andante.bags import messages

STOPPABLE = ("geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped")
SILENCE = 0.5  # a driver from which nothing has come for so long is taken for lost [s]


def is_moving(message: Any) -> bool:
    """Whether a Twist or TwistStamped asks for motion."""
    twist = getattr(message, "twist", message)
    return any(getattr(part, axis) != 0.0 for part in (twist.linear, twist.angular) for axis in "xyz")


class DriverWatch:
    """Publishes a zero command when a driver of another world falls silent in motion.

    Args:
        publish: called with topic, type and CDR bytes.
    """

    def __init__(self, publish: Callable[[str, str, bytes], None]) -> None:
        self._publish = publish
        self._moving: dict[str, tuple[str, asyncio.TimerHandle]] = {}

    def pass_on(self, topic: str, type_name: str, message: Any) -> None:
        """Publish a message that came from another world, and watch its driver."""
        self._publish(topic, type_name, messages.to_cdr(message))
        self.note(topic, type_name, message)

    def note(self, topic: str, type_name: str, message: Any) -> None:
        """Note a command that was passed on; messages of other types are none."""
        if type_name not in STOPPABLE:
            return
        self._forget(topic)
        if is_moving(message):
            timer = asyncio.get_running_loop().call_later(SILENCE, self.stop, topic)
            self._moving[topic] = (type_name, timer)

    def stop(self, topic: str) -> None:
        """Stop what is driven by a topic now, if it moves."""
        type_name = self._forget(topic)
        if type_name:
            self._publish(topic, type_name, messages.to_cdr(messages.make(type_name)))

    def close(self) -> None:
        """Stop everything."""
        for topic in list(self._moving):
            self.stop(topic)

    def _forget(self, topic: str) -> str:
        type_name, timer = self._moving.pop(topic, ("", None))
        if timer is not None:
            timer.cancel()
        return type_name
