"""Rotations, rigid motions and planar poses with batch axes; numpy only."""

from . import se2, so3
from ._types import Array
from .se3 import SE3

__all__ = ["SE3", "Array", "se2", "so3"]
