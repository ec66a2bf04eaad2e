"""The studio: a page in the browser that shows, drives and measures a live session."""

from __future__ import annotations

from .open import Studio, open_studio
from .scenes import SceneFile, Scenes
from .show import Shown, show

__all__ = ["SceneFile", "Scenes", "Shown", "Studio", "open_studio", "show"]
