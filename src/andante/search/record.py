"""Evaluated candidates, and the append-only file of them: a line per candidate with a checksum.

A line is JSON, {"crc":"89abcdef","index":3,...}; crc is the CRC-32 of the object without that first entry. Torn ends
are cut, damage is named.
"""

from __future__ import annotations

import json
import math
import os
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from andante.errors import BadInput
from andante.files import Closing
from andante.parsing import parse_json

from .permutation import derived_seed
from .samplers.base import WORST, Told
from .space import Value

LONGEST_LINE = 16 * 1024 * 1024
HIGHEST_INDEX = 10**9
SYNC_EVERY = 2.0  # [s]
_HEAD = b'{"crc":"'
_BODY_FROM = len(_HEAD) + 8 + 2  # after the eight digits, the quote and the comma
_KINDS: dict[str, Any] = {
    "index": int, "seed": int, "parameters": dict, "fitness": int | float | None, "figures": dict, "error": str,
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """A candidate to evaluate."""

    index: int
    parameters: Mapping[str, Value]
    seed: int


@dataclass(frozen=True)
class Record:
    """A candidate that was evaluated; `error` says why it failed, and then there is no fitness."""

    index: int
    seed: int
    parameters: Mapping[str, Value]
    fitness: float | None
    figures: Mapping[str, Any] = field(default_factory=dict)  # everything else that the objective gave
    error: str = ""

    @property
    def failed(self) -> bool:
        """Whether there is no fitness."""
        return self.fitness is None

    def told(self) -> Told:
        """What a sampler gets to know."""
        objectives = self.figures.get("objectives") or ()
        usable = isinstance(objectives, list) and all(isinstance(entry, int | float) for entry in objectives)
        return Told(
            index=self.index,
            parameters=self.parameters,
            fitness=WORST if self.fitness is None else self.fitness,
            failed=self.fitness is None,
            objectives=tuple(map(float, objectives)) if usable else (),
            figures=self.figures,
        )

    def as_dict(self) -> dict[str, Any]:
        """The record as a table; a candidate that did not fail has no error."""
        table = {**vars(self), "parameters": dict(self.parameters), "figures": dict(self.figures)}
        return table if self.error else {name: value for name, value in table.items() if name != "error"}


def candidate_seed(study_seed: int, index: int) -> int:
    """The seed of a candidate, the same wherever it is evaluated."""
    return derived_seed(study_seed, 0x5EED, index)


def record_of(task: Task, figures: Mapping[str, Any] | None, error: str = "") -> Record:
    """The record of an evaluation, from what the objective gave."""
    rest = dict(figures or {})
    fitness = rest.pop("fitness", None)
    if not error and (isinstance(fitness, bool) or not isinstance(fitness, int | float)):
        error = "the fitness is not a finite number"
    value = None if error or fitness is None else float(fitness)
    return Record(task.index, task.seed, task.parameters, value, rest, error)


def plain(value: Any) -> Any:
    """The value as strict JSON holds it: arrays and tuples as lists, numbers that are not finite as null."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")


def to_line(record: Record) -> bytes:
    """The record as a line that ends with a line feed."""
    body = json.dumps(record.as_dict(), allow_nan=False, separators=(",", ":")).encode("ascii")
    return b'%s%08x",%s\n' % (_HEAD, zlib.crc32(body), body[1:])


def from_line(line: bytes) -> Record:
    """The record of a line; ValueError when it is torn or damaged."""
    body = b"{" + line[_BODY_FROM:].rstrip(b"\n")
    if line[:_BODY_FROM] != b'%s%08x",' % (_HEAD, zlib.crc32(body)):
        raise ValueError("the checksum is wrong")
    try:
        table = parse_json(body)
        entries = {name: table[name] for name in _KINDS if name != "error"}
        record = Record(**entries, error=table.get("error", ""))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"an entry is missing ({error})") from None
    for name, kinds in _KINDS.items():
        value = getattr(record, name)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise ValueError(f"the entry {name} is of another kind")
    if record.fitness is not None and not math.isfinite(record.fitness):
        raise ValueError("the fitness is not finite")
    return record


# ---- the file of results -------------------------------------------------------------------------
class IndexSet:
    """A set of small integers, a bit for each."""

    def __init__(self) -> None:
        self._bits = bytearray()
        self._count = 0

    def add(self, index: int) -> bool:
        """Put a number in; False when it was there."""
        byte, bit = index >> 3, 1 << (index & 7)
        if byte >= len(self._bits):
            self._bits.extend(bytes(max(byte + 1 - len(self._bits), len(self._bits))))
        if self._bits[byte] & bit:
            return False
        self._bits[byte] |= bit
        self._count += 1
        return True

    def __contains__(self, index: int) -> bool:
        byte = index >> 3
        return byte < len(self._bits) and bool(self._bits[byte] & (1 << (index & 7)))

    def __len__(self) -> int:
        return self._count


class Scan:
    """All records of a file, one at a time.

    A last line without its end, or with a wrong checksum, is left out and reported in `torn`; any other damage raises
    BadInput with the number of the line. After the last record `end` is the length of the sound part [bytes].
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.end = 0
        self.torn = ""
        self.count = 0

    def __iter__(self) -> Iterator[Record]:
        seen = IndexSet()
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                if not line.endswith(b"\n") and len(line) < LONGEST_LINE:  # only the last can be so
                    self._tear(number)
                    return
                try:
                    record = from_line(line)
                except ValueError as error:
                    if file.read(1):
                        raise BadInput(
                            f"{self.path}: line {number} is damaged ({error}); delete that line to have its candidate "
                            "evaluated again, or take the file from a backup"
                        ) from None
                    self._tear(number)
                    return
                if not isinstance(record.index, int) or not 0 <= record.index <= HIGHEST_INDEX:
                    raise BadInput(f"{self.path}: line {number} has the candidate number {record.index!r}")
                if not seen.add(record.index):
                    raise BadInput(
                        f"{self.path}: line {number} repeats candidate {record.index}; delete one of the two lines"
                    )
                self.end += len(line)
                self.count += 1
                yield record

    def _tear(self, number: int) -> None:
        self.torn = f"{self.path}: line {number}, the last, was not written to its end and is cut off"


class Appender(Closing):
    """Adds records to the end of a file; a record is in the file when `append` returns."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self._length = os.fstat(self._file).st_size
        self._synced = time.monotonic()

    def append(self, record: Record) -> None:
        """Write one record, whole or (on an error, such as a full disk) not at all.

        What the operating system holds goes to the disk every two seconds.
        """
        line = memoryview(to_line(record))
        length = self._length + len(line)
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except BaseException:
            os.ftruncate(self._file, self._length)
            raise
        self._length = length
        if time.monotonic() - self._synced > SYNC_EVERY:
            self.sync()

    def sync(self) -> None:
        """Bring everything to the disk."""
        os.fsync(self._file)
        self._synced = time.monotonic()

    def close(self) -> None:
        """Bring everything to the disk and close the file."""
        if self._file >= 0:
            self.sync()
            os.close(self._file)
            self._file = -1


def cut(path: Path, length: int) -> None:
    """Shorten a file to its sound part."""
    with path.open("r+b") as file:
        file.truncate(length)
        file.flush()
        os.fsync(file.fileno())


def tail(path: Path, offset: int = 0) -> tuple[list[Record], int]:
    """Records added to a file since `offset` [bytes], also while another process writes, and the new offset."""
    records = []
    with path.open("rb") as file:
        file.seek(offset)
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                records.append(from_line(line))
            except ValueError as error:
                raise BadInput(f"{path}: the line at byte {offset} is damaged ({error})") from None
            offset += len(line)
    return records, offset
