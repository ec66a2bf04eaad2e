"""How one axis gets from here to there in the least time: trapezoids of velocity, and the same with bounded jerk."""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array


@dataclass(frozen=True, eq=False)
class Profile:
    """Position of one axis over time, cubic in each phase; before 0 and after the end it rests at the end values."""

    starts: Array  # when each phase begins [s], the end last (n + 1,)
    coefficients: Array  # (n, 4): position, velocity, acceleration / 2, jerk / 6 at the begin of each phase

    @staticmethod
    def of_phases(
        position: float, velocity: float, acceleration: float, phases: list[tuple[float, float | None, float]]
    ) -> Profile:
        """Integrate phases (duration, acceleration at begin or None to go on with the present one, jerk)."""
        starts, rows = [0.0], []
        p, v, a = position, velocity, acceleration
        for duration, begin, jerk in phases:
            if begin is not None:
                a = begin
            if duration <= 0:
                continue
            rows.append([p, v, a / 2, jerk / 6])
            t = duration
            p, v, a = p + t * (v + t * (a / 2 + t * jerk / 6)), v + t * (a + t * jerk / 2), a + t * jerk
            starts.append(starts[-1] + t)
        if not rows:
            rows, starts = [[p, 0.0, 0.0, 0.0]], [0.0, 0.0]
        return Profile(np.array(starts), np.array(rows))

    @property
    def duration(self) -> float:
        """Time from the first to the last instant [s]."""
        return float(self.starts[-1])

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Position (order 0), velocity (1), acceleration (2) or jerk (3) at times; derivatives are 0 outside."""
        at = np.asarray(t, dtype=float)
        inside = np.clip(at, 0.0, self.duration)
        k = np.clip(np.searchsorted(self.starts, inside, side="right") - 1, 0, len(self.coefficients) - 1)
        x = inside - self.starts[k]
        p, v, a, j = np.moveaxis(self.coefficients[k], -1, 0)
        if order == 0:
            return p + x * (v + x * (a + x * j))
        value = {1: v + x * (2 * a + 3 * x * j), 2: 2 * a + 6 * x * j, 3: 6 * j}[order]
        return np.where((at < 0) | (at > self.duration), 0.0, value)


def trapezoid(
    start: float,
    goal: float,
    velocity: float,
    acceleration: float,
    start_velocity: float = 0.0,
    goal_velocity: float = 0.0,
) -> Profile:
    """The quickest way under |v| <= velocity and |a| <= acceleration, from and to any velocity.

    A start faster than the limit brakes to the limit first. The peak v of a way without cruise obeys
    v² = s a d + (v0² + v1²) / 2, s the sign of the way.
    """
    _check_bounds(start=start, goal=goal, velocity=velocity, acceleration=acceleration)
    if not (isfinite(start_velocity) and isfinite(goal_velocity)) or abs(goal_velocity) > velocity:
        raise BadInput(f"the velocities at the ends must be finite and the last within {velocity:g}")
    v0, v1, d = start_velocity, goal_velocity, goal - start
    straight = (v0 + v1) / 2 * abs(v1 - v0) / acceleration  # way when going from v0 to v1 without a detour
    side = copysign(1.0, d - straight)
    peak = side * min(velocity, sqrt(max(0.0, side * acceleration * d + (v0 * v0 + v1 * v1) / 2)))
    t0, t1 = abs(peak - v0) / acceleration, abs(v1 - peak) / acceleration
    rest = d - (v0 + peak) / 2 * t0 - (peak + v1) / 2 * t1
    cruise = max(0.0, rest / peak) if peak != 0 else 0.0
    return Profile.of_phases(
        start,
        v0,
        0.0,
        [
            (t0, copysign(acceleration, peak - v0), 0.0),
            (cruise, 0.0, 0.0),
            (t1, copysign(acceleration, v1 - peak), 0.0),
        ],
    )


def s_curve(start: float, goal: float, velocity: float, acceleration: float, jerk: float) -> Profile:
    """The quickest way from rest to rest under bounds on velocity, acceleration and jerk (seven phases)."""
    _check_bounds(start=start, goal=goal, velocity=velocity, acceleration=acceleration, jerk=jerk)
    distance, side = abs(goal - start), copysign(1.0, goal - start)
    if velocity * jerk < acceleration**2:
        jerk_time = sqrt(velocity / jerk)
        rise = 2 * jerk_time
    else:
        jerk_time = acceleration / jerk
        rise = jerk_time + velocity / acceleration
    cruise = distance / velocity - rise
    if cruise < 0:  # the velocity limit is not reached
        cruise = 0.0
        if distance >= 2 * acceleration**3 / jerk**2:
            jerk_time = acceleration / jerk
            rise = jerk_time / 2 + sqrt(jerk_time**2 / 4 + distance / acceleration)
        else:
            jerk_time = (distance / (2 * jerk)) ** (1 / 3)
            rise = 2 * jerk_time
    flat, j = max(0.0, rise - 2 * jerk_time), side * jerk
    return Profile.of_phases(
        start,
        0.0,
        0.0,
        [
            (jerk_time, 0.0, j),
            (flat, None, 0.0),
            (jerk_time, None, -j),
            (cruise, 0.0, 0.0),
            (jerk_time, 0.0, -j),
            (flat, None, 0.0),
            (jerk_time, None, j),
        ],
    )


def _check_bounds(**numbers: float) -> None:
    for name, value in numbers.items():
        if not isfinite(value) or (name not in ("start", "goal") and value <= 0):
            kind = "a finite number" if name in ("start", "goal") else "a positive number"
            raise BadInput(f"{name} must be {kind}, got {value:g}")
