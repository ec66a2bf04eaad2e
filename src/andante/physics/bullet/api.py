"""pybullet, imported without a word: its import writes a build line to the process's output."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType


def _quiet_import(name: str) -> ModuleType:
    """Import a module while the file descriptors 1 and 2 lead nowhere."""
    if name in sys.modules:
        return sys.modules[name]
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    saved: dict[int, int] = {}
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        for target in (1, 2):
            try:
                saved[target] = os.dup(target)
            except OSError:  # a process without that descriptor has nothing to silence
                continue
            os.dup2(sink, target)
        return importlib.import_module(name)
    finally:
        for target, copy in saved.items():
            os.dup2(copy, target)
            os.close(copy)
        os.close(sink)


pybullet = _quiet_import("pybullet")
