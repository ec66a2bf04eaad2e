"""The server process: connects to the loop process, binds the address, serves until the loop ends the line.

It is started by `start_server`, which sends three lines on its standard input: the port of the line, its secret, and
what to serve as JSON. `RemoteBus` is the bus as this process sees it.
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
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn

from andante.bridges.client import ClientGoal, OnFeedback
from andante.bridges.encoding import Frame
from andante.bridges.graph_client import GraphClient
from andante.bus.errors import BusError
from andante.errors import AndanteError, BadInput

from .access import Access, Limits, Page
from .link import Head, Unpacker, pack
from .protocols import AbortableProtocol, PromptProtocol
from .web import WebServer

BACKLOG = 8 * 2**20  # bytes that may wait for the loop; more publishing is dropped, calls are refused
CHUNK = 1 << 18
REPORT = 1.0  # time between reports of the number of clients [s]
GRACE = 3.0  # time for an orderly end [s]


class RemoteBus(GraphClient):
    """A `BusClient` over a connection to `serve_bus`. Make it, then run `run` as a task until the loop ends."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__()
        self._reader, self._writer = reader, writer
        self.on_control: Callable[[Head, bytes], None] = lambda head, body: None  # orders from the loop process

    async def run(self) -> None:
        """Take packets until the loop process ends the line."""
        unpacker = Unpacker()
        try:
            while data := await self._reader.read(CHUNK):
                unpacker.feed(data)
                for head, body in unpacker.packets():
                    self._take(head, body)
        except (OSError, BadInput):
            pass
        finally:
            self._writer.close()
            self._fail_all("the session has ended")

    def publish(self, topic: str, type_name: str, cdr: bytes, *, create: bool = False, latched: bool = False) -> None:
        """Publish into the session; dropped and counted when the loop is far behind."""
        if self._writer.transport.get_write_buffer_size() > BACKLOG:
            self.dropped += 1
            return
        self.send({"op": "publish", "topic": topic, "type": type_name, "create": create, "latched": latched}, cdr)

    async def call(self, service: str, request: bytes, timeout: float | None = None) -> bytes:
        """The response of a service."""
        _, body = await self._ask({"op": "call", "service": service}, request, timeout, service)
        return body

    async def send_goal(self, action: str, goal: bytes, on_feedback: OnFeedback | None = None) -> ClientGoal:
        """Send a goal and wait until it is taken."""
        number = next(self._numbers)
        handle = self._goals[number] = ClientGoal(lambda: self.send({"op": "cancel", "goal": number}), on_feedback)
        try:
            await self._ask({"op": "goal", "action": action, "goal": number}, goal, None, action)
        except BaseException:
            self._goals.pop(number, None)
            raise
        return handle

    async def parameters(self) -> dict[str, Any]:
        """Names and values of all parameters."""
        head, _ = await self._ask({"op": "parameters"}, b"", 10.0, "parameters")
        return dict(head["values"])

    async def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter."""
        await self._ask({"op": "set", "name": name, "value": value}, b"", 10.0, name)

    def send(self, head: Head, body: bytes = b"") -> None:
        """Send an order or a report to the loop process."""
        if not self._writer.is_closing():
            self._writer.write(pack(head, body))

    # Inside.

    def _take(self, head: Head, body: bytes) -> None:
        op = head.get("op")
        self.now = head.get("now", self.now)
        if op == "frame":
            self._frame(head, body)
        elif op == "answer":
            self._answered(head["number"], (head, body))
        elif op in ("feedback", "done") and (goal := self._goals.get(head["goal"])) is not None:
            if op == "feedback":
                goal.progress(body)
            else:
                del self._goals[head["goal"]]
                goal.finish(head["status"], body)
        elif op == "graph":
            self._learn(head)
        else:
            self.on_control(head, body)

    def _frame(self, head: Head, body: bytes) -> None:
        depth = int(head.get("latched", 0))
        self._channels.take(Frame(head["topic"], head["type"], head["stamp"], body, bool(depth)), depth)

    def _subscribe(self, topic: str, throttle: float) -> None:
        self.send({"op": "subscribe", "topic": topic, "throttle": throttle})

    def _unsubscribe(self, topic: str) -> None:
        self.send({"op": "unsubscribe", "topic": topic})

    async def _ask(self, head: Head, body: bytes, timeout: float | None, what: str) -> tuple[Head, bytes]:
        number = next(self._numbers)

        def send() -> bool:
            if self._writer.is_closing() or self._writer.transport.get_write_buffer_size() > BACKLOG:
                return False
            self.send({**head, "number": number}, body)
            return True

        answer: tuple[Head, bytes] = await self._answer(number, send, timeout, what)
        if "error" in answer[0]:
            raise BusError(answer[0]["error"])
        return answer


class QuietServer(uvicorn.Server):
    """uvicorn without signal handlers: the end of the connection to the loop ends it."""

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
        bus.send({"op": "failed", "error": str(error)})
        await asyncio.sleep(0.2)
        return
    await bus.ready()
    server = QuietServer(
        uvicorn.Config(
            web.app,
            http=PromptProtocol,
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
    bus.send({"op": "listening", "port": bound.getsockname()[1]})
    reporter = asyncio.create_task(_report(bus, web))
    await asyncio.wait({line, serving}, return_when=asyncio.FIRST_COMPLETED)
    hard_end = threading.Timer(GRACE, os._exit, (1,))
    hard_end.daemon = True
    hard_end.start()
    server.should_exit = True
    await web.farewell()
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
        say=lambda level, text: bus.send({"op": "say", "level": level, "text": text}),
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
            bus.send({"op": "report", **now})


if __name__ == "__main__":
    main()
