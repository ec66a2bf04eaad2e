"""Lists of names, angles and times as programs and exports for a NAO give them, as points of each joint."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from andante.errors import BadInput

Points = dict[str, tuple[list[float], list[float]]]  # joint -> times [s], positions [rad]
SAMPLE = 0.04  # between two points of a Bezier curve [s]
MOST_SAMPLES = 200  # of one piece


def per_joint(values: Any, joints: Sequence[str], what: str) -> list[list[Any]]:
    """A list for every joint of a number, a list of numbers, or a list of lists."""
    count = len(joints)
    if not isinstance(values, list):
        if count != 1:
            raise BadInput(f"{what}: {count} joints need a list of {count}, got one number")
        return [[values]]
    if count == 1 and not (len(values) == 1 and isinstance(values[0], list)):
        return [list(values)]
    if len(values) != count:
        raise BadInput(f"{what}: {count} joints need a list of {count}, got {len(values)}")
    return [list(each) if isinstance(each, list) else [each] for each in values]


def times_of(times: Any, counts: Sequence[int], joints: Sequence[str]) -> list[list[float]]:
    """Times of every joint: one for all, one for each, common ones, or a list for each."""
    if not isinstance(times, list):
        rows = [[float(times)] for _ in joints]
    elif times and all(isinstance(each, list) for each in times):
        rows = [list(each) for each in times]
        if len(rows) == 1:
            rows = [list(rows[0]) for _ in joints]
    elif len(joints) > 1 and len(times) == len(joints) and all(count == 1 for count in counts):
        rows = [[each] if not isinstance(each, list) else list(each) for each in times]
    elif any(isinstance(each, list) for each in times):
        rows = [list(each) if isinstance(each, list) else [each] for each in times]
    else:
        rows = [list(times) for _ in joints]
    if len(rows) != len(joints):
        raise BadInput(f"times: {len(joints)} joints need a list of {len(joints)}, got {len(rows)}")
    for name, row, count in zip(joints, rows, counts, strict=True):
        if len(row) != count:
            raise BadInput(f"{name} has {count} angles and {len(row)} times")
        if not row or row[0] <= 0 or any(b <= a for a, b in pairwise(row)):
            raise BadInput(f"times of {name} must be above 0 and increase, got {row[:8]}")
    return rows


def points_of(joints: Sequence[str], angles: Any, times: Any) -> Points:
    """Times and angles of every joint."""
    if len(set(joints)) != len(joints):
        raise BadInput("a joint is named twice")
    rows = per_joint(angles, joints, "angles")
    clocks = times_of(times, [len(row) for row in rows], joints)
    return {name: (clock, row) for name, clock, row in zip(joints, clocks, rows, strict=True)}


def bezier_points(joints: Sequence[str], times: Any, keys: Any, here: dict[str, float]) -> Points:
    """Points of Bezier curves through keys [angle, [type, dt, da], [type, dt, da]], or plain angles.

    The handles left and right of a key at (t, p) are (t + dt, p + da); the curve is B(s) = (x(s), y(s)) with x the
    time, and is sampled every 40 ms.
    """
    rows = keys if len(joints) > 1 or (keys and isinstance(keys[0], list) and _has_keys(keys[0])) else [keys]
    if len(rows) != len(joints):
        raise BadInput(f"keys: {len(joints)} joints need a list of {len(joints)}, got {len(rows)}")
    clocks = times_of(times, [len(row) if isinstance(row, list) else 1 for row in rows], joints)
    found: Points = {}
    for name, clock, row in zip(joints, clocks, rows, strict=True):
        knots = [_knot(key) for key in (row if isinstance(row, list) else [row])]
        out_times: list[float] = []
        out_places: list[float] = []
        before = (0.0, here[name], (0.0, 0.0))
        for t, (place, left, right) in zip(clock, knots, strict=True):
            t0, p0, handle = before
            piece = ((t0, p0), (t0 + handle[0], p0 + handle[1]), (t + left[0], place + left[1]), (t, place))
            _sample(piece, out_times, out_places)
            before = (t, place, right)
        found[name] = (out_times, out_places)
    return found


def _has_keys(row: list[Any]) -> bool:
    """Whether a row is one joint's list of keys rather than one key."""
    return not (len(row) == 3 and isinstance(row[1], list) and not isinstance(row[0], list))


def _knot(key: Any) -> tuple[float, tuple[float, float], tuple[float, float]]:
    if not isinstance(key, list):
        return float(key), (0.0, 0.0), (0.0, 0.0)
    handles = [part for part in key[1:] if isinstance(part, list) and len(part) == 3]
    if not key or isinstance(key[0], list) or len(handles) != len(key) - 1:
        raise BadInput(f"a key is an angle or [angle, [type, dt, da], [type, dt, da]], got {key}")
    left = (handles[0][1], handles[0][2]) if handles else (0.0, 0.0)
    right = (handles[1][1], handles[1][2]) if len(handles) > 1 else (0.0, 0.0)
    return float(key[0]), left, right


def _sample(piece: Sequence[tuple[float, float]], times: list[float], places: list[float]) -> None:
    (t0, _), (t1, _), (t2, _), (t3, _) = piece
    count = max(1, min(MOST_SAMPLES, round((t3 - t0) / SAMPLE)))
    xs = (t0, min(max(t1, t0), t3), min(max(t2, t0), t3), t3)  # handles that reach out would make time go back
    ys = tuple(y for _, y in piece)
    for k in range(1, count + 1):
        wanted = t0 + (t3 - t0) * k / count
        low, high = 0.0, 1.0
        for _ in range(30):
            s = 0.5 * (low + high)
            low, high = (s, high) if _bezier(xs, s) < wanted else (low, s)
        times.append(wanted)
        places.append(ys[3] if k == count else _bezier(ys, high))


def _bezier(values: Sequence[float], s: float) -> float:
    a, b, c, d = values
    r = 1.0 - s
    return r * r * r * a + 3 * r * r * s * b + 3 * r * s * s * c + s * s * s * d
