"""Bags from one kind into another, and damaged ones into whole ones."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from andante.errors import BadInput, MissingFile

from .reader import Bag, open_bag
from .topics import BagTopic, Convert, TopicChoice, as_topic, chosen, converter
from .writer import BagWriter


@dataclass(frozen=True)
class Conversion:
    """What came out."""

    path: Path
    count: int  # messages
    notes: list[str]  # what was lost or left out, a line each


def convert_bag(
    source: Path | str,
    target: Path | str,
    topics: TopicChoice | Iterable[str] | str | None = None,
    start: float | None = None,
    stop: float | None = None,
    max_size: int | None = None,
    storage: str = "mcap",
) -> Conversion:
    """Write a bag anew, as another kind, in part, or whole after a crash.

    A bag that is cut off or damaged is read as far as it goes. Messages of types that cannot be told are left out, with
    a note. Nothing is left behind when it fails.

    Args:
        source: the bag to read.
        target: .bag, .mcap, .db3, or a name without suffix for a rosbag2 folder; it must not exist.
        topics: names, patterns such as `/camera/*`, or a choice; None for all.
        start: leave out what is before [s from the beginning].
        stop: leave out what is after [s from the beginning].
        max_size: bytes at which a new file begins.
        storage: of a rosbag2 folder: mcap or sqlite3.

    Returns:
        Path, number of messages, and notes.
    """
    target = Path(target)
    if target.exists():
        raise BadInput(f"{target}: exists already; choose another name")
    if not target.parent.is_dir():
        raise MissingFile(f"{target.parent}: no such folder")
    work = Path(tempfile.mkdtemp(prefix=".andante-", dir=target.parent))
    try:
        with open_bag(source) as bag:
            choice = chosen(topics)
            refuse_missing(bag, choice)
            first = None if start is None else bag.start + round(start * 1e9)
            last = None if stop is None else bag.start + round(stop * 1e9)
            with BagWriter(work / target.name, max_size, split_jumps=False, storage=storage) as writer:
                ways = _Ways(writer)
                for message in bag.messages(choice, first, last):
                    data = ways.turn(message.topic, message.data)
                    if data is not None:
                        writer.write(message.topic.name, message.time, data)
            notes = [*bag.notes, *ways.notes()]
        for made in sorted(work.iterdir()):
            if (target.parent / made.name).exists():
                raise BadInput(f"{target.parent / made.name}: exists already; choose another name")
            shutil.move(str(made), target.parent / made.name)
        return Conversion(target, writer.count, notes)
    finally:
        with suppress(OSError):
            shutil.rmtree(work)


def refuse_missing(bag: Bag, choice: TopicChoice) -> None:
    """Raise BadInput for names and patterns that no topic of a bag fits."""
    missing = choice.missing(topic.name for topic in bag.topics)
    if missing:
        there = ", ".join(topic.name for topic in bag.topics[:20])
        raise BadInput(f"{bag.path}: has no topic {', '.join(missing)}; it has {there or 'none'}")


class _Ways:
    """How to turn each topic into the encoding of the target, found out once."""

    def __init__(self, writer: BagWriter) -> None:
        self._writer = writer
        self._ways: dict[tuple[str, str], Convert | None] = {}
        self._left_out: list[str] = []
        self._broken: dict[str, int] = {}

    def turn(self, topic: BagTopic, data: bytes) -> bytes | None:
        """The message for the target; None where it cannot be turned."""
        key = topic.name, topic.type
        if key not in self._ways:
            try:
                self._writer.add(as_topic(topic, self._writer.encoding))
                self._ways[key] = converter(topic, self._writer.encoding)
            except BadInput as error:
                self._ways[key] = None
                self._left_out.append(f"left out: {error}")
        way = self._ways[key]
        if way is None:
            return None
        try:
            return way(data)
        except Exception:
            self._broken[topic.name] = self._broken.get(topic.name, 0) + 1
            return None

    def notes(self) -> list[str]:
        """What was left out."""
        return self._left_out + [f"{name}: {count} broken messages left out" for name, count in self._broken.items()]
