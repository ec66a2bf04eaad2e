"""`Ros1Bridge`: a session as a node of a ROS 1 master, topics both ways and services; no ROS install is needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from struct import Struct
from typing import Any
from weakref import WeakKeyDictionary

from andante.bags import messages
from andante.bridges.base import GraphBridge, stale, types
from andante.bridges.client import BusClient, Directions, Graph, Say, ServiceInfo, TopicInfo, quiet
from andante.bridges.encoding import Frame
from andante.errors import AndanteError

from .ends import Connection, Kind, Publication
from .ends import frame as framed
from .node import Ros1Node

SEQ = Struct("<I")  # number of a message, first in a header
LOG, ROS1_LOG = "rcl_interfaces/msg/Log", "rosgraph_msgs/msg/Log"
LOG_LEVELS = {10: 1, 20: 2, 30: 4, 40: 8, 50: 16}  # of ROS 2 in terms of ROS 1


def kind_of(type_name: str) -> Kind:
    """The ROS 1 type of `pkg/msg/Name` or `pkg/srv/Name`."""
    package, what, name = type_name.split("/")
    text = messages.definition(type_name, ros=1) if what == "msg" else ""
    return Kind(f"{package}/{name}", messages.md5(type_name), text)


def ros1_bytes(frame: Frame) -> bytes:
    """The message of a frame as ROS 1 sends it."""
    if frame.type_name == LOG:
        return messages.to_ros1(_ros1_log(messages.from_cdr(LOG, frame.cdr)))
    return frame.ros1


def _ros1_log(log: Any) -> Any:
    return messages.make(
        ROS1_LOG,
        header={"stamp": log.stamp},
        level=LOG_LEVELS.get(int(log.level), 2),
        name=f"/{log.name.lstrip('/')}",
        msg=log.msg,
        file=log.file,
        function=log.function,
        line=log.line,
    )


@cache
def begins_with_header(type_name: str) -> bool:
    """Whether a message begins with a header, whose first four bytes are its number in ROS 1."""
    first = messages.definition(type_name, ros=1).split("\n", 1)[0].split("#")[0].split()
    return first[:1] in (["Header"], ["std_msgs/Header"])


class Ros1Bridge(GraphBridge):
    """Keeps a ROS 1 node in line with the graph of a session."""

    def __init__(
        self,
        bus: BusClient,
        master: str = "http://127.0.0.1:11311",
        *,
        name: str = "/andante",
        host: str = "127.0.0.1",
        directions: Directions | None = None,
        sim_time: bool = True,
        say: Say = quiet,
    ) -> None:
        """`sim_time` keeps /use_sim_time true at the master while the session publishes /clock."""
        super().__init__(bus, directions, say)
        self._sim_time = sim_time
        self.node = Ros1Node(name, master, host, say)
        self._skipped: set[str] = set()
        self._outgoing: dict[str, str] = {}  # topic: type
        self._incoming: dict[str, str] = {}
        self._services: dict[str, str] = {}
        self._counted: dict[str, int] = {}  # messages by topic
        self._numbers: WeakKeyDictionary[Frame, int] = WeakKeyDictionary()

    async def run(self) -> None:
        """Bridge until cancelled or until ROS asks the node to shut down; unregisters in the end."""
        await self.node.start()
        self._begin()
        try:
            await self.node.shut_down.wait()
        finally:
            await self.close()

    async def close(self) -> None:
        """Unregister."""
        self._end()
        await self.node.stop()

    def _follow(self, graph: Graph) -> None:
        """Bring the node in line with the graph."""
        outgoing, incoming = self._directions.outgoing(graph), self._directions.incoming(graph)
        services = {name: graph.services[name] for name in self._directions.services(graph)}
        parts: tuple[tuple[dict[str, str], dict[str, Any], Callable[[str, Any], None]], ...] = (
            (self._outgoing, outgoing, self._add_outgoing),
            (self._incoming, incoming, self._add_incoming),
            (self._services, services, self._add_service),
        )
        for have, wanted, _ in parts:
            for name in stale(have, types(wanted)):
                del have[name]
                self.node.withdraw(name)
        for have, wanted, add in parts:
            for name in [name for name in wanted if name not in have]:
                try:
                    add(name, wanted[name])
                    have[name] = wanted[name].type_name
                except AndanteError as error:  # ROS 1 has no such type
                    if name not in self._skipped:
                        self._skipped.add(name)
                        self._say(f"{name} is skipped: {error}")

    # Out of the session.

    def _add_outgoing(self, name: str, topic: TopicInfo) -> None:
        kind = kind_of(ROS1_LOG if topic.type_name == LOG else topic.type_name)
        publication = self.node.advertise(name, kind, bool(topic.latched), partial(self._connected, name))
        publication.on_change = partial(self._tidy, publication)
        if name == "/clock" and self._sim_time:
            self.node.set_parameter("/use_sim_time", True)
        if name == "/robot_description" and name not in self._listening:
            self._listening[name] = self._bus.subscribe(name, self._describe)

    def _connected(self, name: str, connection: Connection) -> None:
        """One subscription per ROS subscriber, so that it gets what is latched; encoding is shared."""
        self._listening[connection] = self._bus.subscribe(name, lambda frame: self._send(name, connection, frame))

    def _send(self, name: str, connection: Connection, frame: Frame) -> None:
        """Send a frame; a header in front gets the number of the message on its topic, the same for all subscribers."""
        data = ros1_bytes(frame)
        if self._outgoing.get(name) == LOG or begins_with_header(frame.type_name):
            number = self._numbers.get(frame)
            if number is None:
                number = self._numbers[frame] = self._counted[name] = self._counted.get(name, 0) + 1
            data = SEQ.pack(number & 0xFFFFFFFF) + data[SEQ.size :]
        connection.send(framed(data))

    def _tidy(self, publication: Publication, _count: int) -> None:
        for connection in [c for c in self._listening if isinstance(c, Connection) and c.closed]:
            self._unhear(connection)

    def _describe(self, frame: Frame) -> None:
        self.node.set_parameter("/robot_description", frame.value["data"])

    # Into the session.

    def _add_incoming(self, name: str, topic: TopicInfo) -> None:
        take = partial(self._take, messages.from_ros1, name, topic.type_name)
        self.node.subscribe(name, kind_of(topic.type_name), take)

    # Services.

    def _add_service(self, name: str, service: ServiceInfo) -> None:
        self.node.provide(name, kind_of(service.type_name), partial(self._call, name, service.type_name))

    async def _call(self, name: str, type_name: str, request: bytes) -> bytes:
        asked = messages.from_ros1(f"{type_name}_Request", request)
        answer = await self._bus.call(name, messages.to_cdr(asked))
        return messages.to_ros1(messages.from_cdr(f"{type_name}_Response", answer))
