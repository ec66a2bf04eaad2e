"""A line on the terminal that tells how far a study is: candidates, rate, time left, best so far."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any

from .event import Evaluated, Event, Notice, Started


@contextmanager
def progress_line(wanted: bool) -> Iterator[Any]:
    """A listener of events that keeps the line; it does nothing unless it is wanted and stderr is a terminal."""
    if not (wanted and sys.stderr is not None and sys.stderr.isatty()):
        yield lambda event: None
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


def _best(record: Any) -> str:
    return "" if record is None else f"best {record.fitness:.5g} (candidate {record.index})"
