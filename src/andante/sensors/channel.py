"""A sensor with rate, noise and latency; channels of one rate are sampled together in a bank.

Errors: white noise, a constant bias drawn once, a bias that wanders, steps of resolution and a range.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array
from andante.settings import check_fields, is_size

from .kernels import disturb
from .sensor import Measure, Reading, Scene, Sensor, Stateful, measures

BLOCK = 64  # samples whose random numbers are drawn at once


@dataclass(frozen=True)
class Noise:
    """Error model in the unit of the sensor; all zero is a perfect one."""

    stddev: float = 0.0  # white noise per sample
    bias_stddev: float = 0.0  # spread of the bias that is drawn at the start
    bias_walk: float = 0.0  # random walk of the bias [unit / sqrt(s)]
    resolution: float = 0.0  # values come in multiples of this
    lower: float = -math.inf  # range of the output
    upper: float = math.inf

    def __post_init__(self) -> None:
        names = ("stddev", "bias_stddev", "bias_walk", "resolution")
        check_fields(self, "sensor noise", ">= 0 and finite", is_size, *names)
        if not self.lower < self.upper:
            raise BadInput(f"sensor range needs lower < upper, got {self.lower} and {self.upper}")


@dataclass(frozen=True)
class NoiseSource:
    """A `Noise` for a number of values, with a random generator of its own."""

    noise: Noise
    count: int
    generator: np.random.Generator


class NoiseBank:
    """Several sources at work on one vector, sampled every `dt` seconds.

    y = x + b + n, b a bias that wanders, n white; then rounded to the resolution and cut at the range. Every source
    draws from its own generator, walk before white and sample by sample, so its numbers do not depend on the others.
    """

    def __init__(self, sources: Sequence[NoiseSource], dt: float) -> None:
        self.sources, self._dt = tuple(sources), dt
        self._ends = np.cumsum([0, *(source.count for source in self.sources)]).tolist()
        total = self._ends[-1]
        self.bias = np.zeros(total)
        self._limits = np.zeros((3, total))  # resolution, lower, upper
        for source, a, b in self._parts():
            noise = source.noise
            if noise.bias_stddev:
                self.bias[a:b] = source.generator.normal(0.0, noise.bias_stddev, source.count)
            self._limits[:, a:b] = np.array([noise.resolution, noise.lower, noise.upper])[:, None]
        self._drawn = np.zeros((BLOCK, 2, total))  # steps of the bias, white noise
        self._states: list[Any] | None = None  # of the generators before the present block; None: there is no block yet
        self._next = BLOCK

    def _parts(self) -> list[tuple[NoiseSource, int, int]]:
        return list(zip(self.sources, self._ends[:-1], self._ends[1:], strict=True))

    def apply(self, values: ArrayLike) -> Array:
        """Measured values of the next sample, (all values,)."""
        if self._next == BLOCK:
            self._draw()
            self._next = 0
        out = np.array(values, dtype=float)
        disturb(out, self.bias, self._drawn, self._next, self._limits)
        self._next += 1
        return out

    def _draw(self) -> None:
        """The random numbers of the next block of samples."""
        self._states = [source.generator.bit_generator.state for source in self.sources]
        for source, a, b in self._parts():
            noise = source.noise
            scales = [noise.bias_walk * math.sqrt(self._dt), noise.stddev]
            used = [k for k in (0, 1) if scales[k]]
            if used:
                normal = source.generator.standard_normal((BLOCK, len(used), source.count))
                self._drawn[:, used, a:b] = normal * np.array([scales[k] for k in used])[:, None]

    def save(self) -> Any:
        """Biases, states of the generators before the present block, and the place in it (None: before the first)."""
        if self._states is None:
            return (self.bias.copy(), [source.generator.bit_generator.state for source in self.sources], None)
        return (self.bias.copy(), self._states, self._next)

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        bias, states, place = state
        self.bias[:] = bias
        for source, known in zip(self.sources, states, strict=True):
            source.generator.bit_generator.state = known
        if place is None:
            self._states, self._next = None, BLOCK
        else:
            self._draw()
            self._next = place


KEPT = 32  # readings of the near past that a channel can average over
EARLY = 1e-6  # part of a sample period by which rounding may make an instant early


class Bank:
    """Channels that are sampled at the same instants, k / rate; each sample is one vector of all their values."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.next_time = 0.0  # when the next sample is due [s]
        self.now = -math.inf  # when the bank was last updated [s]
        self.taken: deque[tuple[float, Array]] = deque()  # samples, newest last; their arrays are never written to
        self._channels: list[Channel] = []
        self._measures: list[Measure] = []
        self._noise: NoiseBank | None = None  # made when first needed
        self._total = 0

    @property
    def open(self) -> bool:
        """Whether channels can still join: nothing has been sampled or saved."""
        return self._noise is None

    @property
    def sensors(self) -> list[Sensor]:
        """Of its channels."""
        return [channel.sensor for channel in self._channels]

    def join(self, channel: Channel) -> slice:
        """Take a channel in; its place in the vector of values."""
        place = slice(self._total, self._total + len(channel.sensor.labels))
        self._channels.append(channel)
        self._total = place.stop
        return place

    def _begin(self) -> NoiseBank:
        channels = self._channels
        self._measures = measures([each.sensor for each in channels], [each.place for each in channels])
        late = max(each.latency for each in channels)
        self.taken = deque(self.taken, maxlen=KEPT + math.ceil(late * self.rate) + 1)
        self._noise = NoiseBank([each.source for each in channels], 1.0 / self.rate)
        return self._noise

    def update(self, scene: Scene, late: float) -> None:
        """Sample if due by the instant `late` [s], half a step from now."""
        self.now = now = scene.time
        rate = self.rate
        soon = late * rate + EARLY
        if soon < self.next_time * rate:
            return
        noise = self._noise or self._begin()
        values = np.empty(self._total)
        for measure in self._measures:
            measure(scene, values)
        self.taken.append((now, noise.apply(values)))
        self.next_time = (math.floor(soon) + 1) / rate

    def save(self) -> Any:
        """Everything that decides the coming readings."""
        models = [each.sensor.save() if isinstance(each.sensor, Stateful) else None for each in self._channels]
        noise = self._noise or self._begin()
        return (self.next_time, self.now, tuple(self.taken), noise.save(), models)

    def load(self, state: Any) -> None:
        """Put back what `save` returned."""
        self.next_time, self.now, taken, noise, models = state
        self.taken.clear()
        self.taken.extend(taken)
        (self._noise or self._begin()).load(noise)
        for each, model in zip(self._channels, models, strict=True):
            if isinstance(each.sensor, Stateful):
                each.sensor.load(model)


class Channel:
    """A sensor with rate [Hz], noise and latency [s], in a bank of its rate (one of its own unless given)."""

    def __init__(
        self,
        sensor: Sensor,
        rate: float,
        noise: Noise,
        latency: float,
        generator: np.random.Generator,
        bank: Bank | None = None,
    ) -> None:
        if not (0 < rate < math.inf and 0 <= latency < math.inf):
            raise BadInput(f"sensor {sensor.name!r} needs rate > 0 and latency >= 0, got {rate} Hz and {latency} s")
        self.sensor, self.rate, self.latency = sensor, rate, latency
        self.source = NoiseSource(noise, len(sensor.labels), generator)
        self.bank = bank or Bank(rate)
        self.place = self.bank.join(self)

    @property
    def name(self) -> str:
        """Name of the sensor."""
        return self.sensor.name

    @property
    def next_time(self) -> float:
        """When the next sample is due [s]."""
        return self.bank.next_time

    def update(self, scene: Scene) -> None:
        """Sample this channel and the others of its bank if due."""
        self.bank.update(scene, scene.time + scene.engine.dt / 2)

    def _under_way(self) -> int:
        """How many samples have not arrived: their latency is not over."""
        if not self.latency:
            return 0
        arrived, count = self.bank.now - self.latency + 1e-9, 0
        for time, _ in reversed(self.bank.taken):
            if time <= arrived:
                break
            count += 1
        return count

    @property
    def reading(self) -> Reading | None:
        """The newest reading that has arrived, None before the first."""
        taken, newest = self.bank.taken, self._under_way() + 1
        if len(taken) < newest:
            return None
        time, values = taken[-newest]
        return Reading(time, values[self.place])

    @property
    def values(self) -> Array | None:
        """Values of the newest reading that has arrived, None before the first."""
        taken = self.bank.taken
        if not self.latency:
            return taken[-1][1][self.place] if taken else None
        newest = self._under_way() + 1
        return taken[-newest][1][self.place] if len(taken) >= newest else None

    def since(self, time: float) -> list[Reading]:
        """The readings taken after a time [s] that have arrived, oldest first; no more than are kept (`KEPT`)."""
        out: list[Reading] = []
        for taken, values in islice(reversed(self.bank.taken), self._under_way(), None):
            if taken <= time + 1e-9:
                break
            out.append(Reading(taken, values[self.place]))
        return out[::-1]

    def mean_since(self, time: float) -> Array | None:
        """Mean of the readings taken after a time [s], the newest where there are none, None before the first.

        A loop slower than the sensor reads this: every k-th reading alone would beat with the loop's own rhythm.
        """
        total: Array | None = None
        count, place, oldest, known = 0, self.place, time + 1e-9, self.bank.taken
        if not self.latency and len(known) > 1 and known[-2][0] <= oldest:  # as often as not there is one alone
            return known[-1][1][place]
        for taken, values in islice(reversed(known), self._under_way() if self.latency else 0, None):
            if count and (taken <= oldest or count == KEPT):
                break
            total = values[place] if total is None else total + values[place]
            count += 1
        return total if total is None or count == 1 else total / count
