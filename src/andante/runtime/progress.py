"""Progress on stderr for long jobs that go item by item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from andante.progress import bar

T = TypeVar("T")


def tracked(items: Sequence[T], label: str, wanted: bool) -> Iterator[T]:
    """The items one by one, with a bar on a terminal and a line now and then elsewhere; silent unless wanted."""
    with bar(label, wanted) as tell:
        for done, item in enumerate(items):
            tell(done, len(items), "")
            yield item
