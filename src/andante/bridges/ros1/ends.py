"""What a ROS 1 node has: publications, subscriptions and services, each with its TCPROS connections.

Every connection begins with a header from either side: u32 bytes in all, then per field u32 bytes and `name=value`.
Messages follow as u32 bytes and content; a service answers each request with one byte (1: success) before that.
Source: https://wiki.ros.org/ROS/TCPROS
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from andante.bridges.client import Say
from andante.errors import AndanteError, one_line

from . import xmlrpc

LENGTH = struct.Struct("<I")
LARGEST_HEADER = 2**20
LARGEST_MESSAGE = 2**28
HANDSHAKE = 10.0  # time for the header [s]
BACKLOG = 4 * 2**20  # bytes that may wait for a slow subscriber; what comes then is dropped for it
FIRST_WAIT, LONGEST_WAIT = 0.2, 5.0  # before a publisher is tried again [s]


class TcprosError(AndanteError):
    """The other side broke the protocol, or refuses; the message says which."""


def pack_header(**fields: str) -> bytes:
    """The bytes of a connection header with these fields."""
    parts = [f"{name}={value}".encode() for name, value in fields.items()]
    whole = b"".join(LENGTH.pack(len(part)) + part for part in parts)
    return LENGTH.pack(len(whole)) + whole


def unpack_header(data: bytes) -> dict[str, str]:
    """The fields of a connection header without its first length."""
    fields, at = {}, 0
    while at < len(data):
        if at + 4 > len(data):
            raise TcprosError("a connection header ends in the middle of a length")
        (size,) = LENGTH.unpack_from(data, at)
        part = data[at + 4 : at + 4 + size]
        if len(part) < size or b"=" not in part:
            raise TcprosError("a connection header holds something that is not name=value")
        name, _, value = part.partition(b"=")
        fields[name.decode(errors="replace")] = value.decode(errors="replace")
        at += 4 + size
    return fields


def frame(data: bytes) -> bytes:
    """A message with its length in front."""
    return LENGTH.pack(len(data)) + data


async def read_header(reader: asyncio.StreamReader) -> dict[str, str]:
    """The header with which the other side begins."""
    async with asyncio.timeout(HANDSHAKE):
        return unpack_header(await read_frame(reader, LARGEST_HEADER))


async def read_frame(reader: asyncio.StreamReader, largest: int = LARGEST_MESSAGE) -> bytes:
    """The next message."""
    (size,) = LENGTH.unpack(await reader.readexactly(4))
    if size > largest:
        raise TcprosError(f"a message of {size} bytes is too large")
    return await reader.readexactly(size)


BROKEN = (OSError, TimeoutError, asyncio.IncompleteReadError, TcprosError)


@dataclass(frozen=True)
class Kind:
    """A type of ROS 1: name `pkg/Name`, sum and full text."""

    name: str
    md5: str
    text: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a connection header that tell it."""
        return {"md5sum": self.md5, "type": self.name, "message_definition": self.text}

    def refusal(self, fields: dict[str, str]) -> str:
        """Why a connection with these header fields does not fit, empty if it does."""
        md5, name = fields.get("md5sum", "*"), fields.get("type", "*")
        if md5 not in ("*", self.md5):
            return f"md5sum {md5} of {name} is not {self.md5} of {self.name}"
        if name not in ("*", self.name):
            return f"type {name} is not {self.name}"
        return ""


@dataclass
class Publication:
    """A topic that the node publishes. `on_change` is called with the number of subscribers."""

    topic: str
    kind: Kind
    latched: bool
    on_connect: Callable[[Connection], None]
    on_change: Callable[[int], None]
    connections: list[Connection] = field(default_factory=list)

    def publish(self, data: bytes) -> None:
        """Send a message to every subscriber that keeps up."""
        framed = frame(data)
        for connection in self.connections:
            connection.send(framed)

    async def serve(
        self, name: str, fields: dict[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve one subscriber until it leaves."""
        writer.write(
            pack_header(callerid=name, latching="1" if self.latched else "0", topic=self.topic, **self.kind.fields)
        )
        connection = Connection(writer, fields.get("callerid", ""))
        self.connections.append(connection)
        try:
            self.on_connect(connection)
            self.on_change(len(self.connections))
            with contextlib.suppress(*BROKEN):
                while await reader.read(4096):  # subscribers send nothing; the end of the stream means that they left
                    pass
        finally:
            connection.close()
            self.connections.remove(connection)
            self.on_change(len(self.connections))

    def close(self) -> None:
        """End all connections."""
        for connection in list(self.connections):
            connection.close()


class Connection:
    """One subscriber of a publication."""

    def __init__(self, writer: asyncio.StreamWriter, caller: str) -> None:
        self._writer, self.caller = writer, caller
        self.sent = self.dropped = self.bytes = 0

    def send(self, framed: bytes) -> None:
        """Send a framed message, or drop it when too much waits already."""
        if self._writer.is_closing():
            return
        if self._writer.transport.get_write_buffer_size() > BACKLOG:
            self.dropped += 1
            return
        self._writer.write(framed)
        self.sent += 1
        self.bytes += len(framed)

    @property
    def closed(self) -> bool:
        """Whether the subscriber is gone."""
        return self._writer.is_closing()

    def close(self) -> None:
        """End it."""
        self._writer.close()


class Subscription:
    """A topic that the node subscribes to, at every publisher that the master names."""

    def __init__(self, name: str, topic: str, kind: Kind, on_message: Callable[[bytes], None], say: Say) -> None:
        self.name, self.topic, self.kind, self.on_message, self._say = name, topic, kind, on_message, say
        self.publishers: dict[str, asyncio.Task[None]] = {}
        self.received = 0

    def update(self, uris: list[str]) -> None:
        """Subscribe to exactly these publishers."""
        for uri in [uri for uri in self.publishers if uri not in uris]:
            self.publishers.pop(uri).cancel()
        for uri in uris:
            if uri not in self.publishers:
                self.publishers[uri] = asyncio.get_running_loop().create_task(self._hear(uri))

    def close(self) -> None:
        """Disconnect from all publishers."""
        self.update([])

    async def _hear(self, uri: str) -> None:
        """Read from one publisher, connecting again when the connection breaks."""
        wait, complained = FIRST_WAIT, False
        while True:
            try:
                count = self.received
                await self._hear_once(uri)
            except (*BROKEN, AndanteError) as error:
                if not complained and not isinstance(error, asyncio.IncompleteReadError):
                    self._say(f"{self.topic}: publisher {uri}: {one_line(error)}")
                    complained = True
            wait = FIRST_WAIT if self.received > count else min(2.0 * wait, LONGEST_WAIT)
            await asyncio.sleep(wait)

    async def _hear_once(self, uri: str) -> None:
        code, text, protocol = await xmlrpc.call(uri, "requestTopic", self.name, self.topic, [["TCPROS"]])
        if code != 1 or not protocol or protocol[0] != "TCPROS":
            raise TcprosError(f"offers no TCPROS ({text})")
        reader, writer = await asyncio.open_connection(protocol[1], protocol[2], limit=2**20)
        try:
            writer.write(pack_header(callerid=self.name, tcp_nodelay="1", topic=self.topic, **self.kind.fields))
            fields = await read_header(reader)
            told = fields.get("error") or self.kind.refusal(fields)
            if told:
                raise TcprosError(told)
            while True:
                data = await read_frame(reader)
                self.received += 1
                self.on_message(data)
        finally:
            writer.close()


@dataclass
class ServiceEnd:
    """A service that the node offers."""

    name: str
    kind: Kind
    handler: Callable[[bytes], Awaitable[bytes]]

    async def serve(
        self, node: str, fields: dict[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer one caller: a single request, or as many as come over a persistent connection."""
        writer.write(
            pack_header(
                callerid=node,
                md5sum=self.kind.md5,
                request_type=f"{self.kind.name}Request",
                response_type=f"{self.kind.name}Response",
                type=self.kind.name,
            )
        )
        await writer.drain()
        if fields.get("probe") == "1":
            return
        while True:
            request = await read_frame(reader)
            try:
                writer.write(b"\x01" + frame(await self.handler(request)))
            except AndanteError as error:
                writer.write(b"\x00" + frame(str(error).encode()))
            await writer.drain()
            if fields.get("persistent") != "1":
                return
