"""Wheeled bases: driver, odometry, scans, localization, navigation and exploration wired to a robot."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from andante.control.wheel_odometry import WheelOdometry

    from .driver import BaseDriver, DriverSettings
    from .localizer import ByScans, Localizer, OdometryOnly, OnMap
    from .navigate.run import Drive, drive_to_goal
    from .odometry import BaseOdometry
    from .robot import MobileRobot, SimulatedMobileRobot, mobile_robot
    from .sensing import ScanPipeline, Sensed, TakenScan

__all__ = [
    "BaseDriver", "BaseOdometry", "ByScans", "Drive", "DriverSettings", "Localizer", "MobileRobot", "OdometryOnly",
    "OnMap", "ScanPipeline", "Sensed", "SimulatedMobileRobot", "TakenScan", "WheelOdometry", "drive_to_goal",
    "mobile_robot",
]  # fmt: skip

__getattr__ = lazy_names(
    __name__,
    {
        ".driver": "BaseDriver DriverSettings",
        ".localizer": "ByScans Localizer OdometryOnly OnMap",
        ".navigate.run": "Drive drive_to_goal",
        ".odometry": "BaseOdometry",
        ".robot": "MobileRobot SimulatedMobileRobot mobile_robot",
        ".sensing": "ScanPipeline Sensed TakenScan",
        "andante.control.wheel_odometry": "WheelOdometry",
    },
)
