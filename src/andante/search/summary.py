"""What a study has found so far: the best candidates, how many, how fast, and the front of several aims."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

from .folder import StudyFolder
from .record import Record

MOST_FRONT = 1000


@dataclass(frozen=True)
class Summary:
    """The state of a study. rate: candidates/s over all sessions whose length is known."""

    candidates: int
    failed: int
    rate: float | None
    best: tuple[Record, ...]  # fittest first
    front: tuple[Record, ...]  # that none other beats in all aims; of nsga2 alone


def summarize(folder: StudyFolder, top: int = 1) -> Summary:
    """Read a study once, keeping only what is wanted; it may be running, and its last line not be complete."""
    heap: list[tuple[float, int, Record]] = []
    front: list[Record] = []
    failed = 0
    several = folder.config.sampler == "nsga2"
    scan = folder.records()
    for record in scan:
        if record.fitness is None:
            failed += 1
            continue
        entry = (record.fitness, -record.index, record)
        if len(heap) < top:
            heapq.heappush(heap, entry)
        elif heap and entry[:2] > heap[0][:2]:
            heapq.heapreplace(heap, entry)
        if several and record.told().objectives:
            front = _with(front, record)
    best = tuple(entry[2] for entry in sorted(heap, key=lambda entry: entry[:2], reverse=True))
    return Summary(scan.count, failed, _rate(folder, scan.count), best, tuple(front[:MOST_FRONT]))


def _with(front: list[Record], record: Record) -> list[Record]:
    aims = record.told().objectives
    if any(_beats(other.told().objectives, aims) for other in front):
        return front
    return [*(other for other in front if not _beats(aims, other.told().objectives)), record]


def _beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether the first is nowhere worse; of equals the earlier stays."""
    return len(one) == len(other) and all(a >= b for a, b in zip(one, other, strict=True))


def sessions_of(folder: StudyFolder, count: int) -> list[dict[str, Any]]:
    """The sessions whose end is known; the last may run or have been killed, then it ends with its last result."""
    sessions: list[dict[str, Any]] = folder.manifest()["sessions"]
    known = []
    for session in sessions:
        if session["ended"] is None and session is sessions[-1]:
            session = {**session, "ended": folder.results.stat().st_mtime, "count": count - session["first"]}
        if session["ended"] is not None:
            known.append(session)
    return known


def _rate(folder: StudyFolder, count: int) -> float | None:
    sessions = sessions_of(folder, count)
    evaluated = sum(session["count"] for session in sessions)
    seconds = sum(max(0.0, session["ended"] - session["started"]) for session in sessions)
    return evaluated / seconds if evaluated and seconds > 0 else None
