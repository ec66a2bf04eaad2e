"""`RosbridgeBridge`: joins a session to another rosbridge server, such as that of a robot which runs ROS."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from andante.bags import messages
from andante.bridges.base import DriverWatch, GraphBridge, stale
from andante.bridges.client import BusClient, Directions, Graph
from andante.bridges.encoding import Frame
from andante.errors import TimedOut

from .client import SessionClient

PATIENCE = 10.0  # time in which the other server must answer first [s]


class RosbridgeBridge(GraphBridge):
    """Copies what the session subscribes to from the other server, and what is named from the session to it."""

    def __init__(
        self,
        bus: BusClient,
        url: str,
        directions: Directions | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        """By default nothing goes out: `directions.out` names it, such as "/cmd_vel" for a robot to drive."""
        super().__init__(bus, directions or Directions(out=()), say)
        self._far = SessionClient(url, say)
        self._passed: dict[str, str] = {}  # topic with its direction: type
        self._refused: set[str] = set()
        self._far_drivers = DriverWatch(partial(self._far.publish, create=True))

    async def run(self) -> None:
        """Bridge until cancelled."""
        connecting = asyncio.create_task(self._far.run())
        try:
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._far.ready()
            except TimeoutError:
                raise TimedOut(f"no rosbridge server answers at {self._far.url} within {PATIENCE:g} s") from None
            far_watch = self._far.on_graph(self._follow)
            self._begin()
            self._say(f"joined to {self._far.url}")
            try:
                await asyncio.Event().wait()
            finally:
                far_watch.close()
                self._far_drivers.close()
                self._end()
                await asyncio.sleep(0.1)  # the last commands are on their way
        finally:
            connecting.cancel()

    def _follow(self, _: Graph) -> None:
        own, far = self._bus.graph, self._far.graph
        incoming = {f"<{name}": topic.type_name for name, topic in self._directions.incoming(own).items()}
        wanted = {mark: kind for mark, kind in incoming.items() if self._fits(mark[1:], kind, far)}
        wanted |= {f">{name}": topic.type_name for name, topic in self._directions.outgoing(own).items()}
        for mark in stale(self._passed, wanted):
            self._unhear(mark)
        for mark in stale(wanted, self._passed):
            source = self._far if mark[0] == "<" else self._bus
            self._listening[mark] = source.subscribe(mark[1:], partial(self._pass, mark[0] == "<"))
        self._passed = wanted

    def _fits(self, name: str, type_name: str, far: Graph) -> bool:
        """Whether the other side has the topic, with the same type."""
        topic = far.topics.get(name)
        if topic is not None and topic.type_name != type_name and name not in self._refused:
            self._refused.add(name)
            self._say(f"{name} is skipped: its type there is {topic.type_name}, here {type_name}")
        return topic is not None and topic.type_name == type_name

    def _pass(self, inward: bool, frame: Frame) -> None:
        message = messages.from_cdr(frame.type_name, frame.cdr)
        if inward:
            self._bus.publish(frame.topic, frame.type_name, frame.cdr)
            self._drivers.note(frame.topic, frame.type_name, message)
        else:
            self._far.publish(frame.topic, frame.type_name, frame.cdr, create=True, latched=frame.latched)
            self._far_drivers.note(frame.topic, frame.type_name, message)
