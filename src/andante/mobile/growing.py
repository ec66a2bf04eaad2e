"""`Growing`: a map that is made while the robot moves, as the localizer of its scans."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from andante.geometry import Array, se2
from andante.mapping import LiveMapper, MappingParameters, Scan

from .sensing import LOST_AFTER, Odometry, sweep_twist

WIDEST = 10.0  # beams without an echo clear the map up to here at most [m]
SHORT_OF = 0.9  # ... and up to this fraction of the lidar's range
KEYS = MappingParameters(key_travel=0.2, key_turn=0.25, key_time=0.5)  # denser than for logs: goals hang on the map


def with_free_rays(parameters: MappingParameters, scan: Scan) -> MappingParameters:
    """Parameters with which beams without an echo clear the floor, unless they say how far already."""
    if parameters.free_range == 0.0 and math.isfinite(scan.range_max):
        return replace(parameters, free_range=min(WIDEST, SHORT_OF * scan.range_max))
    return parameters


class Growing:
    """Tells where odom lies by the map that the scans themselves make; it begins with the first of them.

    A robot that is driven is led by its odometry; one that is carried is followed by its scans alone, as long as each
    of them overlaps the map within the reach of the matcher.

    Args:
        start: pose x, y, yaw of the odometry's frame on the map.
        odometry: tells the motion during a sweep.
        parameters: of the mapper; None: dense key scans.
    """

    def __init__(self, start: ArrayLike, odometry: Odometry, parameters: MappingParameters | None = None) -> None:
        self.map_from_odom = np.array(start, dtype=float)
        self.mapper: LiveMapper | None = None  # from the first scan on
        self.work = 0.0  # wall time spent on mapping [s]
        self.unmatched = 0  # scans in a row that did not fit the map
        self.words: list[str] = []  # what was wrong with scans, until somebody takes them
        self._start, self._odometry = self.map_from_odom.copy(), odometry
        self._parameters = parameters or KEYS

    @property
    def trusted(self) -> bool:
        """Whether the latest scans fit the map."""
        return self.unmatched < LOST_AFTER

    def update(self, scan: Scan, odom: Array) -> None:
        """Place the scan on the map, and draw it when it shows something new."""
        began = time.perf_counter()
        if self.mapper is None:
            self.mapper = LiveMapper(with_free_rays(self._parameters, scan), start=se2.compose(self._start, odom))
        told = self.mapper.update(scan, odom, velocity=sweep_twist(self._odometry, scan))
        self.map_from_odom = np.asarray(se2.compose(told.pose, se2.inverse(odom)), dtype=float)
        self.unmatched = 0 if told.matched or self.mapper.scans == 1 else self.unmatched + 1
        self.words += told.words
        self.work += time.perf_counter() - began

    def relocalize(self, scan: Scan) -> None:
        """Nothing to look for: the map begins where the robot began."""
