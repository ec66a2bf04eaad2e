"""Runs of a long study that outlast a stop: one JSON line per finished run, and what is there is not run again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from figures.store import git
from side_by_side import side_by_side

Job = dict[str, Any]  # plain values that JSON holds: what a run is known by
Row = dict[str, Any]


def code_now() -> str:
    """The tree of the code that is measured, with a + when files of it have been changed."""
    return git("rev-parse", "--short=9", "HEAD:src") + ("+" if git("status", "--porcelain", "--", "src") else "")


class Journal:
    """Finished runs in a file; those of other code are left out, and so is a last line that was cut off."""

    def __init__(self, file: Path, code: str | None = None) -> None:
        self.file, self.code = file, code_now() if code is None else code
        file.parent.mkdir(parents=True, exist_ok=True)
        self._rows: dict[str, Row] = {}
        if file.is_file():
            self._rows = {_key(line["job"]): line["row"] for line in self._lines() if line["code"] == self.code}

    def _lines(self) -> Iterable[dict[str, Any]]:
        for line in self.file.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                continue

    def carry_out(
        self, work: Callable[[Job], Row], jobs: Sequence[Job], workers: int, told: Callable[[int, int, Job, Row], None]
    ) -> list[tuple[Job, Row]]:
        """All jobs with what came of them, in order; `told` hears how many are done, of how many, and the newest."""
        left = [job for job in jobs if _key(job) not in self._rows]
        count = len(jobs) - len(left)
        with self.file.open("a+b") as file:
            if file.tell() and not _ends_a_line(self.file):
                file.write(b"\n")
            for job, row in zip(left, side_by_side(work, left, workers), strict=True):
                line = json.dumps({"code": self.code, "job": job, "row": row}, default=lambda value: value.item())
                file.write(line.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
                self._rows[_key(job)] = json.loads(line)["row"]
                count += 1
                told(count, len(jobs), job, row)
        return [(job, self._rows[_key(job)]) for job in jobs]


def _key(job: Job) -> str:
    return json.dumps(job, sort_keys=True)


def _ends_a_line(file: Path) -> bool:
    return file.read_bytes().endswith(b"\n")
