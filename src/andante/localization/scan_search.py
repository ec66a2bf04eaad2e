"""`ScanSearch`: all poses on a map at which a single scan fits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.geometry import Array, se2
from andante.mapping.matcher import insert_child, pool, push_children, score_under

from .likelihood_field import LikelihoodField

COARSE = 0.1  # cells of the search are at least this wide [m]
DEPTH = (4, 7)  # least and most levels above the finest: blocks of 16 to 128 cells
BLOCKS = 64  # about so many blocks of the coarsest level lie across a map
APART, TURN = 0.6, 0.35  # poses nearer than this are one place [m, rad]
BUDGET = (
    2_000_000  # blocks that one search looks into (0.5 us each): on large open maps bounds are weak, and it must end
)
WIDE = 0.2  # deviation of the score about a wall [m]


@dataclass(frozen=True)
class Places:
    """Poses (n, 3) at which a scan fits, best first, with scores (n,) 0 to 1."""

    poses: Array
    scores: Array


class ScanSearch:
    """Exhaustive search of poses on a likelihood field, made cheap by upper bounds (branch and bound)."""

    def __init__(self, field: LikelihoodField) -> None:
        self._field = field
        grid = field.grid
        self._factor = max(1, round(COARSE / grid.resolution))
        self.resolution = grid.resolution * self._factor
        score = np.rint(255 * np.exp(-0.5 * (field.distance / max(WIDE, 1.5 * self.resolution)) ** 2))
        fine = _blocks(score.astype(np.uint8), self._factor)
        depth = int(np.clip(math.ceil(math.log2(max(fine.shape) / BLOCKS)), *DEPTH))
        levels = [fine]
        for k in range(depth):
            rows, cols = -(-levels[-1].shape[0] // 2), -(-levels[-1].shape[1] // 2)
            levels.append(np.zeros((rows, cols), dtype=np.uint8))
            pool(levels[-2], levels[-1], k == 0, 0, rows, 0, cols)
        self._cells = np.concatenate([level.ravel() for level in levels])
        begins = np.cumsum([0, *(level.size for level in levels[:-1])])
        self._places = np.array([[b, *level.shape] for b, level in zip(begins, levels, strict=True)], dtype=np.int64)
        free = _blocks(grid.free().astype(np.uint8), self._factor)
        self._standable = _standable(free, depth)

    def places(self, points: Array, most: int = 10, least: float = 0.4) -> Places:
        """The best distinct poses for points (m, 2) of the robot's frame, on free cells, scoring above `least`."""
        if len(points) == 0:
            return Places(np.zeros((0, 3)), np.zeros(0))
        reach = float(np.percentile(np.hypot(points[:, 0], points[:, 1]), 90))
        headings = int(np.clip(math.ceil(2 * math.pi * max(reach, 1.0) / (1.5 * self.resolution)), 72, 720))
        best = np.full((most, 4), -1.0)
        count, _ = search_map(
            self._cells, self._places, self._standable, points, self.resolution, headings, least,
            APART / self.resolution, TURN, best, BUDGET,
        )  # fmt: skip
        best = best[:count]
        at = (best[:, 1:3] + 0.5) * self.resolution
        local = np.column_stack([at, best[:, 3]])
        return Places(se2.compose(self._field.grid.origin, local), best[:, 0].copy())


def _blocks(cells: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """Greatest value of each block of factor x factor cells."""
    if factor == 1:
        return np.ascontiguousarray(cells)
    rows, cols = -(-cells.shape[0] // factor), -(-cells.shape[1] // factor)
    padded = np.zeros((rows * factor, cols * factor), dtype=np.uint8)
    padded[: cells.shape[0], : cells.shape[1]] = cells
    blocks: NDArray[np.uint8] = padded.reshape(rows, factor, cols, factor).max(axis=(1, 3))
    return blocks


def _standable(free: NDArray[np.uint8], depth: int) -> NDArray[np.uint8]:
    """Bits (rows, cols): bit k of a cell is set when a free cell lies in the 2^k x 2^k block that begins there."""
    out = (free > 0).astype(np.uint8)
    rows, cols = free.shape
    block = free > 0
    for k in range(1, depth + 1):
        half = 1 << (k - 1)
        grown = np.zeros((rows + half, cols + half), dtype=bool)
        grown[:rows, :cols] = block
        block = grown[:rows, :cols] | grown[half:, :cols] | grown[:rows, half:] | grown[half:, half:]
        out |= block.astype(np.uint8) << np.uint8(k)
    return out


@njit()
def _score(cells: np.ndarray, places: np.ndarray, k: int, at: np.ndarray, dc: int, dr: int) -> int:
    """Sum of level k under cells (m, 2) of the robot's surroundings, shifted by dc, dr."""
    begin, rows, cols = places[k, 0], places[k, 1], places[k, 2]
    return score_under(cells[begin : begin + rows * cols].reshape((rows, cols)), k, at, dc, dr)


@njit()
def _turned(points: Array, heading: float, scale: float, at: np.ndarray) -> None:
    """Cells (m, 2) of points (m, 2) turned by a heading, seen from the middle of the robot's cell."""
    c, s = scale * math.cos(heading), scale * math.sin(heading)
    for p in range(len(points)):
        at[p, 0] = math.floor(c * points[p, 0] - s * points[p, 1] + 0.5)
        at[p, 1] = math.floor(s * points[p, 0] + c * points[p, 1] + 0.5)


@njit()
def _enter(best: Array, count: int, score: float, c: float, r: float, heading: float, apart: float, turn: float) -> int:
    """Put a pose into the list `best` (most, 4) of score, column, row, heading, sorted by score; return its length.

    Poses nearer than `apart` [cells] and `turn` [rad] to a better one are left out; worse ones near it leave the list.
    """
    kept = 0
    for i in range(count):
        dc, dr = best[i, 1] - c, best[i, 2] - r
        dt = abs((best[i, 3] - heading + math.pi) % (2.0 * math.pi) - math.pi)
        near = dc * dc + dr * dr < apart * apart and dt < turn
        if near and best[i, 0] >= score:
            return count
        if not near:
            if kept != i:
                best[kept] = best[i]
            kept += 1
    place = min(kept, len(best) - 1)
    if kept == len(best) and best[place, 0] >= score:
        return kept
    while place > 0 and best[place - 1, 0] < score:
        best[place] = best[place - 1]
        place -= 1
    best[place, 0], best[place, 1], best[place, 2], best[place, 3] = score, c, r, heading
    return min(kept + 1, len(best))


@njit()
def search_map(
    cells: np.ndarray, places: np.ndarray, standable: np.ndarray, points: Array, resolution: float, headings: int,
    least: float, apart: float, turn: float, best: Array, budget: int,
) -> tuple[int, int]:  # fmt: skip
    """Fill `best` (most, 4) with score 0 to 1, column, row and heading of the best distinct poses; return how many.

    At most `budget` blocks are looked into, the most promising first; returned second is how many were.

    cells (n,) holds the levels one after another, places (k, 3) the first number, rows and columns of each. The robot
    may stand where bit k of standable (rows, cols) is set: bit 0 of the cell itself, bit k of any cell of the block
    of 2^k x 2^k that begins there. Poses are whole cells and 2 pi / headings apart; every pose that scores above
    `least` and above the worst of a full list is found.
    """
    top = len(places) - 1
    rows, cols = standable.shape
    n = len(points)
    weight = 1.0 / (255.0 * max(n, 1))
    block = 1 << top
    at = np.empty((headings, n, 2), dtype=np.int32)
    high, wide = (rows + block - 1) // block, (cols + block - 1) // block
    bounds = np.empty(headings * high * wide)
    ids = np.empty((headings * high * wide, 3), dtype=np.int32)
    count = 0
    for h in range(headings):
        _turned(points, -math.pi + h * 2.0 * math.pi / headings, 1.0 / resolution, at[h])
        for i in range(high):
            for j in range(wide):
                if not standable[i * block, j * block] & block:
                    continue
                bound = weight * _score(cells, places, top, at[h], j * block, i * block)
                if bound > least:
                    bounds[count] = bound
                    ids[count, 0], ids[count, 1], ids[count, 2] = h, j * block, i * block
                    count += 1
    order = np.argsort(-bounds[:count])
    found = 0
    stack, stack_bound = np.empty((4 * top + 8, 3), dtype=np.int32), np.empty(4 * top + 8)
    child, child_bound = np.empty((4, 2), dtype=np.int32), np.empty(4)
    looked = 0
    for index in order:
        if looked >= budget:
            break
        limit = best[len(best) - 1, 0] if found == len(best) else least
        if bounds[index] <= limit:
            break
        h = ids[index, 0]
        heading = -math.pi + h * 2.0 * math.pi / headings
        stack[0, 0], stack[0, 1], stack[0, 2] = top, ids[index, 1], ids[index, 2]
        stack_bound[0] = bounds[index]
        depth = 1
        while depth > 0 and looked < budget:
            depth -= 1
            looked += 1
            limit = best[len(best) - 1, 0] if found == len(best) else least
            if stack_bound[depth] <= limit:
                continue
            k, c, r = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            if k == 0:
                found = _enter(best, found, stack_bound[depth], c, r, heading, apart, turn)
                continue
            size = 1 << (k - 1)
            many = 0
            for a in range(2):
                for b in range(2):
                    x, y = c + a * size, r + b * size
                    if x >= cols or y >= rows or not standable[y, x] & size:
                        continue
                    bound = weight * _score(cells, places, k - 1, at[h], x, y)
                    if bound > limit:
                        many = insert_child(child, child_bound, many, bound, x, y)
            depth = push_children(stack, stack_bound, depth, child, child_bound, many, k - 1)
    return found, looked
