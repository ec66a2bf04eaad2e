"""The rover's computer: readings of lidar, UWB tags and microcontroller in, poses and waypoints down the serial line.

It runs the chain of the source: trilateration and fading filter, AHRS, odometry, Monte Carlo localisation on a map; the
pose that goes down is the localiser's, carried on by the odometry to the present.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array, se2
from andante.hardware import SerialBody
from andante.localization import Ahrs, LikelihoodField, MclParameters, MonteCarloLocalizer, StandStill, UwbSetup
from andante.mapping import Scan

from .rover_odometry import PoseHistory, RoverOdometry
from .rover_tags import RoverTags

ODOMETRY = ("wheels", "uwb")  # what leads the localiser: wheels and gyro, or the tags and the AHRS as in the source
SOURCES = ("uwb", "odometry", "amcl")  # of the estimates
SETTLING = 10  # scans that weigh the particles while the rover stands
SETTLE_GROWTH = 1.3  # of the spread between two of them
FIRST_FIXES = 10  # of the tags that tell the first pose
DEVIATION = (0.4, 0.4, 0.4)  # of a pose told by the tags [m, m, rad]
WIDEST = 0.5  # [m, rad]


class RoverComputer:
    """Estimators of the rover and its end of the serial line, in lock-step with whoever calls `update`."""

    def __init__(
        self,
        body: SerialBody,
        field: LikelihoodField,
        setup: UwbSetup,
        *,
        tag: ArrayLike,
        laser: ArrayLike,
        tag_height: float | None = None,
        odometry: str = "wheels",
        parameters: MclParameters | None = None,
        seed: int = 0,
    ) -> None:
        """tag, laser: x, y of the first tag and of the laser on the robot [m]; tag_height: in the UWB frame [m]."""
        if odometry not in ODOMETRY:
            raise UnknownName.among("odometry", odometry, ODOMETRY)
        self.body, self.kind = body, odometry
        self._tag, self._laser = np.asarray(tag, dtype=float), np.asarray(laser, dtype=float)
        ahrs = Ahrs(setup.tag_positions[1] - setup.tag_positions[0])
        self.odometry = RoverOdometry(body, ahrs)
        self.tags = RoverTags(setup, ahrs, tag_height)
        self.localizer = MonteCarloLocalizer(field, parameters, seed)
        self.map_from_uwb: Array | None = None
        self.located = False  # the localiser has a pose that scans have settled
        self._still: StandStill | None = None
        self._settled = 0
        self._map_from_odom = np.zeros(3)
        self._odom_start = np.zeros(3)  # pose on the map at which the odometry began
        self._by_tags = PoseHistory()

    # ---- beginning -------------------------------------------------------------------------------
    def align(self, laser_on_map: ArrayLike, samples: int = 50) -> None:
        """From now on the rover stands with its laser at a known pose of the map: find the UWB frame."""
        offset = float(self._laser[0] - self._tag[0])
        self._still = StandStill(laser_on_map, samples, offset)
        self.tags.standing = True

    @property
    def aligned(self) -> bool:
        """Whether the UWB frame is known: the rover may move."""
        return self.map_from_uwb is not None

    def put(self) -> None:
        """The rover was carried to another place, where it stands: look for its pose by the tags, then by scans."""
        self.tags.restart()
        self.tags.standing = True
        self.tags.ahrs.heading_known = False
        self.odometry.restart()
        self.located, self._settled = False, 0
        self._by_tags.clear()

    # ---- readings --------------------------------------------------------------------------------
    def ranges(self, time: float, tag: int, ranges: ArrayLike) -> str:
        """Take ranges (anchors,) of a tag [m]; what to tell the person beside the rover, empty: nothing new."""
        place = self.tags.take(time, tag, ranges)
        if place is None:
            return ""
        self.body.send_tag(tag, *(float(v) for v in place))
        if tag == 0 and self._still is not None:
            words = self._still.add(place, self.tags.yaw)
            if not self._still.ready:
                return words
            self.map_from_uwb = np.array(self._still.result().map_from_uwb)
            self._still = None
            return words
        return ""

    def scan(self, scan: Scan) -> None:
        """Take a scan; while the rover stands after `put` it settles the particles, later it updates them."""
        if not self.aligned:
            return
        if not self.located:
            self._settle(scan)
            return
        made = self.localizer.update(scan, self._led(scan.time), self.odometry.tilt)
        if made.updated:
            self._map_from_odom = self.localizer.map_from_odom

    def _settle(self, scan: Scan) -> None:
        """One scan after the other on a standing rover: each weighs particles spread a little wider than before."""
        if self._settled == 0:
            if self.tags.standing_count < FIRST_FIXES:
                return
            assert self.map_from_uwb is not None
            map_from_tag = se2.compose(self.map_from_uwb, self.tags.middle_pose())
            self.localizer.start_at(se2.compose(map_from_tag, [-self._tag[0], -self._tag[1], 0.0]), DEVIATION)
        else:
            last = self.localizer.estimate
            spread = np.minimum(np.sqrt(np.diag(last.covariance)) * SETTLE_GROWTH, WIDEST)
            self.localizer.start_at(last.pose, spread)
        made = self.localizer.update(scan, self._led(scan.time), self.odometry.tilt)
        self._settled += 1
        if self._settled >= SETTLING:
            self.located = True
            self.tags.standing = False
            self._map_from_odom = self.localizer.map_from_odom
            self._odom_start = se2.compose(made.pose, se2.inverse(self.odometry.at(scan.time)))

    def _led(self, time: float) -> Array:
        """The odometry that leads the localiser at a time [s]."""
        if self.kind == "wheels":
            return self.odometry.at(time)
        past = self._by_tags.at(time)
        return self.pose_by_tags(time) if past is None else past

    # ---- one round -------------------------------------------------------------------------------
    def update(self, now: float) -> None:
        """Poll the line, take what came, and tell the pose once it is known."""
        self.body.poll()
        self.odometry.update(now)
        by_tags = self.pose_by_tags(now)
        if np.isfinite(by_tags).all():
            self._by_tags.add(now, by_tags)
        if self.located and self.body.connected:
            self.body.send_pose(*(float(v) for v in self.pose(now)))

    # ---- estimates -------------------------------------------------------------------------------
    def pose_by_tags(self, now: float) -> Array:
        """Pose (3,) of the rear axle on the map by the filtered tag and the AHRS heading; NaN where not known."""
        if self.map_from_uwb is None:
            return np.full(3, np.nan)
        map_from_tag = se2.compose(self.map_from_uwb, [*self.tags.filtered(now), self.tags.yaw])
        return se2.compose(map_from_tag, [-self._tag[0], -self._tag[1], 0.0])

    def pose(self, now: float) -> Array:
        """Pose (3,) of the rear axle on the map at present."""
        if not self.located:
            raise BadInput("the rover does not know yet where it is; let it stand until it has settled")
        led = self.odometry.ahead(now) if self.kind == "wheels" else self._led(now)
        return se2.compose(self._map_from_odom, led)

    @property
    def twist(self) -> Array:
        """Twist (3,) vx, vy, w of the rear axle by wheels and gyro [m/s, m/s, rad/s]."""
        return self.odometry.filter.state.twist

    def estimates(self, now: float) -> Mapping[str, Array]:
        """Poses (3,) of the rear axle on the map by each of `SOURCES`: tags alone, wheels and gyro alone, and AMCL."""
        return {
            "uwb": self.pose_by_tags(now),
            "odometry": se2.compose(self._odom_start, self.odometry.ahead(now)),
            "amcl": self.pose(now),
        }
