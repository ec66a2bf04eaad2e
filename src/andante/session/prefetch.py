"""What a live session may be asked for later is made ready while it runs, so that the first request finds it there.

Maps, navigation, cameras and clips are imported when they are first wanted, and packers of messages are made with the
first one of their type: that would hold the loop for a third of a second. A thread does it once a paced session has run
for a while; the interpreter changes between the two every few milliseconds. Not from its start on: then a page comes
up, and who waits for it would wait for all this too.
"""

from __future__ import annotations

import gc
import threading
import time
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


SETTLED = 2.0  # in which a page comes up, and nobody has asked for anything yet [s]


def prefetch(types: Iterable[str] = (), after: float = 0.0) -> threading.Thread:
    """Import the modules and make the packers of some types of messages, in a thread that ends with the process.

    Args:
        types: of messages.
        after: what it waits before [s].
    """
    thread = threading.Thread(target=_make_ready, args=({*types}, after), name="prefetch", daemon=True)
    thread.start()
    return thread


def _make_ready(types: set[str], after: float) -> None:
    time.sleep(after)
    for name in (*MODULES, ZSTD):
        with suppress(ImportError):  # of an extra: told when it is asked for
            import_module(name)
    for name in sorted(types):
        with suppress(KeyError):  # of a user's own, as they are known to the bus alone
            messages.store().get_msgdef(name)
    gc.freeze()
