"""What a live session may be asked for later is imported while it runs, so that the first request finds it there.

Maps, navigation, cameras and clips are imported when they are first wanted, and that would hold the loop for a third of
a second. A thread does it from the start of a paced session on; the interpreter changes between the two every few
milliseconds.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from importlib import import_module

MODULES = (
    "andante.session.navigating", "andante.session.yielding", "andante.session.live_mapping",
    "andante.mobile.explore_goals", "andante.mapping.worlds", "andante.physics.rendering.renderer",
    "andante.session.clip", "andante.search", "PIL.JpegImagePlugin",
)  # fmt: skip


def prefetch() -> threading.Thread:
    """Import them from a thread that ends with the process."""
    thread = threading.Thread(target=_import_all, name="prefetch", daemon=True)
    thread.start()
    return thread


def _import_all() -> None:
    for name in MODULES:
        with suppress(ImportError):  # of an extra: told when it is asked for
            import_module(name)
