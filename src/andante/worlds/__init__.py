"""Worlds that ship with Andante: one SDF file each, and the models that they include."""

from pathlib import Path

_HERE = Path(__file__).parent

ARENA = _HERE / "arena.sdf"
CORRIDOR = _HERE / "corridor.sdf"
EMPTY = _HERE / "empty.sdf"
LAB = _HERE / "lab.sdf"
ROUGH = _HERE / "rough.sdf"
SLOPE = _HERE / "slope.sdf"
