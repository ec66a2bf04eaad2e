"""The tree of an `OcTree`, level by level, and the streams of OctoMap's files in both directions.

A node exists where anything below it is known. Eight leaves of one value are one leaf; other nodes have the largest
value of their children (Hornung et al. 2013, eq. 6). Children are counted by x + 2 y + 4 z.

`.bt`: a node is two bytes, two bits a child: 0 unknown, 1 free, 2 occupied, 3 with children of its own, which follow in
order. `.ot`: a node is its value (float32) and one byte that tells which children exist; they follow in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit

from .kernels import DEPTH, EDGE_BITS, Values

TOP = DEPTH - EDGE_BITS  # depth of a block
NONE, LEAF, INNER = 0, 1, 2
Kinds = NDArray[np.int8]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Pyramid:
    """Nodes of a tree. Above the blocks: values, kinds, children of each level; in blocks: cubes of 8, 4, 2 nodes."""

    values: Values  # (nodes,) of depth 0 to that of blocks, level after level, in order of their keys
    kinds: Kinds
    first: NDArray[np.int64]  # (nodes,) index of the first child, of a block: its slot or -1
    children: NDArray[np.uint8]  # (nodes,) which children exist, bit by bit
    inside: tuple[Values, Values, Values]  # (blocks, n, n, n) for n = 8, 4, 2
    inside_kinds: tuple[Kinds, Kinds, Kinds]


def pyramid(places: NDArray[np.int32], uniform: Values, store: NDArray[np.int32], cells: Values) -> Pyramid:
    """The tree over blocks as of `OcTree.blocks`."""
    inside, kinds = [cells], [np.where(np.isnan(cells), NONE, LEAF).astype(np.int8)]
    while inside[-1].shape[1] > 1:
        count, edge = len(cells), inside[-1].shape[1] // 2
        above, kind = (
            np.empty((count, edge, edge, edge), dtype=np.float32),
            np.empty((count, edge, edge, edge), dtype=np.int8),
        )
        merge_inside(inside[-1], kinds[-1], above, kind)
        inside.append(above)
        kinds.append(kind)
    value, kind = uniform.copy(), np.where(np.isnan(uniform), NONE, LEAF).astype(np.int8)
    dense = store >= 0
    value[dense], kind[dense] = inside[-1][store[dense], 0, 0, 0], kinds[-1][store[dense], 0, 0, 0]
    there = kind != NONE
    names = interleave(places[there].astype(np.int64))
    order = np.argsort(names)
    names, value, kind = names[order], value[there][order], kind[there][order]
    first, children = store[there][order].astype(np.int64), np.zeros(len(names), dtype=np.uint8)
    levels = [(value, kind, first, children)]
    for _ in range(TOP):
        parents, begin = np.unique(names >> 3, return_index=True)
        value, kind = np.empty(len(parents), dtype=np.float32), np.empty(len(parents), dtype=np.int8)
        children = np.empty(len(parents), dtype=np.uint8)
        merge_above(names, levels[-1][0], levels[-1][1], begin, value, kind, children)
        levels.append((value, kind, begin.astype(np.int64), children))
        names = parents
    levels.reverse()  # the root first
    offset = 0
    for n in range(TOP):
        offset += len(levels[n][0])
        levels[n] = (*levels[n][:2], levels[n][2] + offset, levels[n][3])
    joined = [np.concatenate([level[i] for level in levels]) for i in range(4)]
    return Pyramid(joined[0], joined[1], joined[2], joined[3], tuple(inside[:EDGE_BITS]), tuple(kinds[:EDGE_BITS]))  # type: ignore[arg-type]


def interleave(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Morton number (n,) of keys (n, 3): their bits in turn, x lowest."""
    out = np.zeros(len(keys), dtype=np.int64)
    for bit in range(DEPTH):
        for axis in range(3):
            out |= ((keys[:, axis] >> bit) & 1) << (3 * bit + axis)
    return out


@njit()
def merge_inside(below: Any, below_kinds: Any, above: Any, kinds: Any) -> None:
    """Nodes (n, e, e, e) over cubes of 2 x 2 x 2 nodes (n, 2e, 2e, 2e)."""
    for n in range(above.shape[0]):
        for i in range(above.shape[1]):
            for j in range(above.shape[2]):
                for k in range(above.shape[3]):
                    value, kind, same = np.float32(-np.inf), NONE, True
                    for c in range(8):
                        x, y, z = 2 * i + (c & 1), 2 * j + ((c >> 1) & 1), 2 * k + (c >> 2)
                        if below_kinds[n, x, y, z] != NONE:
                            kind = INNER
                            value = max(value, below[n, x, y, z])
                        same = (
                            same
                            and below_kinds[n, x, y, z] == LEAF
                            and below[n, x, y, z] == below[n, 2 * i, 2 * j, 2 * k]
                        )
                    above[n, i, j, k] = value
                    kinds[n, i, j, k] = LEAF if same else kind


@njit()
def merge_above(names: Any, values: Any, kinds: Any, begin: Any, above: Any, above_kinds: Any, children: Any) -> None:
    """Nodes over those of the level below, whose numbers `names` are sorted; those of parent n begin at begin[n]."""
    for n in range(begin.shape[0]):
        last = begin[n + 1] if n + 1 < begin.shape[0] else names.shape[0]
        value, mask, same = np.float32(-np.inf), 0, last - begin[n] == 8
        for i in range(begin[n], last):
            mask |= 1 << (names[i] & 7)
            value = max(value, values[i])
            same = same and kinds[i] == LEAF and values[i] == values[begin[n]]
        above[n], children[n] = value, mask
        above_kinds[n] = LEAF if same else INNER


@njit()
def emit(
    values: Any, kinds: Any, first: Any, children: Any, inside: Any, inside_kinds: Any, whole: bool, out: Bytes
) -> tuple[int, int]:
    """The stream of a tree into `out`, as `.ot` (whole) or as `.bt`; returns its bytes and how many nodes it has."""
    used, nodes = 0, 1
    stack = np.empty((8 * DEPTH + 8, 5), dtype=np.int64)  # depth, node or block, x, y, z in the block
    stack[0, :] = 0
    top = 1
    word = np.empty(1, dtype=np.float32)
    child_kind, child_value = np.empty(8, dtype=np.int64), np.empty(8, dtype=np.float32)
    child = np.empty((8, 4), dtype=np.int64)
    while top > 0:
        top -= 1
        depth, node, x, y, z = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4]
        level = depth - TOP  # within a block
        if level <= 0:
            kind, value = kinds[node], values[node]
        elif level == 1:
            kind, value = inside_kinds[2][node, x, y, z], inside[2][node, x, y, z]
        elif level == 2:
            kind, value = inside_kinds[1][node, x, y, z], inside[1][node, x, y, z]
        else:
            kind, value = inside_kinds[0][node, x, y, z], inside[0][node, x, y, z]
        child_kind[:] = NONE
        if kind == INNER and level < 0:
            index = first[node]
            for c in range(8):
                if (children[node] >> c) & 1:
                    child_kind[c], child_value[c] = kinds[index], values[index]
                    child[c, 0], child[c, 1], child[c, 2], child[c, 3] = index, 0, 0, 0
                    index += 1
        elif kind == INNER:
            block = first[node] if level == 0 else node
            for c in range(8):
                a, b, d = 2 * x + (c & 1), 2 * y + ((c >> 1) & 1), 2 * z + (c >> 2)
                child[c, 0], child[c, 1], child[c, 2], child[c, 3] = block, a, b, d
                if level == 0:
                    child_kind[c], child_value[c] = inside_kinds[2][block, a, b, d], inside[2][block, a, b, d]
                elif level == 1:
                    child_kind[c], child_value[c] = inside_kinds[1][block, a, b, d], inside[1][block, a, b, d]
                else:
                    child_kind[c], child_value[c] = inside_kinds[0][block, a, b, d], inside[0][block, a, b, d]
        if whole:
            word[0] = value
            out[used : used + 4] = word.view(np.uint8)
            mask = 0
            for c in range(8):
                if child_kind[c] != NONE:
                    mask |= 1 << c
            out[used + 4] = mask
            used += 5
        else:
            bits = 0
            for c in range(8):
                if child_kind[c] == INNER:
                    bits |= 3 << (2 * c)
                elif child_kind[c] == LEAF:
                    bits |= (2 if child_value[c] > 0.0 else 1) << (2 * c)
            out[used], out[used + 1] = bits & 255, bits >> 8
            used += 2
        for c in range(7, -1, -1):
            nodes += child_kind[c] != NONE
            if child_kind[c] == INNER or (whole and child_kind[c] == LEAF):
                stack[top, 0] = depth + 1
                stack[top, 1:] = child[c]
                top += 1
    return used, nodes


BAD_END, TOO_DEEP = -1, -2


@njit()
def parse(data: Bytes, whole: bool, extra: int, low: float, high: float, corners: Any, depths: Any, values: Any) -> int:
    """Leaves of a stream: lowest keys (n, 3), depths (n,), values (n,); returns how many, or what is wrong with it.

    whole: `.ot`, with `extra` bytes of color after each value, which are passed over; low, high: values of free and
    occupied leaves of a `.bt`.
    """
    stack = np.empty((8 * DEPTH + 8, 4), dtype=np.int64)  # depth, x, y, z
    stack[0, :] = 0
    top, used, found = 1, 0, 0
    word = np.empty(4, dtype=np.uint8)
    while top > 0:
        top -= 1
        depth, x, y, z = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        if used + (5 + extra if whole else 2) > data.shape[0]:
            return BAD_END
        if whole:
            word[:] = data[used : used + 4]
            mask = np.int64(data[used + 4 + extra])
            used += 5 + extra
            if mask == 0:
                corners[found, 0], corners[found, 1], corners[found, 2] = x, y, z
                depths[found], values[found] = depth, word.view(np.float32)[0]
                found += 1
                continue
            bits = np.int64(0)
            for c in range(8):
                if (mask >> c) & 1:
                    bits |= 3 << (2 * c)
        else:
            bits = np.int64(data[used]) | (np.int64(data[used + 1]) << 8)
            used += 2
        if depth == DEPTH and bits:
            return TOO_DEEP
        half = 1 << (DEPTH - 1 - depth) if depth < DEPTH else 0
        for c in range(7, -1, -1):
            state = (bits >> (2 * c)) & 3
            a, b, d = x + half * (c & 1), y + half * ((c >> 1) & 1), z + half * (c >> 2)
            if state == 3:
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = depth + 1, a, b, d
                top += 1
            elif state:
                corners[found, 0], corners[found, 1], corners[found, 2] = a, b, d
                depths[found], values[found] = depth + 1, low if state == 1 else high
                found += 1
    return found
