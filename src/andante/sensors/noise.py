"""Errors of a sensor: white noise, a constant bias drawn once, a bias that wanders, steps of resolution and a range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .kernels import disturb

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
        for name in ("stddev", "bias_stddev", "bias_walk", "resolution"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadInput(f"sensor noise {name} must be >= 0 and finite, got {getattr(self, name)}")
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
