"""Errors of a sensor: white noise, a constant bias drawn once, a bias that wanders, steps of resolution and a range."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array


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


class NoiseChannel:
    """A `Noise` at work on vectors of one length, with a random generator of its own."""

    def __init__(self, noise: Noise, count: int, generator: np.random.Generator) -> None:
        self.noise = noise
        self._generator = generator
        self.bias = generator.normal(0.0, noise.bias_stddev, count) if noise.bias_stddev else np.zeros(count)

    def apply(self, values: ArrayLike, dt: float) -> Array:
        """Measured values; dt is the time since the last sample [s]."""
        noise = self.noise
        out = np.array(values, dtype=float)
        if noise.bias_walk:
            self.bias = self.bias + self._generator.normal(0.0, noise.bias_walk * math.sqrt(max(dt, 0.0)), out.shape)
        out += self.bias
        if noise.stddev:
            out += self._generator.normal(0.0, noise.stddev, out.shape)
        if noise.resolution:
            out = np.round(out / noise.resolution) * noise.resolution
        return np.clip(out, noise.lower, noise.upper)

    def save(self) -> Any:
        """Bias and generator state."""
        return (self.bias.copy(), self._generator.bit_generator.state)

    def load(self, state: Any) -> None:
        """Put back what `save` gave."""
        self.bias, self._generator.bit_generator.state = state[0].copy(), state[1]
