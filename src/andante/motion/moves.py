"""Moves of several joints together: from rest to rest on a straight way, and away from a present motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .joint_motion import Move
from .profiles import s_curve, trapezoid


def synchronised(
    names: Sequence[str],
    start: ArrayLike,
    goal: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    jerk: ArrayLike | None = None,
) -> Move:
    """The quickest straight move from rest to rest within the limits of every joint [rad or m, s].

    The share s(t) of the way obeys |s'| <= min velocity_i / |way_i|, and so on; without `jerk` it is a trapezoid.
    """
    first, last = np.array(start, dtype=float), np.array(goal, dtype=float)
    count = len(names)
    bounds = [np.broadcast_to(np.asarray(b, dtype=float), (count,)) for b in (velocity, acceleration)]
    if jerk is not None:
        bounds.append(np.broadcast_to(np.asarray(jerk, dtype=float), (count,)))
    if first.shape != (count,) or last.shape != (count,):
        raise BadInput(f"{count} joints need as many starts and goals, got {first.size} and {last.size}")
    if not (np.isfinite(first).all() and np.isfinite(last).all()):
        raise BadInput("starts and goals must be finite numbers")
    way = np.abs(last - first)
    moved = way > 0
    if not moved.any():
        return Move(tuple(names), first, last, trapezoid(0.0, 0.0, 1.0, 1.0))
    shares = [float((bound[moved] / way[moved]).min()) for bound in bounds]
    share = s_curve(0.0, 1.0, *shares) if jerk is not None else trapezoid(0.0, 1.0, *shares)
    return Move(tuple(names), first, last, share)


class Fading:
    """An offset of joints that dies out smoothly: quintic from (offset, velocity, acceleration) to rest at 0.

    Added to a new motion it makes a switch smooth at once: position, velocity and acceleration have no jump.
    """

    def __init__(self, offset: ArrayLike, velocity: ArrayLike, acceleration: ArrayLike, duration: float) -> None:
        e, v, a = (np.array(x, dtype=float) for x in (offset, velocity, acceleration))
        if not duration > 0:
            raise BadInput(f"an offset fades over a time > 0 s, got {duration}")
        self.duration = float(duration)
        T = self.duration
        one = [e, v * T, a * T * T / 2]
        rest, slope, bend = -(one[0] + one[1] + one[2]), -(one[1] + 2 * one[2]), -2 * one[2]
        self._powers = [
            *one,
            10 * rest - 4 * slope + bend / 2,
            -15 * rest + 7 * slope - bend,
            6 * rest - 3 * slope + bend / 2,
        ]

    def evaluate(self, t: float, order: int = 0) -> Array:
        """Offset (order 0), velocity (1) or acceleration (2) a time after it began; 0 once it is over."""
        if t >= self.duration:
            return np.zeros_like(self._powers[0])
        x = max(0.0, t) / self.duration
        total = np.zeros_like(self._powers[0])
        for k in range(order, 6):
            factor = float(np.prod(np.arange(k - order + 1, k + 1))) if order else 1.0
            total = total + factor * x ** (k - order) * self._powers[k]
        return total / self.duration**order


def fading_time(
    offset: ArrayLike, velocity: ArrayLike, limit_velocity: ArrayLike, limit_acceleration: ArrayLike, least: float = 0.1
) -> float:
    """A time in which an offset can fade with its own speed and acceleration inside the limits [s].

    The quintic from an offset e needs 1.875 |e| / T of speed and 5.77 |e| / T² of acceleration, from a velocity v
    4 |v| / T of acceleration.
    """
    e, v = np.abs(np.asarray(offset, dtype=float)), np.abs(np.asarray(velocity, dtype=float))
    top, push = np.asarray(limit_velocity, dtype=float), np.asarray(limit_acceleration, dtype=float)
    times = np.concatenate(
        [[least], (1.875 * e / top).ravel(), np.sqrt(2 * 5.77 * e / push).ravel(), (2 * 4 * v / push).ravel()]
    )
    return float(times.max())
