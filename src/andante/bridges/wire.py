"""Packets between the loop process and the server process: two lengths, a JSON head and raw bytes.

Layout, little endian: u32 bytes of head and body together, u32 bytes of head, head (JSON object, UTF-8), body.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

from andante.errors import BadInput

LENGTHS = struct.Struct("<II")
LARGEST = 256 * 2**20  # bytes of one packet; a larger length means that the other side talks nonsense

Head = dict[str, Any]


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
