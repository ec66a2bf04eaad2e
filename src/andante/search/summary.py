"""What a study has found so far (best candidates, how many, how fast, the front of several aims); shards made one."""

from __future__ import annotations

import heapq
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from andante.errors import BadInput

from .config import StudyConfig
from .folder import StudyFolder
from .record import Appender, Record, from_line, to_line
from .samplers import Shard

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


@dataclass(frozen=True)
class Merged:
    """The study made of shards."""

    study: StudyFolder
    candidates: int
    notices: tuple[str, ...]


def merge(out: Path, parts: Sequence[Path]) -> Merged:
    """Put the results of several folders of one study into a new folder; each candidate counts once.

    Folders of different studies are refused, as are two results for one candidate that differ.
    """
    if len({part.resolve() for part in parts}) != len(parts) or not parts:
        raise BadInput("name the folders to merge, each once")
    studies = [StudyFolder.open(part) for part in parts]
    config = _common(studies)
    where: dict[int, tuple[int, int, int]] = {}  # candidate -> folder, place and length of its line
    notices: list[str] = []
    sessions: list[dict[str, Any]] = []
    for number, study in enumerate(studies):
        scan = study.records()
        before = 0
        for record in scan:
            place = (number, before, scan.end - before)
            before = scan.end
            if record.index in where:
                first = _line(studies, where[record.index])
                if first != to_line(record):
                    raise BadInput(
                        f"candidate {record.index} has different results in {studies[where[record.index][0]].path} "
                        f"and {study.path}"
                    )
                continue
            where[record.index] = place
        sessions += sessions_of(study, scan.count)
        if scan.torn:
            notices.append(f"{scan.torn} in the merged study")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} is there already; give a new folder")
    draft = out.with_name(f".{out.name}.merging")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        made = StudyFolder.create(draft, config)
        with Appender(made.results) as appender:
            for index in sorted(where):
                appender.append(from_line(_line(studies, where[index])))
        made.write_manifest({"format": 1, "fingerprint": made.config.fingerprint, "sessions": sessions})
        if out.exists():
            out.rmdir()
        draft.rename(out)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Merged(StudyFolder.open(out), len(where), tuple(notices))


def _common(studies: Sequence[StudyFolder]) -> StudyConfig:
    """The configuration of the whole; learning samplers make islands that can be read but not resumed as one."""
    first = studies[0]
    for study in studies[1:]:
        if study.config.fingerprint != first.config.fingerprint:
            raise BadInput(f"{study.path} and {first.path} are parts of different studies (compare their study.toml)")
    config = first.config
    budget = max(study.config.budget for study in studies)
    shards = max(max(study.config.shard.count, study.config.islands) for study in studies)
    islands = shards if shards > 1 and config.make_sampler().adaptive else 1
    return replace(config, shard=Shard(), budget=budget, islands=islands)


def _line(studies: Sequence[StudyFolder], place: tuple[int, int, int]) -> bytes:
    number, offset, length = place
    with studies[number].results.open("rb") as file:
        file.seek(offset)
        return file.read(length)
