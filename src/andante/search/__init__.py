"""Search over parameters: spaces, objectives, samplers, studies that survive any end, executors."""

from .objective import Objective, ObjectiveSpec
from .space import Choice, Grid, Real, Space

__all__ = ["Choice", "Grid", "Objective", "ObjectiveSpec", "Real", "Space"]
