"""Occupancy grids, scans, scan matching and pose graphs: from laser scans to a map."""

from .grid import UNKNOWN, LogOddsGrid, OccupancyGrid
from .live import LiveMapper, LiveUpdate
from .mapper import Mapper
from .parameters import MappingParameters
from .records import ImuReading, Log, Odometry, Trajectory, odometry_at_scans
from .scan import Scan
from .slam import MappingResult, build_map
from .worlds import map_of_world, world_of_map

__all__ = [
    "UNKNOWN", "ImuReading", "LiveMapper", "LiveUpdate", "Log", "LogOddsGrid", "Mapper", "MappingParameters",
    "MappingResult", "OccupancyGrid", "Odometry", "Scan", "Trajectory", "build_map", "map_of_world",
    "odometry_at_scans", "world_of_map",
]  # fmt: skip
