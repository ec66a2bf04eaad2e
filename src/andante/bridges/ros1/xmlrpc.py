"""XML-RPC over HTTP for one asyncio loop: what ROS 1 nodes and the master say to one another."""

from __future__ import annotations

import asyncio
import contextlib
import xmlrpc.client
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from xml.parsers.expat import ExpatError, ParserCreate

from andante.errors import AndanteError, BadInput

MOST_SILENT = 128  # connections of a server that ask for nothing
LARGEST = 32 * 2**20  # bytes of one request or answer; a robot description may be long
TIMEOUT = 5.0  # [s]


class RpcError(AndanteError):
    """The other side is not there, or does not answer in XML-RPC."""


async def call(uri: str, method: str, *arguments: Any, timeout: float = TIMEOUT) -> Any:
    """The result of a method of the server at `uri`."""
    host, port = address(uri)
    body = xmlrpc.client.dumps(arguments, method, allow_none=True).encode()
    head = (
        f"POST /RPC2 HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: text/xml\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    try:
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(head.encode() + body)
                await writer.drain()
                status, content = await _read(reader)
            finally:
                writer.close()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise RpcError(f"{uri} does not answer ({type(error).__name__})") from None
    if b" 200 " not in status:
        raise RpcError(f"{uri} answers {status.decode(errors='replace').strip()!r}")
    try:
        return loads(content)[0][0]
    except (ExpatError, xmlrpc.client.Error, IndexError, ValueError) as error:
        raise RpcError(f"{uri}: {method} failed ({str(error)[:200]})") from None


def loads(content: bytes) -> tuple[tuple[Any, ...], str | None]:
    """Arguments and method of a message; one that declares a document type, and so might entities, is refused."""

    def refuse(*_: object) -> None:
        raise ValueError("a document type is declared, which XML-RPC has no use for; refused")

    look = ParserCreate()
    look.StartDoctypeDeclHandler = refuse
    look.Parse(content, True)
    return xmlrpc.client.loads(content)


def address(uri: str) -> tuple[str, int]:
    """Host and port of http://host:port/."""
    try:
        parts = urlsplit(uri)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in ("http", "rosrpc") or not host or not port:
        raise BadInput(f"{uri!r} should look like http://127.0.0.1:11311")
    return host, port


async def _read(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """First line and content of an HTTP message."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    length = -1
    for line in lines:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    if length > LARGEST:
        raise RpcError(f"an XML-RPC message of {length} bytes is too large")
    if length >= 0:
        return first, await reader.readexactly(length)
    content = bytearray()
    while part := await reader.read(65536):
        content += part
        if len(content) > LARGEST:
            raise RpcError("an XML-RPC message is too large")
    return first, bytes(content)


class Lines:
    """Open connections of a server, each served by the task that adds it.

    Args:
        most: that have said nothing yet, or nothing for long; of more the first one is cut off.
    """

    def __init__(self, most: int = MOST_SILENT) -> None:
        self._open: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}
        self._silent: dict[asyncio.Task[Any], None] = {}
        self._most = most

    def add(self, writer: asyncio.StreamWriter) -> None:
        """Note a connection until its task ends."""
        task = asyncio.current_task()
        assert task is not None
        while len(self._silent) >= self._most:
            first = next(iter(self._silent))
            del self._silent[first]
            self._open[first].transport.abort()
        self._open[task], self._silent[task] = writer, None
        task.add_done_callback(self._forget)

    def heard(self, again: bool = False) -> None:
        """The connection of this task has said what it wants; `again`: it has to say more before long."""
        task = asyncio.current_task()
        assert task is not None
        if task in self._silent:
            del self._silent[task]
            if again:
                self._silent[task] = None  # as the last one

    def _forget(self, ended: asyncio.Task[Any]) -> None:
        self._open.pop(ended, None)
        self._silent.pop(ended, None)

    async def close(self) -> None:
        """Close all connections and wait for their tasks."""
        for writer in self._open.values():
            writer.close()
        if self._open:
            await asyncio.wait(list(self._open), timeout=2.0)


class RpcServer:
    """Serves methods by name; each returns what XML-RPC can carry."""

    def __init__(self, methods: dict[str, Callable[..., Any]]) -> None:
        self._methods = methods
        self._server: asyncio.Server | None = None
        self.lines = Lines()
        self.port = 0

    async def start(self, host: str) -> None:
        """Listen at a free port."""
        self._server = await asyncio.start_server(self._serve, host, 0, limit=2**17)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await self.lines.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.lines.add(writer)
        problems = (OSError, RpcError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
        with contextlib.suppress(*problems):
            while True:
                async with asyncio.timeout(120.0):
                    first, content = await _read(reader)
                if not first.startswith(b"POST "):
                    writer.write(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    break
                self.lines.heard(again=True)
                answer = self._answer(content)
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer
                )
                await writer.drain()
        writer.close()

    def _answer(self, content: bytes) -> bytes:
        try:
            arguments, method = loads(content)
            found = self._methods.get(method or "")
            if found is None:
                raise BadInput(f"no method {method!r}")
            return xmlrpc.client.dumps((found(*arguments),), methodresponse=True, allow_none=True).encode()
        except (ExpatError, xmlrpc.client.Error, AndanteError, TypeError, ValueError) as error:
            return xmlrpc.client.dumps(xmlrpc.client.Fault(1, str(error))).encode()
