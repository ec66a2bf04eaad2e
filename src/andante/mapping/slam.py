"""`build_map`: a log into a map and a trajectory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numba.core import event
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2

from .between_scans import spread, with_odometry
from .grid import LogOddsGrid, OccupancyGrid
from .loops import LoopFinder, LoopState, pair_edges
from .mapper import Mapper, draw_map, sane_twist
from .parameters import MappingParameters
from .planar import between
from .pose_graph import optimize
from .records import Log, Trajectory, first_scans, imu_at_scans, odometry_at_scans, tilted
from .scan import Scan

Progress = Callable[[str, int, int], None]  # what is done, how many of how many
FIRST_REACH, LATER_REACH = 0.45, 0.3  # of pairs of key scans [m]


@dataclass(frozen=True)
class MappingResult:
    """A map, the way that was driven, and what it took."""

    grid: OccupancyGrid
    trajectory: Trajectory  # of scans and, with odometry, of the odometry between them
    poses: Array  # (scans, 3)
    keys: int  # key scans that the map is made of
    loops: int  # loops that were closed
    unmatched: int  # scans placed by odometry alone
    seconds: float  # of work; reading the log and compiling are left out
    drawing: LogOddsGrid  # that `grid` was cut from; it is finer where that would have been too large
    stopped: str = ""  # why it ended before its time

    @property
    def scans(self) -> int:
        """How many scans were placed."""
        return len(self.poses)

    @property
    def rate(self) -> float:
        """Scans per second of work."""
        return self.scans / self.seconds if self.seconds > 0 else float("inf")


def build_map(
    log: Log,
    parameters: MappingParameters | None = None,
    *,
    odometry: bool = True,
    loop_closure: bool = True,
    start: ArrayLike = (0.0, 0.0, 0.0),
    progress: Progress = lambda what, done, total: None,
    resume: MappingState | None = None,
    keep: Keep | None = None,
) -> MappingResult:
    """Map a log: track every scan, close loops, align key scans with one another, redraw the map.

    Args:
        log: scans, and odometry and IMU readings where there are any.
        parameters: settings of the mapper; None: the defaults.
        odometry: use the odometry of the log.
        loop_closure: find places again and solve the pose graph.
        start: pose x, y, yaw of the first scan on the map [m, m, rad].
        progress: called now and then with what is done, how many of how many.
        resume: how far an earlier run of the same log with the same settings came.
        keep: called now and then with a function that tells how far it is, and whether it is the last time. Where it
            is given, Ctrl-C ends the work with the map so far, not with an error.

    Returns:
        The map, the trajectory (scans, and odometry between them) and statistics.
    """
    p = parameters or MappingParameters()
    if not log.scans:
        raise BadInput(f"{log.name}: holds no scans to map from")
    wheels = odometry_at_scans(log) if odometry else np.full((len(log.scans), 3), np.nan)
    compiling: list[float] = []
    began = time.perf_counter()
    with event.install_timer("numba:compile", compiling.append):
        run = _Run(log, wheels, Mapper(p, keep_keys=loop_closure, start=start), progress, keep)
        try:
            run.work(resume)
        except KeyboardInterrupt:
            if keep is None or not run.mapper.drawn:
                raise
            run.stop()
        path = with_odometry(run.log, run.poses, wheels[: len(run.poses)])
        grid = run.drawing.occupancy()
    spent = time.perf_counter() - began - sum(compiling)
    unmatched = max(int((~run.matched[: len(run.poses)]).sum()) - 1, 0)  # the first scan has nothing to match with
    return MappingResult(
        grid, path, run.poses, run.mapper.drawn, run.loops, unmatched, spent, run.drawing, run.stopped
    )  # fmt: skip


@dataclass(frozen=True)
class MappingState:
    """How far mapping came: the scans that were tracked, and the loops that were closed."""

    poses: Array  # (n, 3) as tracked
    keys: np.ndarray  # (n,) which of them were drawn
    matched: np.ndarray  # (n,)
    loops: LoopState | None = None


Keep = Callable[[Callable[[], MappingState], bool], None]


class _Run:
    """One run over a log; its parts can be stopped and taken up again."""

    def __init__(
        self,
        log: Log,
        wheels: Array,
        mapper: Mapper,
        progress: Progress,
        keep: Keep | None,
    ) -> None:
        self.log, self.wheels, self.mapper, self.progress = log, wheels, mapper, progress
        self.keep = keep or (lambda state, last: None)
        count = len(log.scans)
        self.poses, self.tracked = np.empty((0, 3)), np.empty((count, 3))
        self.keys, self.matched = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        self.loops, self.stopped = 0, ""
        self._finder: LoopFinder | None = None

    @property
    def drawing(self) -> LogOddsGrid:
        """The map, drawn at the latest poses."""
        if not self.mapper.keep_keys:
            return self.mapper.drawing()
        numbers = [key.index for key in self.mapper.keys]
        return draw_map(self.mapper.keys, self.poses[numbers], self.mapper.parameters)

    def work(self, resume: MappingState | None) -> None:
        """Track all scans, and close loops where asked for."""
        self._track(resume)
        self.poses = self.tracked
        if self.mapper.keep_keys and len(self.mapper.keys) > 1:
            self._close(None if resume is None else resume.loops)
        self.progress("drawing", 0, 1)

    def stop(self) -> None:
        """End with what was mapped so far."""
        count = self.mapper.scans
        self.keep(self.state, True)
        self.stopped = f"stopped after {count} of {len(self.log.scans)} scans"
        tracked = self.tracked[:count]
        if self._finder is not None:
            self.stopped = (
                f"stopped before all loops were closed, at key scan {self._finder.next} of {len(self._finder.keys)}"
            )
            tracked = spread(tracked, np.flatnonzero(self.keys[:count]), self._finder.poses)
        self.poses = tracked
        self.log = first_scans(self.log, count)

    def state(self) -> MappingState:
        """How far it is."""
        count = self.mapper.scans
        loops = None if self._finder is None else self._finder.state()
        return MappingState(self.tracked[:count], self.keys[:count], self.matched[:count], loops)

    def _track(self, resume: MappingState | None) -> None:
        scans, wheels, mapper = self.log.scans, self.wheels, self.mapper
        yaw, tilt = imu_at_scans(self.log)
        led = np.asarray(np.isfinite(wheels).all(axis=1)).tolist()
        turned = np.isfinite(yaw).tolist()
        known = 0 if resume is None else len(resume.poses)
        for k, scan in enumerate(scans):
            level = tilted(scan, tilt[k, 0], tilt[k, 1]) if turned[k] else scan
            velocity = _twist(scans, wheels, k) if scan.time_increment else None
            heading, told = float(yaw[k]) if turned[k] else None, wheels[k] if led[k] else None
            if resume is not None and k < known:
                self.tracked[k], self.keys[k], self.matched[k] = resume.poses[k], resume.keys[k], resume.matched[k]
                mapper.replay(
                    level, resume.poses[k], bool(resume.keys[k]), wheels[k] if led[k] else None, heading, velocity
                )
                continue
            update = mapper.update(level, told, heading, velocity)
            self.tracked[k], self.keys[k], self.matched[k] = update.pose, update.key, update.matched
            if k % 256 == 0:
                self.progress("tracking", k, len(scans))
                self.keep(self.state, False)

    def _close(self, resume: LoopState | None) -> None:
        """Poses of all scans after closing loops."""
        keys, p = self.mapper.keys, self.mapper.parameters
        self._finder = finder = LoopFinder(keys, np.array([key.pose for key in keys]), p, resume)

        def tick() -> None:
            if finder.next % 16 == 0:
                self.progress("closing loops", finder.next, len(keys))
                self.keep(self.state, False)

        def refined(turn: int, done: int) -> None:
            self.progress("refining", turn * len(keys) + done, p.pair_rounds * len(keys))

        ties = [*finder.chain, *finder.run(tick)]
        self.loops = len(finder.loops)
        poses = finder.poses
        for turn in range(p.pair_rounds):
            reach = FIRST_REACH if turn == 0 else LATER_REACH
            pairs = pair_edges(keys, poses, p, reach=reach, tick=partial(refined, turn))
            poses = optimize(poses, [*ties, *pairs]).poses
        self.poses = spread(self.tracked, np.flatnonzero(self.keys), poses)


def _twist(scans: tuple[Scan, ...], wheels: Array, k: int) -> Array | None:
    """Twist of the robot after a scan began, by its odometry and that of the next; None: not known."""
    if k + 1 == len(scans) or not np.isfinite(wheels[k : k + 2]).all():
        return None
    gap = scans[k + 1].time - scans[k].time
    return sane_twist(se2.log(between(wheels[k], wheels[k + 1])) / gap) if gap > 1e-4 else None
