"""The reference of the Python API: a page per room with every public name, that is, every name in its `__all__`."""

from __future__ import annotations

import importlib
import inspect
import types
import typing

from andante import __all__ as FRONT

ROOMS = (
    "geometry",
    "bags",
    "description",
    "physics",
    "sensors",
    "vision",
    "kinematics",
    "motion",
    "locomotion",
    "mapping",
    "localization",
    "navigation",
    "bus",
    "bridges",
    "control",
    "simulation",
    "hardware",
    "mobile",
    "search",
    "viz",
    "tasks",
    "experiments",
    "session",
    "studio",
)


def public_names(module: str) -> list[str]:
    """What a module exports, classes first, then functions, modules and values."""
    room = importlib.import_module(module)
    names = [name for name in room.__all__ if not name.startswith("__")]
    return sorted(names, key=lambda name: (rank(getattr(room, name)), name.lower()))


def rank(value: object) -> int:
    """0 class, 1 function, 2 module, 3 value."""
    return next((i for i, is_one in enumerate((inspect.isclass, callable, inspect.ismodule)) if is_one(value)), 3)


def api_page(module: str) -> str:
    """The Markdown of a room's page: its names with their first lines, then each in full."""
    room = importlib.import_module(module)
    names = public_names(module)
    parts = [f"# {module}\n", f"{(room.__doc__ or '').strip().splitlines()[0]}\n"]
    parts.append("| name | what it is |\n|---|---|")
    parts += [f"| [`{name}`][{module}.{name}] | {summary(getattr(room, name))} |" for name in names]
    parts += ["", *(f"::: {module}.{name}\n" for name in names)]
    return "\n".join(parts) + "\n"


def summary(value: object) -> str:
    """The first sentence of a name's docstring; a value is shown as what it is."""
    if isinstance(value, types.GenericAlias | types.UnionType) or typing.get_origin(value) is not None:
        return "a name for a type"
    if rank(value) == 3:
        return f"a value of type `{type(value).__name__}`"
    doc = (inspect.getdoc(value) or "").strip().split("\n\n")[0]
    return " ".join(doc.split()).replace("|", "\\|")


def index_page() -> str:
    """The page of the package itself, `import andante as an`, and of all rooms."""
    lines = ["# Python API\n", "Public is what a package exports. Everything else may change without notice.\n"]
    lines.append("| package | what lives there |\n|---|---|")
    for room in ROOMS:
        words = (importlib.import_module(f"andante.{room}").__doc__ or "").strip().splitlines()[0]
        lines.append(f"| [`andante.{room}`]({room}.md) | {words} |")
    names = [name for name in FRONT if not name.startswith("__")]
    lines += ["", "## import andante as an\n", *(f"::: andante.{name}\n" for name in names)]
    return "\n".join(lines) + "\n"
