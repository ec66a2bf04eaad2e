"""What both lines to a session have in common: its graph, whoever follows that, and the topics that are heard."""

from __future__ import annotations

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from .channels import ChannelListener, Channels
from .client import Graph, OnFrame
from .custom_types import learn_types


class GraphClient(ABC):
    """The part of a `BusClient` that does not depend on the line; `_subscribe` and `_unsubscribe` speak over it."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.now = 0.0  # the session's time as last told [s]
        self.dropped = 0  # messages for the session that found no way
        self._ready = asyncio.Event()
        self._numbers = itertools.count(1)  # of questions and goals
        self._told: list[Callable[[Graph], None]] = []
        self._channels = Channels(self._subscribe, self._unsubscribe)

    async def ready(self) -> None:
        """Wait for the first graph."""
        await self._ready.wait()

    def on_graph(self, told: Callable[[Graph], None]) -> Told:
        """Have a function called with every new graph."""
        self._told.append(told)
        return Told(self._told, told)

    def subscribe(self, topic: str, on_frame: OnFrame, throttle: float = 0.0) -> ChannelListener:
        """Hear a topic; a latched topic's last messages come at once."""
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

    @abstractmethod
    def _subscribe(self, topic: str, throttle: float) -> None:
        """Ask the far end for a topic, at most once per `throttle` seconds."""

    @abstractmethod
    def _unsubscribe(self, topic: str) -> None:
        """Ask it for no more of a topic."""


class Told:
    """A function in a list that can be taken out again."""

    def __init__(self, told: list[Any], entry: Any) -> None:
        self._told, self._entry = told, entry

    def close(self) -> None:
        """Call it no more."""
        if self._entry in self._told:
            self._told.remove(self._entry)
