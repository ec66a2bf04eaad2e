"""What a long command is doing just now, told while one waits for it.

Whoever does something that may take a second says so, `with stage("reading robot nao"):`; that costs a few
microseconds. A `Teller`, which the command line starts at a terminal, writes the innermost stage to stderr, with the
time since the beginning:

    andante: 1.2 s: building the scene on dart
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PATIENCE = 1.0  # before anything is told, and between two lines [s]
LOOK = 0.2  # between two looks [s]
QUIET = ""  # words of a stage that shows itself, such as a bar

_running: list[str] = []  # outermost first


@contextmanager
def stage(words: str) -> Iterator[None]:
    """Tell what is done meanwhile; `QUIET`: it is shown by other means."""
    _running.append(words)
    try:
        yield
    finally:
        with suppress(ValueError):
            _running.remove(words)


def present() -> str:
    """Words of the innermost stage; `QUIET` where nothing is to be told."""
    return _running[-1] if _running else QUIET


class Teller:
    """Writes to stderr what is done, from a thread of its own: a line when there is something new to tell and the last
    line, or the beginning, is a while ago.

    Args:
        patience: how long nothing is told [s].
        tell: takes a line; None: stderr.
    """

    def __init__(self, patience: float = PATIENCE, tell: Callable[[str], None] | None = None) -> None:
        self._patience, self._began, self._tell = patience, time.monotonic(), tell or _to_stderr
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="stages", daemon=True).start()

    def stop(self) -> None:
        """No more lines."""
        self._ended.set()

    def _watch(self) -> None:
        told, last = QUIET, self._began
        while not self._ended.wait(min(LOOK, self._patience)):
            words, now = present(), time.monotonic()
            if words in (QUIET, told) or now - last < self._patience:
                continue
            told, last = words, now
            self._tell(f"andante: {now - self._began:.1f} s: {words}")


def _to_stderr(line: str) -> None:
    with suppress(OSError, ValueError):  # nobody reads
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
