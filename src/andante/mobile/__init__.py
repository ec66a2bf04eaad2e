"""Wheeled bases: driver, odometry, scans, localization, navigation and exploration wired to a robot."""
