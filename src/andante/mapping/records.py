"""What a log of a drive holds: scans, odometry and IMU readings in the order of the file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2

from .scan import Scan

LARGEST = 1e9  # number that a log of a drive may hold: m, rad, m/s^2, ...
LATEST = 1e20  # stamp, in whatever unit: nanoseconds since 1970 are 2e18


@dataclass(frozen=True)
class Trajectory:
    """Poses (n, 3) x, y, yaw [m, m, rad] at times (n,) [s], in the order in which they were made."""

    times: Array
    poses: Array

    def __post_init__(self) -> None:
        times, poses = np.array(self.times, dtype=float), np.array(self.poses, dtype=float)
        if times.ndim != 1 or poses.shape != (len(times), 3):
            raise BadInput(f"a trajectory needs n times and (n, 3) poses, got {times.shape} and {poses.shape}")
        if not (np.isfinite(times).all() and np.isfinite(poses).all()):
            raise BadInput("a trajectory holds finite numbers only")
        for name, values in (("times", times), ("poses", poses)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def __len__(self) -> int:
        return len(self.times)

    def sorted(self) -> Trajectory:
        """The same by time; poses of equal times stay in the order in which they were made."""
        order = np.argsort(self.times, kind="stable")
        return Trajectory(self.times[order], self.poses[order])

    def at(self, times: ArrayLike) -> Array:
        """Poses (..., 3) at times within the span, between neighbors along the arc of constant twist; NaN outside.

        Where several poses share a time (loggers stamp what they had buffered at once), times before it lead to the
        first of them and times after it away from the last.
        """
        path = self.sorted()
        t = np.asarray(times, dtype=float)
        if len(path) == 0:
            return np.full((*t.shape, 3), np.nan)
        after = np.clip(np.searchsorted(path.times, t), 1, max(len(path) - 1, 1))
        before = after - 1
        after = np.minimum(after, len(path) - 1)
        span = path.times[after] - path.times[before]
        fraction = np.where(span > 0, (t - path.times[before]) / np.where(span > 0, span, 1.0), 0.0)
        step = se2.log(se2.between(path.poses[before], path.poses[after]))
        poses = se2.compose(path.poses[before], se2.exp(fraction[..., None] * step))
        inside = (t >= path.times[0] - 1e-6) & (t <= path.times[-1] + 1e-6)
        return np.where(inside[..., None], poses, np.nan)

    @property
    def length(self) -> float:
        """Length of the path [m]."""
        return float(np.linalg.norm(np.diff(self.poses[:, :2], axis=0), axis=1).sum())


def believable(values: ArrayLike) -> bool:
    """Whether all values, times aside, are plausible numbers: finite and at most 1e9."""
    return bool((np.abs(np.asarray(values, dtype=float)) <= LARGEST).all())


@dataclass(frozen=True)
class Odometry:
    """Pose by wheel odometry: x, y, yaw [m, m, rad] in the odom frame."""

    time: float  # [s]
    pose: tuple[float, float, float]

    def __post_init__(self) -> None:
        if not (math.isfinite(self.time) and len(self.pose) == 3 and all(abs(v) <= LARGEST for v in self.pose)):
            told = f"got time {self.time} and pose {self.pose}"
            raise BadInput(f"odometry must be finite numbers, places within {LARGEST:g} m, {told}")


@dataclass(frozen=True)
class ImuReading:
    """One reading of an inertial sensor in the robot's axes; `orientation` where the sensor gives one."""

    time: float  # [s]
    gyro: tuple[float, float, float]  # [rad/s]
    acceleration: tuple[float, float, float]  # specific force [m/s^2]; about +9.81 along z at rest
    orientation: tuple[float, float, float] | None = None  # roll, pitch, yaw [rad]


Record: TypeAlias = Scan | Odometry | ImuReading


@dataclass(frozen=True)
class Log:
    """A recorded drive, in the order of the file.

    `notes` say in words what the log lacks and what was assumed instead, `backward` counts stamps of scans that lie
    before their predecessor.
    """

    name: str
    records: tuple[Record, ...]
    notes: tuple[str, ...] = ()

    @property
    def scans(self) -> tuple[Scan, ...]:
        """All scans in file order."""
        return tuple(r for r in self.records if isinstance(r, Scan))

    @property
    def odometry(self) -> tuple[Odometry, ...]:
        """All odometry in file order."""
        return tuple(r for r in self.records if isinstance(r, Odometry))

    @property
    def imu(self) -> tuple[ImuReading, ...]:
        """All IMU readings in file order."""
        return tuple(r for r in self.records if isinstance(r, ImuReading))

    @property
    def backward(self) -> int:
        """How many scans have a stamp before that of the scan in front of them."""
        times = np.array([scan.time for scan in self.scans])
        return int((np.diff(times) < 0).sum())

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes, and one counted line when stamps step back."""
        if not self.backward:
            return self.notes
        return (*self.notes, f"{self.name}: scan stamps step back {self.backward} times; processed in file order")


def odometry_at_scans(log: Log) -> Array:
    """Odometry (n, 3) of each scan: of the record in front with the same stamp, else between neighbors in time.

    A scan whose stamp lies before an earlier one's gets the odometry in front of it in the file: its stamp is wrong.
    NaN where the log has no odometry within a second of a scan.
    """
    odometry = log.odometry
    poses = np.full((len(log.scans), 3), np.nan)
    if not odometry:
        return poses
    path = Trajectory(np.array([o.time for o in odometry]), np.array([o.pose for o in odometry])).sorted()
    open_ones: list[int] = []
    times: list[float] = []
    index, last, latest = 0, None, -np.inf
    for record in log.records:
        if isinstance(record, Odometry):
            last = record
        elif isinstance(record, Scan):
            if last is not None and (last.time == record.time or record.time < latest):
                poses[index] = last.pose
            else:
                open_ones.append(index)
                times.append(record.time)
            latest = max(latest, record.time)
            index += 1
    if open_ones:
        asked = np.array(times)
        near = np.clip(asked, path.times[0], path.times[-1])
        found = path.at(near)
        after = np.clip(np.searchsorted(path.times, asked), 0, len(path) - 1)
        before = np.maximum(after - 1, 0)
        gap = np.minimum(np.abs(path.times[after] - asked), np.abs(path.times[before] - asked))
        found[gap > 1.0] = np.nan
        poses[open_ones] = found
    return poses
