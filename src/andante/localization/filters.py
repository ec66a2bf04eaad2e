"""Filters of positions: moving average, and fading filters of first and second order (fading memory)."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array


class MovingAverage:
    """Mean of the latest samples (5 in the source)."""

    def __init__(self, length: int = 5) -> None:
        if length < 1:
            raise BadInput(f"a moving average needs at least 1 sample, got {length}")
        self._samples: deque[Array] = deque(maxlen=length)

    def update(self, sample: ArrayLike) -> Array:
        """The mean with a new sample (...,); samples that are not finite change nothing."""
        if _good(sample):
            self._samples.append(np.array(sample, dtype=float))
        return np.mean(self._samples, axis=0) if self._samples else np.array(sample, dtype=float)


class FadingFilter1:
    """x = b x + (1 - b) z."""

    def __init__(self, memory: float = 0.9) -> None:
        self._b = _memory(memory)
        self._x: Array | None = None

    def update(self, sample: ArrayLike) -> Array:
        """The filtered value with a new sample (...,)."""
        if _good(sample):
            z = np.asarray(sample, dtype=float)
            self._x = z.copy() if self._x is None else self._b * self._x + (1 - self._b) * z
        return np.array(sample, dtype=float) if self._x is None else self._x.copy()


class FadingFilter2:
    """x = xp + G (z - xp), v = v + H/T (z - xp), xp = x + v T with G = 1 - b², H = (1 - b)².

    It follows a constant speed without lag. A step T that is given with a sample stands for the time since the one
    before; samples that are not finite let it coast.
    """

    def __init__(self, memory: float = 0.9, step: float = 0.1) -> None:
        self._b = _memory(memory)
        if not step > 0:
            raise BadInput(f"the step of a fading filter must be above 0, got {step}")
        self._step = step
        self._x: Array | None = None
        self._v = np.zeros(0)

    @property
    def velocity(self) -> Array:
        """Rate of change [1/s]."""
        return self._v.copy()

    def update(self, sample: ArrayLike, step: float | None = None) -> Array:
        """The filtered value with a new sample (...,)."""
        T = self._step if step is None else step
        if not T > 0:
            raise BadInput(f"time must go on between samples, got a step of {T} s")
        z = np.asarray(sample, dtype=float)
        if self._x is None:
            if _good(z):
                self._x, self._v = z.copy(), np.zeros_like(z)
            return z.copy()
        ahead = self._x + self._v * T
        if _good(z):
            gap = z - ahead
            ahead = ahead + (1 - self._b**2) * gap
            self._v = self._v + (1 - self._b) ** 2 / T * gap
        self._x = ahead
        return self._x.copy()


def filtered(filter_: MovingAverage | FadingFilter1 | FadingFilter2, samples: ArrayLike) -> Array:
    """All samples (n, ...) through a filter, one after another."""
    return np.array([filter_.update(sample) for sample in np.asarray(samples, dtype=float)])


def _memory(b: float) -> float:
    if not 0 <= b < 1:
        raise BadInput(f"the memory of a fading filter lies within 0 to 1 (not 1 itself), got {b}")
    return b


def _good(sample: ArrayLike) -> bool:
    return bool(np.isfinite(sample).all())
