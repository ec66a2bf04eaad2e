"""Where on a path the robot is: the part to drive now, whether it is still free, and how far off the robot is."""

from __future__ import annotations

import math

import numpy as np

from andante.geometry import Array, se2

from ._hybrid_kernels import clearance_at
from .control import Surroundings
from .costmap import Costmap
from .path import Path
from .vehicle import Vehicle

_CUSP = 0.12  # a change of direction this near is reached [m]
_ASKEW = 0.6  # a car this far off the heading of its path cannot get back to it [rad]
_LOOK = 4.0  # the path is checked so far ahead [m]


class PathTracker:
    """Follows the progress along a path that may change direction."""

    def __init__(self, path: Path, vehicle: Vehicle) -> None:
        self.path = path
        self._vehicle = vehicle
        self._parts = [part.resampled(0.1) for part in path.segments()]
        self._part = 0
        self._at = 0

    def current(self, pose: Array) -> Path:
        """What is left of the part to drive now; the next part begins when the robot reaches or passes a cusp."""
        while self._part < len(self._parts) - 1:
            end = self._parts[self._part].goal
            way = int(self._parts[self._part].directions[-1])
            x, y, _ = se2.between(end, pose)
            if not (math.hypot(x, y) < _CUSP or (way * x > 0 and abs(x) < 0.4 and abs(y) < 0.4)):
                break
            self._part, self._at = self._part + 1, 0
        part = self._parts[self._part]
        near = np.searchsorted(part.along, part.along[self._at] + 1.5)  # never jumps to a later loop of the path
        gaps = part.poses[self._at : int(near) + 1, :2] - pose[:2]
        self._at += int(np.argmin(np.einsum("ij,ij->i", gaps, gaps)))
        return part.after(self._at)

    @property
    def may_change(self) -> bool:
        """Whether a new plan may replace this one without need: not in the middle of a manoeuvre with cusps."""
        return len(self._parts) == 1

    def strayed(self, pose: Array, distance: float) -> bool:
        """Whether the robot is further from its part than `distance` [m]; a car half as far, or off its heading."""
        part = self._parts[self._part]
        near = part.poses[part.nearest(pose, self._at)]
        off = float(np.hypot(*(near - pose)[:2]))
        if self._vehicle.drive != "ackermann":
            return off > distance
        return off > distance / 2 or abs(float(se2.wrap(near[2] - pose[2]))) > _ASKEW

    def blocked(self, pose: Array, costmap: Costmap, around: Surroundings) -> bool:
        """Whether the footprint touches something on the path within a few metres ahead."""
        part = self._parts[self._part]
        begin = part.nearest(pose, self._at)
        ahead = part.poses[begin:][part.along[begin:] - part.along[begin] <= _LOOK]
        discs, resolution = around.discs(costmap.resolution), costmap.resolution
        bare = discs.copy()
        bare[:, 2] -= around.margins.padding + resolution / 2
        start = min(0.0, self._gap(costmap.to_frame(pose), costmap, bare, around))
        return any(
            self._gap(inner, costmap, bare, around) < start - 1e-6
            for inner in costmap.to_frame(ahead[:: 2 if len(ahead) > 20 else 1])
        )

    def _gap(self, inner: Array, costmap: Costmap, discs: Array, around: Surroundings) -> float:
        c, s = math.cos(inner[2]), math.sin(inner[2])
        enough = self._vehicle.circumscribed + around.margins.padding
        return clearance_at(inner[0], inner[1], c, s, costmap.distance, costmap.resolution, discs, enough, -1e9)
