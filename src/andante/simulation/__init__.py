"""A robot in a simulated world: robot, world, engine, sensors and observers advanced together on simulated time."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .falls import FallRule
from .simulation import Joints, Observer, Simulation, simulate

if TYPE_CHECKING:
    from .recording import record

__all__ = ["FallRule", "Joints", "Observer", "Simulation", "record", "simulate"]

__getattr__ = lazy_names(__name__, {".recording": "record"})
