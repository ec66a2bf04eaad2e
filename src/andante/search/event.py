"""What a running study tells: a stream of small values that a progress bar, a web page or a test can follow."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .record import Record


@dataclass(frozen=True)
class Started:
    """The study is open; `known` candidates of `budget` were there before."""

    study: Path
    known: int
    budget: int
    workers: int
    best: Record | None


@dataclass(frozen=True)
class Notice:
    """Something the user should know: a torn line was cut, versions have changed."""

    text: str


@dataclass(frozen=True)
class Evaluated:
    """A candidate is finished and in the file.

    rate: candidates/s since the first result of the session, NaN with the first; left: time to the budget [s].
    """

    record: Record
    done: int
    budget: int
    rate: float
    left: float
    best: Record | None
    improved: bool


@dataclass(frozen=True)
class Ended:
    """The study has come to its end: the budget is spent or the sampler has no more candidates."""

    done: int
    evaluated: int  # in this session
    seconds: float
    rate: float | None  # candidates/s since the first result; None: there were not two
    best: Record | None


Event = Started | Notice | Evaluated | Ended
