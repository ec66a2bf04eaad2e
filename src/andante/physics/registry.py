"""The engines by name; an engine's package is imported only when it is asked for."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from andante.errors import BadInput, MissingExtra, UnknownName
from andante.extras import how_to_get
from andante.userfile import is_user_reference, load_user_object

if TYPE_CHECKING:
    from .engine import Engine


@dataclass(frozen=True)
class EngineEntry:
    """Where an engine lives and what it needs."""

    name: str
    cls: str  # in andante.physics.NAME.engine
    package: str  # import name of what it wraps
    distribution: str  # what pip calls it
    extra: str  # pip extra that brings it, empty: always there
    summary: str


ENGINES: dict[str, EngineEntry] = {
    entry.name: entry
    for entry in (
        EngineEntry("mujoco", "MujocoEngine", "mujoco", "mujoco-core", "", "default; soft contacts, fastest"),
        EngineEntry("bullet", "BulletEngine", "pybullet", "pybullet", "bullet", "reduced coordinates, hard contacts"),
        EngineEntry("dart", "DartEngine", "dartpy", "dartpy", "dart", "reduced coordinates, contacts by LCP"),
        EngineEntry("ode", "OdeEngine", "panda3d.ode", "panda3d", "ode", "maximal coordinates, QuickStep"),
    )
}


def installed(entry: EngineEntry) -> bool:
    """Whether the package of an engine can be found."""
    try:
        return importlib.util.find_spec(entry.package) is not None
    except (ImportError, ValueError):
        return False


def version(entry: EngineEntry) -> str | None:
    """Installed version of an engine's package, None when it is missing."""
    try:
        return metadata.version(entry.distribution)
    except metadata.PackageNotFoundError:
        return None


def engine_class(name: str) -> type[Engine]:
    """The engine of that name or of a user's `file.py:Name`; says which extra brings a missing package."""
    if is_user_reference(name):
        from .engine import Engine

        made = load_user_object(name)
        if not (isinstance(made, type) and issubclass(made, Engine)):
            raise BadInput(f"{name!r} should be a subclass of andante.physics.Engine, got {made!r}")
        return made
    entry = ENGINES.get(name)
    if entry is None:
        raise UnknownName.among("engine", name, ENGINES)
    if not installed(entry):
        raise MissingExtra(
            f"engine {name!r} needs the package {entry.distribution}, which is not installed; "
            f"{how_to_get(entry.extra or 'all')}"
        )
    return getattr(importlib.import_module(f"andante.physics.{name}.engine"), entry.cls)
