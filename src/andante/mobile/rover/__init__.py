"""The lidar and UWB car of the source: its computer, firmware, courses and trials."""
