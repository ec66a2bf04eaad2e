"""What both clients of a session have in common: its graph, subscriptions, requests and goals."""

from __future__ import annotations

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any

from andante.bags import messages
from andante.bags.messages.interface_files import read_interfaces
from andante.bus.errors import BusError

from .client import ClientGoal, Graph, OnFrame, fail
from .encoding import Frame


class ChannelSubscription:
    """One subscription of a topic."""

    def __init__(self, channels: Channels, topic: str, on_frame: OnFrame, throttle: float) -> None:
        self._channels, self.topic, self.on_frame, self.throttle = channels, topic, on_frame, throttle

    def close(self) -> None:
        """End the subscription."""
        self._channels.remove(self)


class _Channel:
    def __init__(self) -> None:
        self.listeners: list[ChannelSubscription] = []
        self.throttle = -1.0
        self.kept: deque[Frame] = deque(maxlen=1)


class Channels:
    """Joins the subscriptions of each topic; the far end is asked for the rate of the fastest one.

    Args:
        subscribe: called with topic and throttle [s] whenever the far end is to send a topic, or at another rate.
        unsubscribe: called with a topic without subscriptions.
    """

    def __init__(self, subscribe: Callable[[str, float], None], unsubscribe: Callable[[str], None]) -> None:
        self._subscribe, self._unsubscribe = subscribe, unsubscribe
        self._channels: dict[str, _Channel] = {}

    def add(self, topic: str, on_frame: OnFrame, throttle: float) -> ChannelSubscription:
        """Subscribe to a topic; what is kept of it comes at once."""
        channel = self._channels.setdefault(topic, _Channel())
        listener = ChannelSubscription(self, topic, on_frame, throttle)
        channel.listeners.append(listener)
        self._adjust(topic, channel)
        for frame in list(channel.kept):
            on_frame(frame)
        return listener

    def remove(self, listener: ChannelSubscription) -> None:
        """End one subscription."""
        channel = self._channels.get(listener.topic)
        if channel is not None and listener in channel.listeners:
            channel.listeners.remove(listener)
            self._adjust(listener.topic, channel)

    def take(self, frame: Frame, depth: int) -> None:
        """Hand a frame to all subscriptions of its topic; of a latched topic the last `depth` are kept."""
        channel = self._channels.get(frame.topic)
        if channel is None:
            return
        if depth:
            if channel.kept.maxlen != depth:
                channel.kept = deque(channel.kept, maxlen=depth)
            channel.kept.append(frame)
        for listener in list(channel.listeners):
            listener.on_frame(frame)

    def renew(self) -> None:
        """Ask the far end for everything again, as after a lost connection."""
        for topic, channel in self._channels.items():
            channel.kept.clear()
            self._subscribe(topic, channel.throttle)

    def _adjust(self, topic: str, channel: _Channel) -> None:
        if not channel.listeners:
            del self._channels[topic]
            self._unsubscribe(topic)
            return
        throttle = min(listener.throttle for listener in channel.listeners)
        if throttle != channel.throttle:
            channel.throttle = throttle
            channel.kept.clear()  # the far end sends latched messages anew
            self._subscribe(topic, throttle)


class GraphClient(ABC):
    """The part of a `BusClient` that does not depend on the line; `_subscribe` and `_unsubscribe` speak over it."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.now = 0.0  # the session's time as last told [s]
        self.dropped = 0  # messages for the session that found no way
        self._ready = asyncio.Event()
        self._numbers = itertools.count(1)  # of questions and goals
        self._answers: dict[int | str, asyncio.Future[Any]] = {}  # requests that wait, by their number or id
        self._goals: dict[int | str, ClientGoal] = {}
        self._told: list[Callable[[Graph], None]] = []
        self._channels = Channels(self._subscribe, self._unsubscribe)

    async def ready(self) -> None:
        """Wait for the first graph."""
        await self._ready.wait()

    def on_graph(self, told: Callable[[Graph], None]) -> GraphWatch:
        """Call a function with every new graph."""
        self._told.append(told)
        return GraphWatch(self._told, told)

    def subscribe(self, topic: str, on_frame: OnFrame, throttle: float = 0.0) -> ChannelSubscription:
        """Subscribe to a topic; a latched topic's last messages come at once."""
        return self._channels.add(topic, on_frame, throttle)

    def _learn(self, seen: dict[str, Any], renew: bool = False) -> None:
        """Take over a graph with the types that it needs; renew: ask for all topics again before it is told."""
        learn_types(seen.get("types", {}))
        self.graph = Graph.from_dict(seen["graph"])
        if renew:
            self._channels.renew()
        self._ready.set()
        for told in list(self._told):
            told(self.graph)

    async def _answer(self, number: int | str, send: Callable[[], bool], timeout: float | None, what: str) -> Any:
        """The answer to a request: `send` says whether it found its way, `_answered` brings the answer."""
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[number] = waiting
        try:
            if not send():
                raise BusError(f"{what}: there is no connection to the session")
            async with asyncio.timeout(timeout):
                return await waiting
        except TimeoutError:
            raise BusError(f"{what}: no answer within {timeout:g} s") from None
        finally:
            self._answers.pop(number, None)

    def _answered(self, number: int | str, answer: Any) -> None:
        waiting = self._answers.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _fail_all(self, reason: str) -> None:
        """End every request and goal under way."""
        for waiting in (*self._answers.values(), *(goal.done for goal in self._goals.values())):
            fail(waiting, reason)
        self._goals.clear()

    @abstractmethod
    def _subscribe(self, topic: str, throttle: float) -> None:
        """Ask the far end for a topic, at most once per `throttle` seconds."""

    @abstractmethod
    def _unsubscribe(self, topic: str) -> None:
        """End the subscription at the far end."""


class GraphWatch:
    """A callback that can be removed again."""

    def __init__(self, told: list[Any], entry: Any) -> None:
        self._told, self._entry = told, entry

    def close(self) -> None:
        """Remove it."""
        if self._entry in self._told:
            self._told.remove(self._entry)


@cache
def _shipped() -> frozenset[str]:
    """Types that every process knows by itself."""
    from rosbags.typesys import Stores, get_typestore

    return frozenset(get_typestore(Stores.ROS2_HUMBLE).fielddefs) | frozenset(read_interfaces())


def custom_types(graph: Graph) -> dict[str, Any]:
    """{"types": table} of all types in the graph that only this process knows, {} when there are none."""
    names = {topic.type_name for topic in graph.topics.values()}
    names |= {f"{s.type_name}_{part}" for s in graph.services.values() for part in ("Request", "Response")}
    names |= {f"{a.type_name}_{part}" for a in graph.actions.values() for part in ("Goal", "Result", "Feedback")}
    if names <= _shipped():
        return {}
    fields, table = messages.store().fielddefs, {}
    waiting = sorted(names - _shipped())
    while waiting:
        name = waiting.pop()
        if name in table or name in _shipped():
            continue
        constants, entries = fields[name]
        table[name] = [[list(entry) for entry in constants], [[field, _listed(kind)] for field, kind in entries]]
        waiting += [inner for _, kind in entries if (inner := _inner(kind))]
    return {"types": table}


def learn_types(table: dict[str, Any]) -> None:
    """Register a table that `custom_types` made."""
    new = {
        name: ([tuple(entry) for entry in constants], [(field, _tupled(kind)) for field, kind in entries])
        for name, (constants, entries) in table.items()
        if name not in messages.store().fielddefs
    }
    if new:
        messages.store().register(new)
        messages.ros1_store().register(new)


def _inner(kind: Any) -> str:
    number, what = kind
    number, what = what[0] if number > 2 else (number, what)
    return what if number == 2 else ""


def _listed(kind: Any) -> list[Any]:
    number, what = int(kind[0]), kind[1]
    if number > 2:
        return [number, [_listed(what[0]), what[1]]]
    return [number, list(what) if number == 1 else what]


def _tupled(kind: list[Any]) -> tuple[Any, Any]:
    from rosbags.interfaces import Nodetype

    number, what = Nodetype(kind[0]), kind[1]
    if number > 2:
        return number, (_tupled(what[0]), what[1])
    return number, tuple(what) if number == 1 else what
