"""The loop's end of the line to the server process: a socket that is never waited for, and a bounded queue.

Packets have the layout, little endian: u32 bytes of head and body together, u32 bytes of head, head (JSON object,
UTF-8), body.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from andante.errors import BadInput

LENGTHS = struct.Struct("<II")
LARGEST = 256 * 2**20  # bytes of one packet; a larger length means that the other side talks nonsense

Head = dict[str, Any]
CHUNK = 1 << 16  # bytes asked of the socket at once
PASSES = 16  # reads per cycle at most


def pack(head: Head, body: bytes = b"") -> bytes:
    """The bytes of one packet."""
    text = json.dumps(head, separators=(",", ":")).encode()
    return LENGTHS.pack(len(text) + len(body), len(text)) + text + body


class Unpacker:
    """Cuts a stream of bytes into packets."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Append bytes as they came."""
        self._data += data

    def packets(self, most: int | None = None) -> Iterator[tuple[Head, bytes]]:
        """(head, body) of the complete packets so far, at most `most` of them; the rest waits."""
        at, count = 0, 0
        data = self._data
        try:
            while len(data) - at >= LENGTHS.size and (most is None or count < most):
                total, words = LENGTHS.unpack_from(data, at)
                if total > LARGEST or words > total:
                    raise BadInput(f"a packet of {total} bytes with a head of {words} bytes is not one of ours")
                start, end = at + LENGTHS.size, at + LENGTHS.size + total
                if len(data) < end:
                    break
                head, body = _head(bytes(data[start : start + words])), bytes(data[start + words : end])
                at, count = end, count + 1
                yield head, body
        finally:
            del data[:at]


def _head(text: bytes) -> Head:
    try:
        head = json.loads(text)
    except ValueError:
        head = None
    if not isinstance(head, dict):
        raise BadInput("the head of a packet is not a JSON object")
    return head


class _Packet(NamedTuple):
    data: bytes
    droppable: bool


class Link:
    """Sends and receives packets over a connected socket without ever waiting.

    What the socket does not take at once stays in a queue of at most `frames` droppable packets and `size` bytes;
    beyond that the oldest droppable packet goes and `dropped` counts it. Packets that may not be dropped (answers,
    latched messages) are limited to four times `size`; a peer that lets more pile up counts as gone.
    """

    def __init__(self, sock: socket.socket, *, frames: int = 512, size: int = 16 * 2**20) -> None:
        sock.setblocking(False)
        with contextlib.suppress(OSError):  # not every kind of socket has it
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.dropped = 0  # packets dropped because the other side was too slow
        self.sent = 0  # packets handed to the system
        self.reason = ""  # why the line is closed, empty while it is open
        self._sock: socket.socket | None = sock
        self._frames, self._size = frames, size
        self._queue: deque[_Packet] = deque()
        self._droppable = 0
        self._queued = 0  # bytes in the queue
        self._rest = memoryview(b"")  # of the packet that is under way
        self._unpacker = Unpacker()

    @property
    def open(self) -> bool:
        """Whether the other side is there."""
        return self._sock is not None

    def send(self, head: Head, body: bytes = b"", *, droppable: bool = False) -> None:
        """Queue a packet and pass on what the socket takes now."""
        if self._sock is None:
            return
        packet = _Packet(pack(head, body), droppable)
        self._queue.append(packet)
        self._droppable += droppable
        self._queued += len(packet.data)
        self.flush()
        while self._droppable > self._frames or (self._queued > self._size and self._droppable):
            self._drop_oldest()
        if self._queued > 4 * self._size:
            self.close("the other side does not read")

    def flush(self) -> None:
        """Pass on as much as the socket takes now."""
        try:
            while self._sock is not None and (self._rest or self._queue):
                if not self._rest:
                    packet = self._queue.popleft()
                    self._droppable -= packet.droppable
                    self._queued -= len(packet.data)
                    self._rest = memoryview(packet.data)
                    self.sent += 1
                self._rest = self._rest[self._sock.send(self._rest) :]
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self.close(error.strerror or type(error).__name__)

    def receive(self, most: int = 64) -> list[tuple[Head, bytes]]:
        """At most `most` packets that have come; the others wait for the next call."""
        waiting = list(self._unpacker_packets(most))
        for _ in range(PASSES):
            if len(waiting) >= most or not self._read():
                break
            waiting += self._unpacker_packets(most - len(waiting))
        return waiting

    def close(self, reason: str = "closed") -> None:
        """End the line; packets still queued are lost."""
        if self._sock is not None:
            self._sock.close()
            self._sock, self.reason = None, reason
        self._queue.clear()
        self._rest = memoryview(b"")
        self._droppable = self._queued = 0

    def _unpacker_packets(self, most: int) -> list[tuple[Head, bytes]]:
        try:
            return list(self._unpacker.packets(most))
        except BadInput as error:
            self.close(str(error))
            return []

    def _read(self) -> bool:
        if self._sock is None:
            return False
        try:
            data = self._sock.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError as error:
            self.close(error.strerror or type(error).__name__)
            return False
        if not data:
            self.close("the other side has ended")
            return False
        self._unpacker.feed(data)
        return True

    def _drop_oldest(self) -> None:
        for place, packet in enumerate(self._queue):
            if packet.droppable:
                del self._queue[place]
                self._droppable -= 1
                self._queued -= len(packet.data)
                self.dropped += 1
                return
