"""Robots that ship with Andante, each a package that registers itself by an entry point, as strangers' packages do.

`an.robots()` lists all that are registered; the packages that ship are attributes (`an.robots.nao`).
"""

import importlib
from types import ModuleType

from andante.lazy import callable_package

callable_package(__name__, "andante.tasks.catalog:robots")


def __getattr__(name: str) -> ModuleType:
    if name not in ("nao", "rover", "shell", "waffle"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f".{name}", __name__)
