"""`UwbLog`: ranges between tags and anchors and IMU readings of a drive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.mapping.records import ImuReading

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
