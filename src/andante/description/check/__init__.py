"""`check`: what is wrong with a robot or world file, where, and what to do."""

from .report import CheckReport, check_file, check_robot, check_world

__all__ = ["CheckReport", "check_file", "check_robot", "check_world"]
