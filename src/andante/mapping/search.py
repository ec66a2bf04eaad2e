"""`Pyramid`: upper bounds of a map's scores at halving resolutions, for the exhaustive search of a pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.geometry import Array

from ._pyramid_kernels import pool
from ._search_kernels import branch_and_bound, score_cells
from .log_odds import LogOddsGrid


@dataclass(frozen=True)
class SearchWindow:
    """Where to look for a pose around a guess, and what it costs to be far from it."""

    reach: float = 0.6  # along x and y [m]
    turn: float = 0.5  # [rad]
    turn_step: float = 0.01  # [rad]
    travel_penalty: float = 0.0  # score lost per squared metre [1/m^2]
    turn_penalty: float = 0.0  # score lost per squared radian [1/rad^2]


@dataclass(frozen=True)
class Found:
    """The best pose of a search; score 0 to 1, negative when nothing reached the least score."""

    pose: Array  # (3,)
    score: float


class Pyramid:
    """Scores of a log-odds grid and their upper bounds; kept up to date box by box as the grid changes."""

    def __init__(self, grid: LogOddsGrid, depth: int = 3) -> None:
        self._grid, self._depth = grid, depth
        self._levels: tuple[NDArray[np.uint8], ...] = ()
        self._corner = (0, 0)

    def update(self, low: Array, high: Array) -> None:
        """Take over what changed in the box from low (2,) to high (2,) [m]; everything when the grid has grown."""
        cells = self._grid.cells
        rows, cols = cells.shape
        if not self._levels or self._levels[0].shape != cells.shape or self._corner != self._grid.corner:
            self._levels = tuple(
                np.zeros((-(-rows // (1 << k)), -(-cols // (1 << k))), dtype=np.uint8) for k in range(self._depth + 1)
            )
            self._corner = self._grid.corner
            c0, r0, c1, r1 = 0, 0, cols, rows
        else:
            scale, corner = self._grid.resolution, self._grid.corner
            c0, r0 = (max(0, int(n)) for n in np.floor(low / scale) - corner)
            c1, r1 = (int(n) for n in np.minimum(np.floor(high / scale) - corner + 1, (cols, rows)))
        score_cells(cells, self._levels[0], r0, r1, c0, c1)
        for k in range(1, self._depth + 1):
            r0, c0 = max(0, r0 // 2 - 1), max(0, c0 // 2 - 1)
            r1, c1 = min(self._levels[k].shape[0], r1 // 2 + 1), min(self._levels[k].shape[1], c1 // 2 + 1)
            pool(self._levels[k - 1], self._levels[k], k == 1, r0, r1, c0, c1)

    def search(self, points: Array, guess: ArrayLike, window: SearchWindow, least: float = 0.0) -> Found:
        """The pose near a guess under which points (n, 2) of the robot's frame fit the map best."""
        pose, start = np.zeros(3), np.array(guess, dtype=float)
        if not self._levels or len(points) == 0:
            return Found(start, -1.0)
        ox, oy = self._grid.origin
        score = branch_and_bound(
            self._levels, ox, oy, self._grid.resolution, points, start, window.reach, window.turn, window.turn_step,
            window.travel_penalty, window.turn_penalty, least, pose,
        )  # fmt: skip
        return Found(pose if score > 0 else start, score)
