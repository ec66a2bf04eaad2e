"""Tells who waits at a terminal, once, that kernels are compiled for this machine for the first time."""

from __future__ import annotations

import sys
import threading
from typing import Any

PATIENCE = 3.0  # before anything is told [s]
LATER = 0.5  # until it is looked again whether there is a compiler [s]
NOTICE = "compiling for this machine; later runs start at once (ahead of time: andante doctor --warm)"


def log_when_compiling(patience: float = PATIENCE) -> None:
    """Watch for compilation from a thread of its own and write the notice to a terminal; nothing is imported for it.

    Files and pipes get no notice: programs that read stderr compare it.
    """
    if not sys.stderr.isatty():
        return
    timer = threading.Timer(patience, _look)
    timer.daemon = True
    timer.start()


def _look() -> None:
    event = sys.modules.get("numba.core.event")
    if event is None or not hasattr(event, "trigger_event"):  # not imported, or not to its end
        log_when_compiling(LATER)
        return

    class Notice(event.Listener):  # type: ignore[misc,name-defined]
        """Writes at the first kernel whose compilation begins."""

        def on_start(self, event: Any) -> None:
            if not told.is_set():
                told.set()
                print(f"andante: {NOTICE}", file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            pass

    told = threading.Event()
    event.register("numba:compile", Notice())
