"""Compiled correlative search of a pose: branch and bound over upper bounds (Olson, 2009; Hess et al., 2016)."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

from ._pyramid_kernels import score_under


@njit(cache=True)
def score_cells(cells: np.ndarray, scores: np.ndarray, r0: int, r1: int, c0: int, c1: int) -> None:
    """Level 0 from log odds in thousandths: 255 (2 p - 1) for occupied cells, 0 for free and unknown ones."""
    for r in range(r0, r1):
        for c in range(c0, c1):
            v = cells[r, c]
            scores[r, c] = 0 if v <= 0 else int(255.0 * math.tanh(0.0005 * v))


@njit(cache=True)
def _nearest(low: int, size: int) -> float:
    """Distance from 0 to the nearest number of low, low + 1, ..., low + size - 1."""
    if low > 0:
        return float(low)
    high = low + size - 1
    return float(-high) if high < 0 else 0.0


@njit(cache=True)
def branch_and_bound(
    levels: tuple[np.ndarray, ...],
    ox: float,
    oy: float,
    resolution: float,
    points: Array,
    guess: Array,
    reach: float,
    turn: float,
    turn_step: float,
    travel_penalty: float,
    turn_penalty: float,
    least: float,
    found: Array,
) -> float:
    """Best pose `found` (3,) within `reach` [m] along x and y and `turn` [rad] of the guess, and its score; -1: none.

    score = mean over the points of level 0 / 255 - travel_penalty · (dx² + dy²) [1/m²] - turn_penalty · dyaw² [1/rad²],
    on the lattice of whole cells and whole turn steps; only scores above `least` are looked for. The result is the
    true maximum on the lattice.
    """
    top = len(levels) - 1
    n, steps, span = len(points), math.ceil(turn / turn_step), math.ceil(reach / resolution)
    turns = 2 * steps + 1
    block = 1 << top
    across = (2 * span + block) // block
    at = np.empty((turns, n, 2), dtype=np.int32)
    weight = 1.0 / (255.0 * max(n, 1))
    wt = travel_penalty * resolution * resolution
    bounds = np.empty(turns * across * across)
    ids = np.empty((turns * across * across, 3), dtype=np.int32)
    count = 0
    for t in range(turns):
        off = (t - steps) * turn_step
        c, s = math.cos(guess[2] + off), math.sin(guess[2] + off)
        for p in range(n):
            x = c * points[p, 0] - s * points[p, 1] + guess[0] - ox
            y = s * points[p, 0] + c * points[p, 1] + guess[1] - oy
            at[t, p, 0], at[t, p, 1] = math.floor(x / resolution), math.floor(y / resolution)
        toll = turn_penalty * off * off
        for i in range(across):
            dx = -span + i * block
            ax = _nearest(dx, block)
            for j in range(across):
                dy = -span + j * block
                ay = _nearest(dy, block)
                bound = -toll - wt * (ax * ax + ay * ay)
                if bound + 1.0 <= least:
                    continue
                bound += weight * score_under(levels[top], top, at[t], dx, dy)
                if bound > least:
                    bounds[count] = bound
                    ids[count, 0], ids[count, 1], ids[count, 2] = t, dx, dy
                    count += 1
    order = np.argsort(-bounds[:count])
    best = least
    stack = np.empty((4 * top + 8, 4), dtype=np.int32)
    stack_bound = np.empty(4 * top + 8)
    child, child_bound = np.empty((4, 3), dtype=np.int32), np.empty(4)
    hit = False
    for index in order:
        if bounds[index] <= best:
            break
        t = ids[index, 0]
        off = (t - steps) * turn_step
        toll = turn_penalty * off * off
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = top, ids[index, 1], ids[index, 2], t
        stack_bound[0] = bounds[index]
        depth = 1
        while depth > 0:
            depth -= 1
            if stack_bound[depth] <= best:
                continue
            k, dx, dy = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            if k == 0:
                best, hit = stack_bound[depth], True
                found[0], found[1], found[2] = guess[0] + dx * resolution, guess[1] + dy * resolution, guess[2] + off
                continue
            size = 1 << (k - 1)
            many = 0
            for a in range(2):
                for b in range(2):
                    x, y = dx + a * size, dy + b * size
                    if x > span or y > span:
                        continue
                    ax, ay = _nearest(x, size), _nearest(y, size)
                    bound = weight * score_under(levels[k - 1], k - 1, at[t], x, y) - toll - wt * (ax * ax + ay * ay)
                    if bound > best:
                        place = many
                        while place > 0 and child_bound[place - 1] > bound:  # best last: on top of the stack
                            child_bound[place] = child_bound[place - 1]
                            child[place] = child[place - 1]
                            place -= 1
                        child_bound[place] = bound
                        child[place, 0], child[place, 1], child[place, 2] = k - 1, x, y
                        many += 1
            for m in range(many):
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = child[m, 0], child[m, 1], child[m, 2]
                stack[depth, 3] = t
                stack_bound[depth] = child_bound[m]
                depth += 1
    return best if hit else -1.0
