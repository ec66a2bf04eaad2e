"""Progress on stderr for long jobs; silent when nobody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def tracked(items: Sequence[T], label: str, wanted: bool) -> Iterator[T]:
    """The items one by one, with a bar that vanishes at the end when stderr is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, label, console=Console(stderr=True), transient=True)
