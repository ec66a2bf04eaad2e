"""A sensor with rate, noise and latency; channels of one rate are sampled together in a bank."""

from __future__ import annotations

import math
from collections import deque
from itertools import islice
from typing import Any

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

from .noise import Noise, NoiseBank, NoiseSource
from .sensor import Measure, Reading, Scene, Sensor, Stateful, measures

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

    def update(self, scene: Scene) -> None:
        """Sample if due, within half a step."""
        self.now = now = scene.time
        soon = (now + scene.engine.dt / 2) * self.rate + EARLY
        if soon < self.next_time * self.rate:
            return
        noise = self._noise or self._begin()
        values = np.empty(self._total)
        for measure in self._measures:
            measure(scene, values)
        self.taken.append((now, noise.apply(values)))
        self.next_time = (math.floor(soon) + 1) / self.rate

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
        self.bank.update(scene)

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
        taken, newest = self.bank.taken, self._under_way() + 1
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
        count = 0
        for taken, values in islice(reversed(self.bank.taken), self._under_way(), None):
            if count and (taken <= time + 1e-9 or count == KEPT):
                break
            total = values[self.place] if total is None else total + values[self.place]
            count += 1
        return total if total is None or count == 1 else total / count
