"""A robot in a simulated world: robot, world, engine, sensors and observers advanced together on simulated time."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

from .simulation import Joints, Observer, Simulation, simulate
from .truth import FallRule

if TYPE_CHECKING:
    from .recording import record
    from .scans import scans_since
    from .walk_watch import WalkWatch

__all__ = ["FallRule", "Joints", "Observer", "Simulation", "WalkWatch", "record", "scans_since", "simulate"]

__getattr__ = lazy_names(__name__)
