"""Compiled parts of the octree: keys, the table of blocks, beams through voxels, leaves into blocks.

A voxel is named by three keys of 16 bits, k = floor(x / resolution) + 32768, packed into one number. Blocks of
8 x 8 x 8 voxels are found by an open hash table of packed block keys (Knuth, vol. 3, 6.4).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.geometry import Array

DEPTH = 16  # levels below the root
MIDDLE = 1 << (DEPTH - 1)  # key of the voxel at the origin
EDGE_BITS = 3
EDGE = 1 << EDGE_BITS  # voxels along an edge of a block
IN = EDGE - 1  # mask of a key within its block
OF = (1 << (DEPTH - EDGE_BITS)) - 1  # mask of a block's key
X, Y = 32, 16  # where keys begin in a packed one
EMPTY = -1
FULL = 0.6  # of a hash table; then it has to grow

Keys = NDArray[np.int64]
Slots = NDArray[np.int32]
Values = NDArray[np.float32]


@njit(nogil=True)
def pack(x: int, y: int, z: int) -> int:
    """Three keys of 16 bits in one number."""
    return (x << X) | (y << Y) | z


@njit(nogil=True)
def spread(key: int, mask: int) -> int:
    """First place of a key in a hash table of mask + 1 places."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return int(np.int64(mixed >> np.uint64(32)) & mask)


@njit(nogil=True)
def find(table: Keys, key: int) -> int:
    """Place of a key in a hash table, or of the empty place where it belongs."""
    mask = table.shape[0] - 1
    at = spread(key, mask)
    while table[at] != EMPTY and table[at] != key:
        at = (at + 1) & mask
    return at


@njit(nogil=True)
def rehash(old: Keys, old_marks: Any, table: Keys, marks: Any) -> None:
    """Move all keys and what is kept beside them into a larger table."""
    for i in range(old.shape[0]):
        if old[i] != EMPTY:
            at = find(table, old[i])
            table[at] = old[i]
            marks[at] = old_marks[i]


@njit(nogil=True)
def trace(
    origin: Array, ends: Array, hits: NDArray[np.bool_], resolution: float, first: int, table: Keys,
    marks: NDArray[np.bool_], count: int,
) -> tuple[int, int]:  # fmt: skip
    """Voxels that beams from one origin (3,) to ends (n, 3) [m] pass, once each, into a hash table; from beam `first`.

    marks: True for the voxel at the end of a beam that hit something; a voxel that one beam hits and another passes is
    hit. Amanatides and Woo (1987). Returns the beam at which the table was full (n: all are done) and the keys in it.
    """
    most = int(FULL * table.shape[0])
    cell, step = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.int64)
    last = np.empty(3, dtype=np.int64)
    ahead, stride = np.empty(3), np.empty(3)
    for beam in range(first, ends.shape[0]):
        total = 0
        inside = True
        for i in range(3):
            start, end = origin[i] / resolution, ends[beam, i] / resolution
            cell[i], last[i] = math.floor(start), math.floor(end)
            inside = inside and -MIDDLE <= cell[i] < MIDDLE and -MIDDLE <= last[i] < MIDDLE
            way = end - start
            step[i] = 1 if way > 0.0 else -1
            stride[i] = abs(1.0 / way) if way != 0.0 else np.inf
            border = cell[i] + 1.0 if way > 0.0 else float(cell[i])
            ahead[i] = (border - start) / way if way != 0.0 else np.inf
            total += abs(last[i] - cell[i])
        if not inside:
            continue
        if count + total + 1 > most:
            return beam, count
        for n in range(total + 1):
            at = find(table, pack(cell[0] + MIDDLE, cell[1] + MIDDLE, cell[2] + MIDDLE))
            if table[at] == EMPTY:
                table[at] = pack(cell[0] + MIDDLE, cell[1] + MIDDLE, cell[2] + MIDDLE)
                marks[at] = False
                count += 1
            if n == total:
                marks[at] = marks[at] or hits[beam]
                break
            axis = -1
            for i in range(3):
                if cell[i] != last[i] and (axis < 0 or ahead[i] < ahead[axis]):
                    axis = i
            cell[axis] += step[axis]
            ahead[axis] += stride[axis]
    return ends.shape[0], count


@njit(nogil=True)
def block_of(
    key: int, table: Keys, slots: Slots, places: Slots, uniform: Values, store: Slots, values: Values, used: Any
) -> int:
    """Slot in `values` of the block of a voxel, made dense where it was uniform or not there; -1: something is full.

    used (3,): blocks, dense blocks, keys in the table.
    """
    x, y, z = (key >> (X + EDGE_BITS)) & OF, (key >> (Y + EDGE_BITS)) & OF, (key >> EDGE_BITS) & OF
    name = pack(x, y, z)
    at = find(table, name)
    if table[at] == EMPTY:
        if used[0] >= uniform.shape[0] or used[2] >= FULL * table.shape[0]:
            return -1
        table[at], slots[at] = name, used[0]
        places[used[0], 0], places[used[0], 1], places[used[0], 2] = x, y, z
        uniform[used[0]], store[used[0]] = np.nan, -1
        used[0] += 1
        used[2] += 1
    block = slots[at]
    if store[block] < 0:
        if used[1] >= values.shape[0]:
            return -1
        store[block] = used[1]
        values[used[1]] = uniform[block]
        used[1] += 1
    return int(store[block])


@njit(nogil=True)
def apply(
    voxels: Keys, marks: NDArray[np.bool_], first: int, model: Array, table: Keys, slots: Slots, places: Slots,
    uniform: Values, store: Slots, values: Values, used: Any,
) -> int:  # fmt: skip
    """Add what one cloud tells to the log odds of voxels (hash table as of `trace`), from its place `first`.

    model (4,): log odds of a hit, of a pass, least and most of a voxel. Returns the place at which there was no room.
    """
    name, slot = -1, -1
    for i in range(first, voxels.shape[0]):
        key = voxels[i]
        if key == EMPTY:
            continue
        block = key & ~pack(IN, IN, IN)
        if block != name:
            slot = block_of(key, table, slots, places, uniform, store, values, used)
            if slot < 0:
                return i
            name = block
        x, y, z = (key >> X) & IN, (key >> Y) & IN, key & IN
        before = values[slot, x, y, z]
        if math.isnan(before):
            before = np.float32(0.0)
        change = model[0] if marks[i] else model[1]
        values[slot, x, y, z] = min(max(before + change, model[2]), model[3])
    return int(voxels.shape[0])


@njit(nogil=True)
def look_up(
    points: Array, resolution: float, table: Keys, slots: Slots, uniform: Values, store: Slots, values: Values,
    out: Values,
) -> None:  # fmt: skip
    """Log odds at points (n, 3) [m] into out (n,); NaN where nothing is known."""
    for n in range(points.shape[0]):
        out[n] = np.nan
        key = 0
        for i in range(3):
            cell = math.floor(points[n, i] / resolution) + MIDDLE if abs(points[n, i]) < 1e9 else -1
            key = -1 if key < 0 or not 0 <= cell < 2 * MIDDLE else (key << 16) | cell
        if key < 0:
            continue
        at = find(table, pack((key >> (X + EDGE_BITS)) & OF, (key >> (Y + EDGE_BITS)) & OF, (key >> EDGE_BITS) & OF))
        if table[at] == EMPTY:
            continue
        block = slots[at]
        if store[block] < 0:
            out[n] = uniform[block]
        else:
            out[n] = values[store[block], (key >> X) & IN, (key >> Y) & IN, key & IN]


@njit(nogil=True)
def put_leaves(
    corners: NDArray[np.int64], depths: NDArray[np.int64], leaves: Values, first: int, table: Keys, slots: Slots,
    places: Slots, uniform: Values, store: Slots, values: Values, used: Any,
) -> int:  # fmt: skip
    """Put leaves of an octree, each a cube from its lowest keys (n, 3) at a depth, into blocks; from leaf `first`.

    Returns the leaf at which there was no room.
    """
    for n in range(first, corners.shape[0]):
        size = 1 << (DEPTH - depths[n])
        x, y, z = corners[n, 0], corners[n, 1], corners[n, 2]
        if size < EDGE:
            slot = block_of(pack(x, y, z), table, slots, places, uniform, store, values, used)
            if slot < 0:
                return n
            a, b, c = x & IN, y & IN, z & IN
            values[slot, a : a + size, b : b + size, c : c + size] = leaves[n]
            continue
        count = size >> EDGE_BITS
        if used[0] + count**3 > uniform.shape[0] or used[2] + count**3 > FULL * table.shape[0]:
            return n
        for i in range(count):
            for j in range(count):
                for k in range(count):
                    bx, by, bz = (x >> EDGE_BITS) + i, (y >> EDGE_BITS) + j, (z >> EDGE_BITS) + k
                    at = find(table, pack(bx, by, bz))
                    if table[at] == EMPTY:
                        table[at], slots[at] = pack(bx, by, bz), used[0]
                        places[used[0], 0], places[used[0], 1], places[used[0], 2] = bx, by, bz
                        store[used[0]] = -1
                        used[0] += 1
                        used[2] += 1
                    uniform[slots[at]], store[slots[at]] = leaves[n], -1
    return int(corners.shape[0])
