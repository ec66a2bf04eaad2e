"""Compiled kernels: Dijkstra and A* on eight-connected grids with a queue of buckets."""

from __future__ import annotations

import numpy as np
from numba import njit

STRAIGHT, DIAGONAL = 12, 17  # step lengths, 17 / 12 = 1.4167
UNREACHED = np.int32(2**31 - 1)


@njit(cache=True)
def grid_search(
    cost: np.ndarray, factor: np.ndarray, start: int, goal: int, guided: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    """Price (rows · cols,) int32 of the cheapest way from `start` to every cell, steps (…,) uint8, cells expanded.

    A step between neighbours a, b costs (12 straight, 17 diagonal) · (factor[cost[a]] + factor[cost[b]]); factor 0
    blocks, and no diagonal step passes a blocked corner. goal >= 0 stops as soon as its price is final; `guided` adds
    the octile distance (A*). steps[b] = 1 + direction by which b was reached, 0: never.

    Open cells wait in a ring of buckets as wide as the cheapest step (Dial 1969 with buckets of the caliber): cells of
    one bucket cannot improve each other under Dijkstra; under A* they may, and are opened again.
    """
    rows, cols = cost.shape
    size = rows * cols
    flat = cost.reshape(size)
    price = np.full(size, UNREACHED, dtype=np.int32)
    steps = np.zeros(size, dtype=np.uint8)
    row_step = np.array([0, 1, 0, -1, 1, 1, -1, -1])
    col_step = np.array([1, 0, -1, 0, 1, -1, -1, 1])
    least, largest = 1 << 30, 0
    for k in range(256):
        if factor[k] > 0:
            least, largest = min(least, factor[k]), max(largest, factor[k])
    if largest == 0 or factor[flat[start]] == 0:
        return price, steps, 0
    width = 2 * STRAIGHT * least
    if guided:
        width = max(1, width // 3)
    ring = (4 * DIAGONAL * largest) // width + 4
    limit = UNREACHED - 4 * DIAGONAL * largest
    head = np.full(ring, -1, dtype=np.int32)
    room = 4096
    node_cell = np.empty(room, dtype=np.int32)
    node_price = np.empty(room, dtype=np.int32)
    node_next = np.empty(room, dtype=np.int32)
    spare = -1  # recycled nodes
    used = 0
    goal_r, goal_c = goal // cols, goal % cols
    unit = 2 * least
    price[start] = 0
    first = 0
    if guided:
        dr, dc = abs(start // cols - goal_r), abs(start % cols - goal_c)
        first = unit * (STRAIGHT * (dr + dc) - (2 * STRAIGHT - DIAGONAL) * min(dr, dc))
    bucket = first // width
    node_cell[0], node_price[0], node_next[0] = start, 0, -1
    head[bucket % ring] = 0
    used, waiting, expanded = 1, 1, 0
    while waiting > 0:
        if goal >= 0 and price[goal] <= bucket * width:
            break
        slot = bucket % ring
        while head[slot] >= 0:
            node = head[slot]
            head[slot] = node_next[node]
            cell, known = node_cell[node], node_price[node]
            node_next[node] = spare
            spare = node
            waiting -= 1
            if known != price[cell]:
                continue  # a cheaper way was found meanwhile
            expanded += 1
            r, c = cell // cols, cell % cols
            here = factor[flat[cell]]
            for k in range(8):
                nr, nc = r + row_step[k], c + col_step[k]
                if nr < 0 or nr >= rows or nc < 0 or nc >= cols:
                    continue
                other = nr * cols + nc
                there = factor[flat[other]]
                if there == 0:
                    continue
                if k < 4:
                    total = known + STRAIGHT * (here + there)
                else:
                    if factor[flat[r * cols + nc]] == 0 or factor[flat[nr * cols + c]] == 0:
                        continue
                    total = known + DIAGONAL * (here + there)
                if total >= price[other] or total > limit:
                    continue
                price[other] = total
                steps[other] = k + 1
                rank = total
                if guided:
                    dr, dc = abs(nr - goal_r), abs(nc - goal_c)
                    rank += unit * (STRAIGHT * (dr + dc) - (2 * STRAIGHT - DIAGONAL) * min(dr, dc))
                    if rank > limit:
                        continue
                if spare >= 0:
                    node = spare
                    spare = node_next[node]
                else:
                    if used == room:
                        node_cell = np.concatenate((node_cell, np.empty(room, dtype=np.int32)))
                        node_price = np.concatenate((node_price, np.empty(room, dtype=np.int32)))
                        node_next = np.concatenate((node_next, np.empty(room, dtype=np.int32)))
                        room *= 2
                    node = used
                    used += 1
                at = (rank // width) % ring
                node_cell[node], node_price[node], node_next[node] = other, total, head[at]
                head[at] = node
                waiting += 1
        bucket += 1
    return price, steps, expanded


@njit(cache=True)
def walk_back(steps: np.ndarray, cols: int, start: int, goal: int) -> np.ndarray:
    """Cells (n,) from start to goal along the steps that a search noted; empty when the goal was not reached."""
    row_step = np.array([0, 1, 0, -1, 1, 1, -1, -1])
    col_step = np.array([1, 0, -1, 0, 1, -1, -1, 1])
    if goal != start and steps[goal] == 0:
        return np.empty(0, dtype=np.int64)
    count, cell = 1, goal
    while cell != start:
        k = steps[cell] - 1
        cell -= row_step[k] * cols + col_step[k]
        count += 1
    out = np.empty(count, dtype=np.int64)
    cell = goal
    for i in range(count - 1, -1, -1):
        out[i] = cell
        if cell != start:
            k = steps[cell] - 1
            cell -= row_step[k] * cols + col_step[k]
    return out
