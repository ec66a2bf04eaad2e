"""Finding the way on two legs: sight, place in a map of three dimensions, footsteps to a goal."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .gaze import Gaze
    from .navigator import FootNavigator, FootSettings, FootState
    from .obstacles import LiveObstacles
    from .sight import Look, Sight, root_odometry

__all__ = ["FootNavigator", "FootSettings", "FootState", "Gaze", "LiveObstacles", "Look", "Sight", "root_odometry"]

__getattr__ = lazy_names(__name__)
