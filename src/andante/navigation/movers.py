"""`MoverTracker`: moving things in scans, with their velocity, so that planners can look ahead of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import distance_transform_edt

from andante.geometry import Array, se2
from andante.mapping import OccupancyGrid, Scan

_JUMP = 0.25  # echoes further apart belong to two things [m]
_LARGEST = 0.8  # wider things are walls or furniture [m]
_GATE = 0.6  # a thing is looked for within this distance of where it should be [m]


@dataclass
class _Track:
    place: Array
    velocity: Array
    radius: float
    time: float
    born: float
    start: Array
    hits: int = 1


class MoverTracker:
    """Small clusters of echoes that the map does not explain, followed from scan to scan by an alpha-beta filter.

    Counted as moving: seen `hits` times, faster than `least_speed` by the filter and by the distance since first seen.
    """

    def __init__(self, grid: OccupancyGrid | None = None, hits: int = 5, least_speed: float = 0.2) -> None:
        self._hits, self._least = hits, least_speed
        self._tracks: list[_Track] = []
        self._grid = grid
        self._walls: Array | None = None
        if grid is not None and grid.occupied().any():
            self._walls = distance_transform_edt(~grid.occupied()) * grid.resolution

    @property
    def movers(self) -> Array:
        """Moving things (m, 5): x, y, vx, vy, radius in the world [m, m/s]."""
        rows = []
        for track in self._tracks:
            age = max(track.time - track.born, 1e-6)
            drift = float(np.linalg.norm(track.place - track.start)) / age
            if track.hits >= self._hits and min(drift, float(np.linalg.norm(track.velocity))) >= self._least:
                rows.append([*track.place, *track.velocity, track.radius])
        return np.array(rows, dtype=float).reshape(-1, 5)

    def update(self, pose: ArrayLike, scan: Scan, time: float, velocity: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Take in a scan taken at a pose of the robot; velocity undoes its motion distortion."""
        found = self._clusters(np.asarray(pose, dtype=float), scan, velocity)
        self._tracks = [t for t in self._tracks if 0 <= time - t.time < 0.8]
        free = list(range(len(found)))
        for track in self._tracks:
            dt = time - track.time
            expected = track.place + dt * track.velocity
            if not free or dt <= 0:
                continue
            gaps = [float(np.hypot(*(found[i][0] - expected))) for i in free]
            k = int(np.argmin(gaps))
            if gaps[k] > _GATE:
                continue
            center, radius = found[free.pop(k)]
            error = center - expected
            gain = 0.5 if track.hits > 2 else 1.0
            track.place = expected + gain * error
            track.velocity = track.velocity + (0.2 if track.hits > 2 else 0.6) * error / dt
            track.radius += 0.3 * (radius - track.radius)
            track.time, track.hits = time, track.hits + 1
        for i in free:
            center, radius = found[i]
            self._tracks.append(_Track(center, np.zeros(2), radius, time, time, center))

    def _clusters(self, pose: Array, scan: Scan, velocity: ArrayLike) -> list[tuple[Array, float]]:
        """Centers and radii of small clusters of echoes that are not part of the map."""
        points = se2.transform(pose, scan.points(velocity))
        if self._grid is not None and self._walls is not None and len(points):
            cells = self._grid.cell_of(points)
            on_map = np.clip(cells, 0, np.array(self._grid.shape) - 1)
            beside = np.abs(cells - on_map).max(axis=1) <= 3
            near = self._walls[on_map[:, 0], on_map[:, 1]] < 3 * self._grid.resolution
            points = points[~(near & beside)]
        if len(points) < 3:
            return []
        cuts = np.flatnonzero(np.linalg.norm(np.diff(points, axis=0), axis=1) > _JUMP) + 1
        out = []
        for group in np.split(points, cuts):
            wide = float(np.linalg.norm(group.max(axis=0) - group.min(axis=0)))
            if len(group) >= 3 and wide <= _LARGEST and math.isfinite(wide):
                out.append((group.mean(axis=0), max(0.1, wide / 2)))
        return out
