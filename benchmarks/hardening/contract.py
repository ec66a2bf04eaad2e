"""What the command line promises, as a checker: exit codes, one line on stderr, strict JSON, no writing elsewhere."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .cases import Case
from .seeds import CODE

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
LINE = re.compile(r"(andante|note): ")
TRACE = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int | str  # a word: how it left the process otherwise
    out: str
    err: str
    seconds: float = 0.0  # of the processor
    peak: float = 0.0  # of memory in the process so far [MB]
    events: tuple[str, ...] = ()  # writes outside, processes, connections
    changed: tuple[str, ...] = ()  # files outside the output that are new, gone or others
    written: tuple[str, ...] = field(default=())  # files in the output


def faults(case: Case, ran: Ran) -> list[str]:
    """Everything in which a run broke the contract; empty: nothing."""
    told: list[str] = []
    allowed = (0, 1, 2) if case.command[0] == "check" else (0, 2)
    if not case.mutations:
        allowed = (0,)
    if ran.code not in allowed:
        told.append(f"exit {ran.code}")
    if TRACE in ran.err or TRACE in ran.out:
        told.append("traceback")
    lines = ran.err.splitlines()
    strange = [line for line in lines if not LINE.match(line)]
    if strange and TRACE not in ran.err:
        told.append(f"stderr: {strange[0][:120]}")
    if ran.code == 2 and len(lines) != 1:
        told.append(f"{len(lines)} lines on stderr with exit 2")
    if "not enough memory" in ran.err:
        told.append("memory")
    if CONTROL.search(ran.err) or CONTROL.search(ran.out):
        told.append("control characters on the terminal")
    if len(ran.err) > 20_000:
        told.append("a message of more than 20,000 letters")
    if "secret-of-the-canary" in ran.out + ran.err:
        told.append("told what stands in a file outside")
    if "--json" in case.command:
        told += _json(ran)
    if ran.code == 2 and ran.written:
        told.append(f"half-written: {ran.written[0]}")
    if "canary/ran" in " ".join(ran.changed) and case.kind in CODE:
        pass  # such files may name Python of the user's own
    elif ran.changed:
        told.append(f"changed outside: {ran.changed[0]}")
    told += [f"event: {event}" for event in ran.events[:3] if not (case.kind in CODE and "canary" in event)]
    return told


def _json(ran: Ran) -> list[str]:
    if ran.code == 2:
        return ["something on stdout beside an error"] if ran.out else []
    if ran.code not in (0, 1):
        return []

    def refuse(word: str) -> Any:
        raise ValueError(word)

    try:
        sound = isinstance(json.loads(ran.out, parse_constant=refuse), dict) and ran.out.count("\n") == 1
    except ValueError:
        sound = False
    return [] if sound else ["stdout is not one strict JSON object"]


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """All files below a folder but its out: size and time of change."""
    found: dict[str, tuple[int, int]] = {}
    waiting = [""]
    while waiting:
        place = waiting.pop()
        with os.scandir(folder / place) as entries:
            for entry in entries:
                name = f"{place}{entry.name}"
                if name == "out":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    found[name] = (0, 0)
                    waiting.append(f"{name}/")
                else:
                    status = entry.stat(follow_symlinks=False)
                    found[name] = (status.st_size, status.st_mtime_ns)
    return found


def differences(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> tuple[str, ...]:
    """Names that are new, gone, or changed."""
    return tuple(sorted(name for name in {*before, *after} if before.get(name) != after.get(name)))
