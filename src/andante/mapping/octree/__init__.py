"""Maps in three dimensions: an octree of occupancy, made from clouds or worlds, and the ground that it shows."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .heights import HeightMap, height_map
    from .octree import OccupancyModel, OcTree
    from .worlds import octree_of_world

__all__ = ["HeightMap", "OcTree", "OccupancyModel", "height_map", "octree_of_world"]

__getattr__ = lazy_names(__name__)
