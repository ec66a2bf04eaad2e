"""How well joints follow their targets, as their encoders tell."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from andante.geometry import Array

from .body import BodyState


class Tracking:
    """The gap between the targets that were sent and the joints one control step later."""

    def __init__(self, names: tuple[str, ...], joints: Sequence[int] | None = None) -> None:
        """joints: indices of those that count; None: all."""
        self._names = names
        self._counts = np.ones(len(names), dtype=bool)
        if joints is not None:
            self._counts[:] = False
            self._counts[joints] = True
        self._sent: Array | None = None
        self._worst, self._squares, self._samples = (np.zeros(len(names)) for _ in range(3))

    def measure(self, state: BodyState, targets: Array) -> None:
        """Compare a state with the targets of the step before; `targets` are sent now."""
        if self._sent is not None:
            gap = np.abs(state.position - self._sent)
            known = self._counts & np.isfinite(gap)
            self._worst[known] = np.maximum(self._worst[known], gap[known])
            self._squares[known] += gap[known] ** 2
            self._samples[known] += 1
        self._sent = targets

    def summary(self) -> dict[str, float | str | None]:
        """Largest gap, where, and the root of the mean square over all joints [rad or m]."""
        played = self._samples > 0
        if not played.any():
            return {"max": 0.0, "joint": None, "rms": 0.0}
        worst = int(np.argmax(np.where(played, self._worst, -1.0)))
        rms = math.sqrt(float(self._squares.sum() / self._samples.sum()))
        return {"max": float(self._worst[worst]), "joint": self._names[worst], "rms": rms}

    def errors(self) -> dict[str, float]:
        """Largest gap of each joint that counts [rad or m]."""
        return {name: float(w) for name, w, n in zip(self._names, self._worst, self._samples, strict=True) if n}
