"""MCAP files for writing: chunks are closed and handed to the system as they come, so that little is lost in a crash.

The file has profile ros2, compressed chunks with checksums, message and chunk indexes, statistics, and the
metadata record of rosbag2. Format: mcap.dev/spec.
"""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from .topics import BagTopic, qos_text

MAGIC = b"\x89MCAP0\r\n"
MESSAGE = struct.Struct("<BQHIQQ")


class McapFile:
    """One MCAP file being written."""

    encoding = "cdr"

    def __init__(self, path: Path, chunk_size: int) -> None:
        import zstandard
        from mcap import records
        from mcap.data_stream import RecordBuilder

        self.path, self.chunk_size = path, chunk_size
        self._records, self._builder = records, RecordBuilder
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._schemas: dict[str, Any] = {}
        self._channels: dict[int, Any] = {}
        self._chunk = BytesIO()
        self._index: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._chunk_times: tuple[int, int] | None = None
        self._chunks: list[Any] = []
        self._counts: dict[int, int] = {}
        self._times: tuple[int, int] | None = None
        self.size = 0  # bytes in the file and in the chunk that is open
        self._written = 0
        self._file: BinaryIO = path.open("xb")
        self._put(MAGIC + self._packed(records.Header(profile="ros2", library="andante")))
        self._file.flush()

    def add(self, topic: BagTopic) -> int:
        """The number of a new channel."""
        records = self._records
        schema = self._schemas.get(topic.type)
        if schema is None:
            text = topic.definition.encode()
            schema = records.Schema(id=len(self._schemas) + 1, name=topic.type, encoding="ros2msg", data=text)
            self._schemas[topic.type] = schema
            self._chunk.write(self._packed(schema))
        number = len(self._channels) + 1
        channel = records.Channel(
            id=number,
            topic=topic.name,
            message_encoding=self.encoding,
            metadata={"offered_qos_profiles": qos_text(topic.latched, topic.sensor)},
            schema_id=schema.id,
        )
        self._channels[number] = channel
        self._counts[number] = 0
        self._chunk.write(self._packed(channel))
        return number

    def write(self, channel: int, time: int, data: bytes | memoryview) -> None:
        """Add a message at a time [ns]."""
        chunk = self._chunk
        self._index[channel].append((time, chunk.tell()))
        chunk.write(MESSAGE.pack(5, 22 + len(data), channel, self._counts[channel] & 0xFFFFFFFF, time, time))
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
        records = self._records
        start, end = self._chunk_times or (0, 0)
        data = self._compressor.compress(raw)
        place = self._written
        chunk = records.Chunk(
            compression="zstd",
            data=data,
            message_start_time=start,
            message_end_time=end,
            uncompressed_crc=zlib.crc32(raw),
            uncompressed_size=len(raw),
        )
        self._put(self._packed(chunk))
        length = self._written - place
        offsets = {}
        after = self._written
        for channel, entries in self._index.items():
            offsets[channel] = self._written
            self._put(self._packed(records.MessageIndex(channel_id=channel, records=entries)))
        self._chunks.append(
            records.ChunkIndex(
                chunk_length=length,
                chunk_start_offset=place,
                compression="zstd",
                compressed_size=len(data),
                message_end_time=end,
                message_index_length=self._written - after,
                message_index_offsets=offsets,
                message_start_time=start,
                uncompressed_size=len(raw),
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
        records = self._records
        self.flush()
        indexes = []
        if metadata:
            place = self._written
            self._put(self._packed(records.Metadata(name="rosbag2", metadata={"serialized_metadata": metadata})))
            indexes.append(records.MetadataIndex(offset=place, length=self._written - place, name="rosbag2"))
        self._put(self._packed(records.DataEnd(data_section_crc=0)))
        first, last = self._times or (0, 0)
        statistics = records.Statistics(
            attachment_count=0,
            channel_count=len(self._channels),
            channel_message_counts=dict(self._counts),
            chunk_count=len(self._chunks),
            message_count=sum(self._counts.values()),
            message_end_time=last,
            message_start_time=first,
            metadata_count=len(indexes),
            schema_count=len(self._schemas),
        )
        summary = bytearray()
        start = self._written
        offsets = bytearray()
        for opcode, group in (
            (0x03, list(self._schemas.values())),
            (0x04, list(self._channels.values())),
            (0x0B, [statistics]),
            (0x08, self._chunks),
            (0x0D, indexes),
        ):
            if group:
                begin = start + len(summary)
                for record in group:
                    summary += self._packed(record)
                length = start + len(summary) - begin
                offsets += self._packed(
                    records.SummaryOffset(group_opcode=opcode, group_start=begin, group_length=length)
                )
        offset_start = start + len(summary)
        summary += offsets
        footer = struct.pack("<BQQQ", 0x02, 20, start, offset_start)
        summary += footer + struct.pack("<I", zlib.crc32(bytes(summary) + footer))
        self._put(bytes(summary) + MAGIC)
        self._file.close()

    def abandon(self) -> None:
        """Close without completing, after an error of the disk."""
        self._file.close()

    def _packed(self, record: Any) -> bytes:
        builder = self._builder()
        record.write(builder)
        return bytes(builder.end())  # type: ignore[no-untyped-call]

    def _put(self, data: bytes) -> None:
        self._file.write(data)
        self._written += len(data)
        self.size = self._written


def _wider(span: tuple[int, int] | None, time: int) -> tuple[int, int]:
    return (time, time) if span is None else (min(span[0], time), max(span[1], time))
