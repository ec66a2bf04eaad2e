"""Waypoint files of an exploring robot: one place per line, `x y` or `x y yaw`, in the world's frame."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from andante.description.io.xmltree import read_bytes
from andante.errors import BadInput, MissingFile
from andante.geometry import Array

MAX_BYTES = 1024 * 1024
FARTHEST = 10_000.0  # [m]


def read_waypoints(path: Path) -> Array:
    """Places (n, 3) x, y [m] and yaw [rad] of a file; NaN where a line names no yaw.

    Words are parted by blanks, commas or semicolons; what follows # is a comment; empty lines are passed over.
    """
    if not path.is_file():
        raise MissingFile(f"{path}: no such file of waypoints")
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not a text file; waypoints are lines 'x y' or 'x y yaw'") from None
    places = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].replace(",", " ").replace(";", " ").split()
        if words:
            places.append(_place(words, f"{path}:{number}"))
    if not places:
        raise BadInput(f"{path}: holds no waypoints; write lines 'x y' or 'x y yaw' in meters and radians")
    return np.array(places)


def _place(words: list[str], where: str) -> list[float]:
    if len(words) not in (2, 3):
        raise BadInput(f"{where}: a waypoint is 'x y' or 'x y yaw', got {' '.join(words)[:60]!r}")
    try:
        values = [float(word) for word in words]
    except ValueError:
        raise BadInput(f"{where}: a waypoint is 'x y' or 'x y yaw' in numbers, got {' '.join(words)[:60]!r}") from None
    if not all(math.isfinite(value) and abs(value) <= FARTHEST for value in values):
        raise BadInput(f"{where}: a waypoint needs finite numbers up to {FARTHEST:g} m, got {' '.join(words)[:60]!r}")
    return [*values, math.nan] if len(values) == 2 else values
