"""Events of a running study, and a progress line made of them: candidates, rate, time left, best so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

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
def progress_line(
    wanted: bool,
    head: str = "",
    told: Callable[[Started | Evaluated], str] | None = None,
    plain: Callable[[Evaluated], str] | None = None,
) -> Iterator[Callable[[Event], None]]:
    """A listener of events that keeps the line; without a terminal it writes one now and then; silent unless wanted.

    head: before the bar. told: what stands after it; plain: a line without a terminal; by default those of a search.
    """
    if not (wanted and on_terminal()):
        lines = PlainLines()

        def note(event: Event) -> None:
            if wanted and isinstance(event, Evaluated):
                lines.report(lambda: (plain or _plain)(event))

        yield note
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (*([TextColumn(head)] if head else []), BarColumn(), MofNCompleteColumn())
    after = TextColumn("{task.fields[told]}")
    with Progress(*columns, after, console=Console(stderr=True), transient=True, refresh_per_second=5) as bar:
        line = bar.add_task("", total=1, told="")

        def listen(event: Event) -> None:
            if isinstance(event, Notice):
                bar.console.print(f"andante: {event.text}", markup=False, highlight=False)
            elif isinstance(event, Started | Evaluated):
                done = event.known if isinstance(event, Started) else event.done
                bar.update(line, total=event.budget, completed=done, told=(told or _told)(event))

        yield listen


def clock(seconds: float) -> str:
    """A time as h:mm:ss or m:ss."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, last = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{last:02d}" if hours else f"{minutes}:{last:02d}"


def _plain(event: Evaluated) -> str:
    """ "searched 120 of 400, 2.1/s, 2:13 left, best 0.31 (candidate 17)"."""
    return ", ".join([f"searched {event.done} of {event.budget}", *_parts(event)])


def _told(event: Started | Evaluated) -> str:
    """ "2.1/s 2:13 left best 0.31 (candidate 17)"."""
    return " ".join(_parts(event))


def _parts(event: Started | Evaluated) -> list[str]:
    best, pace = event.best, list[str]()
    if isinstance(event, Evaluated) and isfinite(event.rate):
        pace = [f"{event.rate:.1f}/s", f"{clock(event.left)} left"]
    return pace if best is None else [*pace, f"best {best.fitness:.5g} (candidate {best.index})"]
