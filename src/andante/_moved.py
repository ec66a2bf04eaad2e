"""Old names of modules, kept for one version: an import of one gives the new module with a warning.

`moved.tsv` beside this file has a line per module: the old name, a tab, the new one. It is read only when an import has
found nothing else.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import resources
from types import ModuleType


@cache
def moved() -> dict[str, str]:
    """Old module names to new ones."""
    text = resources.files(__package__).joinpath("moved.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {row[0]: row[1] for row in rows}


class _Loader(importlib.abc.Loader):
    def __init__(self, new: str) -> None:
        self._new = new

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The module under its new name."""
        module = importlib.import_module(self._new)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has been executed under its new name, and keeps that."""
        module.__spec__ = self._spec


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the new module of an old name. The `first` one looks only at what is asked for below an old package."""

    def __init__(self, first: bool) -> None:
        self._first = first

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The new module of an old name."""
        if not name.startswith("andante."):
            return None
        parent, _, leaf = name.rpartition(".")
        package = sys.modules.get(parent)
        below = package is not None and package.__name__ != parent
        if self._first and not below:
            return None
        new = moved().get(name) or (f"{package.__name__}.{leaf}" if below and package is not None else None)
        if new is None:
            return None
        warnings.warn(f"{name} is {new} now; the old name goes in the next version", DeprecationWarning, stacklevel=2)
        return importlib.machinery.ModuleSpec(name, _Loader(new))


def install() -> None:
    """Let old names be found: those below old packages before, the others after everything else."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(first=True))
        sys.meta_path.append(_Finder(first=False))
