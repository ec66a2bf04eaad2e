"""`BagWriter`: recordings by the name of their path, split by size, safe against a sudden end.

    run.bag      rosbag1
    run.mcap     one MCAP file
    run.db3      one database of rosbag2
    run          a rosbag2 folder: run/run_0.mcap (or .db3), ..., run/metadata.yaml

What is older than a second, or larger than a chunk, is with the system and survives the end of the process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from andante.errors import BadInput
from andante.files import Closing

from .storage import Bag1File, Db3File, McapFile
from .topics import BagTopic, qos_text

FLUSH_AFTER = 0.5  # wall time after which what is waiting goes to the system, half of what may be lost [s]
CHUNK = 256 * 1024  # bytes of messages that are packed and handed to the system at once
LEAST_SIZE = 4096  # of a part [bytes]
FILES: dict[str, Callable[[Path, int], BagFile]] = {".bag": Bag1File, ".mcap": McapFile, ".db3": Db3File}
STORAGES = {"mcap": ".mcap", "sqlite3": ".db3"}  # of rosbag2 folders, with the suffix of their files


class BagFile(Protocol):
    """One file being written."""

    path: Path
    encoding: str

    @property
    def size(self) -> int: ...
    def add(self, topic: BagTopic) -> int: ...
    def write(self, channel: int, time: int, data: bytes | memoryview) -> None: ...
    def flush(self) -> None: ...
    def close(self, metadata: str = "") -> None: ...
    def abandon(self) -> None: ...


@dataclass(frozen=True)
class FilePart:
    """One storage file of a folder."""

    name: str
    start: int  # [ns]
    end: int  # [ns]
    count: int


class BagWriter(Closing):
    """A bag being written, in one file after another by size. Use as a context manager, or `close` it.

    Args:
        path: run.bag, run.mcap, run.db3, or run for a rosbag2 folder; it must not exist.
        max_size: bytes at which a new file begins; None for one file.
        split_jumps: begin a new file where time jumps back by more than 1 s.
        storage: of a folder: mcap or sqlite3.
        chunk_size: bytes of messages after which they are handed to the system, however soon.
    """

    def __init__(
        self,
        path: Path | str,
        max_size: int | None = None,
        split_jumps: bool = True,
        storage: str = "mcap",
        chunk_size: int = CHUNK,
    ) -> None:
        self.path = Path(path)
        suffix = self.path.suffix.lower()
        if suffix not in ("", *FILES):
            raise BadInput(f"{self.path}: recordings are .mcap, .bag, or a folder without suffix (rosbag2), or .db3")
        if storage not in STORAGES:
            raise BadInput(f"the storage of a rosbag2 folder is one of {', '.join(STORAGES)}, got {storage!r}")
        self._storage, self._suffix, self._chunk_size = storage, suffix or STORAGES[storage], chunk_size
        if self._suffix == ".db3" and max_size is not None:
            raise BadInput(f"{self.path}: sqlite storage is not split by size; choose .mcap, .bag or a folder of mcap")
        if max_size is not None and max_size < LEAST_SIZE:
            raise BadInput(f"{self.path}: parts hold at least {LEAST_SIZE} bytes, got {max_size}")
        if self.path.exists():
            raise BadInput(f"{self.path}: exists already; choose another name")
        self.max_size = max_size
        self.folder = suffix == ""
        self.encoding = "ros1" if suffix == ".bag" else "cdr"
        self._jump = 1_000_000_000 if split_jumps else 2**63  # back in time that begins a new part [ns]
        self.count = 0
        self.parts: list[FilePart] = []
        self._topics: dict[str, BagTopic] = {}
        self._counts: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        self._file: BagFile | None = None
        self._part = FilePart("", 0, 0, 0)
        self._newest = 0
        self._flushed = time.monotonic()
        self.closed = False
        parent = self.path if self.folder else self.path.parent
        parent.mkdir(parents=True, exist_ok=True)
        self._begin()

    @property
    def file(self) -> Path:
        """The file that is being written."""
        return self._file.path if self._file is not None else self._path(max(0, len(self.parts) - 1))

    @property
    def size(self) -> int:
        """Bytes of the file that is being written."""
        return 0 if self._file is None else self._file.size

    def add(self, topic: BagTopic) -> None:
        """Make a topic known before its first message; its encoding must be that of the bag."""
        if topic.encoding != self.encoding:
            raise BadInput(f"{self.path}: takes {self.encoding} messages, {topic.name} is {topic.encoding}")
        known = self._topics.get(topic.name)
        if known is not None and known.type != topic.type:
            raise BadInput(f"{self.path}: {topic.name} carries {known.type}, not {topic.type}")
        if known is None:
            self._topics[topic.name] = topic
            self._counts[topic.name] = 0

    @property
    def topics(self) -> list[str]:
        """Names of the topics so far."""
        return list(self._topics)

    def knows(self, topic: str) -> bool:
        """Whether a topic was added."""
        return topic in self._topics

    def write(self, topic: str, stamp: int, data: bytes | memoryview) -> None:
        """Add a message of a known topic at a time [ns]; a jump back by more than 1 s begins a new part."""
        if self._file is None or (self._part.count and self._full(stamp, len(data))):
            self._end()
            self._begin()
        assert self._file is not None
        channel = self._channels.get(topic)
        try:
            if channel is None:
                channel = self._channels[topic] = self._file.add(self._topics[topic])
            self._file.write(channel, max(0, stamp), data)
        except OSError as error:
            raise _named(error, self._file.path) from None
        self.count += 1
        self._counts[topic] += 1
        part = self._part
        first, last = (stamp, stamp) if not part.count else (min(part.start, stamp), max(part.end, stamp))
        self._part = FilePart(part.name, first, last, part.count + 1)
        self._newest = stamp
        self.keep_safe()

    def keep_safe(self) -> None:
        """Hand everything to the system when that was last done half a second ago or longer."""
        if time.monotonic() - self._flushed >= FLUSH_AFTER:
            self.flush()

    def flush(self) -> None:
        """Hand everything to the system now."""
        if self._file is not None:
            try:
                self._file.flush()
            except OSError as error:
                raise _named(error, self._file.path) from None
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Complete the bag."""
        if self.closed:
            return
        self.closed = True
        self._end()

    def abandon(self) -> None:
        """Leave the bag as it is on the disk, after an error there."""
        self.closed = True
        if self._file is not None:
            self._file.abandon()
            self._file = None

    def _full(self, stamp: int, size: int) -> bool:
        """Whether a message belongs into a new part."""
        if stamp < self._newest - self._jump:
            return True
        return self.max_size is not None and self.size + size > self.max_size

    def _path(self, number: int) -> Path:
        if self.folder:
            return self.path / f"{self.path.name}_{number}{self._suffix}"
        return self.path if number == 0 else self.path.with_name(f"{self.path.stem}_{number}{self.path.suffix}")

    def _begin(self) -> None:
        path = self._path(len(self.parts))
        if path.exists():
            raise BadInput(f"{path}: exists already; choose another name")
        self._part = FilePart(path.name, 0, 0, 0)
        self._channels = {}
        try:
            self._file = FILES[self._suffix](path, self._chunk_size)
        except OSError as error:
            with suppress(OSError):  # an empty file is no recording
                path.unlink(missing_ok=True)
                if self.folder and not self.parts:
                    path.parent.rmdir()
            raise _named(error, path) from None

    def _end(self) -> None:
        """Complete the file that is open."""
        if self._file is None:
            return
        file, self._file = self._file, None
        self.parts.append(self._part)
        topics = [(topic, self._counts[name]) for name, topic in self._topics.items()]
        draft = self.path / ".metadata.yaml.part"
        try:
            file.close(_metadata_text(topics, self.parts, self._storage, inside=True) if self.folder else "")
            if self.folder:
                draft.write_text(_metadata_text(topics, self.parts, self._storage), encoding="utf-8")
                os.replace(draft, self.path / "metadata.yaml")
        except OSError as error:
            with suppress(OSError):
                file.abandon()
                draft.unlink(missing_ok=True)
            raise _named(error, file.path) from None


def _named(error: OSError, path: Path) -> OSError:
    """The same error with the name of the file: a disk that is full does not tell it."""
    return OSError(error.errno, error.strerror or str(error), error.filename or str(path))


def _metadata_text(
    topics: list[tuple[BagTopic, int]], parts: list[FilePart], storage: str, inside: bool = False
) -> str:
    """metadata.yaml of a folder (version 5, that of ROS 2 Humble; later ones read it).

    topics come with their counts; inside is the form that the storage files carry themselves.
    """
    import yaml

    full = [part for part in parts if part.count]
    start = min((part.start for part in full), default=0)
    end = max((part.end for part in full), default=0)
    content: dict[str, Any] = {
        "version": 5,
        "storage_identifier": storage,
        "duration": {"nanoseconds": end - start},
        "starting_time": {"nanoseconds_since_epoch": start},
        "message_count": sum(part.count for part in parts),
        "topics_with_message_count": [
            {
                "topic_metadata": {
                    "name": topic.name,
                    "type": topic.type,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": qos_text(topic.latched, topic.sensor),
                },
                "message_count": count,
            }
            for topic, count in topics
        ],
        "compression_format": "",
        "compression_mode": "",
        "relative_file_paths": [part.name for part in parts],
        "files": [
            {
                "path": part.name,
                "starting_time": {"nanoseconds_since_epoch": part.start},
                "duration": {"nanoseconds": part.end - part.start},
                "message_count": part.count,
            }
            for part in parts
        ],
    }
    return yaml.safe_dump(content if inside else {"rosbag2_bagfile_information": content}, sort_keys=False)
