"""`Trajectory`: the scripted way of something that moves by itself: a person, a cart, a door."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from andante.errors import BadInput
from andante.geometry import SE3, Array, so3

FARTHEST, LONGEST = 1e5, 1e6  # [m], [s]
MOST = 100_000  # waypoints


@dataclass(frozen=True)
class Trajectory:
    """Poses at times, straight in between; a function of time alone, so every run is the same.

    p(t) = p_k + (p_{k+1} - p_k) (t - t_k) / (t_{k+1} - t_k), angles by the shorter way round.
    """

    times: tuple[float, ...]  # rising, from 0 [s]
    poses: tuple[tuple[float, ...], ...]  # x, y, z [m], roll, pitch, yaw [rad]
    loop: bool = True  # begins anew at the end
    delay: float = 0.0  # it stands at the first pose until then [s]
    _table: Array = field(init=False, repr=False, compare=False)
    _times: Array = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        table, times = np.array(self.poses, dtype=float), np.array(self.times, dtype=float)
        if not (0 < len(times) <= MOST) or table.shape != (len(times), 6):
            raise BadInput(f"a trajectory has 1 to {MOST} waypoints, each with a time and x, y, z, roll, pitch, yaw")
        if not (np.isfinite(times).all() and times[0] >= 0 and times[-1] <= LONGEST and (np.diff(times) > 0).all()):
            raise BadInput(f"the times of a trajectory rise from 0 s or more up to {LONGEST:g} s")
        if not (np.abs(table) <= FARTHEST).all():  # NaN too
            raise BadInput(f"the waypoints of a trajectory lie within {FARTHEST:g} m")
        if not 0 <= self.delay <= LONGEST:
            raise BadInput(f"a trajectory begins at 0 s or later, got {self.delay}")
        table[:, 3:] = np.unwrap(table[:, 3:], axis=0)
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_times", times)

    @property
    def duration(self) -> float:
        """Of one round [s]."""
        return float(self._times[-1])

    def at(self, time: float) -> tuple[SE3, Array]:
        """Pose at a time [s], and velocity (6,) linear then angular in world axes [m/s, rad/s]."""
        t = max(0.0, time - self.delay)
        if self.loop and self.duration > 0:
            t %= self.duration
        times, table = self._times, self._table
        k = int(np.searchsorted(times, t, side="right")) - 1
        if k < 0 or k >= len(times) - 1:
            row, rate = table[max(0, min(k, len(times) - 1))], np.zeros(6)
        else:
            rate = (table[k + 1] - table[k]) / (times[k + 1] - times[k])
            row = table[k] + rate * (t - times[k])
            if time < self.delay:
                rate = np.zeros(6)
        pose = SE3.from_parts(so3.from_rpy(row[3:]), row[:3])
        return pose, np.array([*rate[:3], 0.0, 0.0, rate[5]])


def along(
    points: Sequence[Sequence[float]], speed: float, *, back: bool = True, phase: float = 0.0, height: float = 0.0,
    heading: bool = True, pause: float = 0.0,
) -> Trajectory:  # fmt: skip
    """A walk along points x, y [m] at a speed [m/s], there and `back` or round and round.

    phase: seconds of the way that lie behind it at the start. heading: it faces the way it goes. pause: at each point
    [s]. height: z of its root [m].
    """
    way = [tuple(float(v) for v in point) for point in points]
    if len(way) < 2 or any(len(point) != 2 for point in way):
        raise BadInput(f"a path has two points x, y or more, got {list(points)!r}")
    if not (math.isfinite(speed) and speed > 0 and math.isfinite(pause) and pause >= 0 and math.isfinite(phase)):
        raise BadInput(f"a walk has a speed > 0 m/s and a pause >= 0 s, got {speed} and {pause}")
    way = [*way, *way[-2::-1]] if back else [*way, way[0]]
    rows: list[tuple[float, ...]] = []
    times: list[float] = []
    now = 0.0
    legs = [(a, b) for a, b in pairwise(way) if math.dist(a, b) > 1e-9]
    if not legs:
        raise BadInput("a path leads from one place to another")
    for a, b in legs:
        yaw = math.atan2(b[1] - a[1], b[0] - a[0]) if heading else 0.0
        for place, when in ((a, now), (b, now + math.dist(a, b) / speed)):
            times.append(when if not times or when > times[-1] else times[-1] + 1e-3)  # it turns in a moment
            rows.append((*place, height, 0.0, 0.0, yaw))
        now = times[-1] + pause
        if pause:
            times.append(now)
            rows.append(rows[-1])
    round_trip = Trajectory(tuple(times), tuple(rows))
    shift = phase % round_trip.duration if round_trip.duration > 0 else 0.0
    if not shift:
        return round_trip
    first = round_trip.at(shift)[0]
    cut = [k for k, when in enumerate(times) if when > shift]
    turned = (*first.translation.tolist(), 0.0, 0.0, float(so3.to_rpy(first.rotation)[2]))
    late = [(times[k] - shift, rows[k]) for k in cut]
    early = [(times[k] + times[-1] - shift + 1e-3, rows[k]) for k in range(len(times)) if times[k] < shift]
    whole = [(0.0, turned), *late, *early, (times[-1] + 2e-3, turned)]
    kept = [whole[0]]
    for when, row in whole[1:]:
        if when > kept[-1][0]:
            kept.append((when, row))
    return Trajectory(tuple(when for when, _ in kept), tuple(row for _, row in kept))
