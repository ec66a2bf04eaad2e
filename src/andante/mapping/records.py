"""What a log of a drive holds: scans, odometry and IMU readings in the order of the file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .scan import Scan

LARGEST = 1e9  # number that a log of a drive may hold: m, rad, m/s^2, ...
LATEST = 1e20  # stamp, in whatever unit: nanoseconds since 1970 are 2e18


def believable(values: ArrayLike) -> bool:
    """Whether all values, times aside, are numbers that can be computed with: finite and at most 1e9."""
    return bool((np.abs(np.asarray(values, dtype=float)) <= LARGEST).all())


@dataclass(frozen=True)
class Odometry:
    """Where the wheels believe the robot is: x, y, yaw [m, m, rad] in a frame of their own."""

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
    """A drive, in the order in which it was written down.

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
    """Odometry (n, 3) of each scan: of the record in front with the same stamp, else between neighbours in time.

    A scan whose stamp lies before an earlier one's gets the odometry in front of it in the file: its stamp is wrong.
    NaN where the log has no odometry within a second of a scan.
    """
    from .trajectory import Trajectory

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
