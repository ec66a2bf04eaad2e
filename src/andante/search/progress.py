"""Events of a running study, and a progress line made of them: candidates, rate, time left, best so far."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from andante.progress import PlainLines, on_terminal

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


@contextmanager
def progress_line(wanted: bool) -> Iterator[Any]:
    """A listener of events that keeps the line; without a terminal it writes one now and then; silent unless wanted."""
    if not (wanted and on_terminal()):
        lines = PlainLines()

        def note(event: Event) -> None:
            if wanted and isinstance(event, Evaluated):
                lines.report(lambda: _plain(event))

        yield note
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.fields[best]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=5) as bar:
        line = bar.add_task("", total=1, rate="", left="", best="")

        def listen(event: Event) -> None:
            if isinstance(event, Started):
                bar.update(line, total=event.budget, completed=event.known, best=_best(event.best))
            elif isinstance(event, Notice):
                bar.console.print(f"andante: {event.text}", markup=False, highlight=False)
            elif isinstance(event, Evaluated):
                known = isfinite(event.rate)
                bar.update(
                    line,
                    completed=event.done,
                    rate=f"{event.rate:.1f}/s" if known else "",
                    left=f"{clock(event.left)} left" if known else "",
                    best=_best(event.best),
                )

        yield listen


def clock(seconds: float) -> str:
    """A time as h:mm:ss or m:ss."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, last = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{last:02d}" if hours else f"{minutes}:{last:02d}"


def _plain(event: Evaluated) -> str:
    """ "searched 120 of 400, 2.1/s, 2:13 left, best 0.31 (candidate 17)"."""
    pace = [f"{event.rate:.1f}/s", f"{clock(event.left)} left"] if isfinite(event.rate) else []
    return ", ".join([f"searched {event.done} of {event.budget}", *pace, *filter(None, [_best(event.best)])])


def _best(record: Any) -> str:
    return "" if record is None else f"best {record.fitness:.5g} (candidate {record.index})"
