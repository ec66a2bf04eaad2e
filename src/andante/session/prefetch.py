"""What a live session may be asked for later is made ready while it runs, so that the first request finds it there.

Maps, navigation, cameras and clips are imported when they are first wanted, and packers of messages are made with the
first one of their type: that would hold the loop for a third of a second. A thread does it from the start of a paced
session on; the interpreter changes between the two every few milliseconds.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

from andante.bags import messages
from andante.bags.unpacking import ZSTD

MODULES = (
    "andante.session.navigating", "andante.session.yielding", "andante.session.live_mapping",
    "andante.mobile.explore_goals", "andante.mapping.worlds", "andante.physics.rendering.renderer",
    "andante.session.clip", "andante.search", "PIL.JpegImagePlugin",
)  # fmt: skip


def prefetch(types: Iterable[str] = ()) -> threading.Thread:
    """Import the modules and make the packers of some types of messages, in a thread that ends with the process."""
    thread = threading.Thread(target=_make_ready, args=({*types},), name="prefetch", daemon=True)
    thread.start()
    return thread


def _make_ready(types: set[str]) -> None:
    for name in (*MODULES, ZSTD):
        with suppress(ImportError):  # of an extra: told when it is asked for
            import_module(name)
    for name in sorted(types):
        with suppress(KeyError):  # of a user's own, as they are known to the bus alone
            messages.store().get_msgdef(name)
    gc.freeze()
