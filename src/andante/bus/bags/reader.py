"""`open_bag`: any bag for reading: rosbag1, rosbag2 folders, MCAP, sqlite; whole, cut off or damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from andante.errors import BadInput, MissingFile
from andante.files import PACKED

from .salvage import Damage, salvage
from .topics import BagTopic, TopicChoice, chosen

_PARTS = re.compile(r"(\d+)")
SUFFIXES = (".bag", ".mcap", ".db3")


@dataclass(frozen=True)
class BagMessage:
    """One message of a bag."""

    topic: BagTopic
    time: int  # [ns]
    data: bytes


class Bag:
    """A bag for reading. Use as a context manager, or `close` it."""

    def __init__(self, path: Path | str, force_salvage: bool = False) -> None:
        self.path = Path(path)
        self.notes: list[str] = []
        self._stack = ExitStack()
        self._reader: Any = None
        self._files: list[Path] = []
        self.kind = _kind(self.path)
        problem = ""
        if not force_salvage:
            try:
                self._open_whole()
            except BadInput:
                raise
            except Exception as error:  # readers raise what their parsers raise: struct, zlib, sqlite, key errors
                problem = " ".join(str(error).split())[:160] or type(error).__name__
                self._stack.close()
                self._reader = None
        if self._reader is None:
            self._open_salvaged(problem)

    @property
    def whole(self) -> bool:
        """Whether it could be opened by its index; otherwise it is read from the front."""
        return self._reader is not None

    @property
    def duration(self) -> float:
        """Time from the first to the last message [s]."""
        return (self.end - self.start) * 1e-9 if self.count else 0.0

    def messages(
        self, topics: TopicChoice | list[str] | str | None = None, start: int | None = None, stop: int | None = None
    ) -> Iterator[BagMessage]:
        """Messages of the chosen topics from start up to before stop [ns]; by time where there is an index."""
        choice = chosen(topics)
        if self._reader is None:
            yield from self._salvaged(choice, start, stop)
            return
        by_id = {id(connection): topic for connection, topic in self._connections if choice.takes(topic.name)}
        wanted = [connection for connection, _ in self._connections if id(connection) in by_id]
        if not wanted:
            return
        by_key = {(connection.id, id(connection.owner)): by_id[id(connection)] for connection in wanted}
        try:
            for connection, time, data in self._reader.messages(connections=wanted, start=start, stop=stop):
                yield BagMessage(by_key[connection.id, id(connection.owner)], time, bytes(data))
        except Exception as error:
            told = " ".join(str(error).split())[:120] or type(error).__name__
            raise BadInput(
                f"{self.path}: is damaged ({told}); `andante bag convert` saves what can still be read"
            ) from None

    def close(self) -> None:
        """Let go of the files."""
        self._stack.close()

    def __enter__(self) -> Bag:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open_whole(self) -> None:
        if self.kind == "rosbag1":
            from rosbags.rosbag1 import Reader as Reader1

            reader: Any = Reader1(self.path)
        else:
            from rosbags.rosbag2 import Reader as Reader2

            reader = Reader2(self.path)
        reader.open()
        self._stack.callback(reader.close)
        encoding = "ros1" if self.kind == "rosbag1" else "cdr"
        self._connections = [(c, _topic(c, encoding)) for c in reader.connections]
        self.count = int(reader.message_count)
        self.start = int(reader.start_time) if self.count else 0
        self.end = int(reader.end_time) - 1 if self.count else 0
        self._reader = reader
        self.topics = _merged(topic for _, topic in self._connections)

    def _open_salvaged(self, problem: str) -> None:
        self._files = _files(self.path)
        if not self._files or any(file.suffix.lower() == ".db3" for file in self._files):
            said = f" ({problem})" if problem else ""
            raise BadInput(f"{self.path}: cannot be read as a bag, it may be cut off or damaged{said}")
        counts: dict[str, BagTopic] = {}
        first, last, self.count = 2**63, 0, 0
        for file in self._files:
            damage = Damage()
            for topic, time, _ in salvage(file, damage):
                known = counts.get(topic.name)
                counts[topic.name] = replace(topic, count=1) if known is None else replace(known, count=known.count + 1)
                first, last = min(first, time), max(last, time)
                self.count += 1
            self.notes += damage.told(file.name)
        self.start, self.end = (first, last) if self.count else (0, 0)
        self.topics = list(counts.values())
        if not self.count and problem and not self.notes:
            raise BadInput(f"{self.path}: cannot be read as a bag, it may be cut off or damaged ({problem})")
        if not self.notes and problem:
            self.notes.append(f"{self.path.name}: its index cannot be used ({problem}); read from the front")

    def _salvaged(self, choice: TopicChoice, start: int | None, stop: int | None) -> Iterator[BagMessage]:
        known = {topic.name: topic for topic in self.topics if choice.takes(topic.name)}
        for file in self._files:
            for topic, time, data in salvage(file, Damage()):
                if (
                    topic.name in known
                    and topic.type == known[topic.name].type
                    and (start is None or time >= start)
                    and (stop is None or time < stop)
                ):
                    yield BagMessage(known[topic.name], time, data)


def open_bag(path: Path | str, force_salvage: bool = False) -> Bag:
    """A bag for reading; raises BadInput in words for what is none. force_salvage reads from the front anyway."""
    return Bag(path, force_salvage)


def _kind(path: Path) -> str:
    """rosbag1, mcap, sqlite3 or rosbag2 (a folder)."""
    if not path.exists():
        raise MissingFile(f"{path}: no such bag")
    if path.is_dir():
        if not _files(path):
            raise BadInput(f"{path}: is a folder without .mcap or .db3 files; give a rosbag2 folder or a bag file")
        return "rosbag2"
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        if suffix in PACKED:
            raise BadInput(f"{path}: is packed; unpack it first, then name {path.with_suffix('')}")
        raise BadInput(f"{path}: bags are .bag (rosbag1), .mcap, .db3, or a rosbag2 folder")
    if path.stat().st_size == 0:
        raise BadInput(f"{path}: is empty")
    return {".bag": "rosbag1", ".mcap": "mcap", ".db3": "sqlite3"}[suffix]


def _files(path: Path) -> list[Path]:
    """The storage files of a bag, in the order of their numbers."""
    if path.is_file():
        return [path]
    found = [file for file in path.iterdir() if file.name.removesuffix(".zstd").lower().endswith((".mcap", ".db3"))]
    return sorted(
        found, key=lambda file: [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in _PARTS.split(file.name)]
    )


def _topic(connection: Any, encoding: str) -> BagTopic:
    extra = connection.ext
    profiles = getattr(extra, "offered_qos_profiles", [])
    latched = bool(getattr(extra, "latching", 0)) or any(p.durability.name == "TRANSIENT_LOCAL" for p in profiles)
    sensor = bool(profiles) and all(p.reliability.name == "BEST_EFFORT" for p in profiles)
    return BagTopic(
        connection.topic,
        connection.msgtype,
        encoding,
        connection.msgdef.data,
        int(connection.msgcount or 0),
        latched,
        sensor,
    )


def _merged(topics: Iterator[BagTopic]) -> list[BagTopic]:
    """One entry per name, in the order of the bag."""
    out: dict[str, BagTopic] = {}
    for topic in topics:
        known = out.get(topic.name)
        out[topic.name] = topic if known is None else replace(known, count=known.count + topic.count)
    return list(out.values())
