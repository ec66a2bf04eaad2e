"""What is in a bag, and whether it will do for mapping."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.errors import AndanteError

from .reader import open_bag

CARMEN = (".log", ".clf", ".carmen", ".log.gz", ".clf.gz", ".carmen.gz")
SCAN = "sensor_msgs/msg/LaserScan"


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
    kind: str
    size: int  # bytes
    whole: bool
    start: float  # [s]
    duration: float  # [s]
    count: int
    topics: tuple[TopicInfo, ...]
    notes: tuple[str, ...]
    mapping: tuple[str, ...]  # what the log lacks for mapping, and the flag that repairs it
    mappable: bool

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "path": str(self.path),
            "kind": self.kind,
            "size": self.size,
            "whole": self.whole,
            "start": self.start,
            "duration": self.duration,
            "messages": self.count,
            "topics": [
                {"name": t.name, "type": t.type, "messages": t.count, "rate": t.rate, "latched": t.latched}
                for t in self.topics
            ],
            "notes": list(self.notes),
            "mappable": self.mappable,
            "mapping": list(self.mapping),
        }


def bag_info(path: Path | str, mapping: bool = True) -> BagInfo:
    """Topics, types, counts, duration and damage of a bag; mapping also reads its scans to say what they lack.

    A CARMEN log has its kinds of lines for topics.
    """
    path = Path(path)
    if path.name.lower().endswith(CARMEN):
        return _carmen_info(path)
    with open_bag(path) as bag:
        span = bag.duration
        topics = tuple(
            TopicInfo(t.name, t.type, t.count, (t.count - 1) / span if t.count > 1 and span > 0 else None, t.latched)
            for t in sorted(bag.topics, key=lambda t: t.name)
        )
        mappable, lacks = _mapping(path, {t.type for t in topics}, bag.whole) if mapping else (False, [])
        return BagInfo(
            path,
            bag.kind,
            _size(path),
            bag.whole,
            bag.start * 1e-9,
            span,
            bag.count,
            topics,
            tuple(bag.notes),
            tuple(lacks),
            mappable,
        )


def _carmen_info(path: Path) -> BagInfo:
    from andante.mapping.io.logs import read_log

    log = read_log(path)
    times = [record.time for record in log.records]
    first, last = min(times, default=0.0), max(times, default=0.0)
    counts: dict[str, int] = {}
    for record in log.records:
        kind = type(record).__name__
        counts[kind] = counts.get(kind, 0) + 1
    topics = tuple(
        TopicInfo(
            kind.lower(), kind, count, (count - 1) / (last - first) if count > 1 and last > first else None, False
        )
        for kind, count in sorted(counts.items())
    )
    total = sum(counts.values())
    return BagInfo(
        path, "carmen", _size(path), True, first, last - first, total, topics, (), tuple(log.notes), "Scan" in counts
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else sum(f.stat().st_size for f in path.iterdir() if f.is_file())


def _mapping(path: Path, types: set[str], whole: bool) -> tuple[bool, list[str]]:
    """Whether `andante map` can use the bag, and what it misses."""
    from andante.mapping.io.logs import read_log

    if SCAN not in types:
        return False, ["no sensor_msgs/LaserScan topic: there is nothing to map from"]
    if not whole:
        return False, [f"has no index: `andante bag convert {path.name} NEW.mcap` writes it anew, then map that"]
    try:
        log = read_log(path)
    except AndanteError as error:
        return False, [str(error)]
    return True, list(log.notes)
