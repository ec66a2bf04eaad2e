"""TCPROS: the connections over which ROS 1 nodes send messages and call services.

Every connection begins with a header from either side: u32 bytes in all, then per field u32 bytes and `name=value`.
Messages follow as u32 bytes and content; a service answers each request with one byte (1: fine) before that.
Source: https://wiki.ros.org/ROS/TCPROS
"""

from __future__ import annotations

import asyncio
import struct

from andante.errors import AndanteError

LENGTH = struct.Struct("<I")
LARGEST_HEADER = 2**20
LARGEST_MESSAGE = 2**28
HANDSHAKE = 10.0  # time for the header [s]


class TcprosError(AndanteError):
    """The other side broke the protocol, or refuses; the message says which."""


def pack_header(fields: dict[str, str]) -> bytes:
    """The bytes of a connection header."""
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
