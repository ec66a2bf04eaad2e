"""rosbag1 files for writing; chunks are handed to the system as they come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from andante.bus import messages

from .topics import BagTopic

CHUNK = 256 * 1024


class Bag1File:
    """One .bag file being written, by `rosbags`."""

    encoding = "ros1"

    def __init__(self, path: Path, chunk_size: int = CHUNK) -> None:
        from rosbags.rosbag1 import Writer

        self.path = path
        self._writer = Writer(path)
        self._writer.chunk_threshold = chunk_size
        self._writer.open()
        self._connections: list[Any] = []
        self._flush_file()

    @property
    def size(self) -> int:
        """Bytes in the file and in the chunk that is open."""
        assert self._writer.bio is not None
        return self._writer.bio.tell() + self._writer.chunks[-1].data.tell()

    def add(self, topic: BagTopic) -> int:
        """The number of a new connection."""
        connection = self._writer.add_connection(
            topic.name,
            _ros1_name(topic.type),
            msgdef=topic.definition,
            md5sum=_md5(topic),
            callerid="/andante",
            latching=1 if topic.latched else 0,
        )
        self._connections.append(connection)
        return len(self._connections) - 1

    def write(self, channel: int, time: int, data: bytes | memoryview) -> None:
        """Add a message at a time [ns]."""
        chunks = len(self._writer.chunks)
        self._writer.write(self._connections[channel], time, data)
        if len(self._writer.chunks) != chunks:
            self._flush_file()

    def flush(self) -> None:
        """Close the chunk that is open and hand it to the system."""
        self._writer.write_chunk(self._writer.chunks[-1])
        self._flush_file()

    def close(self, metadata: str = "") -> None:
        """Complete the file with its index."""
        self._writer.close()

    def abandon(self) -> None:
        """Close without an index, after an error of the disk."""
        self._writer.abort()

    def _flush_file(self) -> None:
        assert self._writer.bio is not None
        self._writer.bio.flush()


def _ros1_name(name: str) -> str:
    """rosbag1 knows messages only; those of services and actions keep their name behind /msg/."""
    package, _, short = name.split("/")
    return f"{package}/msg/{short}"


def _md5(topic: BagTopic) -> str:
    from .types import md5_of_text

    if topic.type in messages.ros1_store().fielddefs and topic.definition == messages.definition(topic.type, ros=1):
        return messages.md5(topic.type)
    return md5_of_text(topic.definition, topic.type)
