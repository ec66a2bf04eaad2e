"""rosbag1 files (version 2.0) for writing; chunks are handed to the system as they come.

A file that was never completed has index position 0 in its head, as rosbag itself leaves it: `rosbag reindex` and
`andante bag convert` make it whole. Format: wiki.ros.org/Bags/Format/2.0.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from . import messages
from .messages.definitions import md5_of, private_store
from .topics import BagTopic

MAGIC = b"#ROSBAG V2.0\n"
HEAD = 4096  # length of the head with its padding
MESSAGE, HEADER, INDEX, CHUNK_RECORD, CHUNK_INFO, CONNECTION = 0x02, 0x03, 0x04, 0x05, 0x06, 0x07
# header of a message record: fields op, conn and time, each with its length in front
MESSAGE_HEAD = struct.Struct("<I I4s I5sI I5sII I")
MESSAGE_HEADER_LENGTH = 8 + 13 + 17


class Bag1File:
    """One .bag file being written."""

    encoding = "ros1"

    def __init__(self, path: Path, chunk_size: int) -> None:
        self.path, self.chunk_size = path, chunk_size
        self._connections: list[bytes] = []  # their records
        self._chunk = BytesIO()
        self._index: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._infos: list[bytes] = []
        self._file: BinaryIO = path.open("xb")
        self._file.write(MAGIC)
        self._write_head(0)
        self._file.flush()

    @property
    def size(self) -> int:
        """Bytes in the file and in the chunk that is open."""
        return self._file.tell() + self._chunk.tell()

    def add(self, topic: BagTopic) -> int:
        """The number of a new connection."""
        number = len(self._connections)
        package, _, short = topic.type.split("/")
        told = _fields(
            topic=topic.name.encode(),
            type=f"{package}/{short}".encode(),
            md5sum=_md5(topic).encode(),
            message_definition=topic.definition.encode(),
            callerid=b"/andante",
            latching=b"1" if topic.latched else b"0",
        )
        record = _record(CONNECTION, told, conn=struct.pack("<I", number), topic=topic.name.encode())
        self._connections.append(record)
        self._chunk.write(record)
        return number

    def write(self, channel: int, time: int, data: bytes | memoryview) -> None:
        """Add a message at a time [ns]."""
        chunk = self._chunk
        self._index[channel].append((time, chunk.tell()))
        seconds, nanoseconds = divmod(time, 1_000_000_000)
        chunk.write(
            MESSAGE_HEAD.pack(
                MESSAGE_HEADER_LENGTH,
                4,
                b"op=\x02",
                9,
                b"conn=",
                channel,
                13,
                b"time=",
                seconds,
                nanoseconds,
                len(data),
            )
        )
        chunk.write(data)
        if chunk.tell() >= self.chunk_size:
            self.flush()

    def flush(self) -> None:
        """Close the chunk that is open and hand it to the system: from then on a crash of this process spares it."""
        raw = self._chunk.getvalue()
        if not raw:
            return
        place = self._file.tell()
        self._file.write(_record(CHUNK_RECORD, raw, compression=b"none", size=struct.pack("<I", len(raw))))
        first, last = 2**63, 0
        for channel, entries in self._index.items():
            times = [time for time, _ in entries]
            first, last = min(first, *times), max(last, *times)
            content = b"".join(_time(time) + struct.pack("<I", offset) for time, offset in entries)
            numbers = {"ver": 1, "conn": channel, "count": len(entries)}
            self._file.write(_record(INDEX, content, **{key: struct.pack("<I", n) for key, n in numbers.items()}))
        counts = b"".join(struct.pack("<II", channel, len(entries)) for channel, entries in self._index.items())
        self._infos.append(
            _record(
                CHUNK_INFO,
                counts,
                ver=struct.pack("<I", 1),
                chunk_pos=struct.pack("<Q", place),
                start_time=_time(first if counts else 0),
                end_time=_time(last),
                count=struct.pack("<I", len(self._index)),
            )
        )
        self._chunk = BytesIO()
        self._index.clear()
        self._file.flush()

    def close(self, metadata: str = "") -> None:
        """Complete the file with its index."""
        self.flush()
        place = self._file.tell()
        for record in (*self._connections, *self._infos):
            self._file.write(record)
        self._file.seek(len(MAGIC))
        self._write_head(place)
        self._file.close()

    def abandon(self) -> None:
        """Close without an index, after an error of the disk."""
        self._file.close()

    def _write_head(self, index: int) -> None:
        fields = _fields(
            op=bytes([HEADER]),
            index_pos=struct.pack("<Q", index),
            conn_count=struct.pack("<I", len(self._connections)),
            chunk_count=struct.pack("<I", len(self._infos)),
        )
        padding = HEAD - len(fields)
        self._file.write(struct.pack("<I", len(fields)) + fields + struct.pack("<I", padding) + b" " * padding)


def _fields(**fields: bytes) -> bytes:
    """Fields `name=value`, each with its length in front."""
    parts = [name.encode() + b"=" + value for name, value in fields.items()]
    return b"".join(struct.pack("<I", len(part)) + part for part in parts)


def _record(opcode: int, content: bytes, **fields: bytes) -> bytes:
    head = _fields(op=bytes([opcode]), **fields)
    return struct.pack("<I", len(head)) + head + struct.pack("<I", len(content)) + content


def _time(time: int) -> bytes:
    return struct.pack("<II", *divmod(time, 1_000_000_000))


def _md5(topic: BagTopic) -> str:
    if topic.type in messages.ros1_store().fielddefs and topic.definition == messages.definition(topic.type, ros=1):
        return messages.md5(topic.type)
    return md5_of(private_store(topic.definition, topic.type, ros2=False), topic.type)
