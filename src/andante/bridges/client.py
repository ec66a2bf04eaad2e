"""What every bridge sees of a session: its graph, and topics, services, actions and parameters as CDR bytes.

`Directions` says which topics a bridge passes on. `RemoteBus` is a session over the line to the loop process,
`SessionClient` over a WebSocket of a running session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Protocol

from andante.bus.errors import BusError

from .encoding import Frame

SUCCEEDED, CANCELED, ABORTED = 4, 5, 6  # action_msgs/msg/GoalStatus
BRIDGE_NODE = "/bridge"  # node name of the bridges' clients in the graph

OnFrame = Callable[[Frame], None]
OnFeedback = Callable[[bytes], None]
Say = Callable[[str], None]  # called with notices for the user


def quiet(text: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class TopicInfo:
    """What is known of one topic."""

    type_name: str  # "pkg/msg/Name"
    latched: int = 0  # messages kept for late subscribers
    sensor: bool = False  # best effort is good enough
    publishers: tuple[str, ...] = ()  # names of nodes
    subscribers: tuple[str, ...] = ()

    @property
    def heard(self) -> bool:
        """Whether a node of the session itself subscribes."""
        return any(node != BRIDGE_NODE for node in self.subscribers)


@dataclass(frozen=True)
class ServiceInfo:
    """What is known of one service or action."""

    type_name: str  # "pkg/srv/Name" or "pkg/action/Name"
    node: str = ""


@dataclass(frozen=True)
class Graph:
    """Publishers, subscribers and servers of a session."""

    topics: dict[str, TopicInfo] = field(default_factory=dict)
    services: dict[str, ServiceInfo] = field(default_factory=dict)
    actions: dict[str, ServiceInfo] = field(default_factory=dict)

    @property
    def nodes(self) -> list[str]:
        """Names of all nodes, sorted."""
        names = {service.node for service in (*self.services.values(), *self.actions.values())}
        for topic in self.topics.values():
            names |= {*topic.publishers, *topic.subscribers}
        return sorted(name for name in names if name)

    def as_dict(self) -> dict[str, Any]:
        """The graph as JSON can carry it."""
        return {
            "topics": {
                name: [t.type_name, t.latched, t.sensor, list(t.publishers), list(t.subscribers)]
                for name, t in self.topics.items()
            },
            "services": {name: [s.type_name, s.node] for name, s in self.services.items()},
            "actions": {name: [a.type_name, a.node] for name, a in self.actions.items()},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Graph:
        """The inverse of `as_dict`."""
        return cls(
            {
                name: TopicInfo(kind, int(latched), bool(sensor), tuple(publishers), tuple(subscribers))
                for name, (kind, latched, sensor, publishers, subscribers) in data["topics"].items()
            },
            {name: ServiceInfo(*entry) for name, entry in data["services"].items()},
            {name: ServiceInfo(*entry) for name, entry in data["actions"].items()},
        )


class Listening(Protocol):
    """A subscription that can be ended."""

    def close(self) -> None: ...


class ClientGoal:
    """A goal that a session works on. Args: cancel: sends the request for its end."""

    def __init__(self, cancel: Callable[[], object], on_feedback: OnFeedback | None, type_name: str = "") -> None:
        self._cancel, self.type_name = cancel, type_name
        self.progress: OnFeedback = on_feedback or (lambda feedback: None)
        self.done: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()

    def cancel(self) -> None:
        """Ask for its end."""
        self._cancel()

    def finish(self, status: int, result: bytes) -> None:
        """The end: its status (SUCCEEDED, CANCELED, ABORTED) and the result as CDR."""
        if not self.done.done():
            self.done.set_result((status, result))

    def fail(self, reason: str) -> None:
        """End without a result."""
        fail(self.done, reason)


def fail(waiting: asyncio.Future[Any], reason: str) -> None:
    """End what somebody waits for with a `BusError`."""
    if not waiting.done():
        waiting.set_exception(BusError(reason))
        waiting.exception()  # whoever no longer waits need not be told


class BusClient(Protocol):
    """A session from outside; names are absolute, payloads CDR bytes with their four bytes of head."""

    @property
    def graph(self) -> Graph: ...
    @property
    def now(self) -> float:
        """The session's time as of the last packet [s]."""

    def on_graph(self, told: Callable[[Graph], None]) -> Listening:
        """Call a function with every new graph."""

    def subscribe(self, topic: str, on_frame: OnFrame, throttle: float = 0.0) -> Listening:
        """Subscribe to a topic, at most once per `throttle` seconds; a latched topic's last message comes at once."""

    def publish(self, topic: str, type_name: str, cdr: bytes, *, create: bool = False, latched: bool = False) -> None:
        """Publish into the session; `create` makes the topic when there is none."""

    async def call(self, service: str, request: bytes, timeout: float | None = None) -> bytes:
        """The response of a service; raises an `AndanteError` that says why there is none."""

    async def send_goal(self, action: str, goal: bytes, on_feedback: OnFeedback | None = None) -> ClientGoal:
        """Send a goal; raises an `AndanteError` when it is refused."""

    async def parameters(self) -> dict[str, Any]:
        """Names and values of all parameters."""

    async def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter; raises an `AndanteError` when it is refused."""


@dataclass(frozen=True)
class Directions:
    """Patterns of names: what goes out, what comes in, and what is excluded."""

    out: tuple[str, ...] = ("*",)
    into: tuple[str, ...] = ("*",)
    without: tuple[str, ...] = ()

    def outgoing(self, graph: Graph) -> dict[str, TopicInfo]:
        """Topics that a node of the session publishes."""
        return {
            name: topic
            for name, topic in graph.topics.items()
            if any(node != BRIDGE_NODE for node in topic.publishers) and self._fits(name, self.out)
        }

    def incoming(self, graph: Graph) -> dict[str, TopicInfo]:
        """Topics that a node of the session subscribes to and none publishes."""
        own = self.outgoing(graph)
        return {
            name: topic
            for name, topic in graph.topics.items()
            if topic.heard and name not in own and self._fits(name, self.into)
        }

    def services(self, graph: Graph) -> list[str]:
        """Services that are offered outside."""
        return [name for name in graph.services if self._fits(name, self.out)]

    def actions(self, graph: Graph) -> list[str]:
        """Actions that are offered outside."""
        return [name for name in graph.actions if self._fits(name, self.out)]

    def _fits(self, name: str, patterns: Sequence[str]) -> bool:
        wanted = any(fnmatchcase(name, pattern) for pattern in patterns)
        return wanted and not any(fnmatchcase(name, pattern) for pattern in self.without)
