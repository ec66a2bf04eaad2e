"""The studio: a page in the browser that shows, drives and measures a live session; `an.studio("nao")` opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from andante.lazy import callable_package, lazy_names

if TYPE_CHECKING:
    from .editing.node import SceneEditNode
    from .motions.node import MotionEditNode
    from .notebook import Shown, show
    from .open import Studio, open_studio
    from .scenes import SceneFile, Scenes

__all__ = ["MotionEditNode", "SceneEditNode", "SceneFile", "Scenes", "Shown", "Studio", "open_studio", "show"]

# Lazy: the server process is to start before the heavy rooms are read.
__getattr__ = lazy_names(__name__)
callable_package(__name__, "andante.studio.open:studio")
