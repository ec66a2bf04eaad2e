"""`localize_log`: Monte Carlo localization over a log, scan by scan."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.mapping import Scan, Trajectory
from andante.mapping.records import Log, imu_at_scans, odometry_at_scans

from .likelihood_field import LikelihoodField
from .mcl import HAND_DEVIATION, MonteCarloLocalizer
from .parameters import MclParameters

Progress = Callable[[int, int], None]
JUMP = 0.5  # of the estimate beside the wheels: it was somewhere else before, or is now [m]
BRIEF = 50.0  # way between two jumps on which it is not believed [m]
LEAST_ENDS = 20  # a global start waits for a scan with so many ends


@dataclass(frozen=True)
class LocalizationResult:
    """Trajectory of a log on a map, its uncertainty, and statistics of the filter."""

    trajectory: Trajectory
    health: Array  # (n,)
    deviation: Array  # (n, 2) of position [m] and heading [rad]
    particles: np.ndarray  # (n,)
    converged_at: int  # the first scan of the last spell of being converged; -1: not converged at the end
    first_converged: int  # the first scan at which it was converged; -1: never
    recoveries: int  # updates that put particles elsewhere
    blind: int  # scans without enough echoes
    updates: int  # scans that weighed particles
    seconds: float  # of work, reading the log and the map left out
    doubted: np.ndarray  # (n,) scans after the first convergence: not agreed on, not fitting, or elsewhere for a while

    @property
    def converged(self) -> bool:
        """Whether the particles agree at the end, at a place where the scan fits."""
        return self.converged_at >= 0

    @property
    def rate(self) -> float:
        """Updates per second of work."""
        return self.updates / self.seconds if self.seconds > 0 else float("inf")


def localize_log(
    log: Log,
    field: LikelihoodField,
    start: Array | None,
    parameters: MclParameters | None = None,
    *,
    deviation: Array | tuple[float, ...] = HAND_DEVIATION,
    seed: int = 0,
    progress: Progress = lambda done, total: None,
) -> LocalizationResult:
    """Run Monte Carlo localization over a log in file order.

    Args:
        log: scans, odometry and IMU readings.
        field: likelihood field of the map.
        start: pose x, y, yaw of the first scan on the map [m, m, rad]; None: unknown (global localization).
        parameters: settings of the filter; None: those of the field.
        deviation: standard deviations (3,) of the start [m, m, rad].
        seed: of the particles.
        progress: called now and then with how many scans of how many are done.
    """
    scans = log.scans
    if not scans:
        raise BadInput(f"{log.name}: holds no scans to localize by")
    wheels = odometry_at_scans(log)
    led = np.asarray(np.isfinite(wheels).all(axis=1))
    _, tilt = imu_at_scans(log)
    level = np.asarray(np.isfinite(tilt).all(axis=1))
    filter_ = MonteCarloLocalizer(field, parameters, seed)
    began = time.perf_counter()
    if start is None:
        filter_.start_anywhere(_first_rich(scans, filter_.parameters.range_max))
    else:
        filter_.start_at(start, deviation)
    n = len(scans)
    poses, health, spread = np.empty((n, 3)), np.empty(n), np.empty((n, 2))
    count, settled = np.empty(n, dtype=np.int64), np.zeros(n, dtype=bool)
    updates = recoveries = 0
    for k, scan in enumerate(scans):
        roll_pitch = (float(tilt[k, 0]), float(tilt[k, 1])) if level[k] else None
        made = filter_.update(scan, wheels[k] if led[k] else None, roll_pitch)
        poses[k], health[k], count[k], settled[k] = made.pose, made.health, made.particles, made.converged
        spread[k] = np.sqrt(max(made.covariance[0, 0] + made.covariance[1, 1], 0.0)), np.sqrt(made.covariance[2, 2])
        updates += made.updated
        recoveries += made.added > 0
        if k % 32 == 0:
            progress(k, n)
    spent = time.perf_counter() - began
    times = np.array([scan.time for scan in scans])
    lost = np.flatnonzero(~settled)
    last = (int(lost[-1]) + 1 if len(lost) else 0) if settled[-1] else -1
    first = int(np.argmax(settled)) if settled.any() else -1
    doubted = np.ones(n, dtype=bool)
    if first >= 0:
        doubted = (~settled | between_jumps(poses, wheels)) & (np.arange(n) > first)
    return LocalizationResult(
        Trajectory(times, poses), health, spread, count, last, first, recoveries, filter_.blind, updates, spent, doubted
    )


def between_jumps(poses: Array, wheels: Array) -> np.ndarray:
    """Where (n,) an estimate was elsewhere for a while: at a jump, and from one to the next on a way of up to `BRIEF`.

    Args:
        poses: of the estimate (n, 3).
        wheels: poses by odometry (n, 3); NaN: none, nothing is known there.
    """
    steps = se2.between(wheels[:-1], wheels[1:])
    gaps = np.linalg.norm((poses[1:] - se2.compose(poses[:-1], steps))[:, :2], axis=1)
    lengths = np.nan_to_num(np.linalg.norm(steps[:, :2], axis=1))
    way = np.concatenate([[0.0], np.cumsum(lengths)])
    jumps = 1 + np.flatnonzero(gaps > JUMP)
    out = np.zeros(len(poses), dtype=bool)
    out[jumps] = True
    for one, other in itertools.pairwise(jumps.tolist()):
        if way[other] - way[one] < BRIEF:
            out[one:other] = True
    return out


def _first_rich(scans: tuple[Scan, ...], range_max: float) -> Scan | None:
    """The first scan, where it has enough ends to be searched for; else None: particles fall anywhere."""
    first = scans[0]
    return first if int((first.hit & (first.ranges <= range_max)).sum()) >= LEAST_ENDS else None
