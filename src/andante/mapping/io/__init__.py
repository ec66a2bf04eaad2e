"""Files of mapping: logs (bags, CARMEN), maps as ROS map_server writes them, trajectories."""

from .carmen import write_carmen
from .logs import LogOptions, read_log
from .map_files import load_map, save_map
from .trajectories import read_trajectory, write_trajectory

__all__ = [
    "LogOptions", "load_map", "read_log", "read_trajectory", "save_map", "write_carmen", "write_trajectory",
]  # fmt: skip
