"""Poses between matched scans: corrections shared out over the way, odometry between scans, rounded stamps undone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.geometry import Array, se2

from .planar import compose
from .records import Log, Odometry, Trajectory
from .scan import Scan

LONGEST_SWEEP = 0.5  # between the first beam of a scan, its stamp, and its arrival [s]
TURN_WEIGHT = 0.3  # meters of travel that a radian of turning counts as, when a correction is shared out [m/rad]
WAY_WEIGHT = 0.1  # radians of turning that a meter of travel counts as, when a turn is shared out [rad/m]
FEWEST = 30  # least number of steps for a fit
SHORTEST = 0.1  # steps shorter than this [m] ...
LEAST_TURN = 0.1  # ... that turn less [rad] are not used
ROUNDINGS = (1e-2, 1e-3, 1e-4, 1e-5)  # steps that stamps may have been rounded to, the coarsest first [s]
STAMPS = 200  # lines whose stamps tell how they were rounded


def spread(tracked: Array, keys: np.ndarray, moved: Array) -> Array:
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
    turned = np.concatenate([[0.0], np.cumsum(np.abs(steps[:, 2]) + WAY_WEIGHT * np.hypot(steps[:, 0], steps[:, 1]))])
    span = turned[at_scan[after]] - turned[at_scan[before]]
    share = np.where(span > 1e-9, (turned - turned[at_scan[before]]) / np.where(span > 1e-9, span, 1.0), 0.0)
    filled[:, 2] = se2.wrap(a[:, 2] + np.clip(share, 0.0, 1.0) * se2.wrap(b[:, 2] - a[:, 2]))
    filled[at_scan] = poses
    return Trajectory(unrounded(times, raw), filled)


def unrounded(times: Array, raw: Array) -> Array:
    """Times (n,) of lines with odometry (n, 3), where lines of one stamp that tell different places are set apart.

    A robot is at one place at a time: such stamps were rounded, to a step q. Of n lines in [s - q/2, s + q/2) the one
    with the stamp s - q/2 + x q is most likely number (n - 1) x, so number i gets s + q (i / (n - 1) - 1/2).
    """
    order = np.argsort(times, kind="stable")
    sorted_times, places = times[order], raw[order]
    out = sorted_times.copy()
    begins = np.flatnonzero(np.diff(sorted_times, prepend=-np.inf) > 0)
    for begin, end in zip(begins, [*begins[1:], len(times)], strict=True):
        if end - begin > 1 and np.ptp(places[begin:end], axis=0).max() > 1e-6:
            middle = int(np.clip(begin - STAMPS // 2, 0, max(0, len(times) - STAMPS)))
            step = rounding(sorted_times[middle : middle + STAMPS])
            out[begin:end] += step * (np.arange(end - begin) / (end - begin - 1) - 0.5)
    told = np.empty_like(times)
    told[order] = out
    return told


def rounding(times: Array) -> float:
    """The step of `ROUNDINGS` of which the times (n,) are whole multiples apart [s]; 0: they were not rounded."""
    since = times - times[0]
    for step in ROUNDINGS:
        if np.abs(since - step * np.rint(since / step)).max() < min(0.05 * step, 2e-6):
            return step
    return 0.0


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
