"""Occupancy grids, scans, scan matching and pose graphs: from laser scans to a map."""

from .grid import UNKNOWN, OccupancyGrid
from .log_odds import LogOddsGrid
from .scan import Scan
from .trajectory import Trajectory

__all__ = ["UNKNOWN", "LogOddsGrid", "OccupancyGrid", "Scan", "Trajectory"]
