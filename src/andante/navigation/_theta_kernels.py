"""Compiled kernels: prices of straight lines across a grid, and lazy Theta* for paths of any angle."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True)
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
    return math.sqrt(float(dr * dr + dc * dc)) * total / count


@njit(cache=True)
def heap_push(keys: np.ndarray, items: np.ndarray, count: int, key: float, item: int) -> int:
    """Add an item to a binary heap on two arrays; returns the new count."""
    i = count
    while i > 0:
        up = (i - 1) >> 1
        if keys[up] <= key:
            break
        keys[i], items[i] = keys[up], items[up]
        i = up
    keys[i], items[i] = key, item
    return count + 1


@njit(cache=True)
def heap_pop(keys: np.ndarray, items: np.ndarray, count: int) -> int:
    """Remove the first item, which the caller read before; returns the new count."""
    count -= 1
    key, item = keys[count], items[count]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= count:
            break
        if child + 1 < count and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[i], items[i] = keys[child], items[child]
        i = child
    keys[i], items[i] = key, item
    return count


@njit(cache=True)
def any_angle_search(cost: np.ndarray, factor: np.ndarray, start: int, goal: int) -> tuple[float, np.ndarray, int]:
    """Price of the way, its corner cells (n,) from start to goal (empty: none) and cells expanded, by lazy Theta*.

    A cell first takes its parent's parent on trust; when it is expanded the line is checked once, and a blocked or
    dearer line gives way to the best neighbour (Nash, Koenig, Tovey 2010). Lines cost length · mean factor.
    """
    rows, cols = cost.shape
    size = rows * cols
    flat = cost.reshape(size)
    price = np.full(size, np.inf)
    parent = np.full(size, -1, dtype=np.int64)
    closed = np.zeros(size, dtype=np.bool_)
    least = 1 << 30
    for k in range(256):
        if factor[k] > 0:
            least = min(least, factor[k])
    nothing = np.empty(0, dtype=np.int64)
    if factor[flat[start]] == 0 or factor[flat[goal]] == 0:
        return np.inf, nothing, 0
    room = 4096
    keys, items = np.empty(room), np.empty(room, dtype=np.int64)
    goal_r, goal_c = goal // cols, goal % cols
    price[start], parent[start] = 0.0, start
    count = heap_push(keys, items, 0, 0.0, start)
    expanded = 0
    while count > 0:
        cell = items[0]
        count = heap_pop(keys, items, count)
        if closed[cell]:
            continue
        closed[cell] = True
        r, c = cell // cols, cell % cols
        if cell != start:
            up = parent[cell]
            line = line_price(cost, factor, up // cols, up % cols, r, c)
            best, best_from = price[up] + line, up
            if line == np.inf or best > price[cell] + 1e-9:
                for k in range(9):
                    nr, nc = r + k // 3 - 1, c + k % 3 - 1
                    if k == 4 or nr < 0 or nr >= rows or nc < 0 or nc >= cols:
                        continue
                    other = nr * cols + nc
                    if closed[other]:
                        step = line_price(cost, factor, nr, nc, r, c)
                        if price[other] + step < best:
                            best, best_from = price[other] + step, other
            price[cell], parent[cell] = best, best_from
        expanded += 1
        if cell == goal:
            break
        base = parent[cell]
        base_r, base_c = base // cols, base % cols
        here, there0 = factor[flat[base]], factor[flat[cell]]
        for k in range(9):
            nr, nc = r + k // 3 - 1, c + k % 3 - 1
            if k == 4 or nr < 0 or nr >= rows or nc < 0 or nc >= cols:
                continue
            other = nr * cols + nc
            f = factor[flat[other]]
            if f == 0 or closed[other]:
                continue
            if nr != r and nc != c and (factor[flat[r * cols + nc]] == 0 or factor[flat[nr * cols + c]] == 0):
                continue
            far = math.sqrt(float((nr - base_r) ** 2 + (nc - base_c) ** 2))
            guess = price[base] + far * (here + there0 + f) / 3.0  # on trust; checked when it is expanded
            if guess < price[other]:
                price[other], parent[other] = guess, base
                if count == room:
                    keys = np.concatenate((keys, np.empty(room)))
                    items = np.concatenate((items, np.empty(room, dtype=np.int64)))
                    room *= 2
                ahead = math.sqrt(float((nr - goal_r) ** 2 + (nc - goal_c) ** 2))
                count = heap_push(keys, items, count, guess + least * ahead, other)
    if not closed[goal]:
        return np.inf, nothing, expanded
    n, cell = 1, goal
    while cell != start:
        cell = parent[cell]
        n += 1
    out = np.empty(n, dtype=np.int64)
    cell = goal
    for i in range(n - 1, -1, -1):
        out[i] = cell
        cell = parent[cell]
    return price[goal], out, expanded
