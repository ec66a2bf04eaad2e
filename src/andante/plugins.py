"""What installed packages register by entry points (robots, worlds, engines, ...), ours and strangers' alike."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from andante.errors import BadInput

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """The entries of an entry point group by name; looking at the names imports nothing, asking for one loads it.

    Args:
        group: of the entry points, e.g. "andante.robots".
        kind: what an entry has to be.
        first: a name that comes before the others, which are sorted.
    """

    def __init__(self, group: str, kind: type[T], first: str = "") -> None:
        self.group, self._kind, self._first = group, kind, first
        self._loaded: dict[str, T] = {}

    @cached_property
    def _points(self) -> dict[str, list[EntryPoint]]:
        from andante.extras import renewal

        found: dict[str, list[EntryPoint]] = {}
        for point in _all_points().select(group=self.group):
            found.setdefault(point.name, []).append(point)
        if not found:
            raise BadInput(f"no package registers {self.group}: this environment is older than the code; {renewal()}")
        return {name: found[name] for name in sorted(found, key=lambda name: (name != self._first, name))}

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def __contains__(self, name: object) -> bool:
        return name in self._points

    def __getitem__(self, name: str) -> T:
        """The entry of that name; BadInput names the package whose entry cannot be used."""
        if name not in self._loaded:
            self._loaded[name] = self._load(*self._points[name])
        return self._loaded[name]

    def usable(self) -> Iterator[tuple[str, T]]:
        """Names and entries of all that can be loaded; a warning names the package of each that cannot."""
        for name in self:
            try:
                entry = self[name]
            except BadInput as error:
                warnings.warn(str(error), RuntimeWarning, stacklevel=2)
            else:
                yield name, entry

    def _load(self, point: EntryPoint, *others: EntryPoint) -> T:
        if others:
            owners = ", ".join(_owner(each) for each in (point, *others))
            raise BadInput(f"{self.group}: {point.name!r} is registered by several packages ({owners}); keep one")
        where = f"{self.group}: {point.name!r} of the package {_owner(point)}"
        try:
            entry = point.load()
        except Exception as error:
            raise BadInput(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
        if not isinstance(entry, self._kind):
            raise BadInput(f"{where} must be a {self._kind.__name__}, got {type(entry).__name__}")
        return entry


@cache
def _all_points() -> Any:
    """Those of all packages and groups, to `select` from: reading them takes as long for one group as for all."""
    from importlib import metadata  # takes 50 ms

    return metadata.entry_points()


def load_reference(reference: str) -> Any:
    """The object that `module:attribute` names; BadInput where there is none."""
    module, _, attribute = reference.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"{reference} cannot be loaded: {error}") from error


def _owner(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.value
