"""`Mapper`: scans in, poses and a map out, one scan at a time; what live mapping and `andante map` share."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2

from .align import PointScan
from .grid import LogOddsGrid, OccupancyGrid
from .matcher import MapMatcher, Match
from .parameters import MappingParameters
from .planar import between, compose, place, three_numbers, wrap
from .scan import Scan

FEWEST_POINTS = 10  # a scan with fewer points gives no pose
CARRIED_KEYS = 3  # key scans that a new local map starts from
MOST_TWIST = (5.0, 10.0)  # faster than this is a wrong time stamp, not motion to be undone [m/s, rad/s]


@dataclass(frozen=True)
class KeyScan:
    """A scan that the map is made of: number of the scan, pose when it was taken, its ends in the robot's frame."""

    index: int
    pose: Array  # (3,) as tracked
    cloud: PointScan  # ends of echoes within range, with normals
    sensor: Array  # (2,) on the robot [m]
    ends: Array  # (m, 2) of all beams to draw
    is_hit: np.ndarray  # (m,)


@dataclass(frozen=True)
class Update:
    """Result of one scan."""

    pose: Array  # (3,)
    score: float  # mean occupancy under its ends, 0 to 1
    matched: bool  # False: odometry only
    searched: bool  # the correlative search was needed
    key: bool  # it was drawn


class Mapper:
    """Tracks the robot by matching each scan to the map so far, and draws key scans into it.

    keep_keys: with loop closure to come, key scans are kept and tracking uses a local map of the latest ones, which
    no old error can bend; otherwise one map grows and old places pull the robot back onto it. start: pose (3,) of the
    first scan on the map.
    """

    def __init__(
        self, parameters: MappingParameters | None = None, *, keep_keys: bool = True, start: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        self.parameters = parameters or MappingParameters()
        self.keep_keys = keep_keys
        self.keys: list[KeyScan] = []
        self.pose = three_numbers("the start of a map", start)
        self.scans = 0
        self.drawn = 0  # key scans
        self._maps = [MapMatcher(self.parameters)]  # the first is matched, all are drawn
        self._last_key: Array | None = None
        self._last_key_time = math.nan
        self._odometry: Array | None = None
        self._yaw: float | None = None
        self._time = math.nan
        self._twist = np.zeros(3)  # motion between the last two scans, seen from the first
        self._way: deque[tuple[float, Array]] = deque(maxlen=3)  # times and poses of the last scans

    def update(
        self, scan: Scan, odometry: ArrayLike | None = None, yaw: float | None = None, velocity: ArrayLike | None = None
    ) -> Update:
        """Take the next scan, with odometry x, y, yaw and the heading of an IMU [rad] where there are any.

        velocity: twist of the robot during the sweep [m/s, m/s, rad/s], to undo its motion; None: as before the scan.
        """
        guess = self._predict(odometry, yaw)
        if velocity is None:
            velocity = self._velocity(scan, guess, odometry, yaw)
        ends, is_hit, points = self._ends(scan, velocity)
        match, searched = Match(guess, 0.0, np.zeros((3, 3))), False
        if self._last_key is not None and len(points) >= FEWEST_POINTS:
            match, searched = self._match(points, guess, yaw is not None and self._yaw is not None)
        matched = match.score >= self.parameters.least_score
        led = matched or odometry is not None or self._last_key is None
        pose = match.pose if matched else (guess if led else self.pose.copy())  # lost without odometry: stand still
        pose[2] = wrap(pose[2])
        self._arrive(scan.time, pose, odometry, yaw)
        key = len(points) >= FEWEST_POINTS and led and self._is_key(pose, scan.time)
        if key:
            self._last_key_time = scan.time
            self._draw(KeyScan(self.scans, pose.copy(), *self._parts(scan, points), ends, is_hit))
        self.scans += 1
        return Update(pose.copy(), match.score, matched, searched, key)

    def replay(
        self,
        scan: Scan,
        pose: Array,
        key: bool,
        odometry: ArrayLike | None = None,
        yaw: float | None = None,
        velocity: ArrayLike | None = None,
    ) -> None:
        """Take a scan whose pose (3,) an earlier run has found, and whether it drew it; leaves all as `update` did."""
        if key and velocity is None:
            guess = self._predict(odometry, yaw)
            velocity = self._velocity(scan, guess, odometry, yaw)
        self._arrive(scan.time, np.array(pose, dtype=float), odometry, yaw)
        if key:
            assert velocity is not None
            ends, is_hit, points = self._ends(scan, velocity)
            self._last_key_time = scan.time
            self._draw(KeyScan(self.scans, self.pose.copy(), *self._parts(scan, points), ends, is_hit))
        self.scans += 1

    def _arrive(self, time: float, pose: Array, odometry: ArrayLike | None, yaw: float | None) -> None:
        """The robot is at a pose (3,) now, by odometry and the heading of an IMU there."""
        self._twist = between(self.pose, pose) if self.scans else np.zeros(3)
        self.pose, self._time = pose, time
        self._way.append((time, pose))
        self._odometry = None if odometry is None else np.asarray(odometry, dtype=float)
        self._yaw = yaw

    def occupancy(self) -> OccupancyGrid:
        """The map so far: of all key scans at their tracked poses."""
        if not self.keep_keys:
            return self._maps[0].occupancy()
        return self.drawing().occupancy()

    def drawing(self) -> LogOddsGrid:
        """The same as the grid that it is drawn in."""
        if not self.keep_keys:
            return self._maps[0].maps[0]
        return draw_map(self.keys, np.array([key.pose for key in self.keys]).reshape(-1, 3), self.parameters)

    def _predict(self, odometry: ArrayLike | None, yaw: float | None) -> Array:
        """Where the robot should be: moved as the odometry did, else as before; turned as the IMU did."""
        step = self._twist.copy()
        if odometry is not None:
            now = three_numbers("odometry", odometry)
            if self._odometry is not None:
                step = between(self._odometry, now)
        if yaw is not None and self._yaw is not None:
            step[2] = wrap(yaw - self._yaw)
        return compose(self.pose, step) if self.scans else self.pose.copy()

    def _velocity(self, scan: Scan, guess: Array, odometry: ArrayLike | None, yaw: float | None) -> Array:
        """Twist during the sweep, for deskewing; none where stamps stand still or step back.

        Where scans alone tell it, a twist that is wrong by e shifts the scan's pose by -e T / 2 (T: time of a sweep).
        When sweeps follow each other at once, the next twist by the last step alone is wrong by e' = -(e - e_1) / 2,
        which swings for ever (a root of -1); by the last two steps e' = -(e - e_2) / 4, which fades (roots below 0.7).
        """
        gap = scan.time - self._time
        if not (scan.time_increment and self.scans and gap > 1e-4):
            return np.zeros(3)
        twist = se2.log(between(self.pose, guess)) / gap
        if odometry is None and len(self._way) == 3:
            (first, start), _, (last, end) = self._way
            if last - first > 1e-4:
                mean = se2.log(between(start, end)) / (last - first)
                twist = np.array([mean[0], mean[1], mean[2] if yaw is None else twist[2]])
        return sane_twist(twist)

    def _ends(self, scan: Scan, velocity: ArrayLike) -> tuple[Array, np.ndarray, Array]:
        """Ends of beams to draw, which of them are echoes, and the points to match; echoes too far become free rays."""
        p = self.parameters
        ends, beams = scan.ends(velocity, no_return=min(p.free_range, p.range_max))
        ranges = scan.ranges[beams]
        is_hit = ranges <= min(p.range_max, scan.range_max)
        if not is_hit.all():
            far = (ranges > p.range_max) & (ranges <= scan.range_max)
            if far.any():
                at = np.asarray(scan.sensor[:2])
                ends[far] = at + (ends[far] - at) * (p.range_max / ranges[far])[:, None]
            return ends, is_hit, ends[is_hit]
        return ends, is_hit, ends

    def _match(self, points: Array, guess: Array, turned: bool) -> tuple[Match, bool]:
        """The scan on the map: from the guess, and from the correlative search where its score is too low."""
        p, board = self.parameters, self._maps[0]
        prior = np.array([p.guess_weight, p.guess_weight, 1.0 / p.yaw_sigma**2 if turned else p.guess_weight])
        match = board.refine(points, guess, prior)
        step = between(self.pose, guess)
        far = math.hypot(step[0], step[1]) > p.search_travel or abs(step[2]) > p.search_travel
        if not far and match.score >= p.search_below:
            return match, False
        found = board.search(points, guess)
        if found.score <= 0:
            return match, True
        other = board.refine(points, found.pose, prior)
        return (other if far or other.score > match.score else match), True

    def _is_key(self, pose: Array, time: float) -> bool:
        every = self.parameters.key_time
        if self._last_key is None or (every > 0 and abs(time - self._last_key_time) >= every):
            return True
        step = between(self._last_key, pose)
        far = math.hypot(step[0], step[1]) > self.parameters.key_travel
        return bool(far or abs(step[2]) > self.parameters.key_turn)

    def _parts(self, scan: Scan, points: Array) -> tuple[PointScan, Array]:
        x, y, _ = scan.sensor
        cloud = PointScan(points if self.keep_keys else points[:0], sensor=(x, y))
        return cloud, np.array([x, y])

    def _draw(self, key: KeyScan) -> None:
        self._last_key = key.pose
        self.drawn += 1
        for board in self._maps:
            board.draw(key.pose, key.sensor, key.ends, key.is_hit)
        if not self.keep_keys:
            return
        if self._maps[-1].drawn >= self.parameters.submap_keys:
            fresh = MapMatcher(self.parameters)
            for old in [*self.keys[-CARRIED_KEYS:], key]:
                fresh.draw(old.pose, old.sensor, old.ends, old.is_hit)
            self._maps = [self._maps[-1], fresh]
        self.keys.append(key)


def sane_twist(twist: Array) -> Array:
    """The twist (3,), or standing still where it is faster than any robot indoors."""
    sane = math.hypot(twist[0], twist[1]) < MOST_TWIST[0] and abs(twist[2]) < MOST_TWIST[1]
    return twist if sane else np.zeros(3)


def draw_map(keys: Sequence[KeyScan], poses: Array, parameters: MappingParameters) -> LogOddsGrid:
    """Key scans drawn at poses (n, 3)."""
    if len(keys) != len(poses):
        raise BadInput(f"{len(keys)} key scans need as many poses, got {len(poses)}")
    grid = LogOddsGrid(parameters.resolution, hit=parameters.hit, miss=parameters.miss)
    for key, pose in zip(keys, poses, strict=True):
        grid.add(place(pose, key.sensor[None])[0], place(pose, key.ends), np.asarray(key.is_hit))
    return grid
