"""Old names, kept for one version: of modules, of what they hold, of keyword arguments and of attributes; each warns.

`moved.tsv` beside this file has a line per name: the old one, a tab, the new one. Modules are written as
`andante.room.module`, what they hold as `andante.room:Name` or `andante.room:Class.attribute`. Keywords and attributes:
`renamed` beside the code.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import pkgutil
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache, wraps
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:  # importlib.abc takes longer than the rest of `import andante`
    Loader = MetaPathFinder = object

F = TypeVar("F", bound=Callable[..., Any])


def renamed(**names: str) -> Callable[[F], F]:
    """Let a function or a class take keyword arguments by their old names too: `@renamed(place="start")`.

    One that is gone has no new name: `@renamed(mapping="")`.

    Objects of a class are also read by the old names. Without names, a dataclass has those in the `was` of its fields.
    """

    def with_old_keywords(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            for old in names.keys() & keywords.keys() if keywords else ():
                _warn(f"argument {old!r} of {function.__qualname__.removesuffix('.__init__')}", names[old])
                keywords[names[old]] = keywords.pop(old)
                keywords.pop("", None)
            return function(*args, **keywords)

        return call  # type: ignore[return-value]

    def decorate(thing: F) -> F:
        if not isinstance(thing, type):
            return with_old_keywords(thing)
        if not names:
            names.update({each.metadata["was"]: each.name for each in fields(thing) if "was" in each.metadata})
        type.__setattr__(thing, "__init__", with_old_keywords(thing.__init__))  # type: ignore[misc]
        return renamed_attributes(**names)(thing)

    return decorate


def renamed_attributes(**names: str) -> Callable[[F], F]:
    """Let objects of a class be read and written by the old names of their attributes and methods too."""

    def decorate(kind: F) -> F:
        for old, new in names.items():
            type.__setattr__(kind, old, _old_attribute(kind.__name__, old, new))
        return kind

    return decorate


def renamed_in(methods: str, **names: str) -> Callable[[F], F]:
    """Let some methods of a class, named in one string, take keyword arguments by their old names too."""

    def decorate(kind: F) -> F:
        for method in methods.split():
            type.__setattr__(kind, method, renamed(**names)(vars(kind)[method]))
        return kind

    return decorate


def _old_attribute(kind: str, old: str, new: str) -> property:
    def get(self: Any) -> Any:
        _warn(f"{kind}.{old}", new)
        return getattr(self, new)

    def put(self: Any, value: Any) -> None:
        _warn(f"{kind}.{old}", new)
        setattr(self, new, value)

    return property(get, put, doc=f"Old name of `{new}`.")


def _warn(old: str, new: str) -> None:
    became = "" if not new or "._" in new else f" is {new} now"
    warnings.warn(f"{old}{became}; the old name goes in the next version", DeprecationWarning, stacklevel=3)


@cache
def _rows() -> list[tuple[str, str]]:
    text = pkgutil.get_data(__package__, "moved.tsv") or b""
    return [(old, new) for old, _, new in (line.partition("\t") for line in text.decode().splitlines())]


@cache
def moved() -> dict[str, str]:
    """Old module names to new ones."""
    return {old: new for old, new in _rows() if ":" not in old}


@cache
def moved_names() -> dict[str, dict[str, str]]:
    """Modules, as they are called now, to the old names that they hold: {old name: `module:name` of today}."""
    found: dict[str, dict[str, str]] = {}
    for old, new in _rows():
        module, colon, name = old.partition(":")
        if colon:
            found.setdefault(moved().get(module, module), {})[name] = new
    return found


@cache
def _changed() -> set[str]:
    """Modules that hold old names, or had modules below them."""
    return {*moved_names(), *(old.rpartition(".")[0] for old in moved())} - moved().keys()


class _Loader(Loader):
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


class _NamesLoader(Loader):
    """Loads a module as its own loader does, and lets old names of what it holds be found in it, and old modules below
    what was a package."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """A module as the other loader makes it."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute it; an old name is looked up before its own `__getattr__` is asked."""
        if module.__spec__ is not None:
            module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        module.__dict__.setdefault("__path__", [])
        names, own = moved_names().get(module.__name__, {}), module.__dict__.get("__getattr__")

        def get(name: str) -> Any:
            if name in names:
                _warn(f"{module.__name__}.{name}", names[name].replace(":", "."))
                home, _, new = names[name].partition(":")
                return attrgetter(new)(importlib.import_module(home))
            if own is None:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return own(name)

        module.__dict__["__getattr__"] = get


class _Finder(MetaPathFinder):
    """Finds the new module of an old name. The `first` one looks only at what is asked for below an old package, and
    at modules that hold old names."""

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
            return self._with_old_names(name, path)
        new = moved().get(name) or (f"{package.__name__}.{leaf}" if below and package is not None else None)
        if new is None:
            return None
        warnings.warn(f"{name} is {new} now; the old name goes in the next version", DeprecationWarning, stacklevel=2)
        return importlib.machinery.ModuleSpec(name, _Loader(new))

    def _with_old_names(self, name: str, path: Sequence[str] | None) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name in _changed() else None
        if spec is not None and spec.loader is not None:
            spec.loader = _NamesLoader(spec.loader)
        return spec


def install() -> None:
    """Let old names be found: those below old packages before, the others after everything else."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(first=True))
        sys.meta_path.append(_Finder(first=False))
