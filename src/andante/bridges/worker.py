"""The server process: connects to the loop process, binds the address, serves until the loop ends the line.

It is started by `start_server`, which sends three lines on its standard input: the port of the line, its secret, and
what to serve as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from andante.errors import AndanteError, BadInput

from .access import Access
from .limits import Limits
from .pages import Page
from .remote import RemoteBus
from .server import WebServer
from .wire import Head

REPORT = 1.0  # time between reports of the number of clients [s]
GRACE = 3.0  # time for an orderly end [s]


class AbortableProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol; it lets the application cut a connection off."""

    async def run_asgi(self) -> None:
        """Run the application with the transport in its state."""
        self.scope["state"]["transport"] = self.transport
        await super().run_asgi()


class QuietServer(uvicorn.Server):
    """uvicorn without signal handlers: the line to the loop says when it is over."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield


def main() -> None:
    """Entry of the process."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the loop; its end ends this process
    port, secret = int(sys.stdin.readline()), sys.stdin.readline().strip()
    asyncio.run(_serve(port, secret, json.loads(sys.stdin.readline())))


async def _serve(port: int, secret: str, config: Head) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    raw = writer.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    writer.write(secret.encode() + b"\n")
    bus = RemoteBus(reader, writer)
    orders: asyncio.Queue[tuple[Head, bytes]] = asyncio.Queue()
    bus.on_control = lambda head, body: orders.put_nowait((head, body))
    line = asyncio.create_task(bus.run())
    try:
        bound, web = _bind(config), _web_server(config, bus)  # meanwhile the loop process reads its own modules
    except AndanteError as error:
        await bus.ready()
        bus.tell({"op": "failed", "error": str(error)})
        await asyncio.sleep(0.2)
        return
    await bus.ready()
    server = QuietServer(
        uvicorn.Config(
            web.app,
            ws=AbortableProtocol,
            ws_max_size=web.limits.message_size,
            ws_per_message_deflate=False,
            log_level="critical",
            access_log=False,
            server_header=False,
            lifespan="on",
            loop="asyncio",
            timeout_graceful_shutdown=1,
        )
    )
    follower = asyncio.create_task(_follow(orders, web))
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    bus.tell({"op": "listening", "port": bound.getsockname()[1]})
    reporter = asyncio.create_task(_report(bus, web))
    await asyncio.wait({line, serving}, return_when=asyncio.FIRST_COMPLETED)
    hard_end = threading.Timer(GRACE, os._exit, (1,))
    hard_end.daemon = True
    hard_end.start()
    server.should_exit = True
    for client in list(web.clients):
        client.cut("")
    for task in (follower, reporter):
        task.cancel()
    await serving
    hard_end.cancel()


def _bind(config: Head) -> socket.socket:
    host, port = config["host"], config["port"]
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        return socket.create_server(address[:2], family=family, backlog=128)
    except OSError as error:
        raise BadInput(
            f"address {host}:{port} cannot be bound ({error.strerror or error}); choose another port"
        ) from None


def _web_server(config: Head, bus: RemoteBus) -> WebServer:
    routes: list[Any] = []
    if config.get("routes"):
        module, _, name = config["routes"].partition(":")
        try:
            routes = getattr(importlib.import_module(module), name)(bus, config.get("arguments"))
        except (ImportError, AttributeError) as error:
            raise BadInput(f"routes {config['routes']!r}: {error}") from None
    return WebServer(
        bus,
        Access(config["host"], config["token"], tuple(config["origins"])),
        limits=replace(Limits(), **config["limits"]),
        allow=tuple(config["allow"]),
        routes=routes,
        say=lambda level, text: bus.tell({"op": "say", "level": level, "text": text}),
        until=config["until"],
    )


async def _follow(orders: asyncio.Queue[tuple[Head, bytes]], web: WebServer) -> None:
    """Take further orders of the loop process."""
    while True:
        head, body = await orders.get()
        if head.get("op") == "page":
            path = Path(head["path"]) if head["path"] else None
            web.add_pages([Page(head["url"], path, None if path else body, head["media_type"])])


async def _report(bus: RemoteBus, web: WebServer) -> None:
    told: Head = {}
    while True:
        await asyncio.sleep(REPORT)
        now: Head = {"clients": len(web.clients), "dropped": bus.dropped}
        if now != told:
            told = now
            bus.tell({"op": "report", **now})


if __name__ == "__main__":
    main()
