"""Finished cases in a file, a JSON line each: they survive any end of the process, a torn last line is cut."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any

Row = dict[str, Any]


class Rows:
    """Rows by their number; a later row of the same number replaces the earlier one."""

    def __init__(self, path: Path) -> None:
        self._known: dict[int, Row] = {}
        sound = 0
        if path.exists():
            for line in path.read_bytes().splitlines(keepends=True):
                try:
                    row = json.loads(line)
                except ValueError:
                    break
                if not line.endswith(b"\n"):
                    break
                self._known[row["number"]] = row
                sound += len(line)
        self._file = path.open("ab")
        self._file.truncate(sound)

    def has(self, number: int, failed_too: bool = True) -> bool:
        """Whether a case is finished; failed_too: also when it failed."""
        row = self._known.get(number)
        return row is not None and (failed_too or not row["faults"])

    def add(self, row: Row) -> None:
        """Keep a row; it is with the system when this returns."""
        self._known[row["number"]] = row
        self._file.write(json.dumps(row).encode() + b"\n")
        self._file.flush()

    def all(self) -> list[Row]:
        """All rows by number."""
        return [self._known[number] for number in sorted(self._known)]

    def __enter__(self) -> Rows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._file.fileno())
        self._file.close()
