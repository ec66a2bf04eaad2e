"""Xacro files, expanded without running anything in them."""

from __future__ import annotations

from pathlib import Path

MARKS = tuple("xmlns:xacro".encode(name) for name in ("utf-8", "utf-16-le", "utf-16-be"))


def is_xacro(path: Path, data: bytes) -> bool:
    """Whether a file is to be expanded: by its suffix, or because it declares the xacro namespace."""
    return path.suffix.lower() == ".xacro" or any(mark in data for mark in MARKS)
