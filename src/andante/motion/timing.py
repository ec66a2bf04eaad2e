"""Timing of motions: trapezoid and jerk-limited profiles of one axis, and the quickest speed along a path.

Path timing is reachability analysis on a grid (Pham and Pham, TOPP-RA, 2018). With x = (ds/dt)² and u = d²s/dt², the
joint acceleration is q' u + q'' x: a backward pass finds the largest x at each grid point from which the end can still
be reached, a forward pass takes the largest u that stays below it. Limits are imposed at both ends of every interval;
what the inside exceeds is then taken back by running a little slower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array


def smoothstep(x: ArrayLike) -> Array:
    """0 below 0, 1 above 1, between them 10 x^3 - 15 x^4 + 6 x^5, whose slope and curvature vanish at both ends."""
    u = np.clip(np.asarray(x, dtype=float), 0.0, 1.0)
    blend: Array = u * u * u * (10.0 + u * (6.0 * u - 15.0))
    return blend


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
            result: Array = p + x * (v + x * (a + x * j))
            return result
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
    rise, fall = (t0, copysign(acceleration, peak - v0), 0.0), (t1, copysign(acceleration, v1 - peak), 0.0)
    return Profile.of_phases(start, v0, 0.0, [rise, (cruise, 0.0, 0.0), fall])


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
    flat, j = (max(0.0, rise - 2 * jerk_time), None, 0.0), side * jerk
    up, down = [(jerk_time, 0.0, j), flat, (jerk_time, None, -j)], [(jerk_time, 0.0, -j), flat, (jerk_time, None, j)]
    return Profile.of_phases(start, 0.0, 0.0, [*up, (cruise, 0.0, 0.0), *down])


def _check_bounds(**numbers: float) -> None:
    for name, value in numbers.items():
        if not isfinite(value) or (name not in ("start", "goal") and value <= 0):
            kind = "a finite number" if name in ("start", "goal") else "a positive number"
            raise BadInput(f"{name} must be {kind}, got {value:g}")


Path = Callable[[Array, int], Array]  # (parameters, order) -> (n, joints)
FINE = 32  # check points per interval
MARGIN = 5e-4  # for what lies between the check points; paths whose second derivative has kinks need it
FASTEST = 1e6  # bound of x where no joint moves


@dataclass(frozen=True, eq=False)
class TimedPath:
    """A path with its timing; a joint motion that obeys the limits it was timed for."""

    names: tuple[str, ...]
    path: Path
    grid: Array  # parameters (n + 1,)
    times: Array  # when each is passed (n + 1,) [s]
    speeds: Array  # ds/dt there (n + 1,)
    pushes: Array  # d²s/dt² in each interval (n,)

    @property
    def duration(self) -> float:
        """Time of the whole way [s]."""
        return float(self.times[-1])

    def parameter(self, t: ArrayLike, order: int = 0) -> Array:
        """s, ds/dt or d²s/dt² at times."""
        at = np.clip(np.asarray(t, dtype=float), 0.0, self.duration)
        k = np.clip(np.searchsorted(self.times, at, side="right") - 1, 0, len(self.pushes) - 1)
        x = at - self.times[k]
        if order == 0:
            s = self.grid[k] + x * (self.speeds[k] + x * self.pushes[k] / 2)
            inside: Array = np.clip(s, self.grid[0], self.grid[-1])
            return inside
        rate: Array = self.speeds[k] + x * self.pushes[k] if order == 1 else self.pushes[k]
        return rate

    def evaluate(self, t: ArrayLike, order: int = 0) -> Array:
        """Joint positions, velocities or accelerations (..., joints); derivatives are 0 outside."""
        at = np.asarray(t, dtype=float)
        flat = at.ravel()
        s, rate = self.parameter(flat), self.parameter(flat, 1)[:, None]
        if order == 0:
            values = self.path(s, 0)
        elif order == 1:
            values = self.path(s, 1) * rate
        else:
            values = self.path(s, 1) * self.parameter(flat, 2)[:, None] + self.path(s, 2) * rate**2
        if order:
            values = np.where(((flat < 0) | (flat > self.duration))[:, None], 0.0, values)
        return values.reshape(*at.shape, values.shape[-1])


def time_path(
    names: tuple[str, ...],
    path: Path,
    domain: tuple[float, float],
    velocity: ArrayLike,
    acceleration: ArrayLike,
    intervals: int = 200,
) -> TimedPath:
    """Run a path from rest to rest as quickly as the limits per joint allow [rad/s, rad/s²].

    `path(s, order)` gives (n, joints) for parameters (n,) and orders 0, 1, 2.
    """
    v, a = np.asarray(velocity, dtype=float), np.asarray(acceleration, dtype=float)
    if not (v.shape == a.shape == (len(names),) and (v > 0).all() and (a > 0).all()):
        raise BadInput(f"{len(names)} joints need as many positive velocity and acceleration limits")
    if intervals < 2 or not domain[0] < domain[1]:
        raise BadInput("a path is timed over two or more intervals of a domain that grows")
    grid = np.linspace(*domain, intervals + 1)
    first, second = path(grid, 1), path(grid, 2)
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise BadInput("the path has derivatives that are not finite")
    largest = _velocity_bound(first, v)
    step = np.diff(grid)
    reach = _backward(first, second, a, largest, step)
    squares, pushes = _forward(first, second, a, reach, step)
    speeds = np.sqrt(squares)
    mean = (speeds[:-1] + speeds[1:]) / 2
    times = np.concatenate([[0.0], np.cumsum(step / mean)])
    timed = TimedPath(tuple(names), path, grid, times, speeds, pushes)
    return _slowed(timed, v, a)


def _velocity_bound(first: Array, v: Array) -> Array:
    steep = np.abs(first)
    ratio = np.divide(v, steep, out=np.full_like(steep, np.sqrt(FASTEST)), where=steep > 1e-12)
    bound: Array = np.minimum(ratio.min(axis=1) ** 2, FASTEST)
    return bound


def _lines(first: Array, second: Array, a: Array, i: int, step: float) -> tuple[Array, Array, Array, float]:
    """Bounds low + slope x <= u <= high + slope x of interval i, and the largest x where a row has no u at all."""
    p = np.concatenate([first[i], first[i + 1] + 2 * step * second[i + 1]])
    c = np.concatenate([second[i], second[i + 1]])
    bound = np.concatenate([a, a])
    scale = np.maximum(np.abs(p), 1e-300)
    moving = np.abs(p) > 1e-9 * max(1.0, np.abs(p).max())
    slope = -c[moving] / p[moving]
    high = bound[moving] / scale[moving]
    still = np.abs(c[~moving])
    cap = np.divide(bound[~moving], still, out=np.full_like(still, FASTEST), where=still > 1e-12)
    return -high, high, slope, float(cap.min(initial=FASTEST))


def _backward(first: Array, second: Array, a: Array, largest: Array, step: Array) -> Array:
    reach = largest.copy()
    reach[-1] = 0.0
    for i in range(len(step) - 1, -1, -1):
        low, high, slope, cap = _lines(first, second, a, i, step[i])
        half = 1 / (2 * step[i])
        lower, lower_slope = np.append(low, 0.0), np.append(slope, -half)  # x + 2 step u >= 0
        upper, upper_slope = np.append(high, reach[i + 1] * half), np.append(slope, -half)
        # every lower line below every upper line: (lower_slope - upper_slope) x <= upper - lower
        rise = lower_slope[:, None] - upper_slope[None, :]
        room = upper[None, :] - lower[:, None]
        limit = np.divide(room, rise, out=np.full_like(rise, FASTEST), where=rise > 1e-12)
        reach[i] = max(0.0, min(largest[i], cap, float(limit.min())))
    return reach


def _forward(first: Array, second: Array, a: Array, reach: Array, step: Array) -> tuple[Array, Array]:
    squares, pushes = np.zeros(len(reach)), np.zeros(len(step))
    for i in range(len(step)):
        low, high, slope, _ = _lines(first, second, a, i, step[i])
        x = squares[i]
        top = min(float((high + slope * x).min(initial=np.inf)), (reach[i + 1] - x) / (2 * step[i]))
        top = max(top, float((low + slope * x).max(initial=-np.inf)), -x / (2 * step[i]))
        following = max(0.0, min(x + 2 * step[i] * top, reach[i + 1]))
        if x == 0.0 and following == 0.0:
            raise BadInput("the path cannot be run: it turns back on the spot; make it smooth there")
        squares[i + 1] = following
        pushes[i] = (following - x) / (2 * step[i])
    return squares, pushes


def _slowed(timed: TimedPath, v: Array, a: Array) -> TimedPath:
    """The same timing, stretched by the largest excess that a finer grid shows."""
    fractions = (np.arange(FINE) + 0.5) / FINE
    ends = np.concatenate([[1e-9], fractions, [1 - 1e-9]])
    at = (timed.times[:-1, None] + np.diff(timed.times)[:, None] * ends).ravel()
    excess_v = float((np.abs(timed.evaluate(at, 1)) / v).max())
    excess_a = float((np.abs(timed.evaluate(at, 2)) / a).max())
    stretch = max(1.0, excess_v, np.sqrt(excess_a))
    if stretch == 1.0:
        return timed
    stretch *= 1 + MARGIN
    return TimedPath(
        timed.names, timed.path, timed.grid, timed.times * stretch, timed.speeds / stretch, timed.pushes / stretch**2
    )
