"""Where a robot is in a map of three dimensions: x, y, z, roll, pitch and yaw by clouds of points."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .field import SpaceField
    from .localizer import SpaceEstimate, SpaceLocalizer
    from .settings import SpaceSettings

__all__ = ["SpaceEstimate", "SpaceField", "SpaceLocalizer", "SpaceSettings"]

__getattr__ = lazy_names(__name__)
