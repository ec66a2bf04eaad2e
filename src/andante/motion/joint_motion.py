"""Joint positions over time: the protocol, motion limits, straight moves, chains of motions, fading offsets, poses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.description import Robot
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput, UnknownName
from andante.geometry import Array

from .timing import Profile, s_curve, trapezoid

RISE_TIME = 0.15  # from rest to full speed, unless given otherwise [s]
JERK_TIME = 0.05  # from no to full acceleration [s]
FREE_SPEED = 6.0  # joints whose velocity is not limited [rad/s or m/s]


@dataclass(frozen=True, eq=False)
class MotionLimits:
    """Bounds per joint, arrays in the order of `names` [rad or m, s]."""

    names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array

    @staticmethod
    def of(
        robot: Robot, names: Sequence[str] | None = None, speed: float = 1.0, rise_time: float = RISE_TIME
    ) -> MotionLimits:
        """Limits of some joints (default: all movable), speed in (0, 1] scaling the velocity limits.

        acceleration = full velocity limit / rise_time, jerk = acceleration / JERK_TIME.
        """
        if not 0 < speed <= 1:
            raise BadInput(f"speed is a fraction of the joint limits between 0 and 1, got {speed:g}")
        if not (np.isfinite(rise_time) and rise_time > 0):
            raise BadInput(f"the rise time must be > 0 s, got {rise_time:g}")
        chosen = robot.joint_names if names is None else tuple(names)
        joints = [robot.joint(name) for name in chosen]
        full = np.array([j.limits.velocity for j in joints], dtype=float)
        full = np.where(np.isfinite(full) & (full > 0), full, FREE_SPEED)
        acceleration = full / rise_time
        return MotionLimits(
            chosen,
            np.array([j.limits.lower for j in joints], dtype=float),
            np.array([j.limits.upper for j in joints], dtype=float),
            full * speed,
            acceleration,
            acceleration / JERK_TIME,
        )


class JointMotion(Protocol):
    """Positions of some joints over time; it rests before 0 and after `duration`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The joints that it moves."""

    @property
    def duration(self) -> float:
        """How long it takes [s]; inf: until it is stopped."""

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions (order 0), velocities (1) or accelerations (2) at times: (...) -> (..., joints)."""


@renamed(share="fraction")
@dataclass(frozen=True, eq=False)
class Move:
    """A straight way in joint space: start + fraction(t) (goal - start); all joints start and arrive together."""

    names: tuple[str, ...]
    start: Array
    goal: Array
    fraction: Profile  # from 0 to 1

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.fraction.duration

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions, velocities or accelerations (..., joints)."""
        way = self.fraction.evaluate(t, order)[..., None] * (self.goal - self.start)
        return self.start + way if order == 0 else way


class Splined:
    """A motion along a spline, which rests before and after. A subclass gives `_spline` and its `duration`."""

    duration: float  # [s]
    _spline: Callable[[Array, int], Array]

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions, velocities or accelerations (..., joints); derivatives are 0 outside."""
        at = np.asarray(t, dtype=float)
        values = self._spline(np.clip(at, 0.0, self.duration), order)
        if order == 0:
            return values
        return np.where(((at < 0) | (at > self.duration))[..., None], 0.0, values)


@dataclass(frozen=True, eq=False)
class Sampled(Splined):
    """Positions at equal steps, joined by C2 cubics that rest at both ends."""

    names: tuple[str, ...]
    positions: Array  # (n, joints)
    step: float  # [s]

    def __post_init__(self) -> None:
        from scipy.interpolate import CubicSpline

        times = self.step * np.arange(len(self.positions))
        object.__setattr__(self, "duration", self.step * (len(self.positions) - 1))
        object.__setattr__(self, "_spline", CubicSpline(times, self.positions, bc_type="clamped"))


@dataclass(frozen=True, eq=False)
class Chained:
    """Motions of the same joints one after the other."""

    parts: tuple[JointMotion, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise BadInput("a chain of motions needs at least one")

    @property
    def names(self) -> tuple[str, ...]:
        """The joints that it moves."""
        return self.parts[0].names

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self._ends[-1])

    @cached_property
    def _ends(self) -> Array:
        return np.cumsum([part.duration for part in self.parts])

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions (order 0), velocities (1) or accelerations (2) at times: (...) -> (..., joints)."""
        times = np.asarray(t, dtype=float)
        flat = times.ravel()
        out = np.empty((flat.size, len(self.names)))
        which = np.minimum(np.searchsorted(self._ends, flat, side="left"), len(self.parts) - 1)
        for k, part in enumerate(self.parts):
            mine = which == k
            begin = self._ends[k] - part.duration
            out[mine] = part.evaluate(flat[mine] - begin, order)
        return out.reshape(*times.shape, len(self.names))


def synchronized(
    names: Sequence[str],
    start: ArrayLike,
    goal: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    jerk: ArrayLike | None = None,
) -> Move:
    """The quickest straight move from rest to rest within the limits of every joint [rad or m, s].

    The fraction s(t) of the way obeys |s'| <= min velocity_i / |way_i|, and so on; without `jerk` it is a trapezoid.
    """
    first, last = np.array(start, dtype=float), np.array(goal, dtype=float)
    count = len(names)
    bounds = [np.broadcast_to(np.asarray(b, dtype=float), (count,)) for b in (velocity, acceleration)]
    if jerk is not None:
        bounds.append(np.broadcast_to(np.asarray(jerk, dtype=float), (count,)))
    if first.shape != (count,) or last.shape != (count,):
        raise BadInput(f"{count} joints need as many starts and goals, got {first.size} and {last.size}")
    if not (np.isfinite(first).all() and np.isfinite(last).all()):
        raise BadInput("starts and goals must be finite numbers")
    way = np.abs(last - first)
    moved = way > 0
    if not moved.any():
        return Move(tuple(names), first, last, trapezoid(0.0, 0.0, 1.0, 1.0))
    fractions = [float((bound[moved] / way[moved]).min()) for bound in bounds]
    fraction = s_curve(0.0, 1.0, *fractions) if jerk is not None else trapezoid(0.0, 1.0, *fractions)
    return Move(tuple(names), first, last, fraction)


class Fading:
    """An offset of joints that dies out smoothly: quintic from (offset, velocity, acceleration) to rest at 0.

    Added to a new motion it makes a switch smooth at once: position, velocity and acceleration have no jump.
    """

    def __init__(self, offset: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, duration: float) -> None:
        e, v, a = (np.array(x, dtype=float) for x in (offset, velocity, acceleration))
        if not duration > 0:
            raise BadInput(f"an offset fades over a time > 0 s, got {duration}")
        self.duration = float(duration)
        T = self.duration
        one = [e, v * T, a * T * T / 2]
        rest, slope, bend = -(one[0] + one[1] + one[2]), -(one[1] + 2 * one[2]), -2 * one[2]
        self._powers = [
            *one,
            10 * rest - 4 * slope + bend / 2,
            -15 * rest + 7 * slope - bend,
            6 * rest - 3 * slope + bend / 2,
        ]

    def evaluate(self, t: float, order: int = 0) -> Array:
        """Offset (order 0), velocity (1) or acceleration (2) a time after it began; 0 once it is over."""
        if t >= self.duration:
            return np.zeros_like(self._powers[0])
        x = max(0.0, t) / self.duration
        total = np.zeros_like(self._powers[0])
        for k in range(order, 6):
            factor = float(np.prod(np.arange(k - order + 1, k + 1))) if order else 1.0
            total = total + factor * x ** (k - order) * self._powers[k]
        scaled: Array = total / self.duration**order
        return scaled


def fading_time(
    offset: ArrayLike, velocity: ArrayLike, limit_velocity: ArrayLike, limit_acceleration: ArrayLike, least: float = 0.1
) -> float:
    """A time in which an offset can fade with its own speed and acceleration inside the limits [s].

    The quintic from an offset e needs 1.875 |e| / T of speed and 5.77 |e| / T² of acceleration, from a velocity v
    4 |v| / T of acceleration.
    """
    e, v = np.abs(np.asarray(offset, dtype=float)), np.abs(np.asarray(velocity, dtype=float))
    top, push = np.asarray(limit_velocity, dtype=float), np.asarray(limit_acceleration, dtype=float)
    times = np.concatenate(
        [[least], (1.875 * e / top).ravel(), np.sqrt(2 * 5.77 * e / push).ravel(), (2 * 4 * v / push).ravel()]
    )
    return float(times.max())


NOWHERE = Source()
Positions = str | Mapping[str, float] | ArrayLike


def positions_of(robot: Robot, positions: Positions) -> dict[str, float]:
    """Joint positions by name of a pose name, a mapping of some joints, or a vector of all movable joints."""
    if isinstance(positions, str):
        return robot.pose(positions)
    if isinstance(positions, Mapping):
        given = {name: float(value) for name, value in positions.items()}
    else:
        vector = np.asarray(positions, dtype=float)
        if vector.shape != (len(robot.joint_names),):
            raise BadInput(f"robot {robot.name!r} has {len(robot.joint_names)} joints, got {vector.size} positions")
        given = dict(zip(robot.joint_names, vector.tolist(), strict=True))
    for name, value in given.items():
        if name not in robot.joint_names:
            raise UnknownName.among("joint", name, robot.joint_names, f"robot {robot.name!r}")
        if not isfinite(value):
            raise BadInput(f"joint {name!r} needs a finite position, got {value}")
    return given


def within_limits(
    robot: Robot, positions: Mapping[str, float], source: Source = NOWHERE
) -> tuple[dict[str, float], tuple[Problem, ...]]:
    """The positions brought inside the joint limits, and a word on each that lay outside by more than rounding."""
    out, told = {}, []
    for name, value in positions.items():
        limits = robot.joint(name).limits
        inside = min(max(value, limits.lower), limits.upper)
        if abs(inside - value) > 1e-6:
            told.append(
                Problem(
                    Severity.WARNING,
                    f"joint {name!r} is sent to {value:.4g}, beyond its limits {limits.lower:.4g} to "
                    f"{limits.upper:.4g}; {inside:.4g} is taken",
                    source,
                )
            )
        out[name] = inside
    return out, tuple(told)


def transition(robot: Robot, start: Positions, pose: Positions, speed: float = 0.5, jerk: bool = True) -> Move:
    """The quickest smooth straight move from a start to a pose at a fraction of the joints' speed, limits respected.

    `start` must give every joint that the pose names (a vector of all movable joints does). Joints that mimic others
    are left to their source. With `jerk` the acceleration is continuous, without it is a trapezoid of velocity.
    """
    here, goal = positions_of(robot, start), positions_of(robot, pose)
    names = tuple(j.name for j in robot.independent if j.name in goal)
    if not names:
        raise BadInput(f"the pose names no joint that robot {robot.name!r} can move by itself")
    for name in names:
        if name not in here:
            raise BadInput(f"the start lacks the position of joint {name!r}; give all joints that the pose moves")
    inside, _ = within_limits(robot, goal)
    limits = MotionLimits.of(robot, names, speed)
    first, last = np.array([here[n] for n in names]), np.array([inside[n] for n in names])
    return synchronized(names, first, last, limits.velocity, limits.acceleration, limits.jerk if jerk else None)


def vector_of(robot: Robot, positions: Mapping[str, float]) -> Array:
    """All movable joints as a vector: given ones, 0 for the rest, mimics by their source."""
    complete = robot.complete(positions)
    return np.array([complete[name] for name in robot.joint_names])
