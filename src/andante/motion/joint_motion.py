"""What can be played: joint positions over time. Poses, key-frames and planned actions all become one of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from andante.geometry import Array

from .profiles import Profile


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


@dataclass(frozen=True, eq=False)
class Move:
    """A straight way in joint space: start + share(t) (goal - start); all joints start and arrive together."""

    names: tuple[str, ...]
    start: Array
    goal: Array
    share: Profile  # from 0 to 1

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.share.duration

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions, velocities or accelerations (..., joints)."""
        way = self.share.evaluate(t, order)[..., None] * (self.goal - self.start)
        return self.start + way if order == 0 else way


@dataclass(frozen=True, eq=False)
class Sampled:
    """Positions at equal steps, joined by C2 cubics that rest at both ends."""

    names: tuple[str, ...]
    positions: Array  # (n, joints)
    step: float  # [s]

    def __post_init__(self) -> None:
        from scipy.interpolate import CubicSpline

        times = self.step * np.arange(len(self.positions))
        object.__setattr__(self, "_spline", CubicSpline(times, self.positions, bc_type="clamped"))

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.step * (len(self.positions) - 1)

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Positions, velocities or accelerations (..., joints); derivatives are 0 outside."""
        at = np.asarray(t, dtype=float)
        values = self._spline(np.clip(at, 0.0, self.duration), order)  # type: ignore[attr-defined]
        if order == 0:
            return values
        return np.where(((at < 0) | (at > self.duration))[..., None], 0.0, values)
