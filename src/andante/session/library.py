"""Robots and worlds by name, read once per session."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from andante.description import Robot, World, load_robot, load_world


class Library:
    """Keeps what it has read; files that have changed are read anew."""

    def __init__(self) -> None:
        self._robots: dict[tuple[object, ...], Robot] = {}
        self._worlds: dict[tuple[object, ...], World] = {}

    def robot(self, name: Robot | str | Path, arguments: Mapping[str, str] | None = None) -> Robot:
        """A robot by name, file, or itself."""
        if isinstance(name, Robot):
            return name
        key = (str(name), tuple(sorted((arguments or {}).items())), _stamp(name))
        if key not in self._robots:
            self._robots[key] = load_robot(name, dict(arguments or {}))
        return self._robots[key]

    def world(self, name: World | str | Path) -> World:
        """A world by name, file, or itself."""
        if isinstance(name, World):
            return name
        key = (str(name), _stamp(name))
        if key not in self._worlds:
            self._worlds[key] = load_world(name)
        return self._worlds[key]


def _stamp(name: str | Path) -> float:
    path = Path(name)
    return path.stat().st_mtime if path.is_file() else 0.0
