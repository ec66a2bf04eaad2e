"""How far a run is: trials, time left, failures; a moving line on a terminal, a plain one now and then elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite

from andante.progress import PlainLines, on_terminal
from andante.search import Evaluated, Event, Notice, Started
from andante.search.progress import clock


@contextmanager
def trial_line(name: str, wanted: bool) -> Iterator[Callable[[Event], None]]:
    """A listener of events that keeps the line; without a terminal it writes one now and then; silent unless wanted."""
    failed = 0
    if not (wanted and on_terminal()):
        lines = PlainLines()

        def note(event: Event) -> None:
            nonlocal failed
            if wanted and isinstance(event, Evaluated):
                failed += event.record.failed
                lines.tell(lambda: plain(name, event, failed))

        yield note
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"))
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


def plain(name: str, event: Evaluated, failed: int) -> str:
    """ "walk: 12 of 40 trials, 2.0 a second, 0:14 left"."""
    return ", ".join(filter(None, [f"{name}: {event.done} of {event.budget} trials", words(event, failed)]))


def words(event: Evaluated, failed: int) -> str:
    """Rate, time left and failures of this session."""
    parts = []
    if isfinite(event.rate):
        speed = f"{event.rate:.1f} a second" if event.rate >= 1 else f"{60 * event.rate:.1f} a minute"
        parts = [speed, f"{clock(event.left)} left"]
    return ", ".join([*parts, *([f"{failed} failed"] if failed else [])])
