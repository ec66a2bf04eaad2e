"""Occupancy grids, scans, scan matching and pose graphs: from laser scans to a map."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from . import synthetic
    from .grid import UNKNOWN, LogOddsGrid, OccupancyGrid
    from .io import LogOptions, load_map, read_log, read_trajectory, save_map, write_carmen, write_trajectory
    from .io.octomap import load_octree, save_octree
    from .live import LiveMapper, LiveUpdate
    from .mapper import Mapper
    from .octree import HeightMap, OccupancyModel, OcTree, height_map, octree_of_world
    from .parameters import MappingParameters
    from .records import ImuReading, Log, Odometry, Trajectory, odometry_at_scans
    from .repair import repaint, without_specks
    from .scan import Scan
    from .slam import MappingResult, build_map
    from .worlds import map_of_world, world_of_map

__all__ = [
    "UNKNOWN", "HeightMap", "ImuReading", "LiveMapper", "LiveUpdate", "Log", "LogOddsGrid", "LogOptions", "Mapper",
    "MappingParameters", "MappingResult", "OcTree", "OccupancyGrid", "OccupancyModel", "Odometry", "Scan",
    "Trajectory", "build_map", "height_map", "load_map", "load_octree", "map_of_world", "octree_of_world",
    "odometry_at_scans", "read_log", "read_trajectory", "repaint", "save_map", "save_octree", "synthetic",
    "without_specks", "world_of_map", "write_carmen", "write_trajectory",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
