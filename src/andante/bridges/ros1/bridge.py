"""`Ros1Bridge`: a session as a node of a ROS 1 master, topics both ways and services; no ROS install is needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from andante.bags import messages
from andante.bridges.client import BusClient, Graph, Listening, TopicInfo
from andante.bridges.directions import Directions
from andante.bridges.driving import DriverWatch
from andante.bridges.frames import Frame
from andante.errors import AndanteError

from .ends import Connection, Kind, Publication
from .node import Ros1Node
from .tcpros import frame as framed

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


class Ros1Bridge:
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
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`sim_time` keeps /use_sim_time true at the master while the session publishes /clock."""
        self._bus, self._say, self._sim_time = bus, say, sim_time
        self._directions = directions or Directions()
        self.node = Ros1Node(name, master, host, say)
        self._skipped: set[str] = set()
        self._outgoing: dict[str, str] = {}  # topic: type
        self._incoming: dict[str, str] = {}
        self._services: dict[str, str] = {}
        self._listening: dict[Connection, Listening] = {}
        self._description: Listening | None = None
        self._drivers = DriverWatch(bus.publish)
        self._watch: Listening | None = None

    async def run(self) -> None:
        """Bridge until cancelled or until ROS asks the node to shut down; signs off in the end."""
        await self.node.start()
        self._watch = self._bus.on_graph(self._follow)
        self._follow(self._bus.graph)
        try:
            await self.node.shut_down.wait()
        finally:
            await self.close()

    async def close(self) -> None:
        """Sign off."""
        if self._watch is not None:
            self._watch.close()
        for listening in (*self._listening.values(), self._description):
            if listening is not None:
                listening.close()
        self._drivers.close()
        await self.node.stop()

    def _follow(self, graph: Graph) -> None:
        """Bring the node in line with the graph."""
        outgoing, incoming = self._directions.outgoing(graph), self._directions.incoming(graph)
        self._withdraw(self._outgoing, {name: topic.type_name for name, topic in outgoing.items()})
        self._withdraw(self._incoming, {name: topic.type_name for name, topic in incoming.items()})
        services = {name: graph.services[name].type_name for name in self._directions.services(graph)}
        self._withdraw(self._services, services)
        for name, topic in outgoing.items():
            if name not in self._outgoing:
                self._attempt(name, partial(self._add_outgoing, name, topic))
        for name, topic in incoming.items():
            if name not in self._incoming:
                self._attempt(name, partial(self._add_incoming, name, topic))
        for name, type_name in services.items():
            if name not in self._services:
                self._attempt(name, partial(self._add_service, name, type_name))

    def _withdraw(self, have: dict[str, str], wanted: dict[str, str]) -> None:
        for name in [name for name, kind in have.items() if wanted.get(name) != kind]:
            del have[name]
            self.node.withdraw(name)

    def _attempt(self, name: str, work: Callable[[], None]) -> None:
        """Add something; what ROS 1 has no type for is told once and left out."""
        try:
            work()
        except AndanteError as error:
            if name not in self._skipped:
                self._skipped.add(name)
                self._say(f"{name} is left out: {error}")

    # Out of the session.

    def _add_outgoing(self, name: str, topic: TopicInfo) -> None:
        kind = kind_of(ROS1_LOG if topic.type_name == LOG else topic.type_name)
        self._outgoing[name] = topic.type_name
        publication = self.node.advertise(name, kind, bool(topic.latched), partial(self._connected, name))
        publication.on_change = partial(self._tidy, publication)
        if name == "/clock" and self._sim_time:
            self.node.set_parameter("/use_sim_time", True)
        if name == "/robot_description" and self._description is None:
            self._description = self._bus.subscribe(name, self._describe)

    def _connected(self, name: str, connection: Connection) -> None:
        """Every subscriber hears the session by itself, so that it gets what is latched; encoding is shared."""
        self._listening[connection] = self._bus.subscribe(name, lambda frame: _send(connection, frame))

    def _tidy(self, publication: Publication, _count: int) -> None:
        for connection in [c for c in self._listening if c.closed]:
            self._listening.pop(connection).close()

    def _describe(self, frame: Frame) -> None:
        self.node.set_parameter("/robot_description", frame.value["data"])

    # Into the session.

    def _add_incoming(self, name: str, topic: TopicInfo) -> None:
        kind = kind_of(topic.type_name)
        self._incoming[name] = topic.type_name
        self.node.subscribe(name, kind, partial(self._take, name, topic.type_name))

    def _take(self, name: str, type_name: str, data: bytes) -> None:
        try:
            message = messages.from_ros1(type_name, data)
        except AndanteError as error:
            self._say(f"{name}: {error}")
            return
        self._drivers.pass_on(name, type_name, message)

    # Services.

    def _add_service(self, name: str, type_name: str) -> None:
        kind = kind_of(type_name)
        self._services[name] = type_name
        self.node.provide(name, kind, partial(self._call, name, type_name))

    async def _call(self, name: str, type_name: str, request: bytes) -> bytes:
        asked = messages.from_ros1(f"{type_name}_Request", request)
        answer = await self._bus.call(name, messages.to_cdr(asked))
        return messages.to_ros1(messages.from_cdr(f"{type_name}_Response", answer))


def _send(connection: Connection, frame: Frame) -> None:
    connection.send(framed(ros1_bytes(frame)))
