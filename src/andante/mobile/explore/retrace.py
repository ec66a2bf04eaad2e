"""The way back: a robot that is stuck leaves as it came."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array
from andante.navigation import Path

STEP = 0.05  # between places of a trail [m]
KEPT = 2000  # places of a trail


class Trail:
    """Where a robot has driven, as it believes."""

    def __init__(self) -> None:
        self._places: list[Array] = []

    def add(self, pose: Array) -> None:
        """Keep a pose (3,) when it lies a step away from the last one."""
        if not self._places or float(np.hypot(*(pose - self._places[-1])[:2])) >= STEP:
            self._places.append(np.array(pose, dtype=float))
            del self._places[:-KEPT]

    def back(self, length: float) -> Path | None:
        """The last `length` meters the other way round, driven backwards; they leave the trail. None: too few."""
        count = min(len(self._places), round(length / STEP) + 1)
        if count < 3:
            return None
        points = np.array(self._places[-count:])[::-1, :2]
        del self._places[-count:]
        gone = np.diff(points, axis=0, append=points[-1:] + (points[-1:] - points[-2:-1]))
        yaw = np.arctan2(-gone[:, 1], -gone[:, 0])
        return Path(np.column_stack([points, yaw]), -np.ones(count, dtype=np.int8))
