"""Modules by the names that programs of a NAO import: naoqi, almath, motion, vision_definitions.

This folder is put on the import path by `andante naoqi run`, or by you: `sys.path.insert(0, shims.FOLDER)`.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = str(Path(__file__).parent)
