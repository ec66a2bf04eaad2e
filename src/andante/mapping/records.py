"""What a log of a drive holds: scans, odometry and IMU readings in file order; the latter two at each scan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array, se2, so3

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


def first_scans(log: Log, count: int) -> Log:
    """The log up to its scan of that number."""
    scans = [k for k, record in enumerate(log.records) if isinstance(record, Scan)]
    return log if count >= len(scans) else replace(log, records=log.records[: scans[count - 1] + 1])


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


LONGEST_GAP = 0.5  # scans further than this from any reading get none [s]
LEVELLING = 1.0  # time constant by which gravity corrects roll and pitch [s]
LEAST_TILT = 0.002  # smaller tilts are left alone [rad]


def imu_at_scans(log: Log) -> tuple[Array, Array]:
    """Unwrapped heading (n,) and roll, pitch (n, 2) of the robot at each scan [rad]; NaN where no reading is near."""
    times = np.array([scan.time for scan in log.scans])
    yaw, tilt = np.full(len(times), np.nan), np.full((len(times), 2), np.nan)
    readings = sorted(log.imu, key=lambda reading: reading.time)
    if len(readings) < 2 or len(times) == 0:
        return yaw, tilt
    when = np.array([reading.time for reading in readings])
    angles = attitude(readings)
    after = np.clip(np.searchsorted(when, times), 1, len(when) - 1)
    gap = np.minimum(np.abs(when[after] - times), np.abs(when[after - 1] - times))
    near = gap <= LONGEST_GAP
    yaw[near] = np.interp(times[near], when, angles[:, 2])
    for k in range(2):
        tilt[near, k] = np.interp(times[near], when, angles[:, k])
    return yaw, tilt


def attitude(readings: Sequence[ImuReading]) -> Array:
    """Roll, pitch and unwrapped yaw (n, 3) [rad] at each reading, sorted by time.

    Taken from the sensor where all readings have an orientation; else yaw is the integral of the gyro, and roll and
    pitch follow the gyro and are drawn toward gravity (a complementary filter).
    """
    if all(reading.orientation is not None for reading in readings):
        told = np.array([reading.orientation for reading in readings], dtype=float)
        return np.stack([told[:, 0], told[:, 1], np.unwrap(told[:, 2])], axis=1)
    out = np.zeros((len(readings), 3))
    roll, pitch, yaw = _level(readings[0].acceleration) or (0.0, 0.0, 0.0)
    last = readings[0]
    for k, reading in enumerate(readings):
        dt = min(max(reading.time - last.time, 0.0), LONGEST_GAP)
        p, q, r = (0.5 * (a + b) for a, b in zip(last.gyro, reading.gyro, strict=True))
        last = reading
        roll += dt * (p + math.tan(pitch) * (q * math.sin(roll) + r * math.cos(roll)))
        pitch += dt * (q * math.cos(roll) - r * math.sin(roll))
        yaw += dt * (q * math.sin(roll) + r * math.cos(roll)) / max(math.cos(pitch), 0.1)
        level = _level(reading.acceleration)
        if level is not None:
            fraction = dt / (LEVELLING + dt)
            roll += fraction * (level[0] - roll)
            pitch += fraction * (level[1] - pitch)
        pitch = min(max(pitch, -1.4), 1.4)
        out[k] = roll, pitch, yaw
    return out


def _level(force: tuple[float, float, float]) -> tuple[float, float, float] | None:
    """Roll and pitch of a robot at rest under a specific force; None when it is not about gravity alone."""
    x, y, z = force
    size = math.sqrt(x * x + y * y + z * z)
    if not 8.8 < size < 10.8:
        return None
    return math.atan2(y, z), math.atan2(-x, math.hypot(y, z)), 0.0


def tilted(scan: Scan, roll: float, pitch: float) -> Scan:
    """The scan with its sensor tilted as the robot was; the same scan where the tilt is not known or too small."""
    if not (math.isfinite(roll) and math.isfinite(pitch)) or max(abs(roll), abs(pitch)) < LEAST_TILT:
        return scan
    x, y, yaw = scan.sensor
    turned = so3.to_rpy(so3.from_rpy([roll, pitch, 0.0]) @ so3.from_rpy([*scan.tilt, yaw]))
    return replace(scan, sensor=(x, y, float(turned[2])), tilt=(float(turned[0]), float(turned[1])))
