"""Text and bytes as one, as in Python 2: for programs that were converted from it."""

from __future__ import annotations

import builtins
import csv
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

BYTES, TEXT = "latin-1", "utf-8"  # how bytes are read as text and text is written as bytes
_on = False


class OldBytes(bytes):
    """Bytes that also do what text can: a part of them is bytes again, their methods take and give text."""

    def __getitem__(self, key: Any) -> OldBytes:  # type: ignore[override]
        return OldBytes(super().__getitem__(key if isinstance(key, slice) else slice(key, key + 1 or None)))

    def __iter__(self) -> Iterator[Any]:
        return (OldBytes((each,)) for each in super().__iter__())

    def __str__(self) -> str:
        return self.decode(BYTES)

    def __add__(self, other: Any) -> Any:
        return str(self) + other if isinstance(other, str) else OldBytes(bytes(self) + other)

    def __radd__(self, other: Any) -> Any:
        return other + str(self) if isinstance(other, str) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return str(self) == other if isinstance(other, str) else bytes.__eq__(self, other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __contains__(self, part: Any) -> bool:
        return part in str(self) if isinstance(part, str) else super().__contains__(part)


def _as_text(name: str) -> Callable[..., Any]:
    return lambda self, *given: getattr(str(self), name)(*(str(g) if isinstance(g, OldBytes) else g for g in given))


for _name in (
    "count", "endswith", "find", "index", "isdigit", "join", "lower", "partition", "replace", "rfind", "rpartition",
    "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "lstrip", "upper", "encode",
):  # fmt: skip
    setattr(OldBytes, _name, _as_text(_name))


def old_str(*given: Any) -> Any:
    """str(x) of Python 2: bytes stay what they are."""
    if len(given) == 1 and isinstance(given[0], bytes | bytearray):
        return OldBytes(given[0])
    return builtins.str(*given)


class OldFile:
    """A file that takes text and bytes, whatever its mode; binary ones give bytes that are text too."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.binary = "b" in file.mode

    def write(self, data: Any) -> None:
        """Text or bytes."""
        if self.binary:
            self.file.write(data.encode(TEXT) if isinstance(data, str) else data)
        elif isinstance(data, str):
            self.file.write(data)
        else:
            self.file.flush()
            self.file.buffer.write(data)

    def writelines(self, lines: Iterable[Any]) -> None:
        """One after the other."""
        for line in lines:
            self.write(line)

    def read(self, *size: int) -> Any:
        """What is left, or so much of it."""
        return self._given(self.file.read(*size))

    def readline(self, *size: int) -> Any:
        """The next line."""
        return self._given(self.file.readline(*size))

    def readlines(self) -> list[Any]:
        """All lines."""
        return list(self)

    def _given(self, data: Any) -> Any:
        return OldBytes(data) if self.binary else data

    def __iter__(self) -> Iterator[Any]:
        return map(self._given, self.file)

    def next(self) -> Any:
        """The next line."""
        return self._given(builtins.next(self.file))

    __next__ = next

    def __enter__(self) -> OldFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def old_open(name: Any, mode: str = "r", buffering: int = -1, **options: Any) -> Any:
    """open(name, mode) of Python 2."""
    if options:
        return builtins.open(name, mode, buffering, **options)
    if "b" in mode:
        return OldFile(builtins.open(name, mode.replace("U", ""), max(buffering, -1)))
    kind = mode.replace("U", "") or "r"
    return OldFile(builtins.open(name, kind, encoding=TEXT, errors="surrogateescape"))


def begin() -> None:
    """The program that comes was written for Python 2."""
    global _on
    if _on:
        return
    _on = True
    reader, load, dump = csv.reader, pickle.load, pickle.dump

    def read_rows(lines: Iterable[Any], *given: Any, **options: Any) -> Any:
        texts = (line.decode(TEXT) if isinstance(line, bytes) else line for line in lines)
        return reader(texts, *given, **options)

    def bare(file: Any) -> Any:
        if not isinstance(file, OldFile):
            return file
        return file.file if file.binary else file.file.buffer

    csv.reader = read_rows
    pickle.load = lambda file, *given, **options: load(bare(file), *given, **{"encoding": BYTES, **options})
    pickle.dump = lambda thing, file, *given, **options: dump(thing, bare(file), *given, **options)


def given_back(data: bytes | bytearray) -> bytes:
    """Bytes of the robot as the program that runs knows them."""
    return OldBytes(data) if _on else bytes(data)
