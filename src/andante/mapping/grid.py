"""`OccupancyGrid`: a map of square cells that are free, occupied or unknown; `LogOddsGrid`: one under construction."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from andante.errors import BadInput
from andante.geometry import Array, se2

UNKNOWN = -1
MOST_CELLS = 100_000_000
OCCUPIED_PERCENT = 65  # the usual thresholds of map files
FREE_PERCENT = 25

Cells = NDArray[np.int8]


@dataclass(frozen=True)
class OccupancyGrid:
    """Occupancy in percent, 0 (free) to 100 (occupied), -1 unknown: the meaning of nav_msgs/OccupancyGrid.

    Row r, column c covers [c, c + 1) x [r, r + 1) times the resolution in the grid's frame, whose pose in the
    world is `origin`: row 0 lies at the bottom (-y), as in the ROS message and unlike in pictures.
    """

    resolution: float  # edge of a cell [m]
    origin: tuple[float, float, float]  # x, y, yaw of the outer corner of cell (0, 0) [m, m, rad]
    cells: Cells  # (rows, cols), read-only

    def __post_init__(self) -> None:
        cells = np.array(self.cells, dtype=np.int8)
        if cells.ndim != 2 or cells.size == 0 or cells.size > MOST_CELLS:
            raise BadInput(f"a map has rows and columns and up to {MOST_CELLS} cells, got shape {cells.shape}")
        if not (math.isfinite(self.resolution) and self.resolution > 0):
            raise BadInput(f"map resolution must be a positive number of meters, got {self.resolution}")
        origin = tuple(float(value) for value in self.origin)
        if len(origin) != 3 or not all(map(math.isfinite, origin)):
            raise BadInput(f"map origin must be x, y, yaw as finite numbers, got {self.origin}")
        if cells.min() < UNKNOWN or cells.max() > 100:
            raise BadInput(f"map cells lie within -1 to 100, got {cells.min()} to {cells.max()}")
        cells.setflags(write=False)
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "origin", origin)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.cells.shape

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [m]."""
        return self.cells.shape[1] * self.resolution, self.cells.shape[0] * self.resolution

    @property
    def known(self) -> NDArray[np.bool_]:
        """Cells that were ever seen (rows, cols)."""
        known: NDArray[np.bool_] = self.cells != UNKNOWN
        return known

    def occupied(self, percent: float = OCCUPIED_PERCENT) -> NDArray[np.bool_]:
        """Cells (rows, cols) with at least that much occupancy."""
        return self.cells >= percent

    def free(self, percent: float = FREE_PERCENT) -> NDArray[np.bool_]:
        """Known cells (rows, cols) with at most that much occupancy."""
        return (self.cells >= 0) & (self.cells <= percent)

    def to_grid(self, points: ArrayLike) -> Array:
        """World points (..., 2) [m] as fractions of columns and rows (..., 2): (0.5, 0.5) is the middle of cell (0, 0).

        The order is x, y: column first.
        """
        return se2.transform(se2.inverse(self.origin), points) / self.resolution

    def cell_of(self, points: ArrayLike) -> NDArray[np.int64]:
        """Row and column (..., 2) of the cells that hold world points (..., 2); they may lie outside the map.

        Points that are not finite get the cell (-1, -1), which is outside.
        """
        at = self.to_grid(points)[..., ::-1]
        good = np.isfinite(at).all(axis=-1, keepdims=True)
        return np.where(good, np.floor(np.clip(np.where(good, at, -1.0), -1e15, 1e15)), -1.0).astype(np.int64)

    def point_of(self, cells: ArrayLike) -> Array:
        """World points (..., 2) [m] of the middles of cells (..., 2) given as row and column."""
        at = (np.asarray(cells, dtype=float)[..., ::-1] + 0.5) * self.resolution
        return se2.transform(self.origin, at)

    def inside(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Which cells (..., 2), row and column, lie on the map."""
        c = np.asarray(cells)
        return np.asarray((c >= 0).all(axis=-1) & (c < self.cells.shape).all(axis=-1))

    def at(self, points: ArrayLike) -> NDArray[np.int8]:
        """Occupancy (...,) in percent under world points (..., 2); unknown (-1) outside the map."""
        cells = self.cell_of(points)
        inside = self.inside(cells)
        row, col = np.where(inside, cells[..., 0], 0), np.where(inside, cells[..., 1], 0)
        return np.where(inside, self.cells[row, col], UNKNOWN).astype(np.int8)


THOUSAND = 1000
FARTHEST = 2**31  # from the world's origin [cells]
CHUNK = 64  # the map grows by whole chunks of so many cells


class LogOddsGrid:
    """Log odds of occupancy per cell, updated scan by scan; grows as needed up to `most_cells`.

    A cell with hits h and misses m holds clip(h·hit + m·miss); probability = 1 / (1 + exp(-log odds)).
    """

    def __init__(
        self,
        resolution: float = 0.05,
        *,
        hit: float = 0.9,  # probability of occupancy given one echo
        miss: float = 0.4,  # probability of occupancy given one crossing beam
        clamp: tuple[float, float] = (0.02, 0.98),  # least and greatest probability of a cell
        most_cells: int = MOST_CELLS // 4,
    ) -> None:
        if not (math.isfinite(resolution) and resolution > 0):
            raise BadInput(f"map resolution must be a positive number of meters, got {resolution}")
        if not (0.5 < hit < 1 and 0 < miss < 0.5 and 0 < clamp[0] < 0.5 < clamp[1] < 1 - 1e-9):
            raise BadInput(f"map needs miss < 0.5 < hit and clamp around 0.5, got {miss}, {hit}, {clamp}")
        self.resolution = float(resolution)
        self.most_cells = most_cells
        self.corner = (0, 0)  # column and row of cell [0, 0], counted from the world's origin
        self.cells: NDArray[np.int16] = np.zeros((0, 0), dtype=np.int16)  # thousandths of log odds
        self._stamp: NDArray[np.int32] = np.zeros((0, 0), dtype=np.int32)
        self._scans = 0
        self._hit, self._miss = _logit(hit), _logit(miss)
        self._low, self._high = _logit(clamp[0]), _logit(clamp[1])

    @property
    def origin(self) -> tuple[float, float]:
        """World x, y of the outer corner of cell (0, 0) [m]."""
        return self.corner[0] * self.resolution, self.corner[1] * self.resolution

    def add(self, sensor: ArrayLike, ends: ArrayLike, is_hit: ArrayLike | None = None) -> None:
        """Draw one scan: beams from the sensor (2,) to their ends (m, 2) [m], all in the world.

        is_hit (m,): which ends are echoes; the others are free rays. None: all are echoes.
        """
        at, to = np.asarray(sensor, dtype=float)[:2], np.asarray(ends, dtype=float).reshape(-1, 2)
        hits = np.ones(len(to), dtype=np.bool_) if is_hit is None else np.asarray(is_hit, dtype=np.bool_)
        if not (np.isfinite(at).all() and np.isfinite(to).all()):
            raise BadInput("a scan to be drawn must end at finite points")
        if len(to) == 0:
            return
        self.cover(np.minimum(at, to.min(axis=0)), np.maximum(at, to.max(axis=0)))
        self._scans += 1
        draw_scan(
            self.cells, self._stamp, self._scans, *self.origin, self.resolution, at[0], at[1], to, hits,
            self._hit, self._miss, self._low, self._high,
        )  # fmt: skip

    def cover(self, low: Array, high: Array) -> None:
        """Grow until the box from low (2,) to high (2,) [m] lies inside."""
        if not (np.abs([low, high]) < FARTHEST * self.resolution).all():
            raise BadInput(
                f"a scan reaches to {np.abs([low, high]).max():.3g} m, too far for cells of {self.resolution} m"
            )
        first = np.floor(low / self.resolution).astype(int)
        last = np.floor(high / self.resolution).astype(int)
        rows, cols = self.cells.shape
        corner = np.array(self.corner)
        beyond = corner + np.array([cols, rows])
        if rows and (first >= corner).all() and (last < beyond).all():
            return
        start = np.floor_divide(first, CHUNK) * CHUNK
        stop = (np.floor_divide(last, CHUNK) + 1) * CHUNK
        if rows:
            start, stop = np.minimum(start, corner), np.maximum(stop, beyond)
        width, height = (int(n) for n in stop - start)
        if width * height > self.most_cells:
            raise BadInput(
                f"the map would grow to {width} x {height} cells, more than {self.most_cells}; "
                f"choose a coarser resolution or a shorter range"
            )
        cells, stamp = np.zeros((height, width), np.int16), np.zeros((height, width), np.int32)
        if rows:
            c, r = (int(n) for n in corner - start)
            cells[r : r + rows, c : c + cols], stamp[r : r + rows, c : c + cols] = self.cells, self._stamp
        self.cells, self._stamp, self.corner = cells, stamp, (int(start[0]), int(start[1]))

    def occupancy(self) -> OccupancyGrid:
        """The map so far, cut to what was seen; one unknown cell when nothing was."""
        seen = self._stamp > 0
        rows, cols = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
        if len(rows) == 0:
            return OccupancyGrid(self.resolution, (0.0, 0.0, 0.0), np.full((1, 1), UNKNOWN, dtype=np.int8))
        part = np.s_[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
        percent = np.rint(100 / (1 + np.exp(-self.cells[part] / THOUSAND)))
        cells = np.where(seen[part], percent, UNKNOWN).astype(np.int8)
        x, y = (self.corner[0] + int(cols[0])) * self.resolution, (self.corner[1] + int(rows[0])) * self.resolution
        x, y = round(x, 9), round(y, 9)
        return OccupancyGrid(self.resolution, (x, y, 0.0), cells)


def _logit(p: float) -> int:
    return round(THOUSAND * math.log(p / (1 - p)))


@njit(cache=True)
def draw_scan(
    log_odds: np.ndarray, stamp: np.ndarray, mark: int, ox: float, oy: float, resolution: float, sx: float, sy: float,
    ends: Array, is_hit: np.ndarray, hit: int, miss: int, low: int, high: int,
) -> None:  # fmt: skip
    """Add one scan, taken at (sx, sy), with beams that end at `ends` (m, 2), all in the frame of the grid [m].

    `log_odds` (rows, cols) int16 counts thousandths. Every cell changes once per scan: cells with the end of an echo
    by `hit` (> 0), others that a beam crosses by `miss` (< 0), clamped to [low, high]. `stamp` (rows, cols) remembers
    the scan that touched a cell: 2·mark for a miss, 2·mark + 1 for a hit. Everything outside the grid is left out.
    Cells are walked by the traversal of Amanatides and Woo (1987), which visits every cell that a beam crosses.
    """
    rows, cols = log_odds.shape
    sc, sr = (sx - ox) / resolution, (sy - oy) / resolution
    for k in range(len(ends)):
        if is_hit[k]:
            c, r = math.floor((ends[k, 0] - ox) / resolution), math.floor((ends[k, 1] - oy) / resolution)
            if 0 <= c < cols and 0 <= r < rows and stamp[r, c] != 2 * mark + 1:
                stamp[r, c] = 2 * mark + 1
                log_odds[r, c] = min(high, log_odds[r, c] + hit)
    for k in range(len(ends)):
        ec, er = (ends[k, 0] - ox) / resolution, (ends[k, 1] - oy) / resolution
        c, r = math.floor(sc), math.floor(sr)
        last_c, last_r = math.floor(ec), math.floor(er)
        dc, dr = ec - sc, er - sr
        step_c, step_r = (1 if dc > 0 else -1), (1 if dr > 0 else -1)
        wide_c = abs(1.0 / dc) if dc != 0.0 else math.inf
        wide_r = abs(1.0 / dr) if dr != 0.0 else math.inf
        next_c = ((c + 1 - sc) if dc > 0 else (sc - c)) * wide_c if dc != 0.0 else math.inf
        next_r = ((r + 1 - sr) if dr > 0 else (sr - r)) * wide_r if dr != 0.0 else math.inf
        for _ in range(abs(last_c - c) + abs(last_r - r)):
            if 0 <= c < cols and 0 <= r < rows and stamp[r, c] < 2 * mark:
                stamp[r, c] = 2 * mark
                log_odds[r, c] = max(low, log_odds[r, c] + miss)
            if next_c < next_r:
                next_c += wide_c
                c += step_c
            else:
                next_r += wide_r
                r += step_r
