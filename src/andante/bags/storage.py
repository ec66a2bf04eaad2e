"""Files of bags being written: rosbag1 (version 2.0), MCAP, and sqlite databases of rosbag2.

Chunks and transactions are closed and handed to the system as they come, so that little is lost in a crash. A rosbag1
that was never completed has index position 0 in its head, as rosbag itself leaves it: `rosbag reindex` and
`andante bag convert` make it whole; a database is recovered by its journals. MCAP files have profile ros2, compressed
chunks with checksums, message and chunk indexes, statistics, and the metadata record of rosbag2. Formats:
wiki.ros.org/Bags/Format/2.0, mcap.dev/spec.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import zlib
from collections import defaultdict
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from . import mcap_records as records
from . import messages
from .messages.definitions import md5_of, private_store
from .salvage import BAG_MAGIC, MCAP_MAGIC
from .topics import BagTopic, qos_text
from .unpacking import zstd

HEAD = 4096  # length of the head with its padding
HEADER, INDEX, CHUNK_RECORD, CHUNK_INFO, CONNECTION = 0x03, 0x04, 0x05, 0x06, 0x07
# header of a message record: its length, then the fields op, conn and time, each with its length in front
MESSAGE_HEAD = struct.pack("<I I4s I5s", 8 + 13 + 17, 4, b"op=\x02", 9, b"conn=")
MESSAGE_REST = struct.Struct("<I I5sII I")
MCAP_MESSAGE = struct.Struct("<BQHIQQ")
SCHEMA = """
CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL,
  offered_qos_profiles TEXT NOT NULL, type_description_hash TEXT NOT NULL);
CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL,
  encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
INSERT INTO schema(schema_version, ros_distro) VALUES (4, 'humble');
"""  # version 4, that of ROS 2 Iron: earlier ones lack the definitions


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
        self._file.write(BAG_MAGIC)
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
        chunk.write(MESSAGE_HEAD + MESSAGE_REST.pack(channel, 13, b"time=", seconds, nanoseconds, len(data)))
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
        self._file.seek(len(BAG_MAGIC))
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


class McapFile:
    """One MCAP file being written."""

    encoding = "cdr"

    def __init__(self, path: Path, chunk_size: int) -> None:
        self.path, self.chunk_size = path, chunk_size
        self._zstd = zstd()
        self._schemas: dict[str, records.Schema] = {}
        self._channels: dict[int, records.Channel] = {}
        self._chunk = BytesIO()
        self._index: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._chunk_times: tuple[int, int] | None = None
        self._chunks: list[bytes] = []  # their indexes
        self._counts: dict[int, int] = {}
        self._times: tuple[int, int] | None = None
        self.size = 0  # bytes in the file and in the chunk that is open
        self._written = 0
        self._file: BinaryIO = path.open("xb")
        self._put(MCAP_MAGIC + records.header("ros2", "andante"))
        self._file.flush()

    def add(self, topic: BagTopic) -> int:
        """The number of a new channel."""
        schema = self._schemas.get(topic.type)
        if schema is None:
            schema = records.Schema(len(self._schemas) + 1, topic.type, "ros2msg", topic.definition.encode())
            self._schemas[topic.type] = schema
            self._chunk.write(schema.packed())
        number = len(self._channels) + 1
        qos = {"offered_qos_profiles": qos_text(topic.latched, topic.sensor)}
        channel = records.Channel(number, schema.number, topic.name, self.encoding, qos)
        self._channels[number] = channel
        self._counts[number] = 0
        self._chunk.write(channel.packed())
        return number

    def write(self, channel: int, time: int, data: bytes | memoryview) -> None:
        """Add a message at a time [ns]."""
        chunk = self._chunk
        self._index[channel].append((time, chunk.tell()))
        chunk.write(MCAP_MESSAGE.pack(5, 22 + len(data), channel, self._counts[channel] & 0xFFFFFFFF, time, time))
        chunk.write(data)
        self._counts[channel] += 1
        self._chunk_times = _wider(self._chunk_times, time)
        size = chunk.tell()
        self.size = self._written + size
        if size >= self.chunk_size:
            self.flush()

    def flush(self) -> None:
        """Close the chunk that is open and hand it to the system: from then on a crash of this process spares it."""
        raw = self._chunk.getvalue()
        if not raw:
            return
        start, end = self._chunk_times or (0, 0)
        data = self._zstd.compress(raw, 1)
        place = self._written
        self._put(records.chunk(start, end, len(raw), zlib.crc32(raw), "zstd", data))
        after = self._written
        offsets = {}
        for channel, entries in self._index.items():
            offsets[channel] = self._written
            self._put(records.message_index(channel, entries))
        self._chunks.append(
            records.chunk_index(
                start, end, place, after - place, offsets, self._written - after, "zstd", len(data), len(raw)
            )
        )
        if self._chunk_times is not None:
            self._times = _wider(_wider(self._times, start), end)
        self._chunk, self._chunk_times = BytesIO(), None
        self._index.clear()
        self.size = self._written
        self._file.flush()

    def close(self, metadata: str = "") -> None:
        """Complete the file: indexes, statistics, footer; metadata is the text that rosbag2 keeps inside too."""
        self.flush()
        indexes = []
        if metadata:
            place = self._written
            self._put(records.metadata("rosbag2", {"serialized_metadata": metadata}))
            indexes.append(records.metadata_index(place, self._written - place, "rosbag2"))
        self._put(records.data_end())
        first, last = self._times or (0, 0)
        counted = records.statistics(len(self._schemas), len(indexes), len(self._chunks), first, last, self._counts)
        summary, offsets = bytearray(), bytearray()
        start = self._written
        for opcode, group in (
            (records.SCHEMA, [schema.packed() for schema in self._schemas.values()]),
            (records.CHANNEL, [channel.packed() for channel in self._channels.values()]),
            (records.STATISTICS, [counted]),
            (records.CHUNK_INDEX, self._chunks),
            (records.METADATA_INDEX, indexes),
        ):
            if group:
                begin = start + len(summary)
                summary += b"".join(group)
                offsets += records.summary_offset(opcode, begin, start + len(summary) - begin)
        offset_start = start + len(summary)
        summary += offsets
        footer = struct.pack("<BQQQ", 0x02, 20, start, offset_start)
        summary += footer + struct.pack("<I", zlib.crc32(bytes(summary) + footer))
        self._put(bytes(summary) + MCAP_MAGIC)
        self._file.close()

    def abandon(self) -> None:
        """Close without completing, after an error of the disk."""
        self._file.close()

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._written += len(data)
        self.size = self._written


def _wider(span: tuple[int, int] | None, time: int) -> tuple[int, int]:
    return (time, time) if span is None else (min(span[0], time), max(span[1], time))


class Db3File:
    """One .db3 file being written."""

    encoding = "cdr"

    def __init__(self, path: Path, chunk_size: int) -> None:
        self.path, self.chunk_size = path, chunk_size
        path.open("xb").close()
        self._base = sqlite3.connect(path)
        self._base.executescript(SCHEMA)
        self._base.commit()
        self._hashes: dict[str, str] = {}  # of the types written so far
        self._topics = 0
        self._waiting = 0  # bytes of the transaction that is open
        self.size = path.stat().st_size

    def add(self, topic: BagTopic) -> int:
        """The number of a new topic."""
        told = self._hashes.get(topic.type)
        if told is None:
            types = private_store(topic.definition, topic.type, ros2=True)
            told = self._hashes[topic.type] = types.hash_rihs01(topic.type)
            self._run(
                "INSERT INTO message_definitions VALUES(NULL, ?, 'ros2msg', ?, ?)", topic.type, topic.definition, told
            )
        self._topics += 1
        qos = qos_text(topic.latched, topic.sensor)
        values = self._topics, topic.name, topic.type, self.encoding, qos, told
        self._run("INSERT INTO topics VALUES(?, ?, ?, ?, ?, ?)", *values)
        return self._topics

    def write(self, channel: int, time: int, data: bytes | memoryview) -> None:
        """Add a message at a time [ns]."""
        self._run("INSERT INTO messages VALUES(NULL, ?, ?, ?)", channel, time, data)
        self.size += len(data)
        self._waiting += len(data)
        if self._waiting >= self.chunk_size:
            self.flush()

    def flush(self) -> None:
        """End the transaction: from then on a crash spares what was written."""
        if self._base.in_transaction:
            self._run("COMMIT")
        self._waiting = 0

    def close(self, metadata: str = "") -> None:
        """Complete the file; metadata is the text that rosbag2 keeps inside too."""
        if metadata:
            self._run("INSERT INTO metadata VALUES(NULL, 5, ?)", metadata)
        self.flush()
        self._base.close()

    def abandon(self) -> None:
        """Close without the transaction that is open, after an error of the disk."""
        self._base.close()

    def _run(self, command: str, *values: object) -> None:
        """One command; errors of the disk are OSErrors as for other files."""
        try:
            self._base.execute(command, values)
        except sqlite3.OperationalError as error:
            raise OSError(str(error)) from None


def journals(path: Path) -> list[Path]:
    """Journals that a writer left beside its file when it was killed."""
    beside = [path.with_name(f"{path.name}-{kind}") for kind in ("journal", "wal")]
    return [each for each in beside if each.is_file() and each.stat().st_size]


def recovered(path: Path, folder: Path) -> Path:
    """A copy in a folder, brought by its journals to the end of its last whole transaction."""
    copy = folder / path.name
    for each in (path, *journals(path)):
        shutil.copyfile(each, folder / each.name)
    with closing(sqlite3.connect(copy)) as base:
        base.execute("PRAGMA journal_mode = DELETE").fetchall()
        base.execute("SELECT count(*) FROM sqlite_master").fetchall()
    return copy
