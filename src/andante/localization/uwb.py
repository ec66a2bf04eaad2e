"""UWB: `UwbLog`, ranges between tags and anchors and IMU readings of a drive; `track_uwb`, its trajectory."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array, so3
from andante.mapping import Trajectory
from andante.mapping.records import LARGEST, ImuReading, believable

from .range_filter import RangeInertialFilter, RangeNoise
from .trilateration import trilaterate

Rows = Sequence[tuple[float, int, int, float]]
NEAR_LINE = 1e-3  # anchors 0, 1, 2 that span less than this [m] lie on a line
EPOCH = 0.02  # ranges of one tag that lie nearer than this belong together [s]


@dataclass(frozen=True)
class UwbLog:
    """Ranges (n,) [m] with their times [s] and the numbers of tag and anchor; IMU readings; notes in words."""

    name: str
    times: Array
    tags: np.ndarray
    anchors: np.ndarray
    ranges: Array
    imu: tuple[ImuReading, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (len(self.times) == len(self.tags) == len(self.anchors) == len(self.ranges)):
            raise BadInput(f"{self.name}: times, tags, anchors and ranges differ in length")

    @classmethod
    def of_rows(cls, name: str, rows: Rows, imu: Sequence[ImuReading], notes: Sequence[str] = ()) -> UwbLog:
        """The log of rows time, tag, anchor, range."""
        times, tags, anchors, ranges = np.array(rows).T.copy()
        return cls(name, times, tags.astype(np.int64), anchors.astype(np.int64), ranges, tuple(imu), tuple(notes))

    @property
    def backward(self) -> int:
        """How many ranges have a stamp before the one in front of them."""
        return int((np.diff(self.times) < 0).sum())

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notes, and one counted line when stamps step back."""
        if not self.backward:
            return self.notes
        return (*self.notes, f"{self.name}: stamps step back {self.backward} times; readings are sorted by time")


@dataclass(frozen=True)
class Epoch:
    """Ranges (m,) that one tag measured at about one time."""

    time: float
    tag: int
    anchors: np.ndarray  # (m,) numbers
    ranges: Array  # (m,) [m]


def epochs(log: UwbLog) -> Iterator[Epoch]:
    """Ranges grouped by tag and time, in order of time; an anchor that answers twice begins the next group."""
    order = np.argsort(log.times, kind="stable")
    open_ones: dict[int, list[int]] = {}
    done: list[Epoch] = []

    def close(tag: int) -> None:
        rows = np.array(open_ones.pop(tag))
        done.append(Epoch(float(log.times[rows].mean()), tag, log.anchors[rows].astype(np.int64), log.ranges[rows]))

    for row in order:
        tag = int(log.tags[row])
        group = open_ones.get(tag)
        if group is not None and (
            log.times[row] - log.times[group[0]] > EPOCH or log.anchors[row] in log.anchors[np.array(group)]
        ):
            close(tag)
        open_ones.setdefault(tag, []).append(int(row))
    for tag in list(open_ones):
        close(tag)
    return iter(sorted(done, key=lambda epoch: epoch.time))


@dataclass(frozen=True)
class UwbSetup:
    """Anchors in the UWB frame, tags on the robot, and where the UWB frame lies on the map.

    The first tag is the one whose position counts as the robot's (base_link of the source).
    """

    anchors: Mapping[str, tuple[float, float, float]]  # [m]
    tags: Mapping[str, tuple[float, float, float]] = field(default_factory=lambda: {"0": (0.0, 0.0, 0.0)})
    map_from_uwb: tuple[float, float, float] | None = None  # x, y, yaw; None: not known

    def __post_init__(self) -> None:
        if len(self.anchors) < 3:
            raise BadInput(f"positioning needs at least 3 anchors, got {len(self.anchors)}")
        for kind, places in (("anchor", self.anchors), ("tag", self.tags)):
            for name, place in places.items():
                if len(place) != 3 or not believable(place):
                    raise BadInput(f"{kind} {name} needs x y z as finite numbers up to {LARGEST:g}, got {place}")
        if len({tuple(place) for place in self.anchors.values()}) < len(self.anchors):
            raise BadInput("two anchors stand at the same place")
        if not self.tags:
            raise BadInput("there is no tag")
        if self.map_from_uwb is not None and not believable(self.map_from_uwb):
            raise BadInput(f"map_from_uwb needs x, y, yaw as finite numbers up to {LARGEST:g}, got {self.map_from_uwb}")

    @property
    def anchor_positions(self) -> Array:
        """Anchors (m, 3) in order [m]."""
        return np.array(list(self.anchors.values()), dtype=float)

    @property
    def tag_positions(self) -> Array:
        """Tags (k, 3) on the robot, in order [m]."""
        return np.array(list(self.tags.values()), dtype=float)

    def anchor_index(self, name: str) -> int:
        """Number of an anchor by name, by hexadecimal or decimal id, or by its number in the list."""
        return _index(name, list(self.anchors), "anchor")

    def tag_index(self, name: str) -> int:
        """Number of a tag; tag0, 0x0 and 0 are the same name."""
        return _index(name, list(self.tags), "tag")


def _index(name: str, known: list[str], what: str) -> int:
    wanted = _plain(name, what)
    for i, each in enumerate(known):
        if _plain(each, what) == wanted:
            return i
    raise UnknownName.among(f"UWB {what}", name, known)


def _plain(name: str, what: str) -> str:
    """A name without case, without the word anchor or tag in front, and ids as numbers."""
    word = name.strip().lower().lstrip("/")
    for front in (what, f"{what}_", "uwb_", "a" if what == "anchor" else "t"):
        rest = word.removeprefix(front).lstrip("_- ")
        if rest != word and rest.isdigit():
            word = rest
            break
    try:
        return str(int(word, 16) if word.startswith("0x") else int(word))
    except ValueError:
        return word


def anchors_from_distances(distances: ArrayLike) -> Array:
    """Positions (m, 3) of anchors in the source's frame from their distances (m, m) to one another [m].

    Anchor 0 is the origin, anchor 1 lies on +y, anchor 2 in the plane of 0 and 1 toward +x, and anchors from 3 on are
    higher (z >= 0); 0, 1 and 2 are at one height.
    """
    d = np.asarray(distances, dtype=float)
    if d.ndim != 2 or d.shape[0] != d.shape[1] or len(d) < 3 or not np.isfinite(d).all() or (d < 0).any():
        raise BadInput(f"distances between anchors are a square table of at least 3 x 3 numbers, got {d.shape}")
    if np.abs(d - d.T).max() > 1e-6 * max(1.0, d.max()) or np.abs(np.diag(d)).max() > 0:
        raise BadInput("distances between anchors must be symmetric, with zeros on the diagonal")
    out = np.zeros((len(d), 3))
    out[1, 1] = d[0, 1]
    if d[0, 1] < NEAR_LINE:
        raise BadInput("anchors 0 and 1 stand at the same place")
    y = (d[0, 2] ** 2 + d[0, 1] ** 2 - d[1, 2] ** 2) / (2 * d[0, 1])
    square = d[0, 2] ** 2 - y**2
    if square < NEAR_LINE**2:
        raise BadInput("anchors 0, 1 and 2 stand on a line (or their distances disagree); move one aside")
    out[2, :2] = np.sqrt(square), y
    for k in range(3, len(d)):
        y = (d[0, k] ** 2 + d[0, 1] ** 2 - d[1, k] ** 2) / (2 * d[0, 1])
        x = (d[0, k] ** 2 + out[2] @ out[2] - d[2, k] ** 2 - 2 * y * out[2, 1]) / (2 * out[2, 0])
        out[k] = x, y, np.sqrt(max(d[0, k] ** 2 - x**2 - y**2, 0.0))
    return out


def in_source_frame(positions: ArrayLike) -> Array:
    """Anchor positions (m, 3) of any frame, in the source's frame.

    Anchor 0 becomes the origin, the way from 0 to 1 gives +y, 2 gives +x (made square to y), and z = x × y points to
    the side on which anchor 3 hangs.
    """
    p = np.asarray(positions, dtype=float)
    if p.ndim != 2 or p.shape[1] != 3 or len(p) < 3 or not np.isfinite(p).all():
        raise BadInput(f"the frame of the anchors needs at least 3 positions (m, 3), got {p.shape}")
    y = p[1] - p[0]
    if np.linalg.norm(y) < NEAR_LINE:
        raise BadInput("anchors 0 and 1 stand at the same place")
    y = y / np.linalg.norm(y)
    x = p[2] - p[0]
    x = x - (x @ y) * y
    if np.linalg.norm(x) < NEAR_LINE:
        raise BadInput("anchors 0, 1 and 2 stand on a line; move one aside")
    x = x / np.linalg.norm(x)
    z = np.cross(x, y)
    if len(p) > 3 and (p[3] - p[0]) @ z < 0:
        raise BadInput("anchor 3 must hang on the +z side of anchors 0, 1, 2; swap anchors 1 and 2 or hang 3 higher")
    local: Array = (p - p[0]) @ np.stack([x, y, z], axis=1)
    return local


START_EPOCHS = 8  # of the first tag whose median begins the filter
IMU_REACH = 1.0  # the heading of tags is used where IMU readings are at least this near [s]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class UwbResult:
    """Trajectory of the robot (its first tag) in the UWB frame."""

    trajectory: Trajectory  # at each epoch of the first tag
    positions: Array  # (n, 3) [m]
    deviation: float  # of the last position in the plane [m]
    accepted: int  # ranges that passed the gate
    refused: int
    restarts: int
    seconds: float

    @property
    def updates(self) -> int:
        """Epochs of the first tag."""
        return len(self.positions)

    @property
    def rate(self) -> float:
        """Epochs per second of work."""
        return self.updates / self.seconds if self.seconds > 0 else float("inf")

    @property
    def converged(self) -> bool:
        """Whether the position is known within 0.3 m at the end."""
        return self.deviation < 0.3


def track_uwb(
    log: UwbLog,
    setup: UwbSetup,
    noise: RangeNoise | None = None,
    height: float | None = None,
    progress: Progress = lambda done, total: None,
) -> UwbResult:
    """Trajectory of the first tag from ranges and IMU readings, by a tightly coupled Kalman filter.

    Args:
        log: ranges and IMU readings.
        setup: positions of anchors and tags.
        noise: deviations of ranges, IMU and motion; None: the defaults.
        height: of the first tag in the UWB frame [m]; None: unknown.
        progress: called now and then with how many epochs of how many are done.
    """
    groups = list(epochs(log))
    first = [group for group in groups if group.tag == 0]
    if not first:
        raise BadInput(f"{log.name}: holds no ranges of the first tag ({next(iter(setup.tags))})")
    filter_ = RangeInertialFilter(setup.anchor_positions, setup.tag_positions, noise)
    n = filter_.noise
    began = time.perf_counter()
    readings = sorted(log.imu, key=lambda reading: reading.time)
    at, yaw = tag_pose(groups, setup, n.range_sigma, height, bool(readings))
    filter_.start(first[0].time, at, yaw)
    times, poses, places = [], [], []
    recent: list[Epoch] = []
    next_imu = restarts = 0
    while next_imu < len(readings) and readings[next_imu].time < first[0].time - IMU_REACH:
        next_imu += 1
    for k, group in enumerate(groups):
        while next_imu < len(readings) and readings[next_imu].time <= group.time:
            reading = readings[next_imu]
            filter_.imu(reading.time, reading.gyro, reading.acceleration)
            next_imu += 1
        if group.time < first[0].time:
            continue
        for anchor, distance in zip(group.anchors, group.ranges, strict=True):
            filter_.range(group.time, group.tag, int(anchor), float(distance))
        if height is not None:
            filter_.hold_height(height - float(setup.tag_positions[0][2]))
        recent = [*recent[-7:], group]
        if filter_.lost:
            at, turn = tag_pose(recent, setup, n.range_sigma, height, bool(readings))
            filter_.start(group.time, at, turn)
            restarts += 1
        if group.tag == 0:
            times.append(group.time)
            poses.append([*filter_.position[:2], filter_.yaw])
            places.append(filter_.position)
        if k % 256 == 0:
            progress(k, len(groups))
    P = filter_.covariance
    return UwbResult(
        Trajectory(np.array(times), np.array(poses)), np.array(places), math.sqrt(P[0, 0] + P[1, 1]), filter_.accepted,
        filter_.refused, restarts, time.perf_counter() - began,
    )  # fmt: skip


def trilaterate_log(
    log: UwbLog, setup: UwbSetup, *, robust: bool = False, height: float | None = None, sigma: float = 0.1
) -> tuple[Array, Array]:
    """Times (n,) and positions (n, 3) of the first tag by each epoch's ranges alone; each starts at the one before."""
    anchors = setup.anchor_positions
    times, places = [], []
    last: Array | None = None
    for group in epochs(log):
        if group.tag != 0:
            continue
        fix = trilaterate(anchors[group.anchors], group.ranges, start=last, height=height, sigma=sigma, robust=robust)
        if fix.converged:
            times.append(group.time)
            places.append(fix.position)
            last = fix.position
    return np.array(times), np.array(places).reshape(-1, 3)


def tag_pose(
    groups: list[Epoch], setup: UwbSetup, sigma: float = 0.1, height: float | None = None, turned: bool = True
) -> tuple[Array, float | None]:
    """Position (3,) of the robot and heading by the median of the tags' positions over epochs.

    The heading is None with one tag, or where it is not asked for (`turned`).
    """
    anchors, tags = setup.anchor_positions, setup.tag_positions
    found: dict[int, list[Array]] = {}
    for group in groups:
        rows = found.setdefault(group.tag, [])
        if len(rows) < START_EPOCHS:
            level = None if height is None else height + tags[group.tag][2] - tags[0][2]
            fix = trilaterate(anchors[group.anchors], group.ranges, height=level, sigma=sigma)
            if fix.converged:
                rows.append(fix.position)
    if not found.get(0):
        raise BadInput("the ranges of the first tag give no position; at least 3 anchors must answer at a time")
    middle = {tag: np.median(rows, axis=0) for tag, rows in found.items() if rows}
    yaw: float | None = None
    if turned and 1 in middle and len(tags) > 1:
        on_robot, seen = tags[1] - tags[0], middle[1] - middle[0]
        if np.hypot(*on_robot[:2]) > 0.05 and np.hypot(*seen[:2]) > 0.02:
            yaw = math.atan2(seen[1], seen[0]) - math.atan2(on_robot[1], on_robot[0])
    turn = so3.from_rpy([0.0, 0.0, yaw or 0.0])
    return middle[0] - turn @ tags[0], yaw
