"""pybullet, imported quietly (its import writes a build line to the process's output), and its physics servers."""

from __future__ import annotations

import importlib
import os
import sys
from functools import partial
from types import ModuleType
from typing import Any

from andante.errors import AndanteError


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


class Client:
    """A physics server of Bullet in this process: the functions of pybullet, bound to it."""

    def __init__(self) -> None:
        self.number = int(pybullet.connect(pybullet.DIRECT))
        if self.number < 0:
            raise AndanteError("bullet: no more physics clients are possible; close engines that are not needed")

    def __getattr__(self, name: str) -> Any:
        bound = partial(getattr(pybullet, name), physicsClientId=self.number)
        setattr(self, name, bound)  # found without this function from now on
        return bound

    @property
    def open(self) -> bool:
        """Whether it was not ended."""
        return self.number >= 0

    def close(self) -> None:
        """End the server; a second time does nothing."""
        number, self.number = self.number, -1
        if number >= 0 and pybullet.isConnected(number):
            pybullet.disconnect(number)
