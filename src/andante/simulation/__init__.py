"""A robot in a simulated world: robot, world, engine, sensors and observers advanced together on simulated time."""

from .falls import FallRule
from .simulation import Joints, Observer, Simulation, simulate

__all__ = ["FallRule", "Joints", "Observer", "Simulation", "simulate"]
