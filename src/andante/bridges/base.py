"""What bridges have in common: they follow the graph of a session, and stop what a silent driver has set in motion."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from andante.bags import messages
from andante.errors import AndanteError

from .client import BusClient, Directions, Graph, Listening, Say

STOPPABLE = ("geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped")
SILENCE = 0.5  # commands older than this count as lost [s]


def is_moving(message: Any) -> bool:
    """Whether a Twist or TwistStamped asks for motion."""
    twist = getattr(message, "twist", message)
    return any(getattr(part, axis) != 0.0 for part in (twist.linear, twist.angular) for axis in "xyz")


def note_motion(moving: dict[str, str], topic: str, type_name: str, message: Any) -> None:
    """Keep in `moving` (topic to type) the topics whose last velocity command asked for motion."""
    if type_name in STOPPABLE and is_moving(message):
        moving[topic] = type_name
    else:
        moving.pop(topic, None)


class DriverWatch:
    """Publishes a zero command when commands of another system stop coming while the robot moves.

    Args:
        publish: called with topic, type and CDR bytes.
    """

    def __init__(self, publish: Callable[[str, str, bytes], None]) -> None:
        self._publish = publish
        self._moving: dict[str, tuple[str, asyncio.TimerHandle]] = {}

    def pass_on(self, topic: str, type_name: str, message: Any) -> None:
        """Publish a message that came from another system, and watch its commands."""
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


class Bridge(Protocol):
    """Something that joins a session to another system."""

    async def run(self) -> None:
        """Bridge until cancelled, and leave the other system cleanly; returns by itself when that system ends it."""


class GraphBridge(ABC):
    """A bridge whose other end is kept in line with the graph of a session.

    Args:
        bus: the session.
        directions: what goes out and what comes in; by default everything.
        say: called with notices for the user.
    """

    def __init__(self, bus: BusClient, directions: Directions | None, say: Say) -> None:
        self._bus, self._say = bus, say
        self._directions = directions or Directions()
        self._listening: dict[Any, Listening] = {}  # subscriptions in the session
        self._drivers = DriverWatch(lambda *message: bus.publish(*message))
        self._watch: Listening | None = None

    def _begin(self) -> None:
        """Follow the graph from now on."""
        self._watch = self._bus.on_graph(self._follow)
        self._follow(self._bus.graph)

    def _end(self) -> None:
        """Follow it no more, end all subscriptions, and stop what is driven."""
        if self._watch is not None:
            self._watch.close()
        self._drivers.close()
        for listening in self._listening.values():
            listening.close()
        self._listening.clear()

    def _unhear(self, key: Any) -> None:
        listening = self._listening.pop(key, None)
        if listening is not None:
            listening.close()

    def _take(self, decode: Callable[[str, bytes], Any], name: str, type_name: str, data: bytes) -> None:
        """Publish in the session what came from the other system; what cannot be decoded is reported."""
        try:
            message = decode(type_name, data)
        except AndanteError as error:
            self._say(f"{name}: {error}")
            return
        self._drivers.pass_on(name, type_name, message)

    @abstractmethod
    def _follow(self, graph: Graph) -> None:
        """Bring the other end in line with the graph."""


def stale(have: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    """Names of `have` (name to type) that are not wanted any more, or with another type."""
    return [name for name, type_name in have.items() if wanted.get(name) != type_name]


def types(entries: Mapping[str, Any]) -> dict[str, str]:
    """Name to type of topics or services."""
    return {name: entry.type_name for name, entry in entries.items()}
