"""`OccupancyGrid`: a map of square cells that are free, occupied or unknown; `LogOddsGrid`: one under construction."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, se2

from .tiles import TILE, UNSEEN, TileStore

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
CHUNK = 64  # the window grows by whole chunks of so many cells
WINDOW = 6_000_000  # cells that are at hand at once, unless one scan needs more; the others wait as tiles
PERCENT = np.full(2 * 2**15, UNKNOWN, dtype=np.int8)  # by log odds in thousandths, from UNSEEN on
PERCENT[1:] = np.rint(100 / (1 + np.exp(-np.arange(UNSEEN + 1, -UNSEEN) / THOUSAND)))


class LogOddsGrid:
    """Log odds of occupancy per cell, updated scan by scan; grows wherever scans are drawn.

    A cell with hits h and misses m holds clip(h·hit + m·miss); probability = 1 / (1 + exp(-log odds)). `cells` is a
    window of at most `window` cells (more where one scan needs them) that moves with the robot. What it leaves
    behind is kept as tiles, in memory and past a limit on disk, and comes back with the window.
    """

    def __init__(
        self,
        resolution: float = 0.05,
        *,
        hit: float = 0.9,  # probability of occupancy given one echo
        miss: float = 0.4,  # probability of occupancy given one crossing beam
        clamp: tuple[float, float] = (0.02, 0.98),  # least and greatest probability of a cell
        window: int = WINDOW,  # cells at hand
        most_cells: int = MOST_CELLS // 4,  # that one scan may reach over
    ) -> None:
        if not (math.isfinite(resolution) and resolution > 0):
            raise BadInput(f"map resolution must be a positive number of meters, got {resolution}")
        if not (0.5 < hit < 1 and 0 < miss < 0.5 and 0 < clamp[0] < 0.5 < clamp[1] < 1 - 1e-9):
            raise BadInput(f"map needs miss < 0.5 < hit and clamp around 0.5, got {miss}, {hit}, {clamp}")
        self.resolution = float(resolution)
        self.window, self.most_cells = window, most_cells
        self.corner = (0, 0)  # column and row of cell [0, 0], counted from the world's origin
        self.cells: NDArray[np.int16] = np.zeros((0, 0), dtype=np.int16)  # thousandths of log odds
        self.left = TileStore()  # what the window left behind
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
        """Grow or move the window until the box from low (2,) to high (2,) [m] lies inside."""
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
        start, stop = _whole(first, last, CHUNK)
        if rows:
            start, stop = np.minimum(start, corner), np.maximum(stop, beyond)
        if _area(start, stop) > self.window and rows:
            self._move(first, last)
            return
        self._check(start, stop)
        cells, stamp = np.zeros(_shape(start, stop), np.int16), np.zeros(_shape(start, stop), np.int32)
        if rows:
            c, r = (int(n) for n in corner - start)
            cells[r : r + rows, c : c + cols], stamp[r : r + rows, c : c + cols] = self.cells, self._stamp
        self.cells, self._stamp, self.corner = cells, stamp, (int(start[0]), int(start[1]))
        if len(self.left):
            self._load()

    def bring(self, low: Array, high: Array) -> None:
        """Bring back what was left behind in the box from low (2,) to high (2,) [m], to be matched with."""
        if len(self.left) == 0:
            return
        first, last = np.floor(low / self.resolution).astype(int), np.floor(high / self.resolution).astype(int)
        outside = (first < self.corner).any() or (last >= np.add(self.corner, self.cells.shape[::-1])).any()
        if outside and any(place in self.left and not self._covers(place) for place in _tiles(first, last + 1)):
            self.cover(low, high)

    def finish(self) -> None:
        """Give back the memory that only drawing needs; nothing can be drawn any more."""
        self._stamp = np.zeros((0, 0), dtype=np.int32)

    def occupancy(self, most_cells: int = MOST_CELLS) -> OccupancyGrid:
        """The map so far, cut to what was seen; one unknown cell when nothing was.

        With more than `most_cells` it is coarsened by 2, 4, ...: its cells are as occupied as the most occupied
        cell under them. `sheets` has all of it then.
        """
        box = self._seen()
        if box is None:
            return OccupancyGrid(self.resolution, (0.0, 0.0, 0.0), np.full((1, 1), UNKNOWN, dtype=np.int8))
        start, stop, factor = box[0], box[1], 1
        while _area(start // factor, -(-stop // factor)) > most_cells:
            factor *= 2
        return self._cut(start, stop, factor)

    def sheets(self, side: int) -> Iterator[OccupancyGrid]:
        """The map at its full resolution, in squares of up to `side` cells along an edge that hold anything seen."""
        box = self._seen()
        if box is None:
            return
        start, stop = box
        for row in range(int(start[1]), int(stop[1]), side):
            for col in range(int(start[0]), int(stop[0]), side):
                low = np.array([col, row])
                sheet = self._cut(low, np.minimum(low + side, stop), 1)
                if sheet.known.any():
                    yield sheet

    def _cut(self, start: NDArray[np.int64], stop: NDArray[np.int64], factor: int) -> OccupancyGrid:
        """The cells from start to stop (2,), column and row from the world's origin, coarsened by a factor."""
        low, high = start // factor, -(-stop // factor)
        cells = np.full(_shape(low, high), UNKNOWN, dtype=np.int8)
        for place in _tiles(start, stop):
            at = TILE * np.array(place)
            percent = PERCENT[self._tile(place).astype(np.int32) - UNSEEN]
            if factor > 1:
                side = max(1, TILE // factor)
                percent = percent.reshape(side, TILE // side, side, TILE // side).max(axis=(1, 3))
            a, b = np.maximum(start, at) // factor, -(-np.minimum(stop, at + TILE) // factor)
            (c0, r0), (c1, r1), (c, r) = a - low, b - low, a - at // factor
            into = cells[r0:r1, c0:c1]
            np.maximum(into, percent[r : r + r1 - r0, c : c + c1 - c0], out=into)
        x, y = round(int(low[0]) * factor * self.resolution, 9), round(int(low[1]) * factor * self.resolution, 9)
        return OccupancyGrid(self.resolution * factor, (x, y, 0.0), cells)

    def _seen(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Column and row of the first seen cell and behind the last one (2,), from the world's origin."""
        lows, highs = [], []
        if self.cells.size:
            near = _box(self._stamp > 0)
            if near is not None:
                lows.append(near[0] + self.corner)
                highs.append(near[1] + self.corner)
        for place in self.left.places:
            tile = self.left.get(place)
            far = None if tile is None else _box(tile != UNSEEN)
            if far is not None:
                lows.append(far[0] + TILE * np.array(place))
                highs.append(far[1] + TILE * np.array(place))
        return (np.min(lows, axis=0), np.max(highs, axis=0)) if lows else None

    def _tile(self, place: tuple[int, int]) -> NDArray[np.int16]:
        """The newest state of a tile: of the window where that covers it, else as it was left."""
        tile = self.left.get(place)
        out = np.full((TILE, TILE), UNSEEN, dtype=np.int16) if tile is None else tile.copy()
        c, r = TILE * place[0] - self.corner[0], TILE * place[1] - self.corner[1]
        rows, cols = self.cells.shape
        r0, r1, c0, c1 = max(r, 0), min(r + TILE, rows), max(c, 0), min(c + TILE, cols)
        if r0 < r1 and c0 < c1:
            window = np.s_[r0:r1, c0:c1]
            seen = self._stamp[window] > 0
            out[r0 - r : r1 - r, c0 - c : c1 - c] = np.where(seen, self.cells[window], UNSEEN)
        return out

    def _move(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> None:
        """Leave the window and open another around a box of cells, with as much room as half a window has."""
        corner = np.array(self.corner)
        for place in _tiles(corner, corner + np.array(self.cells.shape[::-1])):
            tile = self._tile(place)
            if (tile != UNSEEN).any():
                self.left.put(place, tile)
        room = math.sqrt(max(1.0, min(4.0, 0.5 * self.window / _area(first, last + 1))))
        more = (0.5 * (room - 1.0) * (last + 1 - first)).astype(int)
        start, stop = _whole(first - more, last + more, TILE)
        self._check(start, stop)
        self.cells, self._stamp = np.zeros(_shape(start, stop), np.int16), np.zeros(_shape(start, stop), np.int32)
        self.corner = int(start[0]), int(start[1])
        self._load()

    def _load(self) -> None:
        """Take cells that nothing was seen of since from the tiles that were left behind."""
        corner = np.array(self.corner)
        rows, cols = self.cells.shape
        for place in _tiles(corner, corner + np.array([cols, rows])):
            tile = self.left.get(place)
            if tile is None:
                continue
            c, r = TILE * place[0] - self.corner[0], TILE * place[1] - self.corner[1]
            r0, r1, c0, c1 = max(r, 0), min(r + TILE, rows), max(c, 0), min(c + TILE, cols)
            window, part = np.s_[r0:r1, c0:c1], tile[r0 - r : r1 - r, c0 - c : c1 - c]
            fresh = (self._stamp[window] == 0) & (part != UNSEEN)
            self.cells[window][fresh] = part[fresh]
            self._stamp[window][fresh] = 1

    def _covers(self, place: tuple[int, int]) -> bool:
        """Whether a tile lies wholly in the window."""
        at = TILE * np.array(place) - self.corner
        return bool((at >= 0).all() and (at + TILE <= self.cells.shape[::-1]).all())

    def _check(self, start: NDArray[np.int64], stop: NDArray[np.int64]) -> None:
        if _area(start, stop) > self.most_cells:
            rows, cols = _shape(start, stop)
            raise BadInput(
                f"one scan reaches over {cols} x {rows} cells, more than {self.most_cells}; "
                f"choose a coarser resolution or a shorter range"
            )


def _whole(first: NDArray[np.int64], last: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], ...]:
    """Begin and end (2,) of the whole blocks of a size that hold the cells first to last."""
    return np.floor_divide(first, size) * size, (np.floor_divide(last, size) + 1) * size


def _tiles(start: NDArray[np.int64], stop: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Places of the tiles that the cells from start to stop (2,) touch."""
    low, high = np.floor_divide(start, TILE), -np.floor_divide(-stop, TILE)
    for row in range(int(low[1]), int(high[1])):
        for col in range(int(low[0]), int(high[0])):
            yield col, row


def _area(start: NDArray[np.int64], stop: NDArray[np.int64]) -> int:
    rows, cols = _shape(start, stop)
    return rows * cols


def _shape(start: NDArray[np.int64], stop: NDArray[np.int64]) -> tuple[int, int]:
    """Rows and columns between two cells (2,), column and row."""
    return int(stop[1] - start[1]), int(stop[0] - start[0])


def _box(seen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Column and row of the first and behind the last marked cell (2,); None where none is."""
    rows, cols = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    if len(rows) == 0:
        return None
    return np.array([cols[0], rows[0]]), np.array([cols[-1] + 1, rows[-1] + 1])


def _logit(p: float) -> int:
    return round(THOUSAND * math.log(p / (1 - p)))


@njit()
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
