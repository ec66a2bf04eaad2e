"""Bags without index, cut off or damaged: read from the front, record by record, as far as they go.

What cannot be read is left out and counted; the last chunk of a file that was cut off is read as far as it reaches.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from andante.errors import BadInput

from . import mcap_records as records
from .topics import BagTopic, is_latched
from .unpacking import MOST, unpacked

MCAP_MAGIC = b"\x89MCAP0\r\n"
BAG_MAGIC = b"#ROSBAG V2.0\n"
DB3_MAGIC = b"SQLite format 3\0"
DB3_ROWS = "SELECT id, topic_id, timestamp, data FROM messages WHERE id > ? ORDER BY id"
MOST_GAP = 1 << 24  # messages of a database that are passed over at once


@dataclass
class Damage:
    """What was found wrong on the way."""

    cut: bool = False  # ends in the middle
    chunks: int = 0  # that could not be read
    open: bool = False  # was never completed
    words: list[str] = field(default_factory=list)

    def told(self, name: str) -> list[str]:
        """Lines for the user."""
        lines = []
        if self.open or self.cut:
            how = "ends in the middle of a record" if self.cut else "was not completed"
            lines.append(f"{name}: {how} and has no index; read from the front as far as it goes")
        if self.chunks:
            lines.append(f"{name}: {self.chunks} damaged chunks left out")
        return lines + self.words


Found = tuple[BagTopic, int, bytes]  # topic, time [ns], message


def salvage(path: Path, damage: Damage) -> Iterator[Found]:
    """All messages that can still be read, in the order of the file; damage tells what could not."""
    with path.open("rb") as file:
        start = file.read(16)
    if start.startswith(MCAP_MAGIC):
        return _mcap(path, damage)
    if start.startswith(BAG_MAGIC):
        return _bag1(path, damage)
    if start.startswith(DB3_MAGIC):
        return _db3(path, damage)
    raise BadInput(
        f"{path}: neither an MCAP file nor a rosbag1 nor a database of rosbag2 (its first bytes are "
        f"{start[:8].hex(' ') or 'missing'}); it cannot be read as a bag, it may be cut off or damaged"
    )


# ---- MCAP ----------------------------------------------------------------------------------------
def _mcap(path: Path, damage: Damage) -> Iterator[Found]:
    reader = _McapRecords()
    damage.open = True
    with path.open("rb") as file:
        file.seek(len(MCAP_MAGIC))
        end = path.stat().st_size
        while True:
            head = file.read(min(9, end - file.tell()))  # what a file that is being written gains meanwhile is left
            if len(head) < 9 or head == MCAP_MAGIC + head[8:]:
                damage.cut = damage.cut or 0 < len(head) < 8
                return
            opcode, length = struct.unpack("<BQ", head)
            left = end - file.tell()
            if length > left:
                damage.cut = True
                if opcode == 0x06:
                    yield from reader.chunk(file.read(left), damage, whole=False)
                return
            if opcode == 0x0F:  # end of the data: what follows is index
                damage.open = False
                return
            if opcode in (0x03, 0x04, 0x05, 0x06):
                content = file.read(length)
                if opcode == 0x06:
                    yield from reader.chunk(content, damage, whole=True)
                else:
                    found = reader.take(opcode, content)
                    if found is not None:
                        yield found
            elif opcode == 0 or opcode > 0x7F:
                damage.words.append(f"{path.name}: nonsense from byte {file.tell() - 9} on")
                return
            else:
                file.seek(length, 1)


class _McapRecords:
    """Schemas and channels seen so far."""

    def __init__(self) -> None:
        self._schemas: dict[int, records.Schema] = {}
        self._topics: dict[int, BagTopic] = {}

    def chunk(self, content: bytes, damage: Damage, whole: bool) -> Iterator[Found]:
        """Messages of a chunk record."""
        try:
            _, _, size, crc, length = struct.unpack_from("<QQQII", content)
            compression = content[32 : 32 + length].decode()
            raw = unpacked(content[40 + length :], compression, min(size, MOST))
            if whole and (len(raw) != size or (crc and zlib.crc32(raw) != crc)):
                raise ValueError("checksum")
        except Exception:
            damage.chunks += whole
            return
        place = 0
        while place + 9 <= len(raw):
            opcode, length = struct.unpack_from("<BQ", raw, place)
            if place + 9 + length > len(raw):
                return
            found = self.take(opcode, raw[place + 9 : place + 9 + length])
            if found is not None:
                yield found
            place += 9 + length

    def take(self, opcode: int, content: bytes) -> Found | None:
        """Learn a schema or channel, or give the message."""
        try:
            if opcode == 0x03:
                schema = records.Schema.unpacked(content)
                self._schemas.setdefault(schema.number, schema)
            elif opcode == 0x04:
                channel = records.Channel.unpacked(content)
                self._topics.setdefault(channel.number, self._topic(channel))
            elif opcode == 0x05:
                number, _, stamp, _ = struct.unpack_from("<HIQQ", content)
                topic = self._topics.get(number)
                return None if topic is None else (topic, stamp, content[22:])
        except Exception:
            return None
        return None

    def _topic(self, channel: records.Channel) -> BagTopic:
        schema = self._schemas.get(channel.schema)
        name = schema.name if schema else ""
        name = name.replace("/", "/msg/") if name.count("/") == 1 else name
        latched = is_latched(channel.metadata.get("offered_qos_profiles", ""))
        definition = schema.text.decode(errors="replace") if schema else ""
        return BagTopic(channel.topic, name, channel.encoding, definition, latched=latched)


# ---- rosbag1 -------------------------------------------------------------------------------------
def _bag1(path: Path, damage: Damage) -> Iterator[Found]:
    topics: dict[int, BagTopic] = {}
    with path.open("rb") as file:
        file.seek(len(BAG_MAGIC))
        end = path.stat().st_size
        while True:
            place = file.tell()
            record = _record(file, end)
            if record is None:
                damage.cut = damage.cut or place < end
                if place < end:
                    file.seek(place)
                    yield from _last_chunk(file.read(min(end - place, MOST)), topics)
                return
            fields, content = record
            opcode = int.from_bytes(fields.get("op", b"")[:1], "little")
            if opcode == 0x03:
                damage.open = int.from_bytes(fields.get("index_pos", b""), "little") == 0
            elif opcode == 0x05:
                raw, whole = _unpacked_chunk(fields, content)
                damage.chunks += not whole
                yield from _inside(raw if whole else b"", topics)
            elif opcode in (0x02, 0x07):
                yield from _inside_record(fields, content, topics)


def _record(file: Any, end: int) -> tuple[dict[str, bytes], bytes] | None:
    """Header fields and content of the next record, None where it is not whole."""
    head = file.read(4)
    if len(head) < 4:
        return None
    length = int.from_bytes(head, "little")
    if length > end - file.tell():
        return None
    fields = _fields(file.read(length))
    size = int.from_bytes(file.read(4), "little")
    if fields is None or size > end - file.tell():
        return None
    return fields, file.read(size)


def _fields(raw: bytes) -> dict[str, bytes] | None:
    fields: dict[str, bytes] = {}
    place = 0
    while place + 4 <= len(raw):
        length = int.from_bytes(raw[place : place + 4], "little")
        key, equals, value = raw[place + 4 : place + 4 + length].partition(b"=")
        if not equals or place + 4 + length > len(raw):
            return None
        fields[key.decode(errors="replace")] = value
        place += 4 + length
    return fields


def _last_chunk(raw: bytes, topics: dict[int, BagTopic]) -> Iterator[Found]:
    """Messages of a chunk that was cut off."""
    length = int.from_bytes(raw[:4], "little")
    fields = _fields(raw[4 : 4 + length])
    if fields is not None and fields.get("op") == b"\x05":
        yield from _inside(_unpacked_chunk(fields, raw[8 + length :])[0], topics)


def _unpacked_chunk(fields: dict[str, bytes], content: bytes) -> tuple[bytes, bool]:
    """Records of a chunk as far as they can be unpacked, and whether that is all of them."""
    try:
        size = int.from_bytes(fields["size"], "little")
        raw = unpacked(content, fields.get("compression", b"none").decode(), min(size, MOST))
        return raw, len(raw) == size
    except Exception:
        return b"", False


def _inside(raw: bytes, topics: dict[int, BagTopic]) -> Iterator[Found]:
    file = BytesIO(raw)
    while True:
        record = _record(file, len(raw))
        if record is None:
            return
        yield from _inside_record(*record, topics)


def _inside_record(fields: dict[str, bytes], content: bytes, topics: dict[int, BagTopic]) -> Iterator[Found]:
    opcode = int.from_bytes(fields.get("op", b"")[:1], "little")
    number = int.from_bytes(fields.get("conn", b""), "little")
    if opcode == 0x07:
        told = _fields(content) or {}
        name = told.get("type", b"").decode(errors="replace").replace("/", "/msg/")
        topic = fields.get("topic", told.get("topic", b"")).decode(errors="replace")
        definition = told.get("message_definition", b"").decode(errors="replace")
        latched = told.get("latching", b"0") == b"1"
        topics.setdefault(number, BagTopic(topic, name, "ros1", definition, latched=latched))
    elif opcode == 0x02 and number in topics and len(fields.get("time", b"")) == 8:
        seconds, nanoseconds = struct.unpack("<II", fields["time"])
        yield topics[number], seconds * 1_000_000_000 + nanoseconds, content


# ---- rosbag2 with sqlite -------------------------------------------------------------------------
def _db3(path: Path, damage: Damage) -> Iterator[Found]:
    """Messages by their numbers, not by the index of their times; numbers on damaged pages are passed over."""
    damage.cut = True
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)) as base:
        try:
            base.execute("PRAGMA writable_schema = ON")  # else a file with fewer pages than it says is refused
            topics = _db3_topics(base)
        except sqlite3.Error:
            return
        damage.cut = False
        (size,) = base.execute("PRAGMA page_size").fetchone()
        last, step = -1, 1  # number of the message that was read last, and how far to go on after an error
        torn = False
        while step < MOST_GAP:
            try:
                for number, topic, time, data in base.execute(DB3_ROWS, (last,)):
                    if number <= last:  # what stands on a damaged page need not be in order
                        raise sqlite3.DatabaseError
                    last, step = number, 1
                    if not torn and topic in topics and isinstance(time, int) and isinstance(data, bytes):
                        yield topics[topic], time, data
                    torn = False
                return
            except sqlite3.Error:
                damage.chunks += step == 1
                last, step = last + step, 2 * step
                torn = path.stat().st_size % size != 0  # the next message may lie across the end of the file


def _db3_topics(base: sqlite3.Connection) -> dict[int, BagTopic]:
    try:
        texts = dict(base.execute("SELECT topic_type, encoded_message_definition FROM message_definitions"))
    except sqlite3.OperationalError:  # before ROS 2 Iron there was no such table
        texts = {}
    rows = base.execute("SELECT * FROM topics")
    names = [column[0] for column in rows.description]
    topics = {}
    for row in rows:
        told = dict(zip(names, row, strict=True))
        latched = is_latched(str(told.get("offered_qos_profiles", "")))
        kind = str(told["type"])
        topics[told["id"]] = BagTopic(
            str(told["name"]), kind, str(told["serialization_format"]), str(texts.get(kind, "")), latched=latched
        )
    return topics
