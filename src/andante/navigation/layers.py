"""`LayeredCostmap`: the map, obstacles seen by scans, and inflation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from andante.compiling import njit
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.mapping import OccupancyGrid, Scan
from andante.mapping.planar import three_numbers

from .costmap import OCCUPIED, UNKNOWN, Costmap, Inflation, cell_states, cost_window, distance_window, inflate
from .vehicle import Vehicle
from .zones import PLAIN, Zone, covered

MOST_CELLS = 50_000_000
_SWEEP = 0.5  # period of the search for expired obstacles [s]


@dataclass(frozen=True)
class LayerSettings:
    """The window without a map, and how scans mark and clear."""

    resolution: float = 0.05  # of the window without a map [m]
    window: float = 12.0  # its edge [m]
    mark_range: float = 10.0  # echoes further away are not marked [m]
    clear_range: float = 10.5  # beams clear up to here [m]
    decay: float = 30.0  # an obstacle not seen for this long is cleared [s]
    behind: float = 0.0  # echoes are marked so far behind themselves; noisy ones need it: the nearest win [cells]
    gain: int = 2  # evidence of an echo; a crossing beam takes one
    most: int = 4  # evidence that a cell can gather
    inflation: Inflation = field(default_factory=Inflation)

    def __post_init__(self) -> None:
        for name in ("resolution", "window", "mark_range", "clear_range", "decay"):
            if not getattr(self, name) > 0:
                raise BadInput(f"costmap {name} must be a number > 0, got {getattr(self, name)}")
        if (self.window / self.resolution) ** 2 > MOST_CELLS:
            raise BadInput(f"a window of {self.window} m at {self.resolution} m per cell has over {MOST_CELLS} cells")
        if not 0 <= self.behind <= 2:
            raise BadInput(f"costmap behind must lie from 0 to 2 cells, got {self.behind}")
        if not 0 < self.gain <= self.most <= 255:
            raise BadInput(f"evidence needs 0 < gain <= most <= 255, got {self.gain} and {self.most}")


class LayeredCostmap:
    """Static layer (a map, or nothing known), obstacle layer (scans), inflation layer (footprint and distances).

    With a map its frame and cells are used. Without one a window of unknown space moves with the robot and keeps
    what was seen inside it. `costmap` shows the present state; its arrays change with the next update.
    """

    def __init__(
        self, vehicle: Vehicle, grid: OccupancyGrid | None = None, settings: LayerSettings | None = None
    ) -> None:
        self.vehicle = vehicle
        self.settings = settings or LayerSettings()
        self.rolling = grid is None
        self.resolution = self.settings.resolution if grid is None else grid.resolution
        if grid is None:
            side = max(8, round(self.settings.window / self.resolution))
            self._base = np.full((side, side), UNKNOWN, dtype=np.uint8)
            self._origin = (-side / 2 * self.resolution, -side / 2 * self.resolution, 0.0)
        else:
            self._base = cell_states(grid)
            self._origin = grid.origin
        shape = self._base.shape
        self._evidence = np.zeros(shape, dtype=np.uint8)
        self._dropped: tuple[float, Array] = (-math.inf, np.zeros((0, 2)))  # when, and where
        self._seen = np.zeros(shape, dtype=np.float32)
        self._stamp = np.full(shape, -1, dtype=np.int32)
        self._state = self._base.copy()
        self._distance = np.empty(shape, dtype=np.float32)
        self._cost = np.empty(shape, dtype=np.uint8)
        self._mark = 0
        self._clock: float | None = None  # time of the first scan, the zero of stamps
        self._swept = self._now = -math.inf  # [s] after the first scan
        self._reach = math.ceil(self.settings.inflation.reach(vehicle) / self.resolution)
        self.zones: tuple[Zone, ...] = ()
        self._closed: tuple[np.ndarray, np.ndarray] | None = None  # cells of keep-out zones, and what the map has there
        self._plain: np.ndarray | None = None  # cells outside of preferred zones
        self._inflate(0, shape[0], 0, shape[1])

    def set_zones(self, zones: Sequence[Zone]) -> None:
        """Zones of the map from now on, in place of those before; BadInput without a map, which they are drawn on."""
        if self.rolling and zones:
            raise BadInput("zones are drawn on a map; give one")
        if self._closed is not None:
            mask, before = self._closed
            self._base[mask] = before
        self.zones = tuple(zones)
        grid = (self._base.shape, self.resolution, self._origin)
        mask = covered(self.zones, "keep_out", *grid)
        self._closed = (mask, self._base[mask]) if mask.any() else None
        self._base[mask] = OCCUPIED
        lanes = any(zone.kind == "preferred" for zone in self.zones)
        self._plain = ~covered(self.zones, "preferred", *grid) if lanes else None
        rows, cols = self._base.shape
        self._state = np.where(self._evidence > 0, np.uint8(OCCUPIED), self._base)
        self._inflate(0, rows, 0, cols)

    def without_zones(self) -> Costmap:
        """The costmap as it would be without any zone."""
        if self._closed is None:
            return self.costmap
        base = self._state.copy()
        mask, before = self._closed
        base[mask] = np.where(self._evidence[mask] > 0, np.uint8(OCCUPIED), before)
        return inflate(base, self.resolution, self._origin, self.vehicle, self.settings.inflation)

    @property
    def costmap(self) -> Costmap:
        """Costs and distances as they stand; the arrays are read-only views that the next update changes."""
        cost, distance = self._cost.view(), self._distance.view()
        cost.setflags(write=False)
        distance.setflags(write=False)
        inflation = self.settings.inflation
        roomy = self.vehicle.circumscribed + inflation.padding
        return Costmap(self.resolution, self._origin, cost, distance, inflation.unknown, roomy)

    def update(self, pose: ArrayLike, scan: Scan, velocity: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Add a scan taken at a pose x, y, yaw of the reference point; velocity undoes its motion distortion."""
        at = three_numbers("the pose of a scan", pose)
        if self.rolling:
            self.center(at[:2])
        if self._clock is None:
            self._clock = scan.time
        now = self._now = scan.time - self._clock
        ends, beams = scan.ends(velocity, min(self.settings.clear_range, scan.range_max))
        mount = np.asarray(scan.sensor[:2], dtype=float)
        gaps = ends - mount
        length = np.hypot(gaps[:, 0], gaps[:, 1])
        is_hit = scan.hit[beams] & (length <= self.settings.mark_range)
        reach = np.where(is_hit, length + self.settings.behind * self.resolution, self.settings.clear_range)
        short = np.minimum(np.where(is_hit, np.inf, 1.0), reach / np.maximum(length, 1e-9))
        placed = se2.compose(se2.inverse(self._origin), at)
        cells = se2.transform(placed, mount + gaps * short[:, None]) / self.resolution
        sensor = se2.transform(placed, mount) / self.resolution
        trace_scan(
            self._evidence, self._seen, self._base, self._stamp, self._mark, sensor, cells, is_hit, now,
            self.settings.gain, self.settings.most,
        )  # fmt: skip
        self._mark += 1
        rows, cols = self._base.shape
        if now - self._swept >= _SWEEP or now < self._swept:
            self._swept = now
            self._join(0, rows, 0, cols, now)
        elif len(cells):
            low = np.minimum(cells.min(axis=0), sensor)
            high = np.maximum(cells.max(axis=0), sensor)
            left, top = (max(0, math.floor(v)) for v in low)
            right, bottom = min(cols, math.floor(high[0]) + 1), min(rows, math.floor(high[1]) + 1)
            self._join(top, bottom, left, right, now)

    def center(self, point: ArrayLike) -> None:
        """Move the window, by whole cells, when a point has left its middle quarter; nothing with a map."""
        if not self.rolling:
            return
        rows, cols = self._base.shape
        x, y = np.asarray(point, dtype=float)
        shift = np.array(
            [
                round((y - self._origin[1]) / self.resolution - rows / 2),
                round((x - self._origin[0]) / self.resolution - cols / 2),
            ]
        )
        if np.all(np.abs(shift) <= rows / 8):
            return
        for name, empty in (("_base", UNKNOWN), ("_evidence", 0), ("_seen", 0), ("_stamp", -1)):
            setattr(self, name, _shifted(getattr(self, name), shift, empty))
        self._origin = (
            self._origin[0] + float(shift[1]) * self.resolution,
            self._origin[1] + float(shift[0]) * self.resolution,
            0.0,
        )
        self._state = np.where(self._evidence > 0, np.uint8(1), self._base)
        self._inflate(0, rows, 0, cols)

    def clear(self, point: ArrayLike | None = None, radius: float = math.inf) -> None:
        """Forget obstacles that scans marked, all of them or those within `radius` of a point [m]; the map stays."""
        rows, cols = self._base.shape
        gone = self._evidence > 0
        if point is not None and math.isfinite(radius):
            x, y = se2.transform(se2.inverse(self._origin), np.asarray(point, dtype=float)[:2]) / self.resolution
            r, c = np.ogrid[:rows, :cols]
            gone &= (c + 0.5 - x) ** 2 + (r + 0.5 - y) ** 2 <= (radius / self.resolution) ** 2
        self._drop(gone)
        self._join(0, rows, 0, cols, -math.inf)

    def forget(self, seconds: float) -> int:
        """Forget obstacles that no scan of the last `seconds` has seen; how many cells that were."""
        old = (self._evidence > 0) & (self._seen < self._now - seconds)
        self._drop(old)
        rows, cols = self._base.shape
        self._join(0, rows, 0, cols, -math.inf)
        return int(np.count_nonzero(old))

    def _drop(self, gone: np.ndarray) -> None:
        """Forget cells, but not that something was there: nobody has looked through them."""
        r, c = np.nonzero(gone)
        self._evidence[gone] = 0
        cells = (np.column_stack([c, r]) + 0.5) * self.resolution
        self._dropped = (self._now, np.asarray(se2.transform(self._origin, cells), dtype=float))

    @property
    def dropped(self) -> Array:
        """Where obstacles were (n, 2) when they were last forgotten, in the world [m]; none after `decay`."""
        when, places = self._dropped
        return places if 0 <= self._now - when <= self.settings.decay else places[:0]

    def _join(self, top: int, bottom: int, left: int, right: int, now: float) -> None:
        oldest = now - self.settings.decay if math.isfinite(now) else -math.inf
        if bottom <= top or right <= left:
            return
        r0, r1, c0, c1 = join_layers(
            self._base, self._evidence, self._seen, oldest, top, bottom, left, right, self._state
        )
        if r1 > r0:
            rows, cols = self._base.shape
            far = self._reach
            self._inflate(max(0, r0 - far), min(rows, r1 + far), max(0, c0 - far), min(cols, c1 + far))

    def _inflate(self, top: int, bottom: int, left: int, right: int) -> None:
        inflation = self.settings.inflation
        near = self.vehicle.inscribed + inflation.padding
        distance_window(self._state, top, bottom, left, right, self._reach, self.resolution, self._distance)
        cost_window(
            self._state, self._distance, top, bottom, left, right, near, inflation.radius, inflation.decline, self._cost
        )
        if self._plain is not None:
            window = (slice(top, bottom), slice(left, right))
            part = self._cost[window]
            part[self._plain[window] & (part < PLAIN)] = PLAIN


def _shifted(cells: np.ndarray, shift: np.ndarray, empty: float) -> np.ndarray:
    """Cells (rows, cols) seen from a window that moved by `shift` rows and columns."""
    out = np.full_like(cells, empty)
    rows, cols = cells.shape
    r, c = int(shift[0]), int(shift[1])
    if abs(r) < rows and abs(c) < cols:
        out[max(0, -r) : rows - max(0, r), max(0, -c) : cols - max(0, c)] = cells[
            max(0, r) : rows + min(0, r), max(0, c) : cols + min(0, c)
        ]
    return out


@njit()
def trace_scan(
    evidence: np.ndarray, seen: np.ndarray, base: np.ndarray, stamp: np.ndarray, mark: int, sensor: Array, ends: Array,
    is_hit: np.ndarray, now: float, gain: int, most: int,
) -> None:  # fmt: skip
    """Add one scan: cells with an echo gain evidence, cells that a beam crosses lose one, each once per scan.

    sensor (2,) and ends (m, 2) are given in cells of the grid. evidence (rows, cols) uint8 above 0 is an obstacle;
    seen float32 is when it was last seen; base uint8 is the map, whose unknown cells (2) become free (0) where a beam
    passes, not where it ends: an obstacle that is forgotten leaves a place that nobody has looked through; stamp int32
    remembers the scan that touched a cell (2 mark: crossed, 2 mark + 1: echo).
    Cells are walked by the traversal of Amanatides and Woo (1987).
    """
    rows, cols = evidence.shape
    for k in range(len(ends)):
        if is_hit[k]:
            c, r = math.floor(ends[k, 0]), math.floor(ends[k, 1])
            if 0 <= c < cols and 0 <= r < rows and stamp[r, c] != 2 * mark + 1:
                stamp[r, c] = 2 * mark + 1
                evidence[r, c] = min(most, evidence[r, c] + gain)
                seen[r, c] = now
    for k in range(len(ends)):
        dc, dr = ends[k, 0] - sensor[0], ends[k, 1] - sensor[1]
        c, r = math.floor(sensor[0]), math.floor(sensor[1])
        steps = abs(math.floor(ends[k, 0]) - c) + abs(math.floor(ends[k, 1]) - r)
        step_c, step_r = (1 if dc > 0 else -1), (1 if dr > 0 else -1)
        wide_c = abs(1.0 / dc) if dc != 0.0 else math.inf
        wide_r = abs(1.0 / dr) if dr != 0.0 else math.inf
        next_c = ((c + 1 - sensor[0]) if dc > 0 else (sensor[0] - c)) * wide_c if dc != 0.0 else math.inf
        next_r = ((r + 1 - sensor[1]) if dr > 0 else (sensor[1] - r)) * wide_r if dr != 0.0 else math.inf
        for _ in range(steps):
            if 0 <= c < cols and 0 <= r < rows and stamp[r, c] < 2 * mark:
                stamp[r, c] = 2 * mark
                if evidence[r, c] > 0:
                    evidence[r, c] -= 1
                if base[r, c] == 2:
                    base[r, c] = 0
            if next_c < next_r:
                next_c += wide_c
                c += step_c
            else:
                next_r += wide_r
                r += step_r


@njit()
def join_layers(
    base: np.ndarray, evidence: np.ndarray, seen: np.ndarray, oldest: float, top: int, bottom: int, left: int,
    right: int, state: np.ndarray,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Write map and obstacles into `state` and drop obstacles last seen before `oldest`, in a window.

    Returns the rows and columns (first, end, first, end) outside which nothing became or ceased to be occupied; an
    empty span says that nothing did.
    """
    first_r, end_r, first_c, end_c = bottom, top, right, left
    for r in range(top, bottom):
        for c in range(left, right):
            if evidence[r, c] > 0 and seen[r, c] < oldest:
                evidence[r, c] = 0
            new = 1 if (base[r, c] == 1 or evidence[r, c] > 0) else base[r, c]
            if new != state[r, c]:
                state[r, c] = new
                first_r, end_r = min(first_r, r), max(end_r, r + 1)
                first_c, end_c = min(first_c, c), max(end_c, c + 1)
    return first_r, end_r, first_c, end_c
