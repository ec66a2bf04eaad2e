"""`fit_base`: what a base does of what it is told, from a short drive: latency, scrub, accelerations, straying.

A drive is told by the twists that the wheels were driven with and the poses that the robot believed in, by wheels, gyro
and scans. On each axis the felt twist is the told one, late and scaled, y(t) = g u(t - τ); g and τ are found by least
squares. How quickly the base changes its speed is read where it was told to, and how far it gets aside of its way
from the arcs that it was told over a moment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array, se2

LATENCIES = np.arange(0.0, 0.51, 0.01)  # that are tried [s]
MOMENT = 0.6  # over which straying is looked at: a plan is corrected by then [s]
SLOPE = 0.2  # over which accelerations are measured [s]
EXCITED = 0.05  # an axis that was told less tells nothing [m/s, rad/s]
LEAST_STRAY, MOST_STRAY = 0.04, 0.3  # [m per m/s]
FEWEST = 40  # moments of a drive


@dataclass(frozen=True)
class Response:
    """How one axis answers: y(t) = gain · u(t - latency)."""

    gain: float
    latency: float  # [s]
    residual: float  # rms of what is left [m/s or rad/s]


@dataclass(frozen=True)
class BaseFit:
    """What was learned of a base; NaN where the drive did not tell."""

    along: Response
    turn: Response  # its gain is the scrub: felt over told turn rate
    acceleration: float  # [m/s²]
    deceleration: float  # when it stops [m/s²]
    turn_acceleration: float  # [rad/s²]
    stray: float  # aside of the way it was told, per speed [m per m/s]
    time: Array  # (n,) [s]
    told: Array  # (n, 3)
    felt: Array  # (n, 3)

    @property
    def latency(self) -> float:
        """The longer one of both axes [s]."""
        return float(np.nanmax([self.along.latency, self.turn.latency]))


def fit_base(time: Array, told: Array, poses: Array) -> BaseFit:
    """Fit a drive: times (n,), twists (n, 3) that the base was driven with, believed poses (n, 3).

    Times rise; the more the speeds change, the better.
    """
    time, told, poses = (np.asarray(each, dtype=float) for each in (time, told, poses))
    if len(time) < FEWEST or told.shape != (len(time), 3) or poses.shape != (len(time), 3):
        raise BadInput(f"a drive to learn from needs {FEWEST} moments or more, got {len(time)}")
    if not (np.isfinite(told).all() and np.isfinite(poses).all() and (np.diff(time) > 0).all()):
        raise BadInput("a drive to learn from needs finite twists and poses at rising times")
    felt = felt_twists(time, poses)
    along, turn = (_response(time, told[:, axis], felt[:, axis]) for axis in (0, 2))
    speed, asked = np.abs(felt[:, 0]), np.abs(_late(time, told[:, 0], along))
    return BaseFit(
        along,
        turn,
        _slope(time, asked, speed, 1.0),
        _slope(time, asked, speed, -1.0),
        _slope(time, np.abs(_late(time, told[:, 2], turn)), np.abs(felt[:, 2]), 1.0),
        _stray(time, told, poses),
        time,
        told,
        felt,
    )


def felt_twists(time: Array, poses: Array) -> Array:
    """Twists (n, 3) in the robot's axes between the neighbors of each pose."""
    low, high = np.maximum(np.arange(len(time)) - 1, 0), np.minimum(np.arange(len(time)) + 1, len(time) - 1)
    steps = np.array([se2.log(se2.between(poses[i], poses[j])) for i, j in zip(low, high, strict=True)])
    return steps / (time[high] - time[low])[:, None]


def _late(time: Array, told: Array, response: Response) -> Array:
    """What was told, as late as the base answers."""
    return np.interp(time - np.nan_to_num(response.latency), time, told)


def _response(time: Array, told: Array, felt: Array) -> Response:
    if np.abs(told).max() < EXCITED:
        return Response(np.nan, np.nan, np.nan)
    best = Response(np.nan, np.nan, np.inf)
    for latency in LATENCIES:
        late = np.interp(time - latency, time, told)
        power = float(late @ late)
        if power <= 0:
            continue
        gain = float(late @ felt) / power
        residual = float(np.sqrt(np.mean((felt - gain * late) ** 2)))
        if residual < best.residual - 1e-12:
            best = Response(gain, float(latency), residual)
    return best


def _slope(time: Array, told: Array, felt: Array, way: float) -> float:
    """How quickly a felt speed rises (way 1) or falls (-1) while the told one does; their upper quartile."""
    later = np.minimum(np.searchsorted(time, time + SLOPE), len(time) - 1)
    span = time[later] - time
    full = span > 0.5 * SLOPE
    asked, got = way * (told[later] - told)[full] / span[full], way * (felt[later] - felt)[full] / span[full]
    busy = asked > 0.5 * max(float(asked.max()), 1e-9)
    return float(np.quantile(got[busy], 0.75)) if busy.any() and asked.max() > EXCITED else np.nan


def _stray(time: Array, told: Array, poses: Array) -> float:
    """The upper end of how far the base lies aside of the arcs that it was told over a moment, per speed."""
    later = np.searchsorted(time, time + MOMENT)
    ratios = []
    for i in range(0, len(time), 2):
        j = int(later[i])
        way = float(np.sum(np.abs(told[i:j, 0]) * np.diff(time[i : j + 1]))) if j < len(time) else 0.0
        if way < 0.2 * MOMENT:
            continue
        ideal = poses[i]
        for k in range(i, j):
            ideal = se2.compose(ideal, se2.exp(told[k] * (time[k + 1] - time[k])))
        ratios.append(abs(float(se2.between(ideal, poses[j])[1])) / (way / MOMENT))
    return float(np.clip(np.quantile(ratios, 0.9), LEAST_STRAY, MOST_STRAY)) if ratios else np.nan
