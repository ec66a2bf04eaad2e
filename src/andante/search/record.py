"""One evaluated candidate as one line of text with a checksum.

A line is JSON, {"crc":"89abcdef","index":3,...}; crc is the CRC-32 of the object without that first entry.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from andante.parsing import parse_json

from .permutation import derived_seed
from .samplers.base import WORST, Told
from .space import Value

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
        table = {
            "index": self.index,
            "seed": self.seed,
            "parameters": dict(self.parameters),
            "fitness": self.fitness,
            "figures": dict(self.figures),
        }
        return {**table, "error": self.error} if self.error else table


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
        record = Record(
            index=table["index"],
            seed=table["seed"],
            parameters=table["parameters"],
            fitness=table["fitness"],
            figures=table["figures"],
            error=table.get("error", ""),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"an entry is missing ({error})") from None
    for name, kinds in _KINDS.items():
        value = getattr(record, name)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise ValueError(f"the entry {name} is of another kind")
    if record.fitness is not None and not math.isfinite(record.fitness):
        raise ValueError("the fitness is not finite")
    return record
