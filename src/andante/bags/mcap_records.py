"""Records of MCAP files, packed and unpacked: mcap.dev/spec.

Each record is an opcode, its length, and fields that follow each other: little-endian numbers, texts and tables with
their length in front.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import NamedTuple

HEADER, SCHEMA, CHANNEL, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = 0x01, 0x03, 0x04, 0x06, 0x07, 0x08
STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = 0x0B, 0x0C, 0x0D, 0x0E, 0x0F


class Schema(NamedTuple):
    """A type of messages."""

    number: int
    name: str
    encoding: str
    text: bytes

    def packed(self) -> bytes:
        """The record."""
        return _record(SCHEMA, struct.pack("<H", self.number), _text(self.name), _text(self.encoding), _long(self.text))

    @classmethod
    def unpacked(cls, content: bytes) -> Schema:
        """From the content of a record; struct.error or ValueError where it is cut off or no text."""
        (number,) = struct.unpack_from("<H", content)
        name, place = _read_text(content, 2)
        encoding, place = _read_text(content, place)
        text, _ = _read(content, place)
        return cls(number, name, encoding, text)


class Channel(NamedTuple):
    """A topic."""

    number: int
    schema: int
    topic: str
    encoding: str
    metadata: Mapping[str, str]

    def packed(self) -> bytes:
        """The record."""
        numbers = struct.pack("<HH", self.number, self.schema)
        return _record(CHANNEL, numbers, _text(self.topic), _text(self.encoding), _texts(self.metadata))

    @classmethod
    def unpacked(cls, content: bytes) -> Channel:
        """From the content of a record; struct.error or ValueError where it is cut off or no text."""
        number, schema = struct.unpack_from("<HH", content)
        topic, place = _read_text(content, 4)
        encoding, place = _read_text(content, place)
        table, _ = _read(content, place)
        metadata, place = {}, 0
        while place < len(table):
            key, place = _read_text(table, place)
            metadata[key], place = _read_text(table, place)
        return cls(number, schema, topic, encoding, metadata)


def header(profile: str, library: str) -> bytes:
    """The first record."""
    return _record(HEADER, _text(profile), _text(library))


def chunk(start: int, end: int, size: int, crc: int, compression: str, data: bytes) -> bytes:
    """Records together: times of the first and last message [ns], size and checksum of what is packed."""
    numbers = struct.pack("<QQQI", start, end, size, crc)
    return _record(CHUNK, numbers, _text(compression), struct.pack("<Q", len(data)), data)


def message_index(channel: int, entries: Iterable[tuple[int, int]]) -> bytes:
    """Times [ns] and places in a chunk of the messages of a channel."""
    return _record(MESSAGE_INDEX, struct.pack("<H", channel), _long(b"".join(struct.pack("<QQ", *e) for e in entries)))


def chunk_index(
    start: int, end: int, place: int, length: int, offsets: Mapping[int, int], index_length: int, compression: str,
    packed_size: int, size: int,
) -> bytes:  # fmt: skip
    """Where a chunk is and how long its record, and where the indexes of its messages are, by channel."""
    return _record(
        CHUNK_INDEX, struct.pack("<QQQQ", start, end, place, length), _long(_counts(offsets)),
        struct.pack("<Q", index_length), _text(compression), struct.pack("<QQ", packed_size, size),
    )  # fmt: skip


def statistics(schemas: int, metadata: int, chunks: int, start: int, end: int, messages_of: Mapping[int, int]) -> bytes:
    """How much is in the file: messages by channel, their first and last time [ns]."""
    numbers = (sum(messages_of.values()), schemas, len(messages_of), 0, metadata, chunks, start, end)
    return _record(STATISTICS, struct.pack("<QHIIIIQQ", *numbers), _long(_counts(messages_of)))


def metadata(name: str, texts: Mapping[str, str]) -> bytes:
    """Texts by name."""
    return _record(METADATA, _text(name), _texts(texts))


def metadata_index(place: int, length: int, name: str) -> bytes:
    """Where a record of metadata is."""
    return _record(METADATA_INDEX, struct.pack("<QQ", place, length), _text(name))


def data_end() -> bytes:
    """The end of the data; their checksum is not told."""
    return _record(DATA_END, struct.pack("<I", 0))


def summary_offset(opcode: int, start: int, length: int) -> bytes:
    """Where the records of one kind are in the summary."""
    return _record(SUMMARY_OFFSET, struct.pack("<BQQ", opcode, start, length))


def _record(opcode: int, *parts: bytes) -> bytes:
    return struct.pack("<BQ", opcode, sum(map(len, parts))) + b"".join(parts)


def _long(data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + data


def _text(text: str) -> bytes:
    return _long(text.encode())


def _texts(table: Mapping[str, str]) -> bytes:
    return _long(b"".join(_text(key) + _text(value) for key, value in table.items()))


def _counts(table: Mapping[int, int]) -> bytes:
    return b"".join(struct.pack("<HQ", number, count) for number, count in table.items())


def _read(content: bytes, place: int) -> tuple[bytes, int]:
    """Bytes with their length in front, and where what follows begins."""
    (length,) = struct.unpack_from("<I", content, place)
    end = place + 4 + length
    if end > len(content):
        raise ValueError("cut off")
    return content[place + 4 : end], end


def _read_text(content: bytes, place: int) -> tuple[str, int]:
    data, end = _read(content, place)
    return data.decode(), end
