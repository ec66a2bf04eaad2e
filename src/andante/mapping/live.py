"""`LiveMapper`: a map from scans as they arrive from a running robot, robust against faults of the stream."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .grid import OccupancyGrid
from .mapper import FEWEST_POINTS, MOST_TWIST, Mapper, Update
from .parameters import MappingParameters
from .planar import between, compose, wrap
from .records import Log, Odometry, Record
from .scan import Scan
from .slam import MappingResult, Progress, build_map

MOST = 1e9  # greater numbers are no places, headings or speeds
ROOM = (0.5, 0.5)  # odometry may step so far beyond the fastest motion before it counts as a jump [m, rad]
WORDS = {
    "poor": f"scans had fewer than {FEWEST_POINTS} echoes and were placed by odometry alone",
    "backward": "scan stamps stepped back; the scans were used in the order in which they came",
    "no odometry": "scans came with odometry that is not finite numbers; they were matched without it",
    "jump": "jumps of the odometry were left out",
    "no yaw": "headings of the IMU were not finite or jumped and were left out",
    "no velocity": "velocities were not finite and were left out",
}


@dataclass(frozen=True)
class LiveUpdate(Update):
    """Result of one scan; `words`: what was wrong with it, one line each."""

    words: tuple[str, ...] = ()


class LiveMapper:
    """Tracks and draws scan by scan on one growing map, and keeps what is needed to close loops at the end.

    Nothing that a stream holds raises: scans without echoes, stamps that step back, and odometry that is broken or
    jumps are tolerated, counted in `faults`, and reported once in `warnings`. Every scan is kept for `finish`.
    start: pose (3,) of the first scan on the map.
    """

    def __init__(self, parameters: MappingParameters | None = None, *, start: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.parameters = parameters or MappingParameters()
        self.faults = dict.fromkeys(WORDS, 0)
        self._mapper = Mapper(self.parameters, keep_keys=False, start=start)
        self._start = self._mapper.pose.copy()
        self._records: list[Record] = []
        self._time = math.nan  # of the latest scan
        self._told: Array | None = None  # the latest good odometry as it came
        self._told_time = math.nan
        self._here: Array | None = None  # the odometry of the latest scan, where it had any
        self._wheels = np.zeros(3)  # ... with its jumps left out
        self._step = np.zeros(3)
        self._yaw: tuple[float, float] | None = None  # time and heading of the IMU at the latest scan

    @property
    def pose(self) -> Array:
        """Where the robot was at the latest scan (3,), on the map."""
        return self._mapper.pose.copy()

    @property
    def scans(self) -> int:
        """How many scans came."""
        return self._mapper.scans

    @property
    def keys(self) -> int:
        """How many of them were drawn."""
        return self._mapper.drawn

    @property
    def log(self) -> Log:
        """All scans so far in the order in which they came, with the odometry as it was used."""
        return Log("live scans", tuple(self._records))

    @property
    def warnings(self) -> tuple[str, ...]:
        """One counted line per kind of fault in the stream."""
        return tuple(f"{count} {WORDS[kind]}" for kind, count in self.faults.items() if count)

    def update(
        self, scan: Scan, odometry: ArrayLike | None = None, yaw: float | None = None, velocity: ArrayLike | None = None
    ) -> LiveUpdate:
        """Take the next scan, with odometry and heading of an IMU at its first beam where there are any.

        velocity: twist of the robot during the sweep [m/s, m/s, rad/s]; None: as before the scan.
        """
        words: list[str] = []
        gap = scan.time - self._time if self.scans else 0.0
        if gap < 0:
            self._fault("backward", f"the stamp of a scan lies {-gap:.3f} s before the one before it", words)
        echoes = int(scan.hit.sum())
        if echoes < FEWEST_POINTS:
            self._fault("poor", f"a scan has {echoes} echoes in {len(scan.ranges)} beams", words)
        wheels = self._followed(odometry, scan.time, words)
        yaw = self._heading(yaw, scan.time, words)
        if velocity is not None and not _finite(velocity):
            self._fault("no velocity", f"the velocity of the robot is {_told(velocity)}", words)
            velocity = None
        if wheels is not None:
            x, y, turn = (float(value) for value in wheels)
            self._records.append(Odometry(scan.time, (x, y, turn)))
        self._records.append(scan)
        self._time = scan.time
        made = self._mapper.update(scan, wheels, yaw, velocity)
        return LiveUpdate(**vars(made), words=tuple(words))

    def place(self, odometry: ArrayLike) -> Array:
        """Where the robot is now (3,): the pose of the latest scan, moved on by the odometry (3,) since then."""
        if self._here is None or not _finite(odometry):
            return self.pose
        return compose(self._mapper.pose, between(self._here, np.asarray(odometry, dtype=float)))

    def occupancy(self) -> OccupancyGrid:
        """The map so far."""
        return self._mapper.occupancy()

    def finish(
        self, *, loop_closure: bool = True, progress: Progress = lambda what, done, total: None
    ) -> MappingResult:
        """The map of all scans so far, with loops closed; live mapping may go on afterwards."""
        if not self.scans:
            raise BadInput("no scan has come yet, so there is no map to finish")
        return build_map(self.log, self.parameters, loop_closure=loop_closure, start=self._start, progress=progress)

    def _fault(self, kind: str, told: str, words: list[str]) -> None:
        self.faults[kind] += 1
        words.append(told)

    def _followed(self, odometry: ArrayLike | None, time: float, words: list[str]) -> Array | None:
        """The odometry with its jumps left out; None where there is none."""
        self._here = None
        if odometry is None:
            return None
        if not _finite(odometry):
            self._fault("no odometry", f"the odometry is {_told(odometry)}", words)
            return None
        now = np.array(odometry, dtype=float)
        if self._told is not None:
            step, gap = between(self._told, now), max(time - self._told_time, 0.0)
            far, turn = math.hypot(step[0], step[1]), abs(wrap(float(step[2])))
            if far > ROOM[0] + MOST_TWIST[0] * gap or turn > ROOM[1] + MOST_TWIST[1] * gap:
                self._fault("jump", f"the odometry jumped by {far:.2f} m and {turn:.2f} rad in {gap:.3f} s", words)
            else:
                self._step = step
            self._wheels = compose(self._wheels, self._step)
        self._told = self._here = now
        self._told_time = time
        return self._wheels.copy()

    def _heading(self, yaw: float | None, time: float, words: list[str]) -> float | None:
        """The heading of the IMU; None where there is none or where it turned faster than any robot."""
        before, self._yaw = self._yaw, None
        if yaw is None:
            return None
        if not abs(yaw) < MOST:
            self._fault("no yaw", f"the heading of the IMU is {yaw}", words)
            return None
        self._yaw = time, yaw
        if before is not None:
            turn, gap = abs(wrap(yaw - before[1])), max(time - before[0], 0.0)
            if turn > ROOM[1] + MOST_TWIST[1] * gap:
                self._fault("no yaw", f"the heading of the IMU jumped by {turn:.2f} rad in {gap:.3f} s", words)
                return None
        return yaw


def _finite(values: ArrayLike) -> bool:
    """Whether these are three finite numbers of a sane size."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return False
    return numbers.shape == (3,) and bool((np.abs(numbers) < MOST).all())


def _told(values: object) -> str:
    """What came in place of three numbers, in at most 60 characters."""
    text = " ".join(str(values).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
