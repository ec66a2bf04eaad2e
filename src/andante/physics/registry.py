"""The engines by name; an engine's package is imported only when it is asked for."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from andante.errors import BadInput, MissingExtra, UnknownName
from andante.extras import how_to_get
from andante.plugins import Registry, load_reference
from andante.userfile import is_user_reference, load_user_object

if TYPE_CHECKING:
    from .engine import Engine

LOOPS = ("revolute", "continuous", "ball", "fixed")  # joints that close loops on every engine of ours


@dataclass(frozen=True)
class EngineEntry:
    """Where an engine lives and what it needs; packages register theirs in the entry point group `andante.engines`.

    Args:
        name: as `engine=` and `--engine` take it, the same as that of the entry point.
        cls: the subclass of `Engine` as `module:Class`, imported when it is asked for.
        package: import name of what it wraps.
        distribution: what pip calls that.
        extra: pip extra of andante that brings it; empty where it is always there.
        summary: a few words for `andante engines`.
        solver: settings of the solver that it has, as `Engine.solver` names them; None: its class is asked.
        methods: what `solver.method` may be.
        surface: contact parameters of a `Surface` that it has beside mu.
        loops: types of joints by which it closes loops.
    """

    name: str
    cls: str
    package: str
    distribution: str
    extra: str = ""
    summary: str = ""
    solver: tuple[str, ...] | None = None
    methods: tuple[str, ...] = ()
    surface: tuple[str, ...] = ()
    loops: tuple[str, ...] = LOOPS


ENGINES: Registry[EngineEntry] = Registry("andante.engines", EngineEntry, first="mujoco")


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
    """The class of a registered engine or of a user's `file.py:Name`.

    MissingExtra names the extra that brings what the engine wraps where that is not installed.
    """
    if is_user_reference(name):
        from .engine import Engine

        made = load_user_object(name)
        if not (isinstance(made, type) and issubclass(made, Engine)):
            raise BadInput(f"{name!r} should be a subclass of andante.physics.Engine, got {made!r}")
        return made
    UnknownName.check("engine", name, ENGINES)
    entry = ENGINES[name]
    if not installed(entry):
        raise MissingExtra(
            f"engine {name!r} needs the package {entry.distribution}, which is not installed; "
            f"{how_to_get(entry.extra or 'all')}"
        )
    found: type[Engine] = load_reference(entry.cls)
    return found
