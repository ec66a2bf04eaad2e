"""Bags from one kind into another, and damaged ones into whole ones."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.errors import BadInput, MissingFile

from .reader import Bag, open_bag
from .topics import BagTopic, TopicChoice, chosen
from .types import Convert, as_topic, converter
from .writer import BagWriter

STORAGES = ("mcap", "sqlite3")


@dataclass(frozen=True)
class Conversion:
    """What came out."""

    path: Path
    count: int  # messages
    notes: list[str] = field(default_factory=list)


def convert_bag(
    source: Path | str,
    target: Path | str,
    topics: TopicChoice | Iterable[str] | str | None = None,
    start: float | None = None,
    stop: float | None = None,
    max_size: int | None = None,
    storage: str = "mcap",
) -> Conversion:
    """Write a bag anew: .bag, .mcap, .db3, or a rosbag2 folder (of MCAP or sqlite3 storage) by the name of the target.

    start and stop are seconds from its beginning. A bag that is cut off or damaged is read as far as it goes. Messages
    of types that cannot be told are left out, with a note. Nothing is left behind when it fails.
    """
    target = Path(target)
    if storage not in STORAGES:
        raise BadInput(f"the storage of a rosbag2 folder is one of {', '.join(STORAGES)}, got {storage!r}")
    if target.exists():
        raise BadInput(f"{target}: exists already; choose another name")
    sqlite = target.suffix.lower() == ".db3" or (target.suffix == "" and storage == "sqlite3")
    if sqlite and max_size is not None:
        raise BadInput(f"{target}: sqlite storage is not split by size; choose .mcap, .bag or a folder of mcap")
    if not target.parent.is_dir():
        raise MissingFile(f"{target.parent}: no such folder")
    work = Path(tempfile.mkdtemp(prefix=".andante-", dir=target.parent))
    try:
        notes: list[str] = []
        for salvaged in (False, True):
            try:
                with open_bag(source, force_salvage=salvaged) as bag:
                    notes = list(bag.notes)
                    draft = work / ("whole" if salvaged else "first") / target.name
                    draft.parent.mkdir()
                    count = _copy(bag, draft, chosen(topics), start, stop, max_size, sqlite, notes)
                    break
            except _Damaged as damaged:
                if salvaged or bag.kind == "sqlite3":
                    raise BadInput(str(damaged)) from None
        for made in sorted(draft.parent.iterdir()):
            if (target.parent / made.name).exists():
                raise BadInput(f"{target.parent / made.name}: exists already; choose another name")
            shutil.move(str(made), target.parent / made.name)
        return Conversion(target, count, notes)
    finally:
        with suppress(OSError):
            shutil.rmtree(work)


class _Damaged(Exception):
    """The bag broke off while it was read by its index."""


def _copy(
    bag: Bag,
    target: Path,
    choice: TopicChoice,
    start: float | None,
    stop: float | None,
    max_size: int | None,
    sqlite: bool,
    notes: list[str],
) -> int:
    """Number of messages written."""
    missing = choice.missing(topic.name for topic in bag.topics)
    if missing:
        there = ", ".join(topic.name for topic in bag.topics[:20])
        raise BadInput(f"{bag.path}: has no topic {', '.join(missing)}; it has {there or 'none'}")
    first = None if start is None else bag.start + round(start * 1e9)
    last = None if stop is None else bag.start + round(stop * 1e9)
    writer: Any = _SqliteWriter(target) if sqlite else BagWriter(target, max_size, split_jumps=False)
    ways = _Ways(writer.encoding, notes)
    source = bag.messages(choice, first, last)
    try:
        while True:
            try:
                message = next(source, None)
            except BadInput as error:
                raise _Damaged(str(error)) from None
            if message is None:
                break
            data = ways.turn(message.topic, message.data, writer)
            if data is not None:
                writer.write(message.topic.name, message.time, data)
        ways.tell()
    finally:
        writer.close()
    return int(writer.count)


class _Ways:
    """How to turn each topic into the encoding of the target, found out once."""

    def __init__(self, encoding: str, notes: list[str]) -> None:
        self.encoding, self.notes = encoding, notes
        self._ways: dict[tuple[str, str], Convert | None] = {}
        self._broken: dict[str, int] = {}

    def turn(self, topic: BagTopic, data: bytes, writer: Any) -> bytes | None:
        key = topic.name, topic.type
        if key not in self._ways:
            try:
                writer.add(as_topic(topic, self.encoding))
                self._ways[key] = converter(topic, self.encoding)
            except BadInput as error:
                self._ways[key] = None
                self.notes.append(f"left out: {error}")
        way = self._ways[key]
        if way is None:
            return None
        try:
            return way(data)
        except Exception:
            self._broken[topic.name] = self._broken.get(topic.name, 0) + 1
            return None

    def tell(self) -> None:
        self.notes += [f"{name}: {count} broken messages left out" for name, count in self._broken.items()]


class _SqliteWriter:
    """rosbag2 with sqlite storage, by `rosbags`: a folder, or the .db3 file alone."""

    encoding = "cdr"

    def __init__(self, target: Path) -> None:
        from rosbags.rosbag2 import StoragePlugin, Writer

        self._alone = target if target.suffix else None
        self._folder = target if self._alone is None else target.with_suffix("")
        self._writer = Writer(self._folder, version=8, storage_plugin=StoragePlugin.SQLITE3)
        self._writer.open()
        self._connections: dict[str, Any] = {}
        self.count = 0

    def add(self, topic: BagTopic) -> None:
        from rosbags.rosbag2.metadata import parse_qos

        from .topics import qos_text
        from .types import private_store

        if topic.name in self._connections:
            if self._connections[topic.name].msgtype != topic.type:
                raise BadInput(f"{topic.name}: carries another type before")
            return
        types = private_store(topic.definition, topic.type, ros2=True)
        self._connections[topic.name] = self._writer.add_connection(
            topic.name,
            topic.type,
            msgdef=topic.definition,
            rihs01=types.hash_rihs01(topic.type),
            offered_qos_profiles=parse_qos(qos_text(topic.latched, topic.sensor)),
        )

    def write(self, topic: str, time: int, data: bytes) -> None:
        self._writer.write(self._connections[topic], time, data)
        self.count += 1

    def close(self) -> None:
        self._writer.close()
        if self._alone is not None:
            shutil.move(str(self._folder / f"{self._folder.name}.db3"), self._alone)
            shutil.rmtree(self._folder)
