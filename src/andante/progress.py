"""How far a long job is, on stderr: a bar on a terminal, a plain line now and then in a pipe or a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

from .stages import QUIET, stage

T = TypeVar("T")

EVERY = 10.0  # time between two plain lines, and before the first [s]

Report = Callable[[float, float, str], None]  # done, total, words in place of the label where not empty


def on_terminal() -> bool:
    """Whether stderr is a terminal, which can show a bar that moves."""
    return sys.stderr is not None and sys.stderr.isatty()


class PlainLines:
    """Lines on stderr, at most one every `every` seconds; jobs that are done sooner say nothing."""

    def __init__(self, every: float = EVERY) -> None:
        self._every, self._last = every, time.monotonic()

    def report(self, words: Callable[[], str]) -> None:
        """Write what `words` gives when a line is due; a stream that nobody reads any more stops no job."""
        now = time.monotonic()
        if now - self._last < self._every or sys.stderr is None:
            return
        self._last = now
        with suppress(OSError, ValueError):  # closed by its reader, or by ourselves
            sys.stderr.write(f"andante: {' '.join(words().split())}\n")
            sys.stderr.flush()


@contextmanager
def bar(label: str, wanted: bool, every: float = EVERY, unit: str = "") -> Iterator[Report]:
    """A function that is told how far a job is: `report(done, total, words)`.

    On a terminal it moves a bar that vanishes at the end, elsewhere it writes "LABEL: 34 %" now and then; it does
    nothing unless it is wanted. unit: what is counted, to tell rate and time left too, "LABEL: 34 %, 310 scans/s,
    12 s left".
    """
    if not wanted:
        yield lambda done, total, words: None
        return
    with stage(QUIET), _shown(label, every, unit) as report:
        yield report


@contextmanager
def _shown(label: str, every: float, unit: str) -> Iterator[Report]:
    if not on_terminal():
        lines, pace = PlainLines(every), Pace(unit)

        def told(done: float, total: float, words: str) -> None:
            rate = pace.words(words or label, done, total)
            lines.report(lambda: percent(words or label, done, total) + rate)

        yield told
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as moving:
        task, pace = moving.add_task(label, total=None), Pace(unit)
        yield lambda done, total, words: moving.update(
            task,
            completed=min(done, total),
            total=total,
            description=(words or label) + pace.words(words or label, done, total),
        )


class Pace:
    """Rate and time left of the parts of a job; a part is what has one label."""

    def __init__(self, unit: str) -> None:
        self._unit, self._label = unit, ""
        self._began = (0.0, 0.0)  # time and count when the part was first told of

    def words(self, label: str, done: float, total: float) -> str:
        """ ", 310 scans/s, 12 s left"; nothing where nothing is counted or can be told yet."""
        if not self._unit:
            return ""
        now = time.monotonic()
        if label != self._label:
            self._label, self._began = label, (now, done)
        spent, made = now - self._began[0], done - self._began[1]
        if spent <= 0 or made <= 0:
            return ""
        left = round((total - done) * spent / made)
        told = f"{left} s" if left < 120 else f"{left // 60} min"
        return f", {made / spent:.3g} {self._unit}/s, {told} left"


def percent(label: str, done: float, total: float) -> str:
    """ "LABEL: 34 %", whole per cents rounded down."""
    return f"{label}: {int(100 * min(done, total) / total)} %" if total > 0 else label


def tracked(items: Sequence[T], label: str, wanted: bool) -> Iterator[T]:
    """The items one by one, with a bar on a terminal and a line now and then elsewhere; silent unless wanted."""
    with bar(label, wanted) as report:
        for done, item in enumerate(items):
            report(done, len(items), "")
            yield item
