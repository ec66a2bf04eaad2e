"""The studio: a page in the browser that shows, drives and measures a live session."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .open import Studio, open_studio
    from .scenes import SceneFile, Scenes
    from .show import Shown, show

_LAZY = {
    "SceneFile": "scenes",
    "Scenes": "scenes",
    "Shown": "show",
    "Studio": "open",
    "open_studio": "open",
    "show": "show",
}  # imported when first used: the server process is to start before the heavy rooms are read

__all__ = ["SceneFile", "Scenes", "Shown", "Studio", "open_studio", "show"]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value
