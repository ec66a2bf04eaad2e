"""The append-only file of results: a line per candidate, each with its checksum; torn ends are cut, damage is named."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from andante.errors import BadInput

from .record import Record, from_line, to_line

LONGEST_LINE = 16 * 1024 * 1024
HIGHEST_INDEX = 10**9
SYNC_EVERY = 2.0  # [s]


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


class Appender:
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

    def __enter__(self) -> Appender:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


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
