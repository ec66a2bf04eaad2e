"""Key-frame motions: positions of any joints at any times, interpolated, repeated, looped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.description.source import Source
from andante.errors import BadInput, UnknownName
from andante.geometry import Array

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
    """A motion told by keys; times grow, every joint of a motion has at least one key.

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
                share = (x, np.ones_like(x), np.zeros_like(x))[order]
            else:
                share = (
                    x**3 * (10 + x * (6 * x - 15)),
                    30 * x**2 * (1 - x) ** 2,
                    60 * x * (1 - x) * (1 - 2 * x),
                )[order]
            found = (values[k] if order == 0 else 0.0) + way * share / width**order
        return found if order == 0 else np.where(outside, 0.0, found)
