"""Wheeled bases: driver, odometry, scans, localization, navigation and exploration wired to a robot."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from andante.control.wheel_odometry import WheelOdometry

    from .driver import BaseDriver, DriverSettings, base_driver
    from .navigate import DriveResult, drive_to_goal
    from .odometry import BaseOdometry
    from .robot import MobileRobot, SimulatedMobileRobot, mobile_robot
    from .sensing import (
        ByScans,
        Localizer,
        OdometryOnly,
        OnMap,
        ScanPipeline,
        Sensed,
        TakenScan,
        uwb_setup,
        world_from_uwb,
    )
    from .zone_files import read_zones, zones_text

__all__ = [
    "BaseDriver", "BaseOdometry", "ByScans", "DriveResult", "DriverSettings", "Localizer", "MobileRobot",
    "OdometryOnly", "OnMap", "ScanPipeline", "Sensed", "SimulatedMobileRobot", "TakenScan", "WheelOdometry",
    "base_driver", "drive_to_goal", "mobile_robot", "read_zones", "uwb_setup", "world_from_uwb", "zones_text",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
