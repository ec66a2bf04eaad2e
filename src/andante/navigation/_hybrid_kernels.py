"""Compiled kernels: footprint checks by discs, and hybrid A* over x, y, heading."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from andante.geometry import Array

from ._reeds_shepp_kernels import along_arc, shortest_word
from ._theta_kernels import heap_pop, heap_push


@njit(cache=True)
def clearance_at(
    x: float,
    y: float,
    c: float,
    s: float,
    distance: np.ndarray,
    resolution: float,
    discs: Array,
    enough: float,
    floor: float,
) -> float:
    """Least distance [m] between the discs of a footprint at a pose (cosine c, sine s) and obstacles; below 0 overlap.

    x, y are told from the corner of the grid [m]; outside it all is free. A reference point with `enough` room is
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


@njit(cache=True)
def word_is_free(
    x: float,
    y: float,
    yaw: float,
    turns: np.ndarray,
    lengths: Array,
    radius: float,
    step: float,
    distance: np.ndarray,
    resolution: float,
    discs: Array,
    enough: float,
) -> bool:
    """Whether a Reeds-Shepp word, told in turning radii, touches nothing and stays on the grid."""
    rows, cols = distance.shape
    for i in range(5):
        length = lengths[i] * radius
        if length == 0.0:
            continue
        count = max(1, math.ceil(abs(length) / step))
        for k in range(1, count + 1):
            px, py, p = along_arc(x, y, yaw, turns[i] / radius, length * k / count)
            if not (0.0 <= px < cols * resolution and 0.0 <= py < rows * resolution):
                return False
            if clearance_at(px, py, math.cos(p), math.sin(p), distance, resolution, discs, enough, 0.0) < 0.0:
                return False
        x, y, yaw = along_arc(x, y, yaw, turns[i] / radius, length)
    return True


@njit(cache=True)
def hybrid_search(
    start: Array,
    goal: Array,
    field: np.ndarray,
    distance: np.ndarray,
    cost: np.ndarray,
    factor: np.ndarray,
    resolution: float,
    discs: Array,
    enough: float,
    radius: float,
    cell: float,
    headings: int,
    arc: float,
    reverse: float,
    change: float,
    bend: float,
    most: int,
) -> tuple[int, Array, np.ndarray, Array, int]:
    """Hybrid A* (Dolgov, Thrun, Montemerlo, Diebel 2010): continuous poses in cells of x, y, heading.

    field (rows, cols) float32 is the price [m] from the goal on the grid, the heuristic together with the length of the
    Reeds-Shepp word. Steps are arcs of length `arc` with five curvatures, forwards or backwards; every now and then the
    shortest word to the goal is tried. Prices are lengths times the factor of the cell, times `reverse` backwards, plus
    `change` [m] for a change of direction and `bend` for steering.

    Returns status (0 found, 1 none, 2 too many states), poses (n, 4) x, y, yaw, direction, the final word's turns (5,)
    and lengths (5,) in radii, and the number of states expanded.
    """
    rows, cols = distance.shape
    ratio = resolution / cell
    wide, high = int(cols * ratio) + 1, int(rows * ratio) + 1
    size = wide * high * headings
    price = np.full(size, np.float32(np.inf), dtype=np.float32)
    closed = np.zeros(size, dtype=np.bool_)
    index = np.full(size, -1, dtype=np.int32)  # node of a cell
    room = 8192
    node = np.empty((room, 4))  # x, y, yaw, direction
    origin = np.empty(room, dtype=np.int32)
    where = np.empty(room, dtype=np.int32)
    steer = np.empty(room)
    heap_room = 8192
    keys, items = np.empty(heap_room), np.empty(heap_room, dtype=np.int64)
    turns, lengths = np.zeros(5, dtype=np.int64), np.zeros(5)
    step_check = max(0.75 * resolution, arc / 4)
    checks = max(1, math.ceil(arc / step_check))
    pi2 = 2 * math.pi
    bin_width = pi2 / headings
    node[0, 0], node[0, 1], node[0, 2], node[0, 3] = start[0], start[1], start[2], 0.0
    key = int((start[2] % pi2) / bin_width + 0.5) % headings
    first = (int(start[1] / cell) * wide + int(start[0] / cell)) * headings + key
    origin[0], where[0], steer[0] = -1, first, 0.0
    price[first], index[first] = 0.0, 0
    count, used, expanded, until = 0, 1, 0, 0
    count = heap_push(keys, items, count, 0.0, 0)
    final = -1
    while count > 0:
        here = items[0]
        count = heap_pop(keys, items, count)
        at = where[here]
        if closed[at] or index[at] != here:
            continue
        closed[at] = True
        expanded += 1
        x, y, yaw, way = node[here, 0], node[here, 1], node[here, 2], node[here, 3]
        so_far = float(price[at])
        until -= 1
        if until <= 0:
            dx, dy = goal[0] - x, goal[1] - y
            c, s = math.cos(yaw), math.sin(yaw)
            total = radius * shortest_word(
                (c * dx + s * dy) / radius, (c * dy - s * dx) / radius, goal[2] - yaw, turns, lengths
            )
            ahead = float(field[int(y / resolution), int(x / resolution)])
            sensible = total <= 1.5 * ahead + 6.0 * radius
            if sensible and word_is_free(
                x, y, yaw, turns, lengths, radius, step_check, distance, resolution, discs, enough
            ):
                final = here
                break
            until = int(max(1.0, min(ahead, total) / (3.0 * arc)))
        if expanded > most:
            return 2, np.empty((0, 4)), turns, lengths, expanded
        for k in range(10):
            direction = 1.0 if k < 5 else -1.0
            curve = (k % 5 - 2) * 0.5 / radius
            ok = True
            nx, ny, nyaw = x, y, yaw
            for j in range(1, checks + 1):
                nx, ny, nyaw = along_arc(x, y, yaw, curve, direction * arc * j / checks)
                if not (0.0 <= nx < cols * resolution and 0.0 <= ny < rows * resolution) or (
                    clearance_at(nx, ny, math.cos(nyaw), math.sin(nyaw), distance, resolution, discs, enough, 0.0) < 0.0
                ):
                    ok = False
                    break
            if not ok:
                continue
            key = int((nyaw % pi2) / bin_width + 0.5) % headings
            to = (int(ny / cell) * wide + int(nx / cell)) * headings + key
            if closed[to]:
                continue
            r, q = int(ny / resolution), int(nx / resolution)
            ahead = float(field[r, q])
            if ahead >= 1e9:
                continue
            weight = factor[cost[r, q]] / 8.0
            step = arc * max(weight, 1.0) * (1.0 + bend * abs(curve) * radius)
            if direction < 0:
                step *= reverse
            if way != 0.0 and direction != way:
                step += change
            step += 0.3 * bend * arc * abs(curve - steer[here]) * radius
            new = np.float32(so_far + step)
            if new >= price[to]:
                continue
            price[to] = new
            if used == room:
                node = np.concatenate((node, np.empty((room, 4))))
                origin = np.concatenate((origin, np.empty(room, dtype=np.int32)))
                where = np.concatenate((where, np.empty(room, dtype=np.int32)))
                steer = np.concatenate((steer, np.empty(room)))
                room *= 2
            node[used, 0], node[used, 1], node[used, 2], node[used, 3] = nx, ny, nyaw, direction
            origin[used], where[used], steer[used], index[to] = here, to, curve, used
            if ahead < 8.0 * radius:
                dx, dy = goal[0] - nx, goal[1] - ny
                c, s = math.cos(nyaw), math.sin(nyaw)
                word = radius * shortest_word(
                    (c * dx + s * dy) / radius, (c * dy - s * dx) / radius, goal[2] - nyaw, turns, lengths
                )
                ahead = max(ahead, word)
            if count == heap_room:
                keys = np.concatenate((keys, np.empty(heap_room)))
                items = np.concatenate((items, np.empty(heap_room, dtype=np.int64)))
                heap_room *= 2
            count = heap_push(keys, items, count, float(new) + ahead, used)
            used += 1
    if final < 0:
        return 1, np.empty((0, 4)), turns, lengths, expanded
    n, at = 1, final
    while origin[at] >= 0:
        at = origin[at]
        n += 1
    poses = np.empty((n, 4))
    at = final
    for i in range(n - 1, -1, -1):
        poses[i] = node[at]
        at = origin[at]
    return 0, poses, turns, lengths, expanded
