"""`ScanSearch`: where on a whole map a single scan could have been taken."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.geometry import Array, se2

from ._search_kernels import pooled, search_map
from .likelihood_field import LikelihoodField

COARSE = 0.1  # cells of the search are at least this wide [m]
DEPTH = 4  # levels above the finest: blocks of 16 cells
PAD = 1 << DEPTH  # empty cells below row and column 0: a block that begins outside of the map holds nothing
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
        fine = _padded(_blocks(score.astype(np.uint8), self._factor))
        levels = [fine]
        for k in range(DEPTH):
            levels.append(pooled(levels[-1], k == 0))
        self._levels = tuple(levels)
        self._standable = _standable(_padded(_blocks(grid.free().astype(np.uint8), self._factor)))

    def places(self, points: Array, most: int = 10, least: float = 0.4) -> Places:
        """The best distinct poses for points (m, 2) of the robot's frame, on free cells, scoring above `least`."""
        if len(points) == 0:
            return Places(np.zeros((0, 3)), np.zeros(0))
        reach = float(np.percentile(np.hypot(points[:, 0], points[:, 1]), 90))
        headings = int(np.clip(math.ceil(2 * math.pi * max(reach, 1.0) / (1.5 * self.resolution)), 72, 720))
        best = np.full((most, 4), -1.0)
        count = search_map(
            self._levels, self._standable, points, self.resolution, headings, least, APART / self.resolution, TURN, best
        )
        best = best[:count]
        at = (best[:, 1:3] + 0.5 - PAD) * self.resolution
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


def _padded(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The cells with PAD empty rows below and columns to the left."""
    return np.pad(cells, ((PAD, 0), (PAD, 0)))


def _standable(free: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Bits (rows, cols): bit k of a cell tells that a free cell lies in the 2^k x 2^k block that begins there."""
    out = (free > 0).astype(np.uint8)
    rows, cols = free.shape
    block = free > 0
    for k in range(1, DEPTH + 1):
        half = 1 << (k - 1)
        grown = np.zeros((rows + half, cols + half), dtype=bool)
        grown[:rows, :cols] = block
        block = grown[:rows, :cols] | grown[half:, :cols] | grown[:rows, half:] | grown[half:, half:]
        out |= block.astype(np.uint8) << np.uint8(k)
    return out
