"""Worlds that ship with Andante: one SDF file each, and the models that they include.

`an.worlds()` lists all that are registered.
"""

from pathlib import Path

from andante.lazy import callable_package

_HERE = Path(__file__).parent

ARENA = _HERE / "arena.sdf"
CORRIDOR = _HERE / "corridor.sdf"
COURSE = _HERE / "course.sdf"
EMPTY = _HERE / "empty.sdf"
LAB = _HERE / "lab.sdf"
PITCH = _HERE / "pitch.sdf"
ROUGH = _HERE / "rough.sdf"
SLOPE = _HERE / "slope.sdf"

callable_package(__name__, "andante.tasks.catalog:worlds")
