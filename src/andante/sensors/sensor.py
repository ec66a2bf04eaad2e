"""What every sensor is: something that measures at a rate, with errors, and is heard of a little later.

A sensor model gives one method, `measure`, which looks at the engine and returns the true values; `Channel` adds rate,
noise and latency. Estimators and behaviours read the channel only.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array
from andante.physics import Contacts, Engine

from .noise import Noise, NoiseChannel

KEPT = 32  # readings of the near past that a channel can average over


@dataclass(frozen=True)
class Reading:
    """One measurement: when it was taken [s, simulated], and its values."""

    time: float
    values: Array


class Scene:
    """What sensors may look at during one instant; each array is fetched from the engine once, when first asked for."""

    def __init__(self, engine: Engine, actor: int) -> None:
        self.engine, self.actor, self.time = engine, actor, engine.time
        self._cache: dict[str, Any] = {}

    def _once(self, name: str, make: Any) -> Any:
        if name not in self._cache:
            self._cache[name] = make()
        return self._cache[name]

    @property
    def joint_positions(self) -> Array:
        """True joint positions, (joints,)."""
        return self._once("q", lambda: self.engine.joint_positions(self.actor))

    @property
    def joint_velocities(self) -> Array:
        """True joint velocities, (joints,)."""
        return self._once("dq", lambda: self.engine.joint_velocities(self.actor))

    @property
    def joint_efforts(self) -> Array:
        """Efforts of the servos, (joints,)."""
        return self._once("effort", lambda: self.engine.joint_efforts(self.actor))

    @property
    def body_poses(self) -> Array:
        """True poses of the bodies of the tree, (bodies, 7)."""
        return self._once("body poses", lambda: self.engine.body_poses(self.actor))

    @property
    def body_velocities(self) -> Array:
        """True velocities of the bodies of the tree, (bodies, 6)."""
        return self._once("body velocities", lambda: self.engine.body_velocities(self.actor))

    @property
    def link_poses(self) -> Array:
        """True link poses, (links, 7)."""
        return self._once("poses", lambda: self.engine.link_poses(self.actor))

    @property
    def link_velocities(self) -> Array:
        """True link velocities, (links, 6)."""
        return self._once("velocities", lambda: self.engine.link_velocities(self.actor))

    @property
    def contacts(self) -> Contacts:
        """Contacts of this actor, it being side A."""
        return self._once("contacts", lambda: self.engine.contacts().of(self.actor))


class Sensor(Protocol):
    """A model of a sensor: its name, how many values it gives, and the true values of an instant."""

    @property
    def name(self) -> str:
        """Unique name on its robot."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each value, for tables and plots."""

    def measure(self, scene: Scene) -> Array:
        """True values at this instant, (len(labels),)."""


class Channel:
    """A sensor with rate, noise and latency."""

    def __init__(
        self, sensor: Sensor, rate: float, noise: Noise, latency: float, generator: np.random.Generator
    ) -> None:
        if not (rate > 0 and 0 <= latency < math.inf):
            raise BadInput(f"sensor {sensor.name!r} needs rate > 0 and latency >= 0, got {rate} Hz and {latency} s")
        self.sensor, self.rate, self.latency = sensor, rate, latency
        self._noise = NoiseChannel(noise, len(sensor.labels), generator)
        self._under_way: deque[Reading] = deque()
        self._recent: deque[Reading] = deque(maxlen=KEPT)
        self._last: Reading | None = None
        self._samples = 0

    @property
    def name(self) -> str:
        """Name of the sensor."""
        return self.sensor.name

    @property
    def next_time(self) -> float:
        """When the next sample is due [s]."""
        return self._samples / self.rate

    def update(self, scene: Scene) -> None:
        """Sample if due (within half a step) and let readings whose latency is over arrive."""
        if scene.time >= self.next_time - scene.engine.dt / 2:
            values = self._noise.apply(self.sensor.measure(scene), 1.0 / self.rate)
            self._under_way.append(Reading(scene.time, values))
            self._samples = math.floor(scene.time * self.rate + 1e-6) + 1
        while self._under_way and self._under_way[0].time + self.latency <= scene.time + 1e-9:
            self._last = self._under_way.popleft()
            self._recent.append(self._last)

    @property
    def reading(self) -> Reading | None:
        """The newest reading that has arrived, None before the first."""
        return self._last

    def mean_since(self, time: float) -> Array | None:
        """Mean of the readings taken after a time [s], the newest where there are none, None before the first.

        A loop slower than the sensor reads this: every k-th reading alone would beat with the loop's own rhythm.
        """
        values = [reading.values for reading in self._recent if reading.time > time + 1e-9]
        if len(values) > 1:
            return np.mean(values, axis=0)
        return self._last.values if self._last is not None else None

    def save(self) -> Any:
        """Everything that decides the coming readings."""
        model = getattr(self.sensor, "save", lambda: None)()
        return (self._noise.save(), tuple(self._under_way), tuple(self._recent), self._last, self._samples, model)

    def load(self, state: Any) -> None:
        """Put back what `save` gave."""
        noise, under_way, recent, self._last, self._samples, model = state
        self._noise.load(noise)
        self._under_way = deque(under_way)
        self._recent = deque(recent, maxlen=KEPT)
        if model is not None:
            self.sensor.load(model)  # type: ignore[attr-defined]
