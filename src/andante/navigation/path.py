"""`Path`: poses to be driven in order, forward or backward; resampling, simplifying and smoothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, se2

from .costmap import Costmap


@dataclass(frozen=True)
class Path:
    """Poses (n, 3) x, y, yaw of the reference point [m, m, rad] and the direction (n,) in which each is reached.

    directions: 1 forward, -1 backward; the first is that of the start.
    """

    poses: Array
    directions: NDArray[np.int8]

    def __post_init__(self) -> None:
        poses = np.array(self.poses, dtype=float)
        directions = np.array(self.directions, dtype=np.int8)
        if poses.ndim != 2 or poses.shape[1] != 3 or len(poses) == 0:
            raise BadInput(f"a path needs one or more poses x, y, yaw, got shape {poses.shape}")
        if not np.isfinite(poses).all():
            raise BadInput(f"path poses must be finite; pose {int(np.argmin(np.isfinite(poses).all(axis=1)))} is not")
        if directions.shape != (len(poses),) or not (np.abs(directions) == 1).all():
            raise BadInput("path directions must be 1 or -1 for each pose")
        poses.setflags(write=False)
        directions.setflags(write=False)
        object.__setattr__(self, "poses", poses)
        object.__setattr__(self, "directions", directions)

    @classmethod
    def through(cls, points: ArrayLike, yaw: float | None = None) -> Path:
        """The forward path through points (n, 2), facing along it; the last takes `yaw` unless that is None or NaN."""
        p = np.asarray(points, dtype=float)
        if p.ndim != 2 or p.shape[1] != 2 or len(p) == 0:
            raise BadInput(f"a path needs one or more points x, y, got shape {p.shape}")
        if len(p) > 1:
            ahead = np.diff(p, axis=0, append=p[-1:] + (p[-1:] - p[-2:-1]))
            headings = np.arctan2(ahead[:, 1], ahead[:, 0])
        else:
            headings = np.zeros(1)
        if yaw is not None and not math.isnan(yaw):
            headings[-1] = yaw
        return cls(np.column_stack([p, headings]), np.ones(len(p), dtype=np.int8))

    @cached_property
    def along(self) -> Array:
        """Distance (n,) from the start to each pose [m]."""
        steps = np.linalg.norm(np.diff(self.poses[:, :2], axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def length(self) -> float:
        """[m]."""
        return float(self.along[-1])

    @property
    def goal(self) -> Array:
        """The last pose (3,)."""
        last: Array = self.poses[-1]
        return last

    def segments(self) -> list[Path]:
        """The parts between changes of direction; each begins where the one before ends."""
        cuts = np.flatnonzero(np.diff(self.directions[1:])) + 1 if len(self.poses) > 2 else np.empty(0, dtype=int)
        edges = [0, *cuts.tolist(), len(self.poses) - 1]
        if len(self.poses) == 1:
            return [self]
        return [Path(self.poses[a : b + 1], np.full(b - a + 1, self.directions[b])) for a, b in pairwise(edges)]

    def nearest(self, point: ArrayLike, start: int = 0) -> int:
        """Index of the pose nearest to a point, from `start` on."""
        gaps = self.poses[start:, :2] - np.asarray(point, dtype=float)[:2]
        return start + int(np.argmin(np.einsum("ij,ij->i", gaps, gaps)))

    def after(self, index: int) -> Path:
        """The part from a pose on."""
        i = min(max(index, 0), len(self.poses) - 1)
        return Path(self.poses[i:], self.directions[i:])

    def resampled(self, step: float) -> Path:
        """The same way with poses every `step` meters at most; directions and headings are kept."""
        if not step > 0:
            raise BadInput(f"a path is resampled by steps > 0, got {step} m")
        if self.length == 0:
            return self
        parts = []
        for part in self.segments():
            count = max(1, int(np.ceil(part.length / step)))
            at = np.linspace(0.0, part.length, count + 1)
            keep = np.concatenate([[True], np.diff(part.along) > 0])
            s, p = part.along[keep], part.poses[keep]
            yaw = np.interp(at, s, np.unwrap(p[:, 2]))
            poses = np.column_stack([np.interp(at, s, p[:, 0]), np.interp(at, s, p[:, 1]), se2.wrap(yaw)])
            poses[-1, 2] = part.poses[-1, 2]
            parts.append((poses, int(part.directions[-1])))
        poses = np.concatenate([parts[0][0], *(p[1:] for p, _ in parts[1:])])
        ways = [np.full(len(p) - (i > 0), way, dtype=np.int8) for i, (p, way) in enumerate(parts)]
        return Path(poses, np.concatenate(ways))


def simplified(points: ArrayLike, costmap: Costmap, weight: float) -> Array:
    """Corner points (m, 2) of a way through points (n, 2): straight lines wherever they are no dearer and unblocked."""
    p = np.asarray(points, dtype=float)
    if len(p) < 3:
        return p
    inner = costmap.to_frame(p) / costmap.resolution
    keep = shortcut_points(costmap.cost, costmap.factors(weight), inner)
    kept: Array = p[keep]
    return kept


def smoothed(
    points: ArrayLike, costmap: Costmap, clearance: float, *, rounds: int = 60, pull: float = 0.15, stay: float = 0.05
) -> Array:
    """Points (n, 2) drawn toward the middle of their neighbors, away from obstacles, and back to where they were.

    p += pull (p₋ + p₊ - 2 p) + stay (p⁰ - p) + push away where the distance is below `clearance` [m]. A point never
    moves to where a straight robot circle of `clearance` / 2 would touch more than before. The ends stay.
    """
    p = np.asarray(points, dtype=float)
    if len(p) < 3:
        return p
    inner = np.ascontiguousarray(costmap.to_frame(p))
    smooth_points(
        inner, costmap.cost, costmap.factors(1.0), costmap.distance, costmap.resolution, clearance, rounds, pull, stay
    )
    return costmap.from_frame(inner)


@njit()
def shortcut_points(cost: np.ndarray, factor: np.ndarray, points: Array) -> np.ndarray:
    """Which points (n,) of a path, in cells, are needed when lines that cost no more replace what lies between."""
    n = len(points)
    rows, cols = cost.shape
    cell = np.empty((n, 2), dtype=np.int64)
    for i in range(n):
        cell[i, 0] = min(max(math.floor(points[i, 1]), 0), rows - 1)
        cell[i, 1] = min(max(math.floor(points[i, 0]), 0), cols - 1)
    so_far = np.zeros(n)
    for i in range(1, n):
        step = line_price(cost, factor, cell[i - 1, 0], cell[i - 1, 1], cell[i, 0], cell[i, 1])
        so_far[i] = so_far[i - 1] + step
    keep = np.zeros(n, dtype=np.bool_)
    keep[0] = keep[n - 1] = True
    i = 0
    while i < n - 1:
        j, reach = i + 1, 2
        while i + reach < n:  # doubling, then stepping back, finds a far end in few tries
            k = i + reach
            line = line_price(cost, factor, cell[i, 0], cell[i, 1], cell[k, 0], cell[k, 1])
            if not line <= (so_far[k] - so_far[i]) * 1.001 + 1e-9:
                break
            j = k
            reach *= 2
        low, high = j, min(n - 1, i + reach)
        while low + 1 < high or (high == n - 1 and low < high):
            k = (low + high + 1) // 2
            line = line_price(cost, factor, cell[i, 0], cell[i, 1], cell[k, 0], cell[k, 1])
            if line <= (so_far[k] - so_far[i]) * 1.001 + 1e-9:
                low = k
            else:
                high = k - 1
        keep[low] = True
        i = low
    return keep


@njit()
def smooth_points(
    points: Array, cost: np.ndarray, factor: np.ndarray, distance: np.ndarray, resolution: float, clearance: float,
    rounds: int, pull: float, stay: float,
) -> None:  # fmt: skip
    """Smooth points (n, 2), in meters from the corner of the grid, in place; the ends stay."""
    rows, cols = distance.shape
    n = len(points)
    at_first = points.copy()
    for _ in range(rounds):
        for i in range(1, n - 1):
            x, y = points[i, 0], points[i, 1]
            nx = x + pull * (points[i - 1, 0] + points[i + 1, 0] - 2 * x) + stay * (at_first[i, 0] - x)
            ny = y + pull * (points[i - 1, 1] + points[i + 1, 1] - 2 * y) + stay * (at_first[i, 1] - y)
            c, r = int(x / resolution), int(y / resolution)
            if not (1 <= c < cols - 1 and 1 <= r < rows - 1):
                continue
            d = distance[r, c]
            if d < clearance:
                gx = float(distance[r, c + 1] - distance[r, c - 1])
                gy = float(distance[r + 1, c] - distance[r - 1, c])
                size = math.sqrt(gx * gx + gy * gy)
                if size > 0.5 * resolution:
                    push = 0.2 * (clearance - d) / size
                    nx += push * gx
                    ny += push * gy
            nc, nr = int(nx / resolution), int(ny / resolution)
            if 0 <= nc < cols and 0 <= nr < rows:
                free = factor[cost[nr, nc]] != 0 or factor[cost[r, c]] == 0
                if free and (distance[nr, nc] >= clearance / 2 or distance[nr, nc] >= d):
                    points[i, 0], points[i, 1] = nx, ny


@njit()
def line_price(cost: np.ndarray, factor: np.ndarray, r0: int, c0: int, r1: int, c1: int) -> float:
    """Length [cells] times mean factor of the straight line between the middles of two cells; infinite when blocked.

    Every cell that the line crosses counts, and both cells beside a corner that it passes exactly.
    """
    dr, dc = abs(r1 - r0), abs(c1 - c0)
    step_r, step_c = (1 if r1 > r0 else -1), (1 if c1 > c0 else -1)
    r, c = r0, c0
    gap = dr - dc  # which border is crossed next
    total, count = 0.0, 0
    while True:
        f = factor[cost[r, c]]
        if f == 0:
            return math.inf
        total += f
        count += 1
        if r == r1 and c == c1:
            break
        if gap > 0:
            r += step_r
            gap -= 2 * dc
        elif gap < 0:
            c += step_c
            gap += 2 * dr
        else:
            if factor[cost[r + step_r, c]] == 0 or factor[cost[r, c + step_c]] == 0:
                return math.inf
            r += step_r
            c += step_c
            gap += 2 * dr - 2 * dc
    price: float = math.sqrt(float(dr * dr + dc * dc)) * total / count
    return price
