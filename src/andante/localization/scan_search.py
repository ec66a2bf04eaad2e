"""`ScanSearch`: where on a whole map a single scan could have been taken."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.geometry import Array, se2
from andante.mapping.matching.search import pool

from ._search_kernels import search_map
from .likelihood_field import LikelihoodField

COARSE = 0.1  # cells of the search are at least this wide [m]
DEPTH = (4, 7)  # least and most levels above the finest: blocks of 16 to 128 cells
BLOCKS = 64  # about so many blocks of the coarsest level lie across a map
APART, TURN = 0.6, 0.35  # poses nearer than this are one place [m, rad]
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
        count = search_map(
            self._cells, self._places, self._standable, points, self.resolution, headings, least,
            APART / self.resolution, TURN, best,
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
    return padded.reshape(rows, factor, cols, factor).max(axis=(1, 3))


def _standable(free: NDArray[np.uint8], depth: int) -> NDArray[np.uint8]:
    """Bits (rows, cols): bit k of a cell tells that a free cell lies in the 2^k x 2^k block that begins there."""
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
