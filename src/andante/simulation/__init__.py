"""A robot in a simulated world: robot, world, engine, sensors and observers advanced together on simulated time."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .simulation import Joints, Observer, Simulation, simulate
from .truth import FallRule

if TYPE_CHECKING:
    from .recording import record

__all__ = ["FallRule", "Joints", "Observer", "Simulation", "record", "simulate"]

__getattr__ = lazy_names(__name__, {"record": ".recording"})
