"""What a driving robot knows: the one way from scans and odometry to places on a map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante.control.body import Body
from andante.geometry import Array, se2
from andante.mapping import Scan

from .localizer import Localizer

MOMENT = 0.02  # over which a twist is told of a scan that is taken at once [s]


@dataclass(frozen=True)
class TakenScan:
    """A scan and where the robot believed to be when its first beam was taken.

    `scan.sensor` tells the mount from the drive's reference point; `scan.points(twist)` undoes the motion distortion.
    """

    scan: Scan
    odom: Array  # (3,) pose of the reference point in the odom frame [m, m, rad]
    pose: Array  # (3,) the same on the map, as believed when the scan arrived
    twist: Array  # (3,) mean over the sweep, vx, vy, w [m/s, m/s, rad/s]


@dataclass(frozen=True)
class Sensed:
    """What the robot knows at a moment; poses are those of the drive's reference point."""

    time: float  # [s]
    odom: Array  # (3,) x, y, yaw in the odom frame, smooth but drifting [m, m, rad]
    pose: Array  # (3,) on the map
    twist: Array  # (3,) measured vx, vy, w in the robot's axes [m/s, m/s, rad/s]
    reference: Array  # (3,) twist that the wheels are driven with
    sweeps: tuple[TakenScan, ...]  # that arrived since the moment before, oldest first
    trusted: bool  # False: the localizer does not know where the robot is


class Odometry(Protocol):
    """Where a robot believes to be since its start; `BaseOdometry` is one."""

    @property
    def twist(self) -> Array:
        """Newest vx, vy, w in the robot's axes."""

    def at(self, time: float) -> Array:
        """Pose x, y, yaw of the reference point at a time [s]."""


class ScanPipeline:
    """Takes the scans of a body as they come: each is told from the reference point and shown to the localizer.

    Args:
        body: whose lidar it is.
        odometry: of the reference point.
        localizer: that tells where odom lies on the map.
        reference: pose x, y, yaw of the reference point in the root.
    """

    def __init__(self, body: Body, odometry: Odometry, localizer: Localizer, reference: ArrayLike) -> None:
        self.body, self.odometry, self.localizer = body, odometry, localizer
        self._mount = np.asarray(se2.inverse(reference), dtype=float)
        self._taken = body.read().time - 1e-6  # when the first beam of the newest scan that was seen was taken [s]
        self.last: TakenScan | None = None

    def take(self) -> tuple[TakenScan, ...]:
        """The scans that have come since the last time, oldest first."""
        out = []
        for told in self.body.scans(self._taken):
            x, y, yaw = (float(value) for value in se2.compose(self._mount, told.sensor))
            scan = replace(told, sensor=(x, y, yaw))
            self._taken = scan.time
            lasted = max(scan.time_increment * (len(scan.ranges) - 1), MOMENT)
            begin, end = self.odometry.at(scan.time), self.odometry.at(scan.time + lasted)
            twist = se2.log(se2.between(begin, end)) / lasted
            self.localizer.update(scan, begin)
            self.last = TakenScan(scan, begin, se2.compose(self.localizer.map_from_odom, begin), twist)
            out.append(self.last)
        return tuple(out)

    def sense(self, time: float, reference: Array) -> Sensed:
        """All that is known at a time [s]; `reference` is the twist that the base is driven with."""
        sweeps = self.take()
        odom = self.odometry.at(time)
        pose = se2.compose(self.localizer.map_from_odom, odom)
        return Sensed(time, odom, pose, self.odometry.twist, reference, sweeps, self.localizer.trusted)

    def relocalize(self) -> None:
        """Let the localizer look for the pose anew with the newest scan."""
        if self.last is not None:
            self.localizer.relocalize(self.last.scan)
