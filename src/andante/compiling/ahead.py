"""Compilation before a loop that must not wait: live sessions and real robots.

Where the store of the installation serves, nothing is left to compile. Elsewhere (another processor, Python or numba, a
pure wheel) a helper process runs a short piece of every capability once, at a stage that is told, and a mark in the
cache says that it was done for these sources and versions.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from andante.child import Child
from andante.stages import stage

from . import place, store

LAZILY = "ANDANTE_COMPILE_LAZILY"  # set: kernels are compiled where they are first used
WORDS = "compiling for this machine, once"


def compile_ahead(words: Sequence[str] = ("andante", "doctor", "--warm")) -> bool:
    """Have all kernels compiled where that was not done yet; whether a helper process was run for it.

    A helper that fails is no error: what it has not compiled is compiled on first use.

    Args:
        words: module and arguments of the helper, which prints a line per part.
    """
    if os.environ.get(LAZILY) or store.building():
        return False
    from .cache import serves

    if serves():
        return False
    mark = mark_of_this()
    if mark.exists():
        return False
    helper, line = Child(*words, heard=True, environment={LAZILY: "1"}), b"starting"
    ended = False
    try:
        while line:
            with stage(f"{WORDS}: {line.decode(errors='replace').strip()}"):
                line = helper.said.get()
        ended = True
    finally:
        code = helper.end(ask=not ended)
    if code == 0:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return True


def mark_of_this() -> Path:
    """The file that says that kernels of these sources were compiled for these versions and this processor."""
    from .cache import processor

    name, features = processor()
    told = f"{name} {store.versions()} {store.sources()} {' '.join(sorted(features))}"
    return place.folder() / f"andante-{hashlib.sha256(told.encode()).hexdigest()[:20]}"
