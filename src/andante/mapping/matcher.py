"""`MapMatcher`: one map at several resolutions that scans are laid on and drawn into."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.geometry import Array

from ._match_kernels import PROBABILITY, gauss_newton
from .grid import OccupancyGrid
from .log_odds import LogOddsGrid
from .parameters import MappingParameters
from .planar import place
from .search import Found, Pyramid, SearchWindow

CLAMP = (0.002, 0.998)
SEARCH_DEPTH = 2
MOST_POINTS = 400  # of a scan that is searched for; of denser ones every second, third ... is used
NO_PRIOR = np.zeros(3)


@dataclass(frozen=True)
class Match:
    """Pose (3,) of a scan on the map; score: mean occupancy under its ends, 0 to 1; information (3, 3), unscaled."""

    pose: Array
    score: float
    information: Array


class MapMatcher:
    """Log-odds maps of the same place, each twice as coarse as the one before (Kohlbrecher et al., 2011)."""

    def __init__(self, parameters: MappingParameters) -> None:
        p = self.parameters = parameters
        self.maps = [LogOddsGrid(p.resolution * 2**k, hit=p.hit, miss=p.miss, clamp=CLAMP) for k in range(p.levels)]
        self._search = Pyramid(self.maps[min(1, p.levels - 1)], SEARCH_DEPTH)
        self._stale: tuple[Array, Array] | None = None  # box that the search has not taken over yet
        self.drawn = 0

    def refine(self, points: Array, guess: Array, prior: Array = NO_PRIOR) -> Match:
        """Gauss-Newton from the coarsest to the finest map, from a guess (3,), for points (n, 2) in the robot's frame.

        prior (3,): weights of staying near the guess in x, y [1/m²] and yaw [1/rad²].
        """
        pose, H, score = np.array(guess, dtype=float), np.zeros((3, 3)), 0.0
        for grid in reversed(self.maps):
            ox, oy = grid.origin
            more = 1 if grid is self.maps[0] else 0
            score = gauss_newton(
                grid.cells, PROBABILITY, ox, oy, grid.resolution, points, pose, guess, prior,
                self.parameters.iterations + more, H,
            )  # fmt: skip
        return Match(pose, score, H)

    def search(self, points: Array, guess: Array, window: SearchWindow | None = None) -> Found:
        """The best pose on the lattice around a guess, by exhaustive correlative search."""
        p = self.parameters
        if self._stale is not None:
            self._search.update(*self._stale)
            self._stale = None
        window = window or SearchWindow(
            p.search_reach, p.search_turn, p.search_step, p.travel_penalty, p.turn_penalty
        )  # fmt: skip
        return self._search.search(points[:: 1 + len(points) // MOST_POINTS], guess, window)

    def draw(self, pose: Array, sensor: Array, ends: Array, is_hit: np.ndarray) -> None:
        """Draw a scan: sensor (2,) and ends of beams (m, 2) in the robot's frame at a pose (3,)."""
        at, to = place(pose, sensor[None])[0], place(pose, ends)
        for grid in self.maps:
            grid.add(at, to, is_hit)
        self.drawn += 1
        if len(to):
            low, high = np.minimum(at, to.min(axis=0)), np.maximum(at, to.max(axis=0))
            if self._stale is not None:
                low, high = np.minimum(low, self._stale[0]), np.maximum(high, self._stale[1])
            self._stale = low, high

    def occupancy(self) -> OccupancyGrid:
        """The finest map."""
        return self.maps[0].occupancy()
