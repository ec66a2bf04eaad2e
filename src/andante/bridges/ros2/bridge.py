"""`Ros2Bridge`: the topics, services and actions of a session in a ROS 2 domain over DDS."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from andante.bags import messages
from andante.bridges.base import GraphBridge, stale, types
from andante.bridges.client import BusClient, Directions, Graph, Say, ServiceInfo, TopicInfo, quiet
from andante.bridges.encoding import Frame
from andante.errors import AndanteError, one_line

from . import discovery
from .actions import ActionEnd
from .discovery import NodeEnds, owner
from .ends import Participant, Reader, Writer
from .names import dds_topic, user_data
from .network import check_domain, described
from .samples import raw_class
from .services import Calls, ServiceEnd, checked


class Ros2Bridge(GraphBridge):
    """Keeps DDS writers, readers and services in line with the graph of a session."""

    def __init__(
        self,
        bus: BusClient,
        domain: int = 0,
        *,
        interface: str = "",
        directions: Directions | None = None,
        say: Say = quiet,
    ) -> None:
        """`interface` opens it to a network; by default only programs on this machine see and command it."""
        super().__init__(bus, directions, say)
        check_domain(domain)
        self._participant = Participant(domain, interface)
        self._writers: dict[str, Writer] = {}
        self._readers: dict[str, Reader] = {}
        self._services: dict[str, ServiceEnd] = {}
        self._actions: dict[str, ActionEnd] = {}
        self._types: dict[str, str] = {}  # of the topics
        self._calls = Calls(say)
        self._numbers = itertools.count(1)
        self._old = discovery.is_old()
        kind = raw_class(discovery.TYPE, discovery.types(self._old))
        self._nodes = Writer(self._participant, discovery.TOPIC, kind, b"", latched=1)
        self._told = b""  # of nodes
        say(f"in ROS domain {domain}, {described(interface)}")

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
        self._calls.close()
        for ends in (self._writers, self._readers, self._services, self._actions):
            for end in ends.values():
                end.close()
            ends.clear()
        self._nodes.close()
        self._participant.close()

    def _follow(self, graph: Graph) -> None:
        outgoing, incoming = self._directions.outgoing(graph), self._directions.incoming(graph)
        services = {name: graph.services[name] for name in self._directions.services(graph)}
        actions = {name: graph.actions[name] for name in self._directions.actions(graph)}
        for name in stale({name: self._types[name] for name in self._writers}, types(outgoing)):
            self._writers.pop(name).close()
            self._unhear(name)
        for name in stale({name: self._types[name] for name in self._readers}, types(incoming)):
            self._readers.pop(name).close()
        for name in stale(types(self._services), types(services)):
            self._services.pop(name).close()
        for name in stale(types(self._actions), types(actions)):
            self._actions.pop(name).close()
        parts: tuple[tuple[dict[str, Any], Mapping[str, Any], Callable[[str, Any], None]], ...] = (
            (self._writers, outgoing, self._add_writer),
            (self._readers, incoming, self._add_reader),
            (self._services, services, self._add_service),
            (self._actions, actions, self._add_action),
        )
        for have, wanted, add in parts:
            for name in [name for name in wanted if name not in have]:
                try:
                    add(name, wanted[name])
                except AndanteError as error:
                    self._calls.once(f"{name} is skipped: {one_line(error)}")
        self._tell_nodes(graph)

    def _add_writer(self, name: str, topic: TopicInfo) -> None:
        """Latched topics are subscribed to at once, so that DDS can keep them; the others once DDS has a reader."""
        on_readers: Callable[[int], None] = partial(self._hear, name) if not topic.latched else lambda count: None
        kind, told = raw_class(topic.type_name), user_data(topic.type_name)
        self._writers[name] = Writer(
            self._participant, dds_topic(name), kind, told, on_readers, sensor=topic.sensor, latched=topic.latched
        )
        self._types[name] = topic.type_name
        if topic.latched:
            self._hear(name, 1)

    def _add_reader(self, name: str, topic: TopicInfo) -> None:
        def take(cdr: bytes, _told: Callable[[], str]) -> None:
            self._take(messages.from_cdr, name, topic.type_name, cdr)

        kind, told = raw_class(topic.type_name), user_data(topic.type_name)
        self._readers[name] = Reader(self._participant, dds_topic(name), kind, told, take)
        self._types[name] = topic.type_name

    def _add_service(self, name: str, service: ServiceInfo) -> None:
        async def call(request: bytes) -> bytes:
            return await self._bus.call(name, checked(f"{service.type_name}_Request", request))

        number = next(self._numbers)
        self._services[name] = ServiceEnd(self._participant, name, service.type_name, number, call, self._calls)

    def _add_action(self, name: str, action: ServiceInfo) -> None:
        self._actions[name] = ActionEnd(
            self._participant, self._bus, name, action.type_name, self._numbers, self._calls
        )

    def _hear(self, name: str, readers: int) -> None:
        if not readers:
            self._unhear(name)
        elif name not in self._listening and name in self._writers:
            self._listening[name] = self._bus.subscribe(name, self._send)

    def _send(self, frame: Frame) -> None:
        writer = self._writers.get(frame.topic)
        if writer is not None:
            writer.write(frame.cdr)

    def _tell_nodes(self, graph: Graph) -> None:
        """Tell which node has which ends, where that has changed."""
        nodes: dict[str, NodeEnds] = {discovery.OWN_NODE: NodeEnds()}

        def add(names: Iterable[str], writers: Iterable[Writer] = (), readers: Iterable[Reader] = ()) -> None:
            ends = nodes.setdefault(owner(names), NodeEnds())
            ends.writers += [gid for writer in writers for gid in writer.gids]
            ends.readers += [gid for reader in readers for gid in reader.gids]

        for name, writer in self._writers.items():
            add(graph.topics[name].publishers, [writer])
        for name, reader in self._readers.items():
            add(graph.topics[name].subscribers, (), [reader])
        for name, service in self._services.items():
            add([graph.services[name].node], [service.writer], [service.reader])
        for name, action in self._actions.items():
            add([graph.actions[name].node], action.writers, action.readers)
        info = discovery.entities_info(self._participant.gid, nodes, self._old)
        if info != self._told:
            self._told = info
            self._nodes.write(info)
