"""`OcTree`: occupancy of space as a tree of cubes, with the probabilities and the meaning of OctoMap.

Hornung, Wurm, Bennewitz, Stachniss, Burgard, "OctoMap: an efficient probabilistic 3D mapping framework based on
octrees", Autonomous Robots 34 (2013). Log odds l = ln(p / (1 - p)) of a voxel add up over clouds and stay within
bounds, so that the map keeps changing with the world. In memory the lowest three levels are dense blocks found by a
hash table, and cubes of one value take one number; the tree itself is made when a map is written
(`mapping.io.octomap`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.errors import BadInput
from andante.geometry import Array

from .kernels import (
    DEPTH,
    EDGE,
    EDGE_BITS,
    EMPTY,
    MIDDLE,
    Values,
    apply,
    block_of,
    look_up,
    pack,
    put_leaves,
    rehash,
    trace,
)

if TYPE_CHECKING:
    from andante.mapping.grid import OccupancyGrid

MOST_BLOCKS = 8_000_000  # of 8 x 8 x 8 voxels; one of a single value takes some 50 bytes
MOST_DENSE = 500_000  # blocks of many values, of 2 KB each: 1 GB
FIRST_TABLE, FIRST_BLOCKS = 1 << 12, 1 << 10
KEPT = 1 << 22  # places of the table for one cloud; a larger one is made when it is needed


@dataclass(frozen=True)
class OccupancyModel:
    """What a beam tells of the voxels that it meets; the values of OctoMap's own."""

    hit: float = 0.7  # probability that a voxel is occupied when a beam ends there
    miss: float = 0.4  # when a beam passes it
    least: float = 0.1192  # probabilities of a voxel stay within these
    most: float = 0.971
    occupied: float = 0.5  # from which it counts as occupied

    def __post_init__(self) -> None:
        if not 0.0 < self.least < self.miss < 0.5 < self.hit < self.most < 1.0:
            raise BadInput(
                "an occupancy model needs 0 < least < miss < 0.5 < hit < most < 1, got "
                f"{self.least}, {self.miss}, {self.hit}, {self.most}"
            )
        if not self.least < self.occupied < self.most:
            raise BadInput(f"the threshold of occupied voxels lies within {self.least} and {self.most}")

    @property
    def log_odds(self) -> Array:
        """(4,) of hit, miss, least and most."""
        return np.array([log_odds(p) for p in (self.hit, self.miss, self.least, self.most)])


def log_odds(probability: float) -> float:
    """ln(p / (1 - p))."""
    return math.log(probability / (1.0 - probability))


class OcTree:
    """Occupancy of voxels: known by log odds, or unknown."""

    def __init__(self, resolution: float, model: OccupancyModel | None = None) -> None:
        if not (math.isfinite(resolution) and resolution > 0):
            raise BadInput(f"the resolution of an octree must be a positive number of meters, got {resolution}")
        self.resolution = float(resolution)  # edge of a voxel [m]
        self.model = model or OccupancyModel()
        self._table = np.full(FIRST_TABLE, EMPTY, dtype=np.int64)
        self._slots = np.zeros(FIRST_TABLE, dtype=np.int32)
        self._places = np.zeros((FIRST_BLOCKS, 3), dtype=np.int32)
        self._uniform = np.zeros(FIRST_BLOCKS, dtype=np.float32)
        self._store = np.zeros(FIRST_BLOCKS, dtype=np.int32)
        self._values = np.zeros((512, EDGE, EDGE, EDGE), dtype=np.float32)
        self._used = np.zeros(3, dtype=np.int64)  # blocks, dense ones, keys in the table

    # ---- making it -------------------------------------------------------------------------------
    def insert(self, cloud: ArrayLike, origin: ArrayLike, max_range: float = math.inf) -> None:
        """Add a cloud (n, 3) seen from an origin (3,), both in the frame of the map [m].

        Every voxel counts once per cloud, as hit if any beam ends in it. Beams longer than `max_range` [m] free their
        way up to there and hit nothing; points that are not finite are left out.
        """
        start = np.asarray(origin, dtype=float).reshape(3)
        ends = np.asarray(cloud, dtype=float).reshape(-1, 3)
        if not np.isfinite(start).all():
            raise BadInput(f"the origin of a cloud must be finite, got {start.tolist()}")
        ends = ends[np.isfinite(ends).all(axis=1)]
        way = ends - start
        length = np.linalg.norm(way, axis=1)
        hits = length <= max_range
        if not hits.all():
            far = ~hits
            ends = ends.copy()
            ends[far] = start + way[far] * (max_range / length[far])[:, None]
        self._add(start, ends, hits)

    def _add(self, start: Array, ends: Array, hits: NDArray[np.bool_]) -> None:
        voxels = np.full(FIRST_TABLE, EMPTY, dtype=np.int64)
        marks = np.zeros(FIRST_TABLE, dtype=np.bool_)
        beam, count = 0, 0
        while True:
            beam, count = trace(start, ends, hits, self.resolution, beam, voxels, marks, count)
            if beam == len(ends):
                break
            if len(voxels) >= 16 * KEPT:
                raise BadInput("a cloud passes too many voxels; use a coarser map or a shorter range")
            wider, wide = np.full(4 * len(voxels), EMPTY, dtype=np.int64), np.zeros(4 * len(voxels), dtype=np.bool_)
            rehash(voxels, marks, wider, wide)
            voxels, marks = wider, wide
        present = voxels != EMPTY
        found, hit = voxels[present], marks[present]
        order = np.argsort(found)
        found, hit, first = found[order], hit[order], 0
        model = self.model.log_odds
        while first < len(found):
            first = apply(found, hit, first, model, *self._arrays)
            if first < len(found):
                self._grow()

    def fill(self, corners: NDArray[np.int64], depths: NDArray[np.int64], values: Values) -> None:
        """Set cubes from their lowest keys (n, 3) at depths (n,) of the tree to log odds (n,)."""
        if np.any(depths < 0) or np.any(depths > DEPTH):
            raise BadInput(f"a leaf of an octree lies at a depth of 0 to {DEPTH}")
        large = 1 << (3 * np.maximum(DEPTH - EDGE_BITS - depths, 0)).astype(np.int64)
        if int(large.sum()) > MOST_BLOCKS:
            raise BadInput(
                f"the octree knows {int(large.sum())} cubes of {EDGE * self.resolution:g} m, more than {MOST_BLOCKS}; "
                "cut off what lies far away, or use a coarser map"
            )
        first = 0
        while first < len(corners):
            first = put_leaves(corners, depths, values, first, *self._arrays)
            if first < len(corners):
                self._grow(int(large[first]))

    def fill_box(self, values: Values, first: NDArray[np.int64]) -> None:
        """Set all voxels of a box (nx, ny, nz), from its lowest keys (3,), to log odds; NaN is unknown."""
        low = first >> EDGE_BITS
        high = (first + values.shape + EDGE - 1) >> EDGE_BITS
        whole = np.full(tuple(((high - low) * EDGE).tolist()), np.nan, dtype=np.float32)
        start = first - (low << EDGE_BITS)
        whole[tuple(slice(a, a + n) for a, n in zip(start, values.shape, strict=True))] = values
        nx, ny, nz = (high - low).tolist()
        blocks = whole.reshape(nx, EDGE, ny, EDGE, nz, EDGE).transpose(0, 2, 4, 1, 3, 5).reshape(-1, EDGE, EDGE, EDGE)
        flat = blocks.reshape(len(blocks), -1)
        known = ~np.isnan(flat).all(axis=1)
        even = (flat == flat[:, :1]).all(axis=1)
        places = np.stack(np.unravel_index(np.arange(len(blocks)), (nx, ny, nz)), axis=1) + low
        alone = known & even
        depth = np.full(int(alone.sum()), DEPTH - EDGE_BITS)
        self.fill(places[alone] << EDGE_BITS, depth, flat[alone, 0])
        mixed = known & ~even
        self._grow(int(mixed.sum()), max(1, int(mixed.sum())))
        for place, block in zip(places[mixed], blocks[mixed], strict=True):
            x, y, z = (place << EDGE_BITS).tolist()
            while (slot := block_of(pack(x, y, z), *self._arrays)) < 0:
                self._grow()
            kept = self._values[slot]
            self._values[slot] = np.where(np.isnan(block), kept, block)

    @property
    def _arrays(self) -> tuple[Any, ...]:
        return (self._table, self._slots, self._places, self._uniform, self._store, self._values, self._used)

    def _grow(self, wanted: int = 1, dense_wanted: int = 1) -> None:
        blocks, dense, _ = self._used.tolist()
        if blocks + wanted > len(self._uniform):
            if blocks + wanted > MOST_BLOCKS:
                raise BadInput(f"the octree has more than {MOST_BLOCKS} blocks; use a coarser map")
            size = max(2 * len(self._uniform), blocks + wanted)
            self._places = _longer(self._places, size)
            self._uniform, self._store = _longer(self._uniform, size), _longer(self._store, size)
        if dense + dense_wanted > len(self._values):
            if dense + dense_wanted > MOST_DENSE:
                raise BadInput(f"the octree has more than {MOST_DENSE} blocks of many values; use a coarser map")
            grown = math.ceil(1.25 * len(self._values)) if dense_wanted == 1 else dense + dense_wanted
            self._values = _longer(self._values, min(MOST_DENSE, grown))
        while self._used[2] + wanted > 0.5 * len(self._table):
            table = np.full(2 * len(self._table), EMPTY, dtype=np.int64)
            slots = np.zeros(len(table), dtype=np.int32)
            rehash(self._table, self._slots, table, slots)
            self._table, self._slots = table, slots

    # ---- asking it -------------------------------------------------------------------------------
    @property
    def blocks(self) -> tuple[NDArray[np.int32], Values, NDArray[np.int32], Values]:
        """Places (n, 3) in blocks, the value where there is one, the slot or -1, and slots (m, 8, 8, 8)."""
        count, dense, _ = self._used.tolist()
        return self._places[:count], self._uniform[:count], self._store[:count], self._values[:dense]

    @property
    def nbytes(self) -> int:
        """Memory of the map [bytes]."""
        return sum(int(array.nbytes) for array in self._arrays)

    def log_odds(self, points: ArrayLike) -> Values:
        """Log odds (n,) at points (n, 3) [m]; NaN where nothing is known."""
        asked = np.ascontiguousarray(np.asarray(points, dtype=float).reshape(-1, 3))
        out = np.empty(len(asked), dtype=np.float32)
        look_up(asked, self.resolution, self._table, self._slots, self._uniform, self._store, self._values, out)
        return out

    def occupied(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether points (n, 3) [m] lie in occupied voxels; what is unknown is not."""
        found: NDArray[np.bool_] = self.log_odds(points) >= log_odds(self.model.occupied)
        return found

    def voxels(self, *, free: bool = False) -> Array:
        """Centers (n, 3) [m] of all occupied voxels, or of the free ones, ordered by block."""
        places, uniform, store, values = self.blocks
        limit = log_odds(self.model.occupied)
        out = []
        for place, value, slot in zip(places, uniform, store, strict=True):
            cells = values[slot] if slot >= 0 else np.full((EDGE, EDGE, EDGE), value, dtype=np.float32)
            found = cells < limit if free else cells >= limit
            if found.any():
                out.append(np.argwhere(found) + EDGE * place.astype(np.int64))
        keys = np.concatenate(out) if out else np.zeros((0, 3), dtype=np.int64)
        return np.asarray((keys - MIDDLE + 0.5) * self.resolution, dtype=float)

    def volume(self, *, free: bool = False) -> float:
        """Of all occupied space, or of the free one [m³]."""
        _, uniform, store, values = self.blocks
        limit = log_odds(self.model.occupied)
        dense = values[store[store >= 0]]
        alone = uniform[store < 0]
        count = int((dense < limit).sum() if free else (dense >= limit).sum())
        count += EDGE**3 * int((alone < limit).sum() if free else (alone >= limit).sum())
        return count * self.resolution**3

    def box(self, low: ArrayLike, high: ArrayLike) -> Values:
        """Log odds of all voxels from the corner `low` to `high` [m], as (nx, ny, nz); NaN where nothing is known."""
        first = np.floor(np.asarray(low, dtype=float) / self.resolution + 1e-9).astype(np.int64) + MIDDLE
        last = np.ceil(np.asarray(high, dtype=float) / self.resolution - 1e-9).astype(np.int64) + MIDDLE
        shape = np.maximum(last - first, 0)
        if int(np.prod(shape.astype(float))) > 400_000_000:
            raise BadInput("the box has more than 400 million voxels; ask for a smaller one")
        out = np.full(tuple(shape.tolist()), np.nan, dtype=np.float32)
        places, uniform, store, values = self.blocks
        corners = places.astype(np.int64) << EDGE_BITS
        met = np.flatnonzero(((corners < last) & (corners + EDGE > first)).all(axis=1))
        for n in met.tolist():
            begin, end = np.maximum(corners[n], first), np.minimum(corners[n] + EDGE, last)
            into = tuple(slice(a, b) for a, b in zip(begin - first, end - first, strict=True))
            of = tuple(slice(a, b) for a, b in zip(begin - corners[n], end - corners[n], strict=True))
            out[into] = values[store[n]][of] if store[n] >= 0 else uniform[n]
        return out

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner of all that is known, up to a block [m]."""
        places = self.blocks[0].astype(np.int64)
        if not len(places):
            raise BadInput("the octree is empty")
        low: Array = ((places.min(axis=0) << EDGE_BITS) - MIDDLE) * self.resolution
        high: Array = (((places.max(axis=0) + 1) << EDGE_BITS) - MIDDLE) * self.resolution
        return low, high

    def slice(self, low: float, high: float) -> OccupancyGrid:
        """The plan of what stands between two heights [m]: occupied where any voxel is, free where one is known."""
        from andante.mapping.grid import UNKNOWN, OccupancyGrid

        if not low < high:
            raise BadInput(f"a slice of an octree needs two heights, the lower one first, got {low} and {high}")
        least, most = self.bounds
        cells = self.box([*least[:2], low], [*most[:2], high])
        limit = log_odds(self.model.occupied)
        occupied, known = (cells >= limit).any(axis=2), ~np.isnan(cells).all(axis=2)
        plan = np.where(occupied, 100, np.where(known, 0, UNKNOWN)).astype(np.int8)
        return OccupancyGrid(self.resolution, (float(least[0]), float(least[1]), 0.0), plan.T)


def _longer(array: NDArray, size: int) -> NDArray:  # type: ignore[type-arg]
    out = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    out[: len(array)] = array
    return out
