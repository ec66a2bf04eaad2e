"""What a live session is busy with while its loop stands still: named stages, told as they begin.

A loop that builds a scene or compiles a kernel cannot answer; who watches it is told before it begins:

    with session.progress.stage("building the scene on bullet"):
        ...
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

COMPILING = "compiling for this machine, once after an installation"


class Progress:
    """The present stage. `told` gets its words and when it began [s of the epoch]; empty words: it is over."""

    def __init__(self, told: Callable[[str, float], None] | None = None) -> None:
        self._listeners: list[Callable[[str, float], None]] = [told] if told is not None else []
        self._stack: list[tuple[str, float]] = []

    @property
    def words(self) -> str:
        """The innermost stage; empty: none."""
        return self._stack[-1][0] if self._stack else ""

    def on(self, told: Callable[[str, float], None]) -> None:
        """Tell somebody else too, from the present stage on."""
        self._listeners.append(told)
        told(*(self._stack[-1] if self._stack else ("", time.time())))

    @contextlib.contextmanager
    def stage(self, words: str) -> Iterator[None]:
        """A part of the work that may take long."""
        self._stack.append((words, time.time()))
        self._tell()
        try:
            yield
        finally:
            self._stack.pop()
            self._tell()

    def _tell(self) -> None:
        words, since = self._stack[-1] if self._stack else ("", time.time())
        for told in self._listeners:
            told(words, since)


class CompileWatch:
    """Makes a stage of whatever numba compiles in this process; loading from its cache is none."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._open: list[contextlib.AbstractContextManager[None]] = []

    def on_start(self, event: Any) -> None:
        """A kernel begins to be compiled; those inside it belong to it."""
        if not self._open:
            name = getattr(event.data.get("dispatcher"), "__name__", "")
            entered = self._progress.stage(f"{COMPILING}: {name.strip('_').replace('_', ' ')}".rstrip(": "))
            entered.__enter__()
            self._open.append(entered)
        else:
            self._open.append(contextlib.nullcontext())

    def on_end(self, _event: Any) -> None:
        """It is compiled."""
        if self._open:
            self._open.pop().__exit__(None, None, None)


def watch_compiling(progress: Progress) -> Callable[[], None]:
    """Tell what is compiled from now on; the result ends it."""
    from numba.core import event

    watch = CompileWatch(progress)

    class _Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            watch.on_start(event)

        def on_end(self, event: Any) -> None:
            watch.on_end(event)

    listener = _Listener()
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    return lambda: event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
