"""`build_map`: a log into a map and a trajectory, and the poses between matched scans."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba.core import event
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2

from .grid import OccupancyGrid
from .loops import LoopFinder, optimize, pair_edges
from .mapper import KeyScan, Mapper, draw_map, sane_twist
from .parameters import MappingParameters
from .planar import between, compose
from .records import Log, Odometry, Trajectory, imu_at_scans, odometry_at_scans, tilted
from .scan import Scan

LONGEST_SWEEP = 0.5  # between the first beam of a scan, its stamp, and its arrival [s]
TURN_WEIGHT = 0.3  # meters of travel that a radian of turning counts as, when a correction is shared out [m/rad]
FEWEST = 30  # least number of steps for a fit
SHORTEST = 0.1  # steps shorter than this [m] ...
LEAST_TURN = 0.1  # ... that turn less [rad] are not used
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


def spread(tracked: Array, keys: Array, moved: Array) -> Array:
    """All poses (n, 3) after their key poses moved: `tracked` (n, 3), with keys (k,) moved to (k, 3).

    Between two keys the correction goes over from that of the first to that of the second with the number of the scan.
    """
    if len(keys) == 0:
        return np.array(tracked)
    index = np.arange(len(tracked))
    before = np.clip(np.searchsorted(keys, index, side="right") - 1, 0, len(keys) - 1)
    after = np.minimum(before + 1, len(keys) - 1)
    gap = np.maximum(keys[after] - keys[before], 1)
    fraction = np.clip((index - keys[before]) / gap, 0.0, 1.0)
    a = se2.compose(moved[before], se2.between(tracked[keys[before]], tracked))
    b = se2.compose(moved[after], se2.between(tracked[keys[after]], tracked))
    return blend(a, b, fraction)


def blend(a: Array, b: Array, fraction: Array) -> Array:
    """Poses (n, 3) on the arcs from a to b, at fractions (n,) 0 to 1."""
    return se2.compose(a, se2.exp(fraction[:, None] * se2.log(se2.between(a, b))))


def with_odometry(log: Log, poses: Array, odometry: Array) -> Trajectory:
    """One line per scan, at its pose (n, 3), and one per odometry record, led by the odometry between the scans.

    odometry (n, 3): that of each scan, NaN where it has none. Its systematic errors are fitted to the poses first; what
    is left is shared out over the way between two scans. Odometry that came with a scan makes no line of its own. Lines
    are in the order of their times, as a lidar stamps a scan with its first beam and sends it after the last one; only
    where a clock stepped back by more than a sweep they stay in the order of the log.
    """
    times, raw, scan_of = _by_time(*_in_order(log, odometry))
    if len(poses) == 0 or not np.isfinite(odometry).all():
        return Trajectory(np.array([scan.time for scan in log.scans]), poses)
    steps = fit_odometry(odometry, poses).apply(se2.between(raw[:-1], raw[1:]))
    path = np.zeros((len(raw), 3))
    for k in range(len(steps)):
        path[k + 1] = compose(path[k], steps[k])
    way = np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]) + TURN_WEIGHT * np.abs(steps[:, 2]))])
    at_scan = np.flatnonzero(scan_of >= 0)
    poses = poses[scan_of[at_scan]]
    index = np.arange(len(raw))
    before = np.clip(np.searchsorted(at_scan, index, side="right") - 1, 0, len(at_scan) - 1)
    after = np.minimum(before + 1, len(at_scan) - 1)
    first = index < at_scan[0]
    after[first] = before[first]
    span = way[at_scan[after]] - way[at_scan[before]]
    fraction = np.where(span > 1e-9, (way - way[at_scan[before]]) / np.where(span > 1e-9, span, 1.0), 0.0)
    a = se2.compose(poses[before], se2.between(path[at_scan[before]], path))
    b = se2.compose(poses[after], se2.between(path[at_scan[after]], path))
    filled = blend(a, b, np.clip(fraction, 0.0, 1.0))
    filled[at_scan] = poses
    return Trajectory(times, filled)


def _by_time(times: Array, raw: Array, scan_of: np.ndarray) -> tuple[Array, Array, np.ndarray]:
    """The same lines sorted by time, unless a clock stepped back by more than `LONGEST_SWEEP`."""
    if len(times) == 0 or np.diff(times, prepend=times[0]).min() < -LONGEST_SWEEP:
        return times, raw, scan_of
    order = np.argsort(times, kind="stable")
    return times[order], raw[order], scan_of[order]


def _in_order(log: Log, odometry: Array) -> tuple[Array, Array, np.ndarray]:
    """Times, odometry (m, 3) and number of the scan (m,), -1 for odometry alone, of all lines in file order."""
    times: list[float] = []
    raw: list[Array | tuple[float, float, float]] = []
    scan_of: list[int] = []
    records, scans = log.records, 0
    for k, record in enumerate(records):
        if isinstance(record, Scan):
            times.append(record.time)
            raw.append(odometry[scans])
            scan_of.append(scans)
            scans += 1
        elif isinstance(record, Odometry):
            following = records[k + 1] if k + 1 < len(records) else None
            if isinstance(following, Scan) and following.time == record.time:
                continue
            times.append(record.time)
            raw.append(record.pose)
            scan_of.append(-1)
    return np.array(times), np.array(raw, dtype=float).reshape(-1, 3), np.array(scan_of)


@dataclass(frozen=True)
class OdometryFit:
    """True step of an odometry step (x, y, yaw): (way · x, way · y, turn · yaw + drift · x)."""

    way: float = 1.0
    turn: float = 1.0
    drift: float = 0.0  # [rad/m]

    def apply(self, steps: Array) -> Array:
        """Odometry steps (..., 3) with the systematic errors taken out."""
        yaw = self.turn * steps[..., 2] + self.drift * steps[..., 0]
        return np.stack([self.way * steps[..., 0], self.way * steps[..., 1], se2.wrap(yaw)], axis=-1)


def fit_odometry(odometry: Array, matched: Array) -> OdometryFit:
    """The errors by which odometry (n, 3) differs from matched poses (n, 3) of the same scans, step by step.

    Least squares with Cauchy weights; no correction where there are too few steps or it would be beyond 20 %.
    """
    good = np.asarray(np.isfinite(odometry).all(axis=1))
    pair = np.logical_and(good[:-1], good[1:])
    told = se2.between(odometry[:-1][pair], odometry[1:][pair])
    true = se2.between(matched[:-1][pair], matched[1:][pair])
    way = np.hypot(told[:, 0], told[:, 1])
    far = (way > SHORTEST) | (np.abs(told[:, 2]) > LEAST_TURN)
    told, true, way = told[far], true[far], way[far]
    if len(told) < FEWEST:
        return OdometryFit()
    turn, drift = _robust(np.stack([told[:, 2], told[:, 0]], axis=1), true[:, 2])
    long = way > SHORTEST
    fraction = np.hypot(true[long, 0], true[long, 1]) / way[long]
    scale = float(np.median(fraction)) if long.sum() >= FEWEST else 1.0
    if abs(turn - 1) > 0.2 or abs(drift) > 0.2 or abs(scale - 1) > 0.2:
        return OdometryFit()
    return OdometryFit(scale, turn, drift)


def _robust(columns: Array, values: Array) -> tuple[float, float]:
    """Coefficients of two columns (n, 2) that explain values (n,), outliers weighed down."""
    weight = np.ones(len(values))
    found = np.array([1.0, 0.0])
    for _ in range(20):
        found = np.linalg.lstsq(columns * weight[:, None], values * weight, rcond=None)[0]
        left = values - columns @ found
        spread = 1.4826 * float(np.median(np.abs(left))) + 1e-9
        weight = 1 / np.sqrt(1 + (left / (2 * spread)) ** 2)
    return float(found[0]), float(found[1])
