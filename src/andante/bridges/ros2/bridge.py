"""`Ros2Bridge`: the topics of a session in a ROS 2 domain over DDS, by `cyclonedds`; no ROS install is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from andante.bags import messages
from andante.bridges.base import GraphBridge, stale, types
from andante.bridges.client import BusClient, Directions, Graph, TopicInfo
from andante.bridges.encoding import Frame

from .ends import Participant, Reader, Writer


class Ros2Bridge(GraphBridge):
    """Keeps DDS writers and readers in line with the graph of a session."""

    def __init__(
        self,
        bus: BusClient,
        domain: int = 0,
        *,
        interface: str = "",
        directions: Directions | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`interface` names the network interface; the default is the loopback, so that nothing leaves the machine."""
        super().__init__(bus, directions, say)
        self._participant = Participant(domain, interface)
        self._writers: dict[str, Writer] = {}
        self._readers: dict[str, Reader] = {}
        say(f"in ROS domain {domain} on {interface or 'the loopback'}")

    async def run(self) -> None:
        """Bridge until cancelled."""
        self._begin()
        try:
            await asyncio.Event().wait()
        finally:
            self.close()

    def close(self) -> None:
        """Withdraw everything."""
        self._end()
        ends: list[Writer | Reader] = [*self._writers.values(), *self._readers.values()]
        for end in ends:
            end.close()
        self._writers.clear()
        self._readers.clear()
        self._participant.close()

    def _follow(self, graph: Graph) -> None:
        outgoing, incoming = self._directions.outgoing(graph), self._directions.incoming(graph)
        for name in stale(types(self._writers), types(outgoing)):
            self._writers.pop(name).close()
            self._unhear(name)
        for name in stale(types(self._readers), types(incoming)):
            self._readers.pop(name).close()
        for name, topic in outgoing.items():
            if name not in self._writers:
                self._add_writer(name, topic)
        for name, topic in incoming.items():
            if name not in self._readers:
                take = partial(self._take, messages.from_cdr, name, topic.type_name)
                self._readers[name] = self._participant.reader(name, topic.type_name, take)

    def _add_writer(self, name: str, topic: TopicInfo) -> None:
        """Latched topics are subscribed to at once, so that DDS can keep them; the others once DDS has a reader."""
        on_readers: Callable[[int], None] = partial(self._hear, name) if not topic.latched else lambda count: None
        writer = self._participant.writer(name, topic.type_name, on_readers, sensor=topic.sensor, latched=topic.latched)
        self._writers[name] = writer
        if topic.latched:
            self._hear(name, 1)

    def _hear(self, name: str, readers: int) -> None:
        if not readers:
            self._unhear(name)
        elif name not in self._listening and name in self._writers:
            self._listening[name] = self._bus.subscribe(name, self._send)

    def _send(self, frame: Frame) -> None:
        writer = self._writers.get(frame.topic)
        if writer is not None:
            writer.write(frame.cdr)
