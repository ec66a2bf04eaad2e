"""UWB filters side by side on one log: plain trilateration, fading memories, Kalman filters loose and tight.

Loose: positions of every epoch are trilaterated first and filtered then, with the turn of the gyro and the heading of
the tag vector. Tight: every single range corrects the filter (`track_uwb`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from andante.errors import UnknownName
from andante.geometry import Array, se2
from andante.mapping import Trajectory
from andante.mapping.records import ImuReading

from .filters import Ahrs, FadingFilter1, FadingFilter2, MovingAverage
from .odometry_filter import OdometryFilter, OdometryNoise
from .trilateration import trilaterate
from .uwb import Epoch, UwbLog, UwbSetup, epochs, track_uwb, trilaterate_log

LOOSE = (0.3, 0.3, 0.25)  # deviations of a trilaterated position and of the heading of two near tags [m, m, rad]
FREE = OdometryNoise(along=0.8, across=0.8, turn=2.0)  # a tag that may move any way
SIGMA = 0.1  # of a range [m]
PATIENCE = 8  # positions in a row that are refused before the filter begins anew


def filtered_log(name: str, log: UwbLog, setup: UwbSetup) -> Trajectory:
    """Way of the first tag in the UWB frame, by one of `FILTERS`."""
    UnknownName.check("UWB filter", name, FILTERS)
    return FILTERS[name](log, setup)


def _plain(log: UwbLog, setup: UwbSetup, robust: bool = False) -> Trajectory:
    times, places = trilaterate_log(log, setup, robust=robust)
    return _way(times, places[:, :2])


def _robust(log: UwbLog, setup: UwbSetup) -> Trajectory:
    return _plain(log, setup, True)


def _through(make: Callable[[], MovingAverage | FadingFilter1]) -> Callable[[UwbLog, UwbSetup], Trajectory]:
    def run(log: UwbLog, setup: UwbSetup) -> Trajectory:
        times, places = trilaterate_log(log, setup)
        smooth = make()
        return _way(times, np.array([smooth.update(place[:2]) for place in places]))

    return run


def _fading2(log: UwbLog, setup: UwbSetup) -> Trajectory:
    times, places = trilaterate_log(log, setup)
    smooth, out = FadingFilter2(), []
    for k, place in enumerate(places):
        gap = float(times[k] - times[k - 1]) if k else None
        out.append(smooth.update(place[:2], gap if gap is None or gap > 0 else None))
    return _way(times, np.array(out))


def _loose(log: UwbLog, setup: UwbSetup) -> Trajectory:
    """Trilaterated positions, the heading of AHRS and tags, and the gyro in an extended Kalman filter."""
    tags = setup.tag_positions
    ahrs = Ahrs(tags[1] - tags[0]) if len(tags) > 1 else None
    filter_: OdometryFilter | None = None
    places: dict[int, Array] = {}
    times, out, in_a_row = [], [], 0  # positions in a row that were refused
    for event in _events(log):
        if not isinstance(event, Epoch):
            if ahrs is not None:
                ahrs.imu(event.time, event.gyro, event.acceleration)
            if filter_ is not None:
                filter_.gyro(event.time, float(event.gyro[2]))
            continue
        fix = trilaterate(setup.anchor_positions[event.anchors], event.ranges, start=places.get(event.tag), sigma=SIGMA)
        if not fix.converged:
            continue
        places[event.tag] = fix.position
        if ahrs is not None and len(places) > 1 and event.tag == 1:
            ahrs.tags(event.time, places[1] - places[0])
        if event.tag != 0:
            continue
        yaw = float(ahrs.rpy[2]) if ahrs is not None and ahrs.heading_known else 0.0
        pose = np.array([*fix.position[:2], yaw])
        if filter_ is None or in_a_row >= PATIENCE:
            filter_, in_a_row = OdometryFilter(pose, FREE, LOOSE), 0
        before = filter_.refused
        spread = LOOSE if ahrs is not None and ahrs.heading_known else (*LOOSE[:2], math.pi)
        filter_.absolute_pose(event.time, pose, np.diag(np.square(spread)))
        in_a_row = in_a_row + 1 if filter_.refused > before else 0
        times.append(event.time)
        out.append(filter_.state.pose)
    poses = np.array(out).reshape(-1, 3)
    return Trajectory(np.array(times), poses)


def _tight(log: UwbLog, setup: UwbSetup) -> Trajectory:
    return track_uwb(log, setup).trajectory


def _events(log: UwbLog) -> list[Epoch | ImuReading]:
    """Epochs and IMU readings in order of time."""
    return sorted([*epochs(log), *log.imu], key=lambda each: each.time)


def _way(times: Array, places: Array) -> Trajectory:
    """Places (n, 2) as poses that look where they go."""
    moved = np.gradient(places, axis=0) if len(places) > 1 else np.zeros_like(places)
    return Trajectory(np.asarray(times), np.column_stack([places, se2.wrap(np.arctan2(moved[:, 1], moved[:, 0]))]))


FILTERS: Mapping[str, Callable[[UwbLog, UwbSetup], Trajectory]] = {
    "trilateration": _plain,
    "robust": _robust,
    "average": _through(MovingAverage),
    "fading1": _through(FadingFilter1),
    "fading2": _fading2,
    "kalman": _loose,
    "tight": _tight,
}
