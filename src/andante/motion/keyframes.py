"""Key-frame motions: positions of any joints at any times; played from where a robot is; checked against limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.description import Robot
from andante.description.source import Problem, Severity, Source
from andante.errors import BadInput, UnknownName
from andante.geometry import Array

from .joint_motion import MotionLimits, Move, transition, within_limits

INTERPOLATIONS = ("smooth", "cubic", "linear", "hold")
MOST_KEYS = 200_000
LATEST = 1e6  # key [s]


@dataclass(frozen=True)
class Key:
    """Positions of some joints at a time [s; rad or m]."""

    time: float
    positions: Mapping[str, float]
    source: Source = field(default=Source(), compare=False)


@dataclass(frozen=True)
class Repeat:
    """Keys from one time up to another are run several times in all [s]."""

    start: float
    end: float
    count: int


@dataclass(frozen=True)
class Keyframes:
    """A motion given by keys; times grow, every joint of a motion has at least one key.

    interpolation, between two keys of a joint:
    smooth - quintic with rest at every key; cubic - one C2 cubic through all keys with rest at the ends;
    linear - straight; hold - the last key until the next.
    Before a joint's first key it holds that key (`play_from` adds where it comes from).
    """

    name: str
    keys: tuple[Key, ...]
    interpolation: str = "smooth"
    loop: float = 1  # how often; inf: until stopped
    repeat: Repeat | None = None
    robot: str = ""  # for whom it is meant; empty: anybody
    source: Source = field(default=Source(), compare=False)

    def __post_init__(self) -> None:
        where = f"{self.source}: " if str(self.source) else ""
        if self.interpolation not in INTERPOLATIONS:
            raise UnknownName.among("interpolation", self.interpolation, INTERPOLATIONS, str(self.source))
        if not self.keys or not any(key.positions for key in self.keys):
            raise BadInput(f"{where}motion {self.name!r} is empty; give it keys with a time and joint positions")
        if len(self.keys) > MOST_KEYS:
            raise BadInput(f"{where}motion {self.name!r} has {len(self.keys)} keys; at most {MOST_KEYS} are taken")
        if not (self.loop == inf or (self.loop >= 1 and self.loop == int(self.loop))):
            raise BadInput(f"{where}loop must be a number of rounds from 1 on, or true for no end, got {self.loop}")
        last = -inf
        for number, key in enumerate(self.keys, 1):
            place = f"{key.source}: " if str(key.source) else where
            if not 0 <= key.time <= LATEST:
                told = f"needs a time from 0 to {LATEST:g} s, got {key.time:g}"
                raise BadInput(f"{place}key {number} of {self.name!r} {told}")
            if key.time <= last:
                raise BadInput(
                    f"{place}key {number} of {self.name!r} goes back in time: {key.time:g} s after {last:g} s; "
                    "sort the keys and give each its own time"
                )
            last = key.time
            for joint, value in key.positions.items():
                if not isfinite(value):
                    raise BadInput(f"{place}key {number} of {self.name!r}: joint {joint!r} is {value}, not a number")
        if self.repeat is not None:
            self._check_repeat(self.repeat, where)

    def _check_repeat(self, repeat: Repeat, where: str) -> None:
        times = [key.time for key in self.keys]
        if repeat.count < 1 or repeat.count != int(repeat.count):
            raise BadInput(f"{where}repeat.count must be 1 or more, got {repeat.count}")
        if not repeat.start < repeat.end or repeat.start not in times or repeat.end not in times:
            raise BadInput(f"{where}repeat.from and repeat.to must be times of keys, the first earlier")
        if repeat.count * len(self.keys) > MOST_KEYS:
            raise BadInput(f"{where}repeat makes more than {MOST_KEYS} keys")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The joints that it moves, in order of appearance."""
        return tuple(dict.fromkeys(joint for key in self.keys for joint in key.positions))

    @cached_property
    def round_duration(self) -> float:
        """Time of one round [s]."""
        return self.expanded[-1].time

    @property
    def duration(self) -> float:
        """Time of all rounds [s]; inf when it is looped without end."""
        return self.round_duration * self.loop if self.round_duration > 0 else 0.0

    @cached_property
    def expanded(self) -> tuple[Key, ...]:
        """The keys with the repeated part written out."""
        repeat = self.repeat
        if repeat is None or repeat.count == 1:
            return self.keys
        before = [key for key in self.keys if key.time <= repeat.end]
        again = [key for key in self.keys if repeat.start < key.time <= repeat.end]
        width = repeat.end - repeat.start
        for round_ in range(1, repeat.count):
            before += [replace(key, time=key.time + round_ * width) for key in again]
        shift = (repeat.count - 1) * width
        return (*before, *(replace(key, time=key.time + shift) for key in self.keys if key.time > repeat.end))

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions, velocities or accelerations (..., joints) at times; it rests before and after."""
        at = np.asarray(t, dtype=float)
        one, whole = self.round_duration, self.duration
        inside = np.clip(at, 0.0, whole)
        local = np.where(inside >= whole, one, np.mod(inside, one)) if one > 0 else np.zeros_like(inside)
        values = np.stack([track(local, order) for track in self._tracks], axis=-1)
        if order:
            values = np.where(((at < 0) | (at > whole))[..., None], 0.0, values)
        return values

    @cached_property
    def _tracks(self) -> tuple[Any, ...]:
        keys = self.expanded
        made = []
        for name in self.names:
            told = [(key.time, key.positions[name]) for key in keys if name in key.positions]
            times, values = np.array([t for t, _ in told]), np.array([v for _, v in told])
            made.append(_Track(times, values, self.interpolation))
        return tuple(made)


class _Track:
    """One joint over time."""

    def __init__(self, times: Array, values: Array, interpolation: str) -> None:
        self.times, self.values, self.kind = times, values, interpolation
        self._spline: Any = None
        if interpolation == "cubic" and len(times) > 1:
            from scipy.interpolate import CubicSpline

            self._spline = CubicSpline(times, values, bc_type="clamped")

    def __call__(self, t: Array, order: int) -> Array:
        times, values = self.times, self.values
        if len(times) == 1:
            return np.full(t.shape, values[0] if order == 0 else 0.0)
        at = np.clip(t, times[0], times[-1])
        outside = (t < times[0]) | (t > times[-1])
        if self._spline is not None:
            found = self._spline(at, order)
        else:
            last = len(times) - 1 if self.kind == "hold" else len(times) - 2
            k = np.clip(np.searchsorted(times, at, side="right") - 1, 0, last)
            if self.kind == "hold":
                return values[k] if order == 0 else np.zeros(t.shape)
            width, way = times[k + 1] - times[k], values[k + 1] - values[k]
            x = (at - times[k]) / width
            if self.kind == "linear":
                fraction = (x, np.ones_like(x), np.zeros_like(x))[order]
            else:
                fraction = (x**3 * (10 + x * (6 * x - 15)), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x))[
                    order
                ]
            found = (values[k] if order == 0 else 0.0) + way * fraction / width**order
        return found if order == 0 else np.where(outside, 0.0, found)


LEAD_SPEED = 0.4  # fraction of the joints' top speed on the way to a first key at 0 s
NEAR = 1e-3  # a first key this near needs no lead-in [rad or m]


@dataclass(frozen=True, eq=False)
class Played:
    """A joint motion: the lead-in, one round from the start, then rounds from where the last one ended."""

    lead: Move | None
    first: Keyframes
    later: Keyframes
    loop: float

    @property
    def names(self) -> tuple[str, ...]:
        """The joints that it moves."""
        return self.first.names

    @property
    def lead_duration(self) -> float:
        """Time before the first round [s]."""
        return 0.0 if self.lead is None else self.lead.duration

    @property
    def round_duration(self) -> float:
        """Time of one round [s]."""
        return self.first.round_duration

    @cached_property
    def duration(self) -> float:
        """Time of everything [s]; inf when it is looped without end."""
        if self.round_duration == 0:
            return self.lead_duration
        return inf if self.loop == inf else self.lead_duration + self.loop * self.round_duration

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions, velocities or accelerations (..., joints) at times; it rests before and after."""
        at = np.asarray(t, dtype=float)
        flat = np.clip(at.ravel(), 0.0, self.duration)
        since = flat - self.lead_duration
        one = self.round_duration
        out = self.first.evaluate(np.clip(since, 0.0, one), order)
        if self.loop > 1 and one > 0:
            again = since > one
            local = np.where(flat >= self.duration, one, np.mod(since, one))
            out[again] = self.later.evaluate(local[again], order)
        if self.lead is not None:
            out[since < 0] = self.lead.evaluate(flat[since < 0], order)
        if order:
            outside = (at.ravel() < 0) | (at.ravel() > self.duration)
            out[outside] = 0.0
        return out.reshape(*at.shape, len(self.names))


def play_from(motion: Keyframes, robot: Robot, start: Mapping[str, float]) -> Played:
    """The motion as it is played from joint positions (all movable joints).

    Up to its first key each joint comes from where it is. A key at 0 s that is elsewhere is approached first, smoothly
    and within the limits; the keys count from there.
    """
    here = robot.complete(start)
    keys, names = motion.keys, motion.names
    at_once = dict(keys[0].positions) if keys[0].time == 0 else {}
    lead = None
    if any(abs(value - here[name]) > NEAR for name, value in at_once.items()):
        goal = {name: at_once.get(name, here[name]) for name in names}
        lead = transition(robot, here, goal, LEAD_SPEED)
        order = [lead.names.index(name) for name in names]
        lead = Move(names, lead.start[order], lead.goal[order], lead.fraction)
    begin = {name: at_once.get(name, here[name]) for name in names}
    last: dict[str, float] = {}
    for key in motion.expanded:
        last.update(key.positions)
    again = {name: at_once.get(name, last[name]) for name in names}
    return Played(lead, _opened(motion, begin), _opened(motion, again), motion.loop)


def _opened(motion: Keyframes, begin: Mapping[str, float]) -> Keyframes:
    """One round of the motion with a key for every joint at 0 s."""
    keys = motion.keys[1:] if motion.keys[0].time == 0 else motion.keys
    opened = (Key(0.0, {name: begin[name] for name in motion.names}, motion.keys[0].source), *keys)
    return replace(motion, keys=opened, loop=1)


SAMPLE = 0.005  # [s]
MOST_SAMPLES = 20_000


@dataclass(frozen=True)
class Fitted:
    """A motion that a robot can play, and the problems found."""

    motion: Keyframes
    problems: tuple[Problem, ...]


def fit(motion: Keyframes, robot: Robot) -> Fitted:
    """The motion with every key inside the robot's limits; joints that the robot lacks raise, mimics are left out."""
    told: list[Problem] = []
    keys: list[Key] = []
    if motion.robot and motion.robot != robot.name:
        message = f"written for robot {motion.robot!r}, played on {robot.name!r}"
        told.append(Problem(Severity.WARNING, message, motion.source))
    mimics = {j.name: j.mimic.joint for j in robot.movable if j.mimic is not None}
    for key in motion.keys:
        for name in key.positions:
            if name not in robot.joint_names:
                where = str(key.source) or f"motion {motion.name!r}"
                raise UnknownName.among("joint", name, robot.joint_names, f"robot {robot.name!r} ({where})")
        own = {name: value for name, value in key.positions.items() if name not in mimics}
        inside, problems = within_limits(robot, own, key.source)
        told += problems
        keys.append(replace(key, positions=inside))
    for name in motion.names:
        if name in mimics:
            message = f"joint {name!r} follows {mimics[name]!r} and cannot be moved by itself; its keys are left out"
            told.append(Problem(Severity.WARNING, message, motion.source))
    return Fitted(replace(motion, keys=tuple(keys)), tuple(told))


def speed_problems(motion: Played, robot: Robot, source: Source) -> tuple[Problem, ...]:
    """A warning per joint that jumps, overshoots its limits between keys or exceeds its top speed."""
    limits = MotionLimits.of(robot, motion.names)
    duration = min(motion.duration, motion.lead_duration + 2 * motion.round_duration)
    times = np.linspace(0.0, duration, min(MOST_SAMPLES, max(2, round(duration / SAMPLE) + 1)))
    positions, speed = motion.evaluate(times), np.abs(motion.evaluate(times, 1))
    told = []
    seam = motion.first.evaluate(motion.round_duration) - motion.later.evaluate(0.0)
    for k, name in enumerate(motion.names):
        if motion.loop > 1 and abs(seam[k]) > NEAR:
            told.append(f"joint {name!r} jumps by {abs(seam[k]):.3g} from round to round; end where the key at 0 s is")
        worst = int(np.argmax(speed[:, k]))
        if speed[worst, k] > limits.velocity[k] * 1.001:
            told.append(
                f"joint {name!r} would move at {speed[worst, k]:.3g} per second at {times[worst]:.2f} s, its limit is "
                f"{limits.velocity[k]:.3g}; give it more time"
            )
        low, high = positions[:, k].min(), positions[:, k].max()
        if low < limits.lower[k] - 1e-6 or high > limits.upper[k] + 1e-6:
            told.append(
                f"joint {name!r} goes to {low:.4g} and {high:.4g} between keys, its limits are "
                f"{limits.lower[k]:.4g} to {limits.upper[k]:.4g}; choose smooth interpolation or a key in between"
            )
    return tuple(Problem(Severity.WARNING, message, source) for message in told)
