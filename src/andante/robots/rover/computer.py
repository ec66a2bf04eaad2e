"""The rover's computer: readings of lidar, UWB tags and microcontroller in, poses and waypoints down the serial line.

It runs the chain of the source: trilateration and fading filter, AHRS, odometry, Monte Carlo localization on a map; the
pose that goes down is the localizer's, carried on by the odometry to the present.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput, UnknownName
from andante.geometry import Array, se2
from andante.hardware import SerialBody
from andante.localization import (
    Ahrs,
    Estimate,
    FadingFilter2,
    LikelihoodField,
    MclParameters,
    MonteCarloLocalizer,
    StandStill,
    UwbSetup,
    trilaterate,
)
from andante.mapping import Scan
from andante.mobile.odometry import PoseHistory

from .odometry import RoverOdometry

OLDEST = 1.0  # a reading that comes later than this after it was taken is not believed [s]
AHEAD = 0.005  # clocks of one computer differ by this at most [s]


class Stamps:
    """Times of one stream of readings, brought onto the computer's clock."""

    def __init__(self, name: str, say: Callable[[str], None]) -> None:
        self.wrong = 0  # stamps that were replaced
        self._name, self._say = name, say
        self._newest = -math.inf
        self._sound = True  # the last one was

    def time(self, stamp: float, now: float, age: float = 0.0) -> float:
        """The stamp [s] where it goes on and lies in the near past, else the time of arrival less the usual age [s].

        The first of a spell of wrong stamps is told in words.
        """
        sound = math.isfinite(stamp) and stamp > self._newest and now - OLDEST <= stamp <= now + AHEAD
        if not sound:
            if self._sound:
                self._say(f"stamps of {self._name} do not follow the clock; arrival times are used instead")
            self.wrong += 1
        self._sound = sound
        self._newest = stamp if sound else now - age
        return self._newest


MEMORY, PERIOD = 0.9, 0.1  # of the fading filter of second order, as in the source
SIGMA = 0.1  # of a range [m]
FARTHEST = 1000.0  # positions beyond are nonsense [m]


class RoverTags:
    """Positions of both tags in the UWB frame from raw ranges, plain and filtered.

    The vector between the tags leads the heading of an AHRS filter. While the rover stands it is the vector between
    their mean positions, which is steadier by the root of the count.
    """

    def __init__(self, setup: UwbSetup, ahrs: Ahrs, height: float | None = None) -> None:
        """height: of the first tag in the UWB frame [m] where it is known."""
        if len(setup.tags) != 2:
            raise BadInput(f"the rover carries two UWB tags, got {len(setup.tags)}")
        self.setup, self.ahrs, self.height = setup, ahrs, height
        self.standing = True
        self.fixes = 0  # of the first tag
        self._anchors, self._tags = setup.anchor_positions, setup.tag_positions
        self.restart()

    def restart(self) -> None:
        """The rover was put elsewhere: forget where it was."""
        self.places: list[Array | None] = [None, None]  # newest positions (3,)
        self._filtered: tuple[float, Array] | None = None  # when, and (2,) of the first tag by the fading filter
        self._means: list[list[Array]] = [[], []]
        self._fading = FadingFilter2(MEMORY, PERIOD)

    def take(self, time: float, tag: int, ranges: ArrayLike) -> Array | None:
        """Ranges (anchors,) of a tag [m]; its position (3,) in the UWB frame, None where they give none."""
        level = None if self.height is None else self.height + float(self._tags[tag][2] - self._tags[0][2])
        fix = trilaterate(self._anchors, ranges, start=self.places[tag], height=level, sigma=SIGMA)
        if not (fix.converged and float(np.abs(fix.position).max()) < FARTHEST):  # also for NaN
            return None
        self.places[tag] = fix.position
        if tag == 0:
            self.fixes += 1
            self._filtered = (time, self._fading.update(fix.position[:2]))
        if self.standing:
            self._means[tag].append(fix.position)
        self._lead(time)
        return fix.position

    def _lead(self, time: float) -> None:
        """Lead the heading by the newest vector from tag 0 to tag 1, once per pair."""
        if self.standing and all(self._means):
            self.ahrs.tags(time, np.mean(self._means[1], axis=0) - np.mean(self._means[0], axis=0))
        elif not self.standing and self.places[0] is not None and self.places[1] is not None:
            self.ahrs.tags(time, self.places[1] - self.places[0])

    def filtered(self, time: float) -> Array:
        """Position (2,) of the first tag at a time soon after its newest ranges [s] by the fading filter; NaN: none."""
        if self._filtered is None:
            return np.full(2, np.nan)
        then, place = self._filtered
        return np.asarray(place + self._fading.velocity * min(max(time - then, 0.0), 2 * PERIOD))

    @property
    def yaw(self) -> float:
        """Heading in the UWB frame [rad] by gyro, accelerometer and tags; NaN before the tags have told one."""
        return float(self.ahrs.rpy[2]) if self.ahrs.heading_known else math.nan

    def middle_pose(self) -> Array:
        """Pose (3,) of the first tag in the UWB frame by the medians since the rover stands."""
        if not all(self._means):
            raise BadInput("no pose yet: readings of both tags are needed")
        front, rear = (np.median(each, axis=0) for each in self._means)
        on_robot = self._tags[1] - self._tags[0]
        turn = math.atan2(rear[1] - front[1], rear[0] - front[0]) - math.atan2(on_robot[1], on_robot[0])
        return np.array([front[0], front[1], float(se2.wrap(turn))])

    @property
    def standing_count(self) -> int:
        """Positions of the tag that was heard less often since the rover stands."""
        return min(len(each) for each in self._means)


ODOMETRY = ("wheels", "uwb")  # what leads the localizer: wheels and gyro, or the tags and the AHRS as in the source
SOURCES = ("uwb", "odometry", "amcl")  # of the estimates
DRIVEN_BY = ("amcl", "uwb")  # those that the rover can be driven by
SETTLING = 6  # scans of the standing rover that choose among first poses
SETTLE_GROWTH = 1.3  # of the spread between two of them
NARROWEST, WIDEST = 0.01, 0.5  # [m, rad]
FIRST_FIXES = 10  # of the tags that tell the first pose
DEVIATION = (0.3, 0.3, 0.25)  # of a pose told by the tags [m, m, rad]
TURNS = (0.0, -0.5, 0.5, -1.0, 1.0)  # headings about theirs that are tried [rad]
REACH = (1.2, 1.2)  # how far from it the scan search may find a place [m, rad]
FEWEST_ECHOES = 10  # of a scan that counts
LONGEST_BLIND = 1.0  # [s]
FOUND_DEVIATION = (0.1, 0.1, 0.1)  # of such a place [m, m, rad]


class RoverComputer:
    """Estimators of the rover and its end of the serial line, in lock-step with whoever calls `update`."""

    def __init__(
        self,
        body: SerialBody,
        field: LikelihoodField | None,
        setup: UwbSetup,
        *,
        tag: ArrayLike,
        laser: ArrayLike,
        tag_height: float | None = None,
        odometry: str = "wheels",
        driven_by: str = "amcl",
        parameters: MclParameters | None = None,
        seed: int = 0,
        say: Callable[[str], None] = lambda words: None,
    ) -> None:
        """field: of the map, None: there is none yet; tag, laser: x, y of the first tag and of the laser on the robot
        [m]; tag_height: in the UWB frame [m]; driven_by: the estimate that goes down the line, amcl, or uwb as in the
        source before it had a map; say: told words for the person beside the rover."""
        UnknownName.check("odometry", odometry, ODOMETRY)
        UnknownName.check("estimate to drive by", driven_by, DRIVEN_BY)
        self.body, self.kind, self.driven_by = body, odometry, driven_by
        self._tag, self._laser = np.asarray(tag, dtype=float), np.asarray(laser, dtype=float)
        ahrs = Ahrs(setup.tag_positions[1] - setup.tag_positions[0])
        self.odometry = RoverOdometry(body, ahrs)
        self.tags = RoverTags(setup, ahrs, tag_height)
        self._parameters, self._seed = parameters, seed
        self.localizer = None if field is None else MonteCarloLocalizer(field, parameters, seed)
        self.map_from_uwb: Array | None = None
        self.located = False  # the localizer has a pose that scans have settled
        self._still: StandStill | None = None
        self._standing: list[Scan] = []  # scans of the standing rover
        self._map_from_odom = np.zeros(3)
        self._odom_start = np.zeros(3)  # pose on the map at which the odometry began
        self._by_tags = PoseHistory()
        self._say = say
        self._scan_stamps = Stamps("the lidar", say)
        self._tag_stamps = (Stamps("tag 0", say), Stamps("tag 1", say))
        self._seen_at = -math.inf  # when the newest scan with echoes came [s]
        self.blind = False  # no such scan for so long that the rover holds

    # ---- beginning -------------------------------------------------------------------------------
    def align(self, laser_on_map: ArrayLike, samples: int = 50) -> None:
        """From now on the rover stands with its laser at a known pose of the map: find the UWB frame."""
        self._still = StandStill(laser_on_map, samples, float(self._laser[0] - self._tag[0]))
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
        self.located = False
        self._standing.clear()
        self._by_tags.clear()

    def place(self, pose: ArrayLike, deviation: ArrayLike, now: float) -> None:
        """The rear axle stands at a pose x, y, yaw of the map, as somebody says, within deviations [m, m, rad]."""
        if self.localizer is None:
            raise BadInput("there is no map to stand on")
        self.localizer.start_at(pose, deviation)
        self._map_from_odom = se2.compose(pose, se2.inverse(self.odometry.at(now)))
        self._odom_start = self._map_from_odom.copy()
        self.located, self.tags.standing = True, False
        self._standing.clear()
        self._seen_at = now

    def use_map(self, field: LikelihoodField | None, now: float) -> None:
        """Go on with another map in the same frame, from where the rover is."""
        here = self.pose(now) if self.located else None
        self.localizer = None if field is None else MonteCarloLocalizer(field, self._parameters, self._seed)
        self.located = False
        if here is not None and field is not None:
            self.place(here, FOUND_DEVIATION, now)

    # ---- readings --------------------------------------------------------------------------------
    def ranges(self, stamp: float, tag: int, ranges: ArrayLike, now: float) -> None:
        """Take ranges (anchors,) of a tag [m] by their stamp and the time at which they came [s]."""
        place = self.tags.take(self._tag_stamps[tag].time(stamp, now), tag, ranges)
        if place is None:
            return
        if self.body.connected:
            self.body.send_tag(tag, *(float(v) for v in place))
        if tag == 0 and self._still is not None:
            words = self._still.add(place, self.tags.yaw)
            if self._still.ready:
                self.map_from_uwb = np.array(self._still.result().map_from_uwb)
                self._still = None
                self._say(words)
            elif "starting over" in words:
                self._say(words)

    def scan(self, scan: Scan, now: float) -> None:
        """Take a scan that came at a time [s]; while the rover stands after `put` it settles the particles, later it
        updates them. Scans without echoes are left out."""
        sweep = scan.time_increment * len(scan.ranges)
        scan = replace(scan, time=self._scan_stamps.time(scan.time, now, sweep))
        if self.localizer is None or int(scan.hit.sum()) < FEWEST_ECHOES:
            return
        self._seen_at = now
        if not self.located:
            if self.aligned:
                self._settle(self.localizer, scan)
            return
        if self.localizer.update(scan, self._led(scan.time), self.odometry.tilt).updated:
            self._map_from_odom = self.localizer.map_from_odom

    def _settle(self, localizer: MonteCarloLocalizer, scan: Scan) -> None:
        """Keep the scans of the standing rover; with enough of them choose the pose among all that the tags allow."""
        self._standing.append(scan)
        if len(self._standing) < SETTLING or self.tags.standing_count < FIRST_FIXES:
            return
        scans = self._standing[-SETTLING:]
        tries = [_tried(localizer, *each, scans, self.odometry.tilt) for each in self._allowed(localizer, scans[-1])]
        best = max(tries, key=lambda made: made.fit)
        localizer.start_at(best.pose, np.sqrt(np.diag(best.covariance)))
        made = localizer.update(scan, self._led(scan.time), self.odometry.tilt)
        self.located, self.tags.standing = True, False
        self._standing.clear()
        self._map_from_odom = localizer.map_from_odom
        self._odom_start = se2.compose(made.pose, se2.inverse(self.odometry.at(scan.time)))

    def _allowed(self, localizer: MonteCarloLocalizer, scan: Scan) -> list[tuple[Array, tuple[float, float, float]]]:
        """Poses (3,) with deviations that the tags allow: theirs with the heading more or less turned, for tags so near
        to each other tell it badly, and places near to it that fit a scan."""
        assert self.map_from_uwb is not None
        map_from_tag = se2.compose(self.map_from_uwb, self.tags.middle_pose())
        by_tags = se2.compose(map_from_tag, [-self._tag[0], -self._tag[1], 0.0])
        turned = [se2.compose([*self._tag, turn], [*-self._tag, 0.0]) for turn in TURNS]  # about the tag
        out = [(se2.compose(by_tags, motion), DEVIATION) for motion in turned]
        found = localizer.search(scan).poses
        gaps = se2.between(by_tags, found)
        near = (np.hypot(gaps[:, 0], gaps[:, 1]) < REACH[0]) & (np.abs(gaps[:, 2]) < REACH[1])
        return out + [(pose, FOUND_DEVIATION) for pose in found[near]]

    def _led(self, time: float) -> Array:
        """The odometry that leads the localizer at a time [s]."""
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
        self._watch(now)
        if self.located and not self.blind and self.body.connected:
            told = self.pose(now) if self.driven_by == "amcl" else by_tags
            if np.isfinite(told).all():
                self.body.send_pose(*(float(v) for v in told))

    def _watch(self, now: float) -> None:
        """A rover that sees nothing gets no more poses: its firmware holds by itself until it sees again."""
        blind = self.located and now - self._seen_at > LONGEST_BLIND
        if blind and not self.blind:
            self._say(f"no scan with echoes for {LONGEST_BLIND:g} s: the rover holds")
        elif self.blind and not blind:
            self._say("scans have echoes again: the rover continues")
        self.blind = blind

    @property
    def wrong_stamps(self) -> int:
        """Stamps of lidar and tags that could not be true."""
        return sum(stamps.wrong for stamps in (self._scan_stamps, *self._tag_stamps))

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


def _tried(
    localizer: MonteCarloLocalizer, pose: Array, spread: ArrayLike, scans: list[Scan], tilt: tuple[float, float]
) -> Estimate:
    """What one scan after the other makes of a first pose: each weighs particles a little wider than the last."""
    for scan in scans:
        localizer.start_at(pose, spread)
        made = localizer.update(scan, np.zeros(3), tilt)
        pose = made.pose
        spread = np.clip(np.sqrt(np.diag(made.covariance)) * SETTLE_GROWTH, NARROWEST, WIDEST)
    return made
