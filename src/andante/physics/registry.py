"""The engines by name; an engine's package is imported only when it is asked for."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass

from andante.errors import MissingExtra, UnknownName

from .engine import Engine


@dataclass(frozen=True)
class EngineEntry:
    """Where an engine lives and what it needs."""

    name: str
    module: str
    cls: str
    package: str  # import name of what it wraps
    extra: str  # pip extra that brings it, empty: always there
    summary: str


ENGINES: dict[str, EngineEntry] = {
    entry.name: entry
    for entry in (
        EngineEntry(
            "mujoco",
            "andante.physics.mujoco_engine",
            "MujocoEngine",
            "mujoco",
            "",
            "default; soft contacts, fastest",
        ),
        EngineEntry(
            "bullet",
            "andante.physics.bullet_engine",
            "BulletEngine",
            "pybullet",
            "bullet",
            "Featherstone multibodies",
        ),
        EngineEntry(
            "dart",
            "andante.physics.dart_engine",
            "DartEngine",
            "dartpy",
            "dart",
            "Featherstone, LCP contacts",
        ),
        EngineEntry(
            "ode",
            "andante.physics.ode_engine",
            "OdeEngine",
            "panda3d.ode",
            "ode",
            "maximal coordinates, QuickStep",
        ),
    )
}


def installed(entry: EngineEntry) -> bool:
    """Whether the package of an engine can be found."""
    try:
        return importlib.util.find_spec(entry.package) is not None
    except (ImportError, ValueError):
        return False


def engine_class(name: str) -> type[Engine]:
    """The engine of that name; says which extra to install when its package is missing."""
    entry = ENGINES.get(name)
    if entry is None:
        raise UnknownName.among("engine", name, ENGINES)
    try:
        return getattr(importlib.import_module(entry.module), entry.cls)
    except ImportError as error:
        raise MissingExtra(
            f"engine {name!r} needs the package {entry.package.split('.')[0]}, which is not installed; "
            f"pip install 'andante[{entry.extra or 'all'}]'"
        ) from error
