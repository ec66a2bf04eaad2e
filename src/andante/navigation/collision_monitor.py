"""`CollisionMonitor`: the last word on a velocity. What would touch something seen is slowed down or stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, se2

from .vehicle import Vehicle

STEP = 0.03  # way of the fastest corner between two looks at the footprint [m]
DEEPER = 0.002  # what is within the stop zone already may not come nearer by more than this [m]
STILL = 1e-3  # a slower command is none [m/s, rad/s]


@dataclass(frozen=True)
class MonitorSettings:
    """The zones around the footprint."""

    stop_margin: float = 0.01  # nothing may come nearer to the footprint than this [m]
    slow_margin: float = 0.05  # with something nearer than this the robot goes slowly [m]
    slow_fraction: float = 0.6  # ... at most so much of its top speed
    latency: float = 0.1  # between a beam and the wheels that heed it [s]
    inside: float = 0.03  # echoes deeper inside the footprint are the robot itself [m]
    least: float = 0.05  # a command that would be scaled below this fraction is a stop
    silence: float = 1.0  # without a scan for so long the robot stops, or for three of its periods [s]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value >= 0):
                raise BadInput(f"collision monitor: {name} must be a finite number >= 0, got {value}")


@dataclass(frozen=True)
class Verdict:
    """The twist that may be driven, and what was done: clear, slow, approach, stop or blind."""

    twist: Array  # (3,) vx, vy, wz [m/s, m/s, rad/s]
    action: str = "clear"
    words: str = ""


class CollisionMonitor:
    """Scales twists so that the robot can stop before it touches what its sensors have seen last.

    A twist ξ moves the footprint along an arc. It first touches a point after a time t at that twist. Driven at k ξ the
    robot needs k² T/2 of that way to brake (T: time to brake from ξ) after k times the latency, so k is the greatest
    number up to 1 with k · latency + k² T/2 <= t. The bend of the path stays.
    """

    def __init__(self, vehicle: Vehicle, settings: MonitorSettings | None = None) -> None:
        self.vehicle, self.settings = vehicle, settings or MonitorSettings()
        corners = vehicle.footprint
        edge = np.roll(corners, -1, axis=0) - corners
        self._normals = np.stack([edge[:, 1], -edge[:, 0]], axis=1) / np.linalg.norm(edge, axis=1)[:, None]
        self._offsets = (self._normals * corners).sum(axis=1)
        self._seen: dict[str, tuple[float, Array, Array]] = {}  # by sensor: time, odometry then (3,), points (n, 2)
        self._periods: dict[str, float] = {}

    def on_edge(self, point: ArrayLike) -> Array:
        """The point (2,) of the footprint's edge that is nearest to a point inside it; other points stay."""
        at = np.array(point, dtype=float)
        depth = self._offsets - self._normals @ at
        nearest = int(np.argmin(depth))
        return at + max(0.0, float(depth[nearest])) * self._normals[nearest] if depth.min() >= 0 else at

    def see(self, sensor: str, time: float, odometry: ArrayLike, points: ArrayLike) -> None:
        """Points (n, 2) [m] that a sensor has seen about the reference point, which was at an odometry pose (3,) then.

        They replace those that it saw before; none: it sees nothing near.
        """
        at, to = np.array(odometry, dtype=float), np.array(points, dtype=float).reshape(-1, 2)
        if sensor in self._seen:
            gap = time - self._seen[sensor][0]
            self._periods[sensor] = max(gap, self._periods.get(sensor, 0.0) * 0.9)
        self._seen[sensor] = time, at, to[np.isfinite(to).all(axis=1)]

    def check(self, time: float, odometry: ArrayLike, twist: ArrayLike) -> Verdict:
        """The twist (3,) as it may be driven now, at an odometry pose (3,)."""
        asked = np.array(twist, dtype=float)
        if np.abs(asked).max() < STILL:
            return Verdict(asked)
        s, v = self.settings, self.vehicle
        for sensor, (when, _, _) in self._seen.items():
            silent = time - when
            if silent > max(s.silence, 3.0 * self._periods.get(sensor, 0.0)):
                return Verdict(np.zeros(3), "blind", f"{sensor} has told nothing for {silent:.1f} s; the robot stops")
        here = np.asarray(odometry, dtype=float)
        brake = max(math.hypot(asked[0], asked[1]) / v.max_acceleration, abs(float(asked[2])) / v.max_turn_acceleration)
        worst, near, culprit = math.inf, math.inf, ""
        for sensor, (_, at, points) in self._seen.items():
            c, n, horizon = v.circumscribed, self._normals, s.latency + 0.5 * brake
            moved = se2.between(here, at)
            margin = max(s.stop_margin, s.slow_margin)
            contact, away = first_contact(
                points, moved, n, self._offsets, c, s.stop_margin, margin, s.inside, asked, horizon
            )
            near = min(near, away)
            if contact < worst:
                worst, culprit = contact, sensor
        scale, action = 1.0, "clear"
        if near < s.slow_margin:
            speed, turn = math.hypot(asked[0], asked[1]) / v.max_speed, abs(float(asked[2])) / v.max_turn
            scale = min(1.0, s.slow_fraction / max(speed, turn, 1e-9))
            action = "slow" if scale < 1.0 else action
        if worst < math.inf:
            allowed = _fraction(worst, s.latency, brake)
            if allowed < scale:
                scale, action = allowed, "approach"
        if scale < s.least:
            return Verdict(np.zeros(3), "stop", f"{culprit} sees something within reach of this velocity")
        if action == "clear":
            return Verdict(asked)
        return Verdict(
            scale * asked, action, f"{culprit or 'a sensor'} sees something near: {scale:.0%} of the velocity"
        )


def _fraction(contact: float, latency: float, brake: float) -> float:
    """The greatest k up to 1 with k · latency + k² brake / 2 <= contact [s]."""
    if brake < 1e-9:
        return min(1.0, contact / max(latency, 1e-9))
    return min(1.0, (math.sqrt(latency * latency + 2.0 * brake * contact) - latency) / brake)


@njit()
def first_contact(
    points: Array, moved: Array, normals: Array, offsets: Array, radius: float, margin: float, around: float,
    inside: float, twist: Array, horizon: float,
) -> tuple[float, float]:  # fmt: skip
    """When a convex footprint that moves by a twist first comes within a margin of a point, and how near one is now.

    `points` (n, 2) lie in a frame at the pose `moved` (3,) as seen from the footprint, whose edges have outward
    `normals` (m, 2) and `offsets` (m,): the distance of p is about max(normals p - offsets). Points deeper than
    `inside` are the robot itself; points within the margin already count when they come nearer. Infinite: never
    within the horizon [s]; distances beyond `around` are not told.
    """
    cm, sm = math.cos(moved[2]), math.sin(moved[2])
    speed = math.hypot(twist[0], twist[1]) + abs(twist[2]) * radius
    steps = max(1, math.ceil(speed * horizon / STEP))
    reach = radius + max(margin, around) + math.hypot(twist[0], twist[1]) * horizon
    way = max(speed * horizon / steps, 1e-9)  # of the fastest corner in a step [m]
    table = np.empty((steps + 1, 4))  # where the footprint is after each step: x, y, cos, sin
    for i in range(steps + 1):
        t = horizon * i / steps
        yaw = twist[2] * t
        half = 0.5 * yaw
        chord = 1.0 - half * half / 6.0 if abs(half) < 1e-4 else math.sin(half) / half
        ch, sh = math.cos(half), math.sin(half)
        table[i, 0] = t * chord * (ch * twist[0] - sh * twist[1])
        table[i, 1] = t * chord * (sh * twist[0] + ch * twist[1])
        table[i, 2], table[i, 3] = math.cos(yaw), math.sin(yaw)
    last, nearest = steps + 1, math.inf
    for k in range(len(points)):
        x = cm * points[k, 0] - sm * points[k, 1] + moved[0]
        y = sm * points[k, 0] + cm * points[k, 1] + moved[1]
        if x * x + y * y > reach * reach:
            continue
        now = _distance(x, y, normals, offsets)
        if now < -inside:
            continue
        nearest = min(nearest, now)
        limit = margin if now >= margin else now - DEEPER
        i = max(1, math.floor((now - limit) / way))  # no corner is quicker
        while i < last:
            px, py, c, s = x - table[i, 0], y - table[i, 1], table[i, 2], table[i, 3]
            away = _distance(c * px + s * py, c * py - s * px, normals, offsets)
            if away < limit:
                last = i
                break
            i += max(1, math.floor((away - limit) / way))
    return (horizon * (last - 1) / steps if last <= steps else math.inf), nearest


@njit()
def _distance(x: float, y: float, normals: Array, offsets: Array) -> float:
    far = -math.inf
    for m in range(len(offsets)):
        far = max(far, normals[m, 0] * x + normals[m, 1] * y - offsets[m])
    return far
