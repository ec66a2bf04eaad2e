"""Where odometry lies on the map: a localizer that a driving robot carries, one verb per scan."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante.geometry import Array, se2
from andante.localization import LikelihoodField, MclParameters, MonteCarloLocalizer
from andante.mapping import Mapper, MappingParameters, OccupancyGrid, Scan

START_DEVIATION = (0.15, 0.15, 0.1)  # of a start that is told [m, m, rad]
LOST_AFTER = 5  # poor updates in a row


class Localizer(Protocol):
    """Tells where the odometry's frame lies on the map (REP 105: map -> odom)."""

    @property
    def map_from_odom(self) -> Array:
        """Pose (3,) of the odometry's frame on the map [m, m, rad]."""

    @property
    def trusted(self) -> bool:
        """False: it does not know where the robot is."""

    def update(self, scan: Scan, odom: Array) -> None:
        """Take a scan and the odometry x, y, yaw of its first beam."""

    def relocalize(self, scan: Scan) -> None:
        """Look for the pose anew, anywhere on the map."""


class OdometryOnly:
    """No map: the odometry's frame lies where the robot was put, and stays there."""

    trusted = True

    def __init__(self, start: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.map_from_odom = np.array(start, dtype=float)

    def update(self, scan: Scan, odom: Array) -> None:
        """Nothing to learn."""

    def relocalize(self, scan: Scan) -> None:
        """Nothing to look for."""


class ByScans:
    """No map: each scan is laid on those before it, so that slipping wheels and pushes are noticed.

    Where scans show too little, odometry goes on alone.
    """

    trusted = True

    def __init__(self, start: ArrayLike = (0.0, 0.0, 0.0), parameters: MappingParameters | None = None) -> None:
        self.map_from_odom = np.array(start, dtype=float)
        self._start = self.map_from_odom.copy()
        self._parameters = parameters
        self._mapper: Mapper | None = None

    def update(self, scan: Scan, odom: Array) -> None:
        """Track the robot on its own map."""
        if self._mapper is None:
            start = se2.compose(self._start, odom)
            self._mapper = Mapper(self._parameters, keep_keys=False, start=start)
        pose = self._mapper.update(scan, odom).pose
        self.map_from_odom = se2.compose(pose, se2.inverse(odom))

    def relocalize(self, scan: Scan) -> None:
        """Nothing to look for: the map begins where the robot began."""


class OnMap:
    """Monte Carlo localization from a told start. `start` None: from anywhere, with the first scan."""

    def __init__(
        self,
        field: LikelihoodField | OccupancyGrid,
        start: ArrayLike | None,
        parameters: MclParameters | None = None,
        seed: int = 0,
        deviation: ArrayLike = START_DEVIATION,
    ) -> None:
        self.mcl = MonteCarloLocalizer(field, parameters, seed)
        self.map_from_odom = np.zeros(3)
        self._searching = start is None
        self._begun = start is not None
        self._poor = 0
        if start is not None:
            self.mcl.start_at(start, deviation)
            self.map_from_odom = np.array(start, dtype=float)

    @property
    def trusted(self) -> bool:
        """Whether the particles agree and scans fit."""
        return self._begun and not self._searching and self._poor < LOST_AFTER

    def update(self, scan: Scan, odom: Array) -> None:
        """Weigh the particles; while it searches, standing counts too, so odometry is left out."""
        if not self._begun:
            self.relocalize(scan)
        estimate = self.mcl.update(scan, None if self._searching else odom)
        self.map_from_odom = se2.compose(estimate.pose, se2.inverse(odom))
        if self._searching:
            self._searching, self._poor = not estimate.converged, 0
        elif estimate.updated:
            self._poor = 0 if estimate.health >= self.mcl.parameters.health_least else self._poor + 1

    def relocalize(self, scan: Scan) -> None:
        """Spread the particles over the whole map, most of them where this scan fits."""
        if not self._searching or not self._begun:
            self.mcl.start_anywhere(scan)
        self._searching = self._begun = True
