"""Poses between matched ones: of scans between key scans, and of odometry between scans."""

from __future__ import annotations

import numpy as np

from andante.geometry import Array, se2

from .odometry_fit import fit_odometry
from .planar import compose
from .records import Log, Odometry
from .scan import Scan
from .trajectory import Trajectory

LONGEST_SWEEP = 0.5  # between the first beam of a scan, its stamp, and its arrival [s]
TURN_WEIGHT = 0.3  # metres of way that a radian of turning counts as, when a correction is shared out [m/rad]


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
    share = np.clip((index - keys[before]) / gap, 0.0, 1.0)
    a = se2.compose(moved[before], se2.between(tracked[keys[before]], tracked))
    b = se2.compose(moved[after], se2.between(tracked[keys[after]], tracked))
    return blend(a, b, share)


def blend(a: Array, b: Array, share: Array) -> Array:
    """Poses (n, 3) on the arcs from a to b, at shares (n,) 0 to 1."""
    return se2.compose(a, se2.exp(share[:, None] * se2.log(se2.between(a, b))))


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
    share = np.where(span > 1e-9, (way - way[at_scan[before]]) / np.where(span > 1e-9, span, 1.0), 0.0)
    a = se2.compose(poses[before], se2.between(path[at_scan[before]], path))
    b = se2.compose(poses[after], se2.between(path[at_scan[after]], path))
    filled = blend(a, b, np.clip(share, 0.0, 1.0))
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
