"""`build_map`: a log into a map and a trajectory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba.core import event
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2

from .between_scans import spread, with_odometry
from .grid import OccupancyGrid
from .loops import LoopFinder, optimize, pair_edges
from .mapper import KeyScan, Mapper, draw_map, sane_twist
from .parameters import MappingParameters
from .planar import between
from .records import Log, Trajectory, imu_at_scans, odometry_at_scans, tilted
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
) -> MappingResult:
    """Map a log: track every scan, close loops, align key scans with one another, redraw the map.

    Args:
        log: scans, and odometry and IMU readings where there are any.
        parameters: settings of the mapper; None: the defaults.
        odometry: use the odometry of the log.
        loop_closure: find places again and solve the pose graph.
        start: pose x, y, yaw of the first scan on the map [m, m, rad].
        progress: called now and then with what is done, how many of how many.

    Returns:
        The map, the trajectory (scans, and odometry between them) and statistics.
    """
    p = parameters or MappingParameters()
    scans = log.scans
    if not scans:
        raise BadInput(f"{log.name}: holds no scans to map from")
    wheels = odometry_at_scans(log) if odometry else np.full((len(scans), 3), np.nan)
    compiling: list[float] = []
    began = time.perf_counter()
    with event.install_timer("numba:compile", compiling.append):
        poses, loops, grid, keys, unmatched = _mapped(log, wheels, loop_closure, start, p, progress)
        path = with_odometry(log, poses, wheels)
    spent = time.perf_counter() - began - sum(compiling)
    return MappingResult(grid, path, poses, keys, loops, unmatched, spent)


def _mapped(
    log: Log, wheels: Array, loop_closure: bool, start: ArrayLike, p: MappingParameters, progress: Progress
) -> tuple[Array, int, OccupancyGrid, int, int]:
    """Poses of all scans, loops closed, the map, key scans that it is made of, and scans that matched nothing."""
    scans = log.scans
    yaw, tilt = imu_at_scans(log)
    led = np.asarray(np.isfinite(wheels).all(axis=1)).tolist()
    turned = np.isfinite(yaw).tolist()
    mapper = Mapper(p, keep_keys=loop_closure, start=start)
    tracked, unmatched = np.empty((len(scans), 3)), 0
    for k, scan in enumerate(scans):
        level = tilted(scan, tilt[k, 0], tilt[k, 1]) if turned[k] else scan
        velocity = _twist(scans, wheels, k) if scan.time_increment else None
        update = mapper.update(level, wheels[k] if led[k] else None, float(yaw[k]) if turned[k] else None, velocity)
        tracked[k] = update.pose
        unmatched += not update.matched
        if k % 256 == 0:
            progress("tracking", k, len(scans))
    unmatched -= 1  # the first scan has nothing to be matched with
    if loop_closure and len(mapper.keys) > 1:
        poses, loops, grid = _closed(mapper.keys, tracked, p, progress)
    else:
        poses, loops, grid = tracked, 0, mapper.occupancy()
    return poses, loops, grid, mapper.drawn, max(unmatched, 0)


def _twist(scans: tuple[Scan, ...], wheels: Array, k: int) -> Array | None:
    """Twist of the robot after a scan began, by its odometry and that of the next; None: not known."""
    if k + 1 == len(scans) or not np.isfinite(wheels[k : k + 2]).all():
        return None
    gap = scans[k + 1].time - scans[k].time
    return sane_twist(se2.log(between(wheels[k], wheels[k + 1])) / gap) if gap > 1e-4 else None


def _closed(
    keys: list[KeyScan], tracked: Array, p: MappingParameters, progress: Progress
) -> tuple[Array, int, OccupancyGrid]:
    """Poses of all scans, number of loops, and the map, after closing loops."""
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if done % 16 == 0:
            progress("closing loops", done, len(keys))

    finder = LoopFinder(keys, np.array([key.pose for key in keys]), p)
    ties = [*finder.chain, *finder.run(tick)]
    poses = finder.poses
    for turn in range(p.pair_rounds):
        progress("refining", turn, p.pair_rounds)
        pairs = pair_edges(keys, poses, p, reach=FIRST_REACH if turn == 0 else LATER_REACH)
        poses = optimize(poses, [*ties, *pairs]).poses
    progress("drawing", 0, 1)
    numbers = np.array([key.index for key in keys])
    return spread(tracked, numbers, poses), len(finder.loops), draw_map(keys, poses, p)
