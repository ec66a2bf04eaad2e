"""What a trial of a gait came to: way, time, deviation, lean, energy, by the simulator's truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.geometry import Array


@dataclass(frozen=True)
class Track:
    """What was seen of a trial: looks (n,) at times [s], root poses (n, 7), power of all joints (n,) [W]."""

    times: Array
    poses: Array
    power: Array
    cycles: Array  # when the gait cycles begin [s]
    seconds: float  # how long the trial was meant to be [s]
    fallen: bool
    mass: float  # of the robot [kg]


@dataclass(frozen=True)
class WaveStatistics:
    """The figures of one trial; x is ahead, y to the left, both in the axes in which the robot stood at the start."""

    start: tuple[float, float]  # x, y [m]
    end: tuple[float, float]  # x, y [m]
    time: float  # until the end or the fall [s]
    planned: float  # [s]
    distance: float  # planar, from start to end [m]
    along: float  # x from start to end [m]
    aside: float  # y from start to end [m]
    turned: float  # heading from start to end, unwrapped [rad]
    deviation: float  # mean planar way between cycle starts, the first from the origin of the axes [m]
    wobble: float  # root of the mean square of the root's tilt about its mean [rad]
    energy: float  # that the joints exchanged, sum of |power| dt [J]
    mass: float  # [kg]
    fallen: bool


def statistics(track: Track) -> WaveStatistics:
    """The figures of a track."""
    place = track.poses[:, :2]
    heading = np.unwrap(_yaw(track.poses))
    c, s = math.cos(heading[0]), math.sin(heading[0])
    move = place[-1] - place[0]
    span = np.diff(track.times)
    tilt = _tilt(track.poses, heading)
    return WaveStatistics(
        start=(float(place[0, 0]), float(place[0, 1])),
        end=(float(place[-1, 0]), float(place[-1, 1])),
        time=float(track.times[-1]),
        planned=track.seconds,
        distance=float(math.hypot(move[0], move[1])),
        along=float(c * move[0] + s * move[1]),
        aside=float(c * move[1] - s * move[0]),
        turned=float(heading[-1] - heading[0]),
        deviation=deviation(at_times(track, track.cycles)),
        wobble=float(np.sqrt(np.mean(np.sum((tilt - tilt.mean(axis=0)) ** 2, axis=1)))),
        energy=float(np.sum(track.power[1:] * span)),
        mass=track.mass,
        fallen=track.fallen,
    )


def at_times(track: Track, times: Array) -> Array:
    """Places (m, 2) [m] at times that were reached, linear between looks."""
    reached = times[times <= track.times[-1] + 1e-9]
    return np.stack([np.interp(reached, track.times, track.poses[:, k]) for k in (0, 1)], axis=-1)


def deviation(cycle_starts: Array) -> float:
    """Mean planar way [m] between successive cycle starts (m, 2), the first counted from the origin, as published."""
    if len(cycle_starts) == 0:
        return 0.0
    steps = np.diff(np.concatenate([np.zeros((1, 2)), cycle_starts]), axis=0)
    return float(np.mean(np.hypot(steps[:, 0], steps[:, 1])))


def _yaw(poses: Array) -> Array:
    x, y, z, w = poses[:, 3:].T
    return np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _tilt(poses: Array, heading: Array) -> Array:
    """Where the root's z axis points, ahead and to the left of its heading, (n, 2), about equal to pitch and -roll."""
    x, y, z, w = poses[:, 3:].T
    up = np.stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x)], axis=-1)
    c, s = np.cos(heading), np.sin(heading)
    return np.stack([c * up[:, 0] + s * up[:, 1], c * up[:, 1] - s * up[:, 0]], axis=-1)
