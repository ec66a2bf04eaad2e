"""`MoverTracker`: moving things in scans, followed and predicted at constant velocity; from the sensor alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import distance_transform_edt

from andante.geometry import Array, se2
from andante.mapping import OccupancyGrid, Scan

_JUMP = 0.25  # echoes further apart belong to two things [m]
_LARGEST = 0.8  # wider things are walls or furniture [m]
_BEHIND = 0.64  # the middle of a round thing lies this fraction of its radius behind the mean of its echoes (2 / π)
_AROUND = 0.2  # echoes this near to a moving thing are its own [m]
_LATELY = 1.0  # what moves has moved within this time; who walks back where he came from moves too [s]
_COAST = 0.5  # a moving thing is thought to go on for so long without being seen [s]
_GATE = 0.6  # a thing is looked for within this distance of where it should be [m]


@dataclass
class _Track:
    place: Array
    velocity: Array
    radius: float
    time: float
    past: list[tuple[float, Array]]  # times and places of the last moments, oldest first
    hits: int = 1


class MoverTracker:
    """Small clusters of echoes that the map does not explain, followed from scan to scan by an alpha-beta filter.

    Counted as moving: seen `hits` times, faster than `least_speed` by the filter and by the way of the last second.
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
        """Moving things (m, 5): x, y, vx, vy, radius in the world when they were last seen [m, m/s]."""
        return self.movers_at(None)

    def movers_at(self, time: float | None) -> Array:
        """The same where they are at a time [s], going on as they went."""
        rows = []
        for track in self._tracks:
            begun, begin = track.past[0]
            drift = float(np.linalg.norm(track.place - begin)) / max(track.time - begun, 1e-6)
            if track.hits >= self._hits and min(drift, float(np.linalg.norm(track.velocity))) >= self._least:
                ahead = 0.0 if time is None else min(max(time - track.time, 0.0), _COAST)
                rows.append([*(track.place + ahead * track.velocity), *track.velocity, track.radius])
        return np.array(rows, dtype=float).reshape(-1, 5)

    def update(self, pose: ArrayLike, scan: Scan, time: float, velocity: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Take in a scan at a pose of the robot; `time` is that of its middle, velocity undoes its distortion."""
        found = self._clusters(np.asarray(pose, dtype=float), scan, velocity)
        self._tracks = [t for t in self._tracks if 0 <= time - t.time < 0.8]
        ahead = [
            (track, track.place + (time - track.time) * track.velocity) for track in self._tracks if time > track.time
        ]
        pairs = sorted(
            (float(np.hypot(*(found[i][0] - expected))), k, i)
            for k, (_, expected) in enumerate(ahead)
            for i in range(len(found))
        )
        known, free = set(range(len(ahead))), set(range(len(found)))
        for gap, k, i in pairs:  # the nearest pair first: nobody takes the cluster of somebody nearer
            if gap > _GATE:
                break
            if k in known and i in free:
                known.discard(k)
                free.discard(i)
                track, expected = ahead[k]
                self._follow(track, expected, *found[i], time)
        for i in sorted(free):
            center, radius = found[i]
            self._tracks.append(_Track(center, np.zeros(2), radius, time, [(time, center)]))

    def _follow(self, track: _Track, expected: Array, center: Array, radius: float, time: float) -> None:
        """Take in where a thing was seen."""
        error, dt = center - expected, time - track.time
        track.place = expected + (0.5 if track.hits > 2 else 1.0) * error
        track.velocity = track.velocity + (0.2 if track.hits > 2 else 0.6) * error / dt
        track.radius += 0.3 * (radius - track.radius)
        track.time, track.hits = time, track.hits + 1
        track.past = [*(mark for mark in track.past if time - mark[0] <= _LATELY), (time, track.place)]

    def _clusters(self, pose: Array, scan: Scan, velocity: ArrayLike) -> list[tuple[Array, float]]:
        """Centers and radii of small clusters of echoes that are not part of the map."""
        points = se2.transform(pose, scan.points(velocity))
        eye = se2.transform(pose, np.asarray(scan.sensor[:2], dtype=float))
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
                radius, seen = max(0.1, wide / 2), group.mean(axis=0)
                away = seen - eye
                out.append((seen + _BEHIND * radius * away / max(float(np.linalg.norm(away)), 1e-6), radius))
        return out

    def without_movers(self, pose: ArrayLike, scan: Scan, velocity: ArrayLike, time: float) -> Scan:
        """The scan without the echoes of moving things: they stay nowhere, so they are no obstacles of the map."""
        movers = self.movers_at(time)
        if not len(movers):
            return scan
        ends, beams = scan.ends(velocity)
        points = se2.transform(np.asarray(pose, dtype=float), ends)
        gaps = np.linalg.norm(points[:, None] - movers[None, :, :2], axis=2)
        theirs = beams[(gaps < movers[None, :, 4] + _AROUND).any(axis=1)]
        if not len(theirs):
            return scan
        ranges = np.array(scan.ranges, dtype=float)
        ranges[theirs] = np.nan
        return replace(scan, ranges=ranges)
