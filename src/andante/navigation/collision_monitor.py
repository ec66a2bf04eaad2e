"""`CollisionMonitor`: the last word on a velocity. What would touch something seen is slowed down or stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array

from .vehicle import Vehicle

STEP = 0.03  # way of the fastest corner between two looks at the footprint [m]
DEEPER = 0.002  # what is within the stop zone already may not come nearer by more than this [m]
STRAIGHT = 50.0  # an arc of a greater radius counts as a straight line with a slight bend [m]
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
        self._edges = edges_of(vehicle.footprint)
        self._seen: dict[str, tuple[float, Array, Array]] = {}  # by sensor: time, odometry then (3,), points (n, 2)
        self._periods: dict[str, float] = {}

    def on_edge(self, point: ArrayLike) -> Array:
        """The point (2,) of the footprint's edge that is nearest to a point inside it; other points stay."""
        at = np.array(point, dtype=float)
        depth = self._edges[:, 2] - self._edges[:, :2] @ at
        nearest = int(np.argmin(depth))
        return at + max(0.0, float(depth[nearest])) * self._edges[nearest, :2] if depth.min() >= 0 else at

    def see(self, sensor: str, time: float, odometry: ArrayLike, points: ArrayLike) -> None:
        """Points (n, 2) [m] that a sensor has seen about the reference point, which was at an odometry pose (3,) then.

        They replace those that it saw before; none: it sees nothing near. What is not finite is no point.
        """
        at, to = np.array(odometry, dtype=float), np.array(points, dtype=float).reshape(-1, 2)
        if sensor in self._seen:
            gap = time - self._seen[sensor][0]
            self._periods[sensor] = max(gap, self._periods.get(sensor, 0.0) * 0.9)
        self._seen[sensor] = time, at, to

    def check(self, time: float, odometry: ArrayLike, twist: ArrayLike) -> Verdict:
        """The twist (3,) as it may be driven now, at an odometry pose (3,)."""
        asked = np.array(twist, dtype=float)
        vx, vy, wz = asked.tolist()
        if max(abs(vx), abs(vy), abs(wz)) < STILL:
            return Verdict(asked)
        s, v = self.settings, self.vehicle
        for sensor, (when, _, _) in self._seen.items():
            silent = time - when
            if silent > max(s.silence, 3.0 * self._periods.get(sensor, 0.0)):
                return Verdict(np.zeros(3), "blind", f"{sensor} has told nothing for {silent:.1f} s; the robot stops")
        here, speed, turn = np.asarray(odometry, dtype=float), math.hypot(vx, vy), abs(wz)
        brake = max(speed / v.max_acceleration, turn / v.max_turn_acceleration)
        margin, horizon = max(s.stop_margin, s.slow_margin), s.latency + 0.5 * brake
        worst, near, culprit = math.inf, math.inf, ""
        for sensor, (_, at, points) in self._seen.items():
            if not len(points):
                continue
            contact, away = first_contact(
                points, at, here, self._edges, v.circumscribed, s.stop_margin, margin, s.inside, asked, horizon
            )
            near = min(near, away)
            if contact < worst:
                worst, culprit = contact, sensor
        scale, action = 1.0, "clear"
        if near < s.slow_margin:
            scale = min(1.0, s.slow_fraction / max(speed / v.max_speed, turn / v.max_turn, 1e-9))
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


def edges_of(outline: Array) -> Array:
    """Edges (m, 5) of a convex outline (m, 2), counterclockwise: outward normal n, offset n · p, where it begins."""
    along = np.roll(outline, -1, axis=0) - outline
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    return np.column_stack([normals, (normals * outline).sum(axis=1), outline])


@njit()
def first_contact(
    points: Array, seen_from: Array, here: Array, edges: Array, radius: float, margin: float, around: float,
    inside: float, twist: Array, horizon: float,
) -> tuple[float, float]:  # fmt: skip
    """When a convex footprint that moves by a twist first comes within a margin of a point, and how near one is now.

    `points` (n, 2) lie in the frame of the pose `seen_from` (3,), the footprint of `edges` (m, 5) about the pose `here`
    (3,): the distance of p from it is about max(n · p - offset). Points deeper than `inside` are the robot itself;
    points within the margin already count when they come nearer. Infinite: never within the horizon [s]; distances
    beyond `around` are not told. Only points in the swath that the footprint sweeps are looked at step by step.
    """
    turn = seen_from[2] - here[2]
    cm, sm, ch, sh = math.cos(turn), math.sin(turn), math.cos(here[2]), math.sin(here[2])
    ox = ch * (seen_from[0] - here[0]) + sh * (seen_from[1] - here[1])
    oy = ch * (seen_from[1] - here[1]) - sh * (seen_from[0] - here[0])
    vx, vy, wz = twist[0], twist[1], twist[2]
    straight = math.hypot(vx, vy)
    speed = straight + abs(wz) * radius
    steps = max(1, math.ceil(speed * horizon / STEP))
    reach = radius + max(margin, around)
    far = (reach + straight * horizon) ** 2
    reach *= reach
    way = max(speed * horizon / steps, 1e-9)  # of the fastest corner in a step [m]
    arc = abs(wz) * STRAIGHT > straight  # about its center; else straight on
    cx, cy = (-vy / wz, vx / wz) if arc else (-vy / max(straight, 1e-9), vx / max(straight, 1e-9))
    low, high = _swath(edges, margin, arc, cx, cy)
    if not arc:  # a slight bend leaves the straight swath by half of angle times way, and by the turned corners
        bend = abs(wz) * horizon * (0.5 * straight * horizon + radius)
        low, high = low - bend, high + bend
    table = np.empty((0, 4))  # where the footprint is after each step: x, y, cos, sin
    last, nearest = steps + 1, math.inf
    for k in range(len(points)):
        x = cm * points[k, 0] - sm * points[k, 1] + ox
        y = sm * points[k, 0] + cm * points[k, 1] + oy
        square = x * x + y * y
        if not square <= far:
            continue
        aside = (x - cx) ** 2 + (y - cy) ** 2 if arc else cx * x + cy * y
        swept = low <= aside <= high
        if not swept and square > reach:
            continue
        now = _distance(x, y, edges)
        if now < -inside:
            continue
        nearest = min(nearest, now)
        if not swept:
            continue
        if not len(table):
            table = _way(vx, vy, wz, horizon / steps, steps)
        limit = margin if now >= margin else now - DEEPER
        i = max(1, math.floor((now - limit) / way))  # no corner is quicker
        while i < last:
            px, py, c, s = x - table[i, 0], y - table[i, 1], table[i, 2], table[i, 3]
            away = _distance(c * px + s * py, c * py - s * px, edges)
            if away < limit:
                last = i
                break
            i += max(1, math.floor((away - limit) / way))
    return (horizon * (last - 1) / steps if last <= steps else math.inf), nearest


@njit()
def _swath(edges: Array, margin: float, arc: bool, cx: float, cy: float) -> tuple[float, float]:
    """What a footprint grown by a margin sweeps: least and greatest square of the distance from the center of its arc
    [m²], or, going straight, least and greatest way along c, across its own [m]."""
    low, high, outside = math.inf, -math.inf, -math.inf
    for m in range(len(edges)):
        before = edges[m - 1]
        nx, ny, px, py = edges[m, 0], edges[m, 1], before[0], before[1]
        grow = margin / max(1.0 + nx * px + ny * py, 1e-6)  # the corner of two edges that are both moved out
        x, y = edges[m, 3] + grow * (nx + px), edges[m, 4] + grow * (ny + py)
        at = (x - cx) ** 2 + (y - cy) ** 2 if arc else cx * x + cy * y
        low, high = min(low, at), max(high, at)
        outside = max(outside, nx * cx + ny * cy - edges[m, 2] - margin)
    if arc:
        low = max(0.0, outside) ** 2
    return low, high


@njit()
def _way(vx: float, vy: float, wz: float, dt: float, steps: int) -> Array:
    """Poses (steps + 1, 4) x, y, cos, sin of a constant twist after each dt [s], step by step from the first one."""
    half = 0.5 * wz * dt
    chord = dt * (1.0 - half * half / 6.0 if abs(half) < 1e-4 else math.sin(half) / half)
    dx = chord * (math.cos(half) * vx - math.sin(half) * vy)
    dy = chord * (math.sin(half) * vx + math.cos(half) * vy)
    c, s = math.cos(2.0 * half), math.sin(2.0 * half)
    table = np.empty((steps + 1, 4))
    table[0] = 0.0, 0.0, 1.0, 0.0
    for i in range(steps):
        x, y, ci, si = table[i, 0], table[i, 1], table[i, 2], table[i, 3]
        table[i + 1] = x + ci * dx - si * dy, y + si * dx + ci * dy, c * ci - s * si, s * ci + c * si
    return table


@njit()
def _distance(x: float, y: float, edges: Array) -> float:
    far = -math.inf
    for m in range(len(edges)):
        far = max(far, edges[m, 0] * x + edges[m, 1] * y - edges[m, 2])
    return far
