"""`bag_info`: what is in a bag, in short."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante._moved import renamed

from .reader import open_bag


@dataclass(frozen=True)
class TopicInfo:
    """One topic."""

    name: str
    type: str
    count: int
    rate: float | None  # mean over the bag [Hz], None for fewer than two messages
    latched: bool


@dataclass(frozen=True)
class BagInfo:
    """A bag in short."""

    path: Path
    kind: str  # rosbag1, mcap, sqlite3, rosbag2
    size: int  # bytes
    whole: bool
    start: float  # [s]
    duration: float  # [s]
    count: int  # messages
    topics: tuple[TopicInfo, ...]  # by name
    notes: tuple[str, ...]  # what is missing or damaged, and how much was saved

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        plain = {name: getattr(self, name) for name in ("kind", "size", "whole", "start", "duration")}
        topics = [
            {"name": t.name, "type": t.type, "messages": t.count, "rate": t.rate, "latched": t.latched}
            for t in self.topics
        ]
        notes = list(self.notes)
        return {"path": str(self.path), **plain, "messages": self.count, "topics": topics, "notes": notes}


@renamed(mapping="")
def bag_info(path: Path | str) -> BagInfo:
    """Topics, types, counts, duration and damage of a bag.

    Args:
        path: a .bag, .mcap or .db3 file, or a rosbag2 folder.

    Returns:
        What is in it; BadInput where it is no bag.
    """
    with open_bag(path) as bag:
        topics = tuple(
            TopicInfo(t.name, t.type, t.count, mean_rate(t.count, bag.duration), t.latched)
            for t in sorted(bag.topics, key=lambda t: t.name)
        )
        size, start, notes = size_of(bag.path), bag.start * 1e-9, tuple(bag.notes)
        return BagInfo(bag.path, bag.kind, size, bag.whole, start, bag.duration, bag.count, topics, notes)


def mean_rate(count: int, duration: float) -> float | None:
    """Messages per second [Hz], None for fewer than two or no time between them."""
    return (count - 1) / duration if count > 1 and duration > 0 else None


def size_of(path: Path) -> int:
    """Bytes of a file, or of the files of a folder."""
    return path.stat().st_size if path.is_file() else sum(f.stat().st_size for f in path.iterdir() if f.is_file())
