"""`Costmap`: what planners read: a cost and the distance to the nearest obstacle for every cell."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.compiling import njit
from andante.errors import BadInput, UnknownName
from andante.geometry import Array, se2
from andante.mapping import OccupancyGrid

from .vehicle import Vehicle

FREE, OCCUPIED, UNKNOWN = 0, 1, 2  # states of cells
LETHAL, INSCRIBED, NO_INFORMATION = 254, 253, 255  # costs, as costmap_2d names them
UNKNOWN_POLICIES = ("free", "avoid", "blocked")
FARTHEST = 1e7  # place from the world's origin, as maps with national grids have it [m]
_AVOIDED = 120  # cost of unknown space under the policy "avoid"


@dataclass(frozen=True)
class Inflation:
    """How costs fall with the distance from obstacles, and what unknown space is taken for."""

    radius: float = 0.6  # cells further away cost nothing [m]
    decline: float = 6.0  # cost falls as exp(-decline (d - inscribed)) [1/m]
    padding: float = 0.02  # the robot is kept this much further away than its footprint [m]
    unknown: str = "avoid"  # "free", "avoid" (drive through where it saves much) or "blocked"

    def __post_init__(self) -> None:
        if self.unknown not in UNKNOWN_POLICIES:
            raise UnknownName.among("policy for unknown space", self.unknown, UNKNOWN_POLICIES)
        for name in ("radius", "decline", "padding"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise BadInput(f"inflation {name} must be a finite number >= 0, got {value}")

    def reach(self, vehicle: Vehicle) -> float:
        """How far from obstacles distances must be known [m]."""
        return max(self.radius, vehicle.circumscribed + self.padding + 0.3, vehicle.inscribed + 0.5)


@dataclass(frozen=True)
class Costmap:
    """Costs and distances of square cells; row 0 lies at -y as in `OccupancyGrid`, `origin` is its outer corner.

    cost: 0 free, 1 to 252 near obstacles, 253 too near for any heading, 254 occupied, 255 unknown.
    distance: from the middle of a cell to that of the nearest occupied one [m], capped.
    """

    resolution: float  # edge of a cell [m]
    origin: tuple[float, float, float]  # x, y, yaw of the corner of cell (0, 0) [m, m, rad]
    cost: NDArray[np.uint8]  # (rows, cols)
    distance: NDArray[np.float32]  # (rows, cols)
    unknown: str = "avoid"
    roomy: float = 0.0  # with this distance from obstacles the robot has room for every heading [m]

    @classmethod
    def of(cls, grid: OccupancyGrid, vehicle: Vehicle, inflation: Inflation | None = None) -> Costmap:
        """The inflated costmap of a map for a vehicle."""
        settings = inflation or Inflation()
        return inflate(cell_states(grid), grid.resolution, grid.origin, vehicle, settings)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.cost.shape

    def to_frame(self, poses: ArrayLike) -> Array:
        """Poses (..., 3) or points (..., 2) of the world, in the frame of the map's corner [m, rad]."""
        p = np.asarray(poses, dtype=float)
        back = se2.inverse(self.origin)
        return se2.transform(back, p) if p.shape[-1] == 2 else se2.compose(back, p)

    def from_frame(self, poses: ArrayLike) -> Array:
        """Undoes `to_frame`."""
        p = np.asarray(poses, dtype=float)
        return se2.transform(self.origin, p) if p.shape[-1] == 2 else se2.compose(self.origin, p)

    def cell_of(self, point: ArrayLike) -> tuple[int, int]:
        """Row and column of the cell that holds a world point; it may lie outside the map."""
        place = np.asarray(point, dtype=float)[:2]
        if not (np.abs(place) <= FARTHEST).all():
            raise BadInput(
                f"a place must be finite numbers x, y within {FARTHEST:g} m, got {np.asarray(point).tolist()}"
            )
        x, y = self.to_frame(place)
        return math.floor(y / self.resolution), math.floor(x / self.resolution)

    def point_of(self, cells: ArrayLike) -> Array:
        """World points (..., 2) of the middles of cells (..., 2), row and column [m]."""
        return self.from_frame((np.asarray(cells, dtype=float)[..., ::-1] + 0.5) * self.resolution)

    def inside(self, cell: tuple[int, int]) -> bool:
        """Whether a cell, row and column, lies on the map."""
        rows, cols = self.shape
        return 0 <= cell[0] < rows and 0 <= cell[1] < cols

    def factors(self, weight: float) -> NDArray[np.int32]:
        """Price of driving through a cell by its cost (256,), in eighths of free space; 0: blocked.

        8 (1 + weight · cost / 252); unknown space after its policy.
        """
        costs = np.arange(256, dtype=float)
        out = np.round(8 * (1 + weight * costs / 252)).astype(np.int32)
        out[INSCRIBED:] = 0
        if self.unknown != "blocked":
            out[NO_INFORMATION] = 8 if self.unknown == "free" else round(8 * (1 + weight * _AVOIDED / 252))
        return out

    def blocked(self) -> NDArray[np.bool_]:
        """Cells (rows, cols) that the reference point cannot enter."""
        blocked = (self.cost == LETHAL) | (self.cost == INSCRIBED)
        closed: NDArray[np.bool_] = blocked | (self.cost == NO_INFORMATION) if self.unknown == "blocked" else blocked
        return closed


def cell_states(grid: OccupancyGrid) -> NDArray[np.uint8]:
    """Free (0), occupied (1) or unknown (2) for every cell of a map, with its usual thresholds."""
    states = np.full(grid.shape, UNKNOWN, dtype=np.uint8)
    states[grid.free()] = FREE
    states[grid.occupied()] = OCCUPIED
    return states


def inflate(
    states: NDArray[np.uint8],
    resolution: float,
    origin: tuple[float, float, float],
    vehicle: Vehicle,
    inflation: Inflation,
) -> Costmap:
    """The costmap of cell states (rows, cols): free 0, occupied 1, unknown 2."""
    rows, cols = states.shape
    distance = np.empty(states.shape, dtype=np.float32)
    cost = np.empty(states.shape, dtype=np.uint8)
    reach = math.ceil(inflation.reach(vehicle) / resolution)
    distance_window(states, 0, rows, 0, cols, reach, resolution, distance)
    near = vehicle.inscribed + inflation.padding
    cost_window(states, distance, 0, rows, 0, cols, near, inflation.radius, inflation.decline, cost)
    distance.setflags(write=False)
    cost.setflags(write=False)
    return Costmap(resolution, origin, cost, distance, inflation.unknown, vehicle.circumscribed + inflation.padding)


@njit()
def distance_window(
    state: np.ndarray, top: int, bottom: int, left: int, right: int, reach: int, resolution: float, out: np.ndarray
) -> None:
    """Distance [m] from the middle of each cell in rows top..bottom, columns left..right to the nearest occupied one.

    state (rows, cols) uint8 holds 1 where it is occupied. Distances above `reach` cells are written as `reach`, so only
    obstacles within `reach` of the window matter and a changed part of a map can be done alone. Two passes: distances
    along columns, then the lower envelope of parabolas along rows (Felzenszwalb and Huttenlocher 2012).
    """
    rows, cols = state.shape
    first, last = max(0, left - reach), min(cols, right + reach)
    above, below = max(0, top - reach), min(rows, bottom + reach)
    width, height = last - first, bottom - top
    far = reach + 1
    column = np.empty((height, width), dtype=np.int32)
    run = np.full(width, far, dtype=np.int32)
    for r in range(above, bottom):
        for k in range(width):
            run[k] = 0 if state[r, first + k] == 1 else min(run[k] + 1, far)
        if r >= top:
            for k in range(width):
                column[r - top, k] = run[k]
    run[:] = far
    for r in range(below - 1, top - 1, -1):
        for k in range(width):
            run[k] = 0 if state[r, first + k] == 1 else min(run[k] + 1, far)
        if r < bottom:
            for k in range(width):
                if run[k] < column[r - top, k]:
                    column[r - top, k] = run[k]
    place = np.empty(width, dtype=np.int64)  # apexes of the parabolas of the envelope
    start = np.empty(width + 1, dtype=np.float64)  # where each becomes the lowest
    most = np.float32(reach * resolution)
    for r in range(height):
        count = 0
        for k in range(width):
            g = column[r, k]
            if g > reach:
                continue
            value = float(g * g + k * k)
            while count > 0:
                q = place[count - 1]
                cross = (value - float(column[r, q] * column[r, q] + q * q)) / (2.0 * (k - q))
                if cross > start[count - 1]:
                    break
                count -= 1
            if count == 0:
                start[0] = -1e18
            else:
                start[count] = cross
            place[count] = k
            count += 1
        if count == 0:
            for c in range(left, right):
                out[top + r, c] = most
            continue
        i = 0
        for c in range(left, right):
            k = c - first
            while i + 1 < count and start[i + 1] < k:
                i += 1
            q = place[i]
            squared = column[r, q] * column[r, q] + (k - q) * (k - q)
            out[top + r, c] = min(most, np.float32(math.sqrt(squared) * resolution))


@njit()
def cost_window(
    state: np.ndarray, distance: np.ndarray, top: int, bottom: int, left: int, right: int, inscribed: float,
    radius: float, decline: float, out: np.ndarray,
) -> None:  # fmt: skip
    """Costs of cells: 254 occupied, 253 within `inscribed` of an obstacle, then falling to 0 at `radius`.

    In between 252 exp(-decline (d - inscribed)); unknown cells that no obstacle makes lethal are 255.
    """
    for r in range(top, bottom):
        for c in range(left, right):
            d = distance[r, c]
            if state[r, c] == 1:
                out[r, c] = 254
            elif d <= inscribed:
                out[r, c] = 253
            elif state[r, c] == 2:
                out[r, c] = 255
            elif d < radius:
                out[r, c] = max(1, int(252.0 * math.exp(-decline * (d - inscribed))))
            else:
                out[r, c] = 0


@njit()
def clearance_at(
    x: float, y: float, c: float, s: float, distance: np.ndarray, resolution: float, discs: Array, enough: float,
    floor: float,
) -> float:  # fmt: skip
    """Least distance [m] between the discs of a footprint at a pose (cosine c, sine s) and obstacles; below 0 overlap.

    x, y are in the frame of the grid's corner [m]; outside it all is free. A reference point with `enough` room is
    answered with 1e9 at once, and the search ends at the first overlap beyond `floor` (<= 0).
    """
    rows, cols = distance.shape
    scale = 1.0 / resolution
    col, row = math.floor(x * scale), math.floor(y * scale)
    if 0 <= row < rows and 0 <= col < cols and distance[row, col] >= enough:
        return 1e9
    least = 1e9
    for k in range(len(discs)):
        px, py = x + c * discs[k, 0] - s * discs[k, 1], y + s * discs[k, 0] + c * discs[k, 1]
        col, row = math.floor(px * scale), math.floor(py * scale)
        if 0 <= row < rows and 0 <= col < cols:
            gap = float(distance[row, col]) - discs[k, 2]
            if gap < least:
                least = gap
                if least < floor:
                    break
    return least
