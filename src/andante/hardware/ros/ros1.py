"""A line to the nodes of a ROS 1 master; no ROS install is needed on this side."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from functools import partial
from typing import Any

from andante.bags import messages
from andante.bridges.ros1.bridge import kind_of
from andante.bridges.ros1.node import Ros1Node
from andante.bridges.ros1.xmlrpc import address
from andante.errors import AndanteError

from .link import RosLink

LOOK = 0.05  # between two looks at the master's state [s]


class Ros1Link(RosLink):
    """Hears and tells topics as a node of a ROS 1 master, http://host:11311.

    host: the address of this computer as the robot sees it; by default the one that leads to the master.
    """

    def __init__(self, master: str, name: str = "", host: str = "") -> None:
        super().__init__(master)
        address(master)
        self.name = name or f"/andante_body_{secrets.token_hex(3)}"
        self.host = host
        self._node: Ros1Node | None = None
        self._refused: set[str] = set()

    def listeners(self, topic: str) -> int | None:
        """How many nodes hear a topic."""
        publication = self._node.publications.get(topic) if self._node is not None else None
        return len(publication.connections) if publication is not None else 0

    async def _keep(self) -> None:
        self._node = node = Ros1Node(self.name, self.where, self.host or way_to(self.where), self.listener.say)
        await node.start()
        for topic, kind in self.advertised.items():
            node.advertise(topic, kind_of(kind))
        for topic, kind in self.subscribed.items():
            node.subscribe(topic, kind_of(kind), partial(self._take, topic, kind))
        writing = asyncio.create_task(self._write(self._send))
        try:
            while not node.shut_down.is_set():
                if node.connected != self.connected:
                    if node.connected:
                        self._join()
                    else:
                        self._lose("the ROS master does not answer")
                elif node.error:
                    self.error = node.error.removeprefix(f"{self.where} ")
                await asyncio.sleep(LOOK)
            self.error = "a ROS tool shut down this node; make a new body"
        finally:
            writing.cancel()
            await asyncio.sleep(0.05)  # the last commands are on their way
            await node.stop()

    async def _send(self, topic: str, message: Any) -> None:
        assert self._node is not None
        publication = self._node.publications.get(topic)
        if publication is not None:
            publication.publish(messages.to_ros1(message))

    def _take(self, topic: str, kind: str, data: bytes) -> None:
        try:
            self.listener.heard(topic, messages.from_ros1(kind, data))
        except AndanteError as error:
            if topic not in self._refused:
                self._refused.add(topic)
                self.listener.say(f"{topic}: {error}")


def way_to(master: str) -> str:
    """The address of this computer on the way to the master; nothing is sent."""
    host, port = address(master)
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, port))
        return str(probe.getsockname()[0])
    return "127.0.0.1"
