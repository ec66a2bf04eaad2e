"""The studio: a page in the browser that shows, drives and measures a live session."""

from __future__ import annotations

from .scenes import Scenes, SceneFile

__all__ = ["SceneFile", "Scenes"]
