"""The kill drill on stores: a search or an experiment, killed again and again, against the same one left alone.

Proved after every kill: each result that was announced on the terminal is in the file; what stood in the file before is
still its beginning, byte for byte; the store opens; no worker is left behind. Proved at the end: the same results as
the run that was left alone, each once.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.errors import AndanteError
from andante.search import StudyFolder

from .victim import Victim, children, gone

Row = dict[str, Any]
Words = Callable[[Path], list[str]]  # of the command for a store
PATIENCE = 300.0  # for anything that a loaded machine may delay [s]
STARTING = 0.25  # fraction of the kills that come while the process still starts, at the latest with its first result
LONGEST_START = 4.0  # [s]


@dataclass(frozen=True)
class StudyJob:
    """What is run: the words that begin it in a folder, and those that go on."""

    begin: Words
    resume: Words
    kills: int
    most: int = 8  # results after which it is killed at the latest


def drill(job: StudyJob, folder: Path, dice: random.Random) -> Iterator[Row]:
    """A row per kill, and one for the end."""
    store, lines = folder / "killed", b""
    for number in range(job.kills):
        victim = Victim(_words(job, store), folder)
        try:
            row, lines = _one(job, store, victim, lines, dice)
        finally:
            victim.close()
        yield {"kill": number, **row}
        if row.get("over"):
            break  # it came to its end before it could be killed
    yield {"kill": None, **_end(job, folder, store, lines)}


def _one(job: StudyJob, store: Path, victim: Victim, before: bytes, dice: random.Random) -> tuple[Row, bytes]:
    known = before.count(b"\n")
    aim, starting = known + dice.randint(1, job.most), dice.random() < STARTING
    if starting:
        victim.wait_until(lambda: victim.announced > known, dice.uniform(0.0, LONGEST_START))
    else:
        victim.wait_until(lambda: victim.announced >= aim, PATIENCE)
        time.sleep(dice.uniform(0.0, 0.1))
    over = not victim.running
    wrong = [f"ended with {victim.process.returncode}: {victim.heard()[-200:]}"] if victim.process.returncode else []
    workers, seen, announced = children(victim.process.pid), _whole(store), victim.announced
    victim.kill()
    after = _read(store)
    kept = _whole(store)
    if not kept.startswith(seen) or not seen.startswith(before):
        wrong.append("what stood in the file has changed")
    count = kept.count(b"\n")
    if count < announced:
        wrong.append(f"{announced} announced, {count} in the file")
    if (store / "study.toml").exists():
        try:
            held = sum(1 for _ in StudyFolder.open(store).records())
            if held != count:
                wrong.append(f"{held} records in {count} lines")
        except AndanteError as error:
            wrong.append(f"the store does not open: {error}")
    elif before:
        wrong.append("the store is gone")
    if not gone(workers, PATIENCE):
        wrong.append("workers live on")
    when = "starting" if starting else f"after {aim - known} results"
    torn = len(after) - len(kept)
    row = {"when": when, "announced": announced, "kept": count, "torn": torn, "faults": wrong}
    return ({**row, "when": "over before its kill", "over": True} if over else row), kept


def _end(job: StudyJob, folder: Path, store: Path, before: bytes) -> Row:
    """Let it finish, and compare with one that was left alone."""
    wrong = []
    begun = time.monotonic()
    both = [Victim(_words(job, place), folder) for place in (store, folder / "whole")]
    for victim in both:
        try:
            if victim.finish(2 * PATIENCE):
                wrong.append(f"exit {victim.process.returncode}: {victim.heard()[-300:]}")
        except TimeoutError as error:
            wrong.append(str(error))
        finally:
            victim.close()
    ours, whole = _read(store), _read(folder / "whole")
    if not ours.startswith(before):
        wrong.append("what stood in the file has changed")
    if sorted(ours.splitlines()) != sorted(whole.splitlines()):
        wrong.append("other results than those of the run that was left alone")
    count = ours.count(b"\n")
    told = {"when": f"the end, {time.monotonic() - begun:.0f} s", "announced": count, "kept": count, "torn": 0}
    return {**told, "faults": wrong}


def _words(job: StudyJob, store: Path) -> list[str]:
    return (job.resume if (store / "study.toml").exists() else job.begin)(store)


def _read(store: Path) -> bytes:
    file = store / "results.jsonl"
    return file.read_bytes() if file.exists() else b""


def _whole(store: Path) -> bytes:
    """The whole lines of the results."""
    data = _read(store)
    return data[: data.rfind(b"\n") + 1]
