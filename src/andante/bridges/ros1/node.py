"""`Ros1Node`: a node of ROS 1 in plain asyncio. It survives the master, and unregisters cleanly.

Master and slave API: https://wiki.ros.org/ROS/Master_API, https://wiki.ros.org/ROS/Slave_API
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from typing import Any

from andante.bridges.client import Say, quiet

from . import xmlrpc
from .ends import BROKEN, Connection, Kind, Publication, ServiceEnd, Subscription, pack_header, read_header

WATCH = 1.0  # time between looks at the master [s]


class Ros1Node:
    """Topics and services at a ROS 1 master. What is wanted is kept; a master that comes back is told again."""

    def __init__(self, name: str, master: str, host: str = "127.0.0.1", say: Say = quiet) -> None:
        xmlrpc.address(master)
        self.name, self.master, self.host, self._say = name, master, host, say
        self.publications: dict[str, Publication] = {}
        self.subscriptions: dict[str, Subscription] = {}
        self.services: dict[str, ServiceEnd] = {}
        self.connected, self.error = False, ""  # why the master cannot be reached
        self.shut_down = asyncio.Event()  # somebody asked the node to end
        self._registered: dict[tuple[str, str], str] = {}  # (what, name): type, as the master knows it
        self._parameters: dict[str, Any] = {}
        self._before: dict[str, list[Any]] = {}  # values that the parameters had before us: one or none
        self._master_pid = -1
        self._wake = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._lines = xmlrpc.Lines()
        self._server: asyncio.Server | None = None
        self._rpc = xmlrpc.RpcServer(self._methods())

    @property
    def uri(self) -> str:
        """Address of the node for other nodes."""
        return f"http://{self.host}:{self._rpc.port}/"

    @property
    def port(self) -> int:
        """Port for messages and services."""
        return self._server.sockets[0].getsockname()[1] if self._server else 0

    async def start(self) -> None:
        """Listen, and register at the master as soon as there is one."""
        await self._rpc.start(self.host)
        self._server = await asyncio.start_server(self._serve, self.host, 0, limit=2**20)
        self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Unregister everything and close all connections."""
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching
        self.publications.clear()
        for subscription in self.subscriptions.values():
            subscription.close()
        self.subscriptions.clear()
        self.services.clear()
        if self.connected:
            with contextlib.suppress(xmlrpc.RpcError):
                await self._reconcile()
                await self._restore_parameters()
        await self._rpc.stop()
        if self._server is not None:
            self._server.close()
        await self._lines.close()

    # What the node has.

    def advertise(
        self,
        topic: str,
        kind: Kind,
        latched: bool = False,
        on_connect: Callable[[Connection], None] = lambda connection: None,
        on_change: Callable[[int], None] = lambda count: None,
    ) -> Publication:
        """Publish a topic."""
        publication = self.publications[topic] = Publication(topic, kind, latched, on_connect, on_change)
        self._wake.set()
        return publication

    def subscribe(self, topic: str, kind: Kind, on_message: Callable[[bytes], None]) -> Subscription:
        """Subscribe to a topic."""
        subscription = self.subscriptions[topic] = Subscription(self.name, topic, kind, on_message, self._say)
        self._wake.set()
        return subscription

    def provide(self, name: str, kind: Kind, handler: Callable[[bytes], Awaitable[bytes]]) -> None:
        """Offer a service: handler(request) returns the response; an `AndanteError` becomes the caller's error."""
        self.services[name] = ServiceEnd(name, kind, handler)
        self._wake.set()

    def withdraw(self, name: str) -> None:
        """Give up a topic or service of that name."""
        publication = self.publications.pop(name, None)
        if publication is not None:
            publication.close()
        subscription = self.subscriptions.pop(name, None)
        if subscription is not None:
            subscription.close()
        self.services.pop(name, None)
        self._wake.set()

    def set_parameter(self, name: str, value: Any) -> None:
        """Keep a parameter at the master while the node lives."""
        self._parameters[name] = value
        self._registered.pop(("parameter", name), None)
        self._wake.set()

    # The master.

    async def _watch(self) -> None:
        """Keep the master informed; notice when it goes and when it comes back."""
        told = False
        while True:
            try:
                pid = await self._ask("getPid")
                if pid != self._master_pid:
                    self._registered.clear()
                    self._before.clear()  # a new master knows none of them
                    self._master_pid = pid
                    self._say(f"registered at the ROS master {self.master} as {self.name}")
                self.connected, self.error, told = True, "", False
                await self._reconcile()
            except xmlrpc.RpcError as error:
                self.connected, self.error = False, str(error)
                self._master_pid = -1
                if not told:
                    self._say(f"no ROS master: {error}; trying again")
                    told = True
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(WATCH):
                    await self._wake.wait()
            self._wake.clear()

    async def _reconcile(self) -> None:
        """Bring what the master knows in line with what the node has."""
        wanted: dict[tuple[str, str], str] = {("publisher", name): p.kind.name for name, p in self.publications.items()}
        wanted |= {("subscriber", name): s.kind.name for name, s in self.subscriptions.items()}
        wanted |= {("service", name): s.kind.name for name, s in self.services.items()}
        wanted |= {("parameter", name): "" for name in self._parameters}
        for key in [key for key, kind in self._registered.items() if wanted.get(key) != kind]:
            await self._unregister(*key)
            del self._registered[key]
        for key, kind in wanted.items():
            if key not in self._registered:
                await self._register(*key, kind)
                self._registered[key] = kind

    async def _register(self, what: str, name: str, kind: str) -> None:
        if what == "publisher":
            await self._ask("registerPublisher", name, kind, self.uri)
        elif what == "subscriber":
            publishers = await self._ask("registerSubscriber", name, kind, self.uri)
            if name in self.subscriptions:
                self.subscriptions[name].update(publishers)
        elif what == "service":
            await self._ask("registerService", name, f"rosrpc://{self.host}:{self.port}", self.uri)
        else:
            if name not in self._before:
                there = await self._ask("hasParam", name)
                self._before[name] = [await self._ask("getParam", name)] if there else []
            await self._ask("setParam", name, self._parameters[name])

    async def _restore_parameters(self) -> None:
        for name, old in self._before.items():
            if old:
                await self._ask("setParam", name, old[0])
            else:
                await self._ask("deleteParam", name)

    async def _unregister(self, what: str, name: str) -> None:
        if what != "parameter":
            address = f"rosrpc://{self.host}:{self.port}" if what == "service" else self.uri
            await self._ask(f"unregister{what.title()}", name, address)

    async def _ask(self, method: str, *arguments: Any) -> Any:
        code, text, value = await xmlrpc.call(self.master, method, self.name, *arguments)
        if code != 1:
            raise xmlrpc.RpcError(f"{method} {arguments[0] if arguments else ''}: {text}")
        return value

    # The slave API.

    def _methods(self) -> dict[str, Callable[..., Any]]:
        return {
            "getPid": lambda caller: [1, "", os.getpid()],
            "getMasterUri": lambda caller: [1, "", self.master],
            "getBusStats": lambda caller: [1, "", self._bus_stats()],
            "getBusInfo": lambda caller: [1, "", self._bus_info()],
            "getSubscriptions": lambda caller: [1, "", [[n, s.kind.name] for n, s in self.subscriptions.items()]],
            "getPublications": lambda caller: [1, "", [[n, p.kind.name] for n, p in self.publications.items()]],
            "paramUpdate": lambda caller, name, value: [1, "", 0],
            "publisherUpdate": self._publisher_update,
            "requestTopic": self._request_topic,
            "shutdown": self._shut_down,
        }

    def _bus_stats(self) -> list[Any]:
        published = [
            [name, sum(c.bytes for c in p.connections), [[k, c.bytes, c.sent, 1] for k, c in enumerate(p.connections)]]
            for name, p in self.publications.items()
        ]
        return [published, [], []]

    def _bus_info(self) -> list[Any]:
        out = [[k, c.caller, "o", "TCPROS", name, True] for name, p in self.publications.items()
               for k, c in enumerate(p.connections)]  # fmt: skip
        return out + [
            [k, uri, "i", "TCPROS", name, True]
            for name, s in self.subscriptions.items()
            for k, uri in enumerate(s.publishers)
        ]

    def _publisher_update(self, _caller: str, topic: str, publishers: list[str]) -> list[Any]:
        subscription = self.subscriptions.get(topic)
        if subscription is None:
            return [0, f"{topic} is not heard here", 0]
        subscription.update([uri for uri in publishers if uri != self.uri])
        return [1, "", 0]

    def _request_topic(self, _caller: str, topic: str, protocols: list[Any]) -> list[Any]:
        if topic not in self.publications:
            return [0, f"{topic} is not published here", []]
        if not any(protocol and protocol[0] == "TCPROS" for protocol in protocols):
            return [0, "only TCPROS is spoken here", []]
        return [1, "ready", ["TCPROS", self.host, self.port]]

    def _shut_down(self, _caller: str, reason: str = "") -> list[Any]:
        self._say(f"asked to shut down{f' ({reason})' if reason else ''}")
        self.shut_down.set()
        return [1, "", 0]

    # Connections from other nodes.

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines.add(writer)
        try:
            fields = await read_header(reader)
            self._lines.heard()
            end: Publication | ServiceEnd | None
            if "service" in fields:
                end, what = self.services.get(fields["service"]), f"service {fields['service']}"
            else:
                end, what = self.publications.get(fields.get("topic", "")), f"topic {fields.get('topic')}"
            told = f"no {what} here" if end is None else end.kind.refusal(fields)
            if end is None or told:
                writer.write(pack_header(error=told))
                return
            await end.serve(self.name, fields, reader, writer)
        except BROKEN:
            pass
        finally:
            writer.close()
