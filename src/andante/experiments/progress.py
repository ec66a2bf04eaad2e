"""A line on the terminal that tells how far a run is: trials, time left, failures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite

from andante.search import Evaluated, Event, Notice, Started
from andante.search.progress import clock


@contextmanager
def trial_line(name: str, wanted: bool) -> Iterator[Callable[[Event], None]]:
    """A listener of events that keeps the line; it does nothing unless it is wanted and stderr is a terminal."""
    if not (wanted and sys.stderr is not None and sys.stderr.isatty()):
        yield lambda event: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"))
    failed = 0
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=5) as bar:
        line = bar.add_task("", total=1, told="")

        def listen(event: Event) -> None:
            nonlocal failed
            if isinstance(event, Started):
                bar.update(line, total=event.budget, completed=event.known)
            elif isinstance(event, Notice):
                bar.console.print(f"andante: {event.text}", markup=False, highlight=False)
            elif isinstance(event, Evaluated):
                failed += event.record.failed
                bar.update(line, completed=event.done, told=words(event, failed))

        yield listen


def words(event: Evaluated, failed: int) -> str:
    """Rate, time left and failures of this session."""
    parts = []
    if isfinite(event.rate):
        speed = f"{event.rate:.1f} a second" if event.rate >= 1 else f"{60 * event.rate:.1f} a minute"
        parts = [speed, f"{clock(event.left)} left"]
    return ", ".join([*parts, *([f"{failed} failed"] if failed else [])])
