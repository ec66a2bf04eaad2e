"""Curves of single joints in time, and the handle by which somebody waits for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from andante.errors import BadInput
from andante.geometry import Array

MOST_POINTS = 10_000
LEAST_TIME = 0.01  # of the first point [s]; earlier ones count as this


class JointCurve:
    """A cubic through points in time that begins at (0, start) at rest and rests at its last point.

    Between knots t0, t1 with slopes m0, m1 and s = (t - t0) / h, h = t1 - t0,
    p = (2s³ - 3s² + 1) p0 + (s³ - 2s² + s) h m0 + (3s² - 2s³) p1 + (s³ - s²) h m1.
    Without given slopes those inside are the harmonic means of both neighbors, 0 at a turning point (Fritsch and
    Carlson 1980): the curve never overshoots.
    """

    def __init__(self, start: float, times: Sequence[float], values: Sequence[float], slopes: Sequence[float] = ()):
        at = np.asarray(times, dtype=float)
        self._times: Array = np.concatenate([[0.0], at])
        self._values: Array = np.concatenate([[start], np.asarray(values, dtype=float)])
        self._slopes: Array = np.concatenate([[0.0], slopes]) if len(slopes) else _slopes(self._times, self._values)
        self.duration, self.end = float(at[-1]), float(self._values[-1])

    def at(self, t: float) -> float:
        """Position at a time [s] since the start; before and after it rests."""
        if t >= self.duration:
            return self.end
        k = max(0, int(np.searchsorted(self._times, t, side="right")) - 1)
        h = self._times[k + 1] - self._times[k]
        s = max(0.0, t - self._times[k]) / h
        p0, p1, m0, m1 = self._values[k], self._values[k + 1], h * self._slopes[k], h * self._slopes[k + 1]
        inner = s * (1 - s)
        return float(p0 + s * s * (3 - 2 * s) * (p1 - p0) + inner * ((1 - s) * m0 - s * m1))


def _slopes(times: Array, values: Array) -> Array:
    steps = np.diff(values) / np.diff(times)
    before, after = steps[:-1], steps[1:]
    same = before * after > 0
    mean = np.zeros(len(before))
    mean[same] = 2 * before[same] * after[same] / (before[same] + after[same])
    return np.concatenate([[0.0], mean, [0.0]])


@dataclass(frozen=True)
class JointPoints:
    """Where one joint shall be when: increasing times since the start [s] and positions [rad or m]."""

    times: tuple[float, ...]
    positions: tuple[float, ...]
    velocities: tuple[float, ...] = ()  # at the points [rad/s or m/s]; none: smooth

    def __post_init__(self) -> None:
        if not 1 <= len(self.times) <= MOST_POINTS or len(self.positions) != len(self.times):
            raise BadInput(
                f"a joint moves through 1 to {MOST_POINTS} points, each with a time and a position, "
                f"got {len(self.times)} times and {len(self.positions)} positions"
            )
        if self.velocities and len(self.velocities) != len(self.times):
            raise BadInput(f"{len(self.times)} points need as many velocities or none, got {len(self.velocities)}")
        numbers = np.array([*self.times, *self.positions, *self.velocities])
        if not np.isfinite(numbers).all():
            raise BadInput("times and positions of a joint must be finite")
        if self.times[0] < 0 or not (np.diff(np.array([0.0, *self.times])[1:]) > 0).all():
            raise BadInput(f"times of a joint must increase from 0 on, got {list(self.times[:6])}")


@dataclass(eq=False)
class TimedMove:
    """Joints that move along curves: done when all have arrived, interrupted where another command took one."""

    points: Mapping[str, JointPoints]
    relative: bool = False
    left: set[str] = field(default_factory=set)
    begun: bool = False
    interrupted: bool = False

    @property
    def done(self) -> bool:
        """Whether no joint is on its way any more."""
        return self.begun and not self.left

    @property
    def duration(self) -> float:
        """[s]."""
        return max(points.times[-1] for points in self.points.values())

    def curve(self, name: str, here: float) -> JointCurve:
        """The curve of a joint from the command that it has now."""
        points = self.points[name]
        offset = here if self.relative else 0.0
        times = (max(points.times[0], LEAST_TIME), *points.times[1:])
        if len(times) > 1 and times[1] <= times[0]:  # several points within the first instant: the last counts
            kept = [k for k, t in enumerate(times) if t > LEAST_TIME] or [len(times) - 1]
            times = tuple(max(times[k], LEAST_TIME) for k in kept)
            return JointCurve(here, times, [points.positions[k] + offset for k in kept])
        return JointCurve(here, times, [p + offset for p in points.positions], points.velocities)

    def drop(self, name: str) -> None:
        """A joint is taken away."""
        self.left.discard(name)
        self.interrupted = True
