"""`Ros2Bridge`: the topics of a session in a ROS 2 domain over DDS, by `cyclonedds`; no ROS install is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from andante.bags import messages
from andante.bridges.client import BusClient, Graph, Listening, TopicInfo
from andante.bridges.directions import Directions
from andante.bridges.driving import DriverWatch
from andante.bridges.frames import Frame
from andante.errors import AndanteError

from .ends import Participant, Reader, Writer


class Ros2Bridge:
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
        self._bus, self._say = bus, say
        self._directions = directions or Directions()
        self._participant = Participant(domain, interface)
        self._writers: dict[str, tuple[str, Writer]] = {}  # topic: type, writer
        self._readers: dict[str, tuple[str, Reader]] = {}
        self._listening: dict[str, Listening] = {}
        self._drivers = DriverWatch(bus.publish)
        self._watch: Listening | None = None
        say(f"in ROS domain {domain} on {interface or 'the loopback'}")

    async def run(self) -> None:
        """Bridge until cancelled."""
        self._watch = self._bus.on_graph(self._follow)
        self._follow(self._bus.graph)
        try:
            await asyncio.Event().wait()
        finally:
            self.close()

    def close(self) -> None:
        """Withdraw everything."""
        if self._watch is not None:
            self._watch.close()
        self._drivers.close()
        for listening in self._listening.values():
            listening.close()
        for _, writer in self._writers.values():
            writer.close()
        for _, reader in self._readers.values():
            reader.close()
        self._listening.clear()
        self._writers.clear()
        self._readers.clear()
        self._participant.close()

    def _follow(self, graph: Graph) -> None:
        outgoing, incoming = self._directions.outgoing(graph), self._directions.incoming(graph)
        for name in [n for n, (kind, _) in self._writers.items() if n not in outgoing or outgoing[n].type_name != kind]:
            self._writers.pop(name)[1].close()
            self._hear(name, 0)
        for name in [n for n, (kind, _) in self._readers.items() if n not in incoming or incoming[n].type_name != kind]:
            self._readers.pop(name)[1].close()
        for name, topic in outgoing.items():
            if name not in self._writers:
                self._add_writer(name, topic)
        for name, topic in incoming.items():
            if name not in self._readers:
                take = partial(self._take, name, topic.type_name)
                self._readers[name] = (topic.type_name, self._participant.reader(name, topic.type_name, take))

    def _add_writer(self, name: str, topic: TopicInfo) -> None:
        """A latched topic is heard from the start, so that DDS can keep it for others; the rest once somebody hears."""
        on_readers: Callable[[int], None] = partial(self._hear, name) if not topic.latched else lambda count: None
        writer = self._participant.writer(name, topic.type_name, on_readers, sensor=topic.sensor, latched=topic.latched)
        self._writers[name] = (topic.type_name, writer)
        if topic.latched:
            self._hear(name, 1)

    def _hear(self, name: str, readers: int) -> None:
        if readers and name not in self._listening and name in self._writers:
            self._listening[name] = self._bus.subscribe(name, self._send)
        elif not readers and name in self._listening:
            self._listening.pop(name).close()

    def _send(self, frame: Frame) -> None:
        entry = self._writers.get(frame.topic)
        if entry is not None:
            entry[1].write(frame.cdr)

    def _take(self, name: str, type_name: str, cdr: bytes) -> None:
        try:
            message = messages.from_cdr(type_name, cdr)
        except AndanteError as error:
            self._say(f"{name}: {error}")
            return
        self._drivers.pass_on(name, type_name, message)
