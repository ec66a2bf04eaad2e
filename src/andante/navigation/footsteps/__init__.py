"""Plans of footsteps over ground that is known by its heights: A*, ARA* and AD* on a lattice of foot poses."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .planner import Footstep, FootstepPlan, FootstepPlanner, FootstepSettings
    from .steps import StepSet
    from .terrain import Terrain, ground_of_world

__all__ = [
    "Footstep", "FootstepPlan", "FootstepPlanner", "FootstepSettings", "StepSet", "Terrain", "ground_of_world",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
