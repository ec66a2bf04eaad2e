"""Figures of a gait trial (distance, time, deviation, tilt, energy) and its fitness; larger is better."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.gravity import GRAVITY
from andante.userfile import is_user_reference, load_user_object


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
    return np.asarray(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def _tilt(poses: Array, heading: Array) -> Array:
    """Where the root's z axis points, ahead and to the left of its heading, (n, 2), about equal to pitch and -roll."""
    x, y, z, w = poses[:, 3:].T
    up = np.stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x)], axis=-1)
    c, s = np.cos(heading), np.sin(heading)
    return np.stack([c * up[:, 0] + s * up[:, 1], c * up[:, 1] - s * up[:, 0]], axis=-1)


Fitness = Callable[[WaveStatistics], float]

ASIDE_PRICE = 1.0  # meters of way that a meter aside costs
TURN_PRICE = 0.1  # meters per radian turned
WOBBLE_PRICE = 0.2  # meters per radian of tilt
TRANSPORT_PRICE = 0.002  # meters per unit of the cost of transport
MOST_TRANSPORT = 20.0
SHORTEST = 0.05  # way for which the cost of transport is defined [m]


def source_fitness(figures: WaveStatistics) -> float:
    """F = sqrt(d^3 / tau) sqrt(1 / e) dir with cm and s, 0 after a fall (F. Perez 2015).

    d: planar way, tau: time, e: deviation (0 counts as 1e-7 cm), dir = y0 / (y0 + |y1 - y0|), both y raised by 10 cm
    where y0 = 0. Known flaws: d ignores the direction, so motion sideways or backward counts in full; e is
    about the stride, so it takes back what d rewards; dir depends on where along y the robot stood, and turns infinite
    or negative where y0 is; a fall in the last moment counts as nothing done.
    """
    if figures.fallen or figures.time <= 0:
        return 0.0
    y0, y1 = 100.0 * figures.start[1], 100.0 * figures.end[1]
    if y0 == 0:
        y0, y1 = y0 + 10.0, y1 + 10.0
    below = y0 + abs(y1 - y0)
    straight = y0 / below if below != 0 else 0.0
    deviation = 100.0 * figures.deviation or 1e-7
    return math.sqrt((100.0 * figures.distance) ** 3 / figures.time) * math.sqrt(1.0 / deviation) * straight


def better_fitness(figures: WaveStatistics) -> float:
    """The way ahead [m], less what was wrong with it.

    F = x - 1.0 |y| - 0.1 |turned| - 0.2 wobble - 0.002 min(E / (m g x), 20), where the cost of transport counts 20 for
    a way ahead below 5 cm. After a fall at time tau of the planned S seconds min(F, 0) - (1 - tau / S) - 0.2 instead,
    so that a later fall is better, and none is best.
    """
    score = figures.along - ASIDE_PRICE * abs(figures.aside) - TURN_PRICE * abs(figures.turned)
    score -= WOBBLE_PRICE * figures.wobble + TRANSPORT_PRICE * transport_cost(figures)
    if figures.fallen:
        return min(score, 0.0) - (1.0 - min(1.0, figures.time / figures.planned)) - 0.2
    return score


def transport_cost(figures: WaveStatistics) -> float:
    """Energy by weight and way ahead, E / (m g x), at most 20; 20 also where the way is below 5 cm or it fell."""
    if figures.fallen or figures.along < SHORTEST:
        return MOST_TRANSPORT
    return min(MOST_TRANSPORT, figures.energy / (figures.mass * GRAVITY * figures.along))


FITNESSES: dict[str, Fitness] = {"better": better_fitness, "source": source_fitness}


def fitness_named(name: str) -> Fitness:
    """A fitness by name, or a user's own `file.py:Name`: a function of `WaveStatistics` that gives a number."""
    if is_user_reference(name):
        return _checked(load_user_object(name), name)
    try:
        return FITNESSES[name]
    except KeyError:
        raise UnknownName.among("fitness", name, (*FITNESSES, "file.py:Name")) from None


def _checked(function: Any, name: str) -> Fitness:
    if not callable(function):
        raise BadInput(f"{name} is no function; a fitness takes WaveStatistics and gives a number")

    def fitness(figures: WaveStatistics) -> float:
        try:
            value = float(function(figures))
        except (TypeError, ValueError) as error:
            raise BadInput(f"{name} gave no number ({error})") from None
        if not math.isfinite(value):
            raise BadInput(f"{name} gave {value}; a fitness is a finite number")
        return value

    return fitness
