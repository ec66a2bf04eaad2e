"""What a driving robot knows: the one way from scans and odometry to places on a map."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from andante.control.body import Body
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3, Array, se2
from andante.localization import LikelihoodField, MclParameters, MonteCarloLocalizer
from andante.localization.uwb import UwbSetup, in_source_frame
from andante.mapping import Mapper, MappingParameters, OccupancyGrid, Scan
from andante.sensors import SensorSuite, UwbTag

from .odometry import BaseOdometry

START_DEVIATION = (0.15, 0.15, 0.1)  # of a start that is told [m, m, rad]
LOST_AFTER = 5  # poor updates in a row


class Localizer(Protocol):
    """Tells where the odometry's frame lies on the map (REP 105: map -> odom)."""

    @property
    def map_from_odom(self) -> Array:
        """Pose (3,) of the odometry's frame on the map [m, m, rad]."""

    @property
    def trusted(self) -> bool:
        """False: it does not know where the robot is."""

    def update(self, scan: Scan, odom: Array) -> None:
        """Take a scan and the odometry x, y, yaw of its first beam."""

    def relocalize(self, scan: Scan) -> None:
        """Look for the pose anew, anywhere on the map."""


@runtime_checkable
class Placeable(Localizer, Protocol):
    """A localizer that can be told where the robot stands."""

    def place(self, pose: ArrayLike, odom: Array, deviation: ArrayLike) -> None:
        """The robot stands at a pose x, y, yaw, give or take deviations [m, m, rad], where odometry tells `odom`."""


class OdometryOnly:
    """No map: the odometry's frame lies where the robot was put, and stays there."""

    trusted = True

    def __init__(self, start: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.map_from_odom = np.array(start, dtype=float)

    def update(self, scan: Scan, odom: Array) -> None:
        """Nothing to learn."""

    def relocalize(self, scan: Scan) -> None:
        """Nothing to look for."""

    def place(self, pose: ArrayLike, odom: Array, deviation: ArrayLike) -> None:
        """The robot stands at a pose x, y, yaw of the map, as somebody says, while odometry tells another."""
        self.map_from_odom = np.asarray(se2.compose(pose, se2.inverse(odom)), dtype=float)


class ByScans:
    """No map: each scan is laid on those before it, so that slipping wheels and pushes are noticed.

    Where scans show too little, odometry goes on alone.
    """

    trusted = True

    def __init__(self, start: ArrayLike = (0.0, 0.0, 0.0), parameters: MappingParameters | None = None) -> None:
        self.map_from_odom = np.array(start, dtype=float)
        self._start = self.map_from_odom.copy()
        self._parameters = parameters
        self._mapper: Mapper | None = None

    def update(self, scan: Scan, odom: Array) -> None:
        """Track the robot on its own map."""
        if self._mapper is None:
            start = se2.compose(self._start, odom)
            self._mapper = Mapper(self._parameters, keep_keys=False, start=start)
        pose = self._mapper.update(scan, odom).pose
        self.map_from_odom = se2.compose(pose, se2.inverse(odom))

    def relocalize(self, scan: Scan) -> None:
        """Nothing to look for: the map begins where the robot began."""


class OnMap:
    """Monte Carlo localization from a told start. `start` None: from anywhere, with the first scan."""

    def __init__(
        self,
        field: LikelihoodField | OccupancyGrid,
        start: ArrayLike | None,
        parameters: MclParameters | None = None,
        seed: int = 0,
        deviation: ArrayLike = START_DEVIATION,
    ) -> None:
        self.mcl, self._seed = MonteCarloLocalizer(field, parameters, seed), seed
        self.map_from_odom = np.zeros(3)
        self._searching = start is None
        self._begun = start is not None
        self._poor = 0
        if start is not None:
            self.mcl.start_at(start, deviation)
            self.map_from_odom = np.array(start, dtype=float)

    def place(self, pose: ArrayLike, odom: Array, deviation: ArrayLike = START_DEVIATION) -> None:
        """Spread the particles anew about a pose x, y, yaw, where odometry tells `odom`."""
        self.mcl = MonteCarloLocalizer(self.mcl.field, self.mcl.parameters, self._seed)
        self.mcl.start_at(pose, deviation)
        self.map_from_odom = np.asarray(se2.compose(pose, se2.inverse(odom)), dtype=float)
        self._begun, self._searching, self._poor = True, False, 0

    @property
    def trusted(self) -> bool:
        """Whether the particles agree and scans fit."""
        return self._begun and not self._searching and self._poor < LOST_AFTER

    def update(self, scan: Scan, odom: Array) -> None:
        """Weigh the particles; while it searches, standing counts too, so odometry is left out."""
        if not self._begun:
            self.relocalize(scan)
        estimate = self.mcl.update(scan, None if self._searching else odom)
        self.map_from_odom = se2.compose(estimate.pose, se2.inverse(odom))
        if self._searching:
            self._searching, self._poor = not estimate.converged, 0
        elif estimate.updated:
            self._poor = 0 if estimate.health >= self.mcl.parameters.health_least else self._poor + 1

    def relocalize(self, scan: Scan) -> None:
        """Spread the particles over the whole map, most of them where this scan fits."""
        if not self._searching or not self._begun:
            self.mcl.start_anywhere(scan)
        self._searching = self._begun = True


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


def sweep_twist(odometry: Odometry, scan: Scan) -> Array:
    """Mean twist (3,) of the reference point during a sweep, vx, vy, w [m/s, m/s, rad/s]."""
    lasted = max(scan.time_increment * (len(scan.ranges) - 1), MOMENT)
    return np.asarray(se2.log(se2.between(odometry.at(scan.time), odometry.at(scan.time + lasted))) / lasted)


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
            begin, twist = self.odometry.at(scan.time), sweep_twist(self.odometry, scan)
            before = self.localizer.map_from_odom
            self.localizer.update(scan, begin)
            if self.last is not None and isinstance(self.odometry, BaseOdometry):
                by_wheels = float(se2.wrap(begin[2] - self.last.odom[2]))
                by_scans = by_wheels + float(se2.wrap(self.localizer.map_from_odom[2] - before[2]))
                self.odometry.turned(by_wheels, by_scans)
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


def uwb_setup(robot: Robot, sensors: SensorSuite) -> UwbSetup:
    """Anchors in the source's UWB frame and tags told from the first tag, as localization takes them."""
    tags = [channel.sensor for channel in sensors if isinstance(channel.sensor, UwbTag)]
    if not tags:
        raise BadInput("the robot has no UWB tag; add a <sensor type='uwb'> to its file")
    places = in_source_frame(list(tags[0].anchors.values()))
    anchors = {name: _three(place) for name, place in zip(tags[0].anchors, places, strict=True)}
    poses = robot.link_poses()
    on_robot = {tag.name: (poses[tag.link] @ tag.pose).translation for tag in tags}
    first = on_robot[tags[0].name]
    return UwbSetup(anchors, {name: _three(place - first) for name, place in on_robot.items()})


def world_from_uwb(sensors: SensorSuite) -> SE3:
    """Pose of the source's UWB frame in the world: anchor 0 is its origin, 1 gives +y, 2 gives +x."""
    places = np.array(list(sensors.anchors.values()), dtype=float)
    local = in_source_frame(places)
    rotation = np.linalg.lstsq(local[1:], places[1:] - places[0], rcond=None)[0].T
    if len(places) == 3 or np.linalg.matrix_rank(local[1:]) < 3:
        rotation[:, 2] = np.cross(rotation[:, 0], rotation[:, 1])
    return SE3.from_parts(rotation, places[0])


def _three(values: np.ndarray) -> tuple[float, float, float]:
    return float(values[0]), float(values[1]), float(values[2])
