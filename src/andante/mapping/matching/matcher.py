"""`MapMatcher`: one map at several resolutions that scans are matched to and drawn into (Kohlbrecher et al., 2011)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from andante.geometry import Array
from andante.mapping.grid import LogOddsGrid, OccupancyGrid
from andante.mapping.parameters import MappingParameters
from andante.mapping.planar import place

from .search import Found, Pyramid, SearchWindow

LOWEST = 8000  # log odds are looked up from -LOWEST to LOWEST thousandths
PROBABILITY = (1 / (1 + np.exp(-np.arange(-LOWEST, LOWEST + 1) / 1000.0))).astype(np.float32)
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


@njit(cache=True)
def gauss_newton(
    cells: np.ndarray,
    table: np.ndarray,
    ox: float,
    oy: float,
    resolution: float,
    points: Array,
    pose: Array,
    guess: Array,
    prior: Array,
    iterations: int,
    H: Array,
) -> float:
    """Move `pose` (3,) toward the minimum of sum (1 - M(pose · p))² + (pose - guess)ᵀ diag(prior) (pose - guess).

    M is the occupancy probability, bilinear between the middles of four cells; `H` (3, 3) becomes the approximate
    Hessian without the prior. Returns the mean of M over all points at the last pose but one.
    """
    rows, cols = cells.shape
    scale = 1.0 / resolution
    half = (len(table) - 1) // 2
    mean = 0.0
    for _ in range(iterations):
        c, s = math.cos(pose[2]), math.sin(pose[2])
        h00 = h01 = h02 = h11 = h12 = h22 = 0.0
        b0 = b1 = b2 = 0.0
        mean = 0.0
        for k in range(len(points)):
            px, py = points[k, 0], points[k, 1]
            rx, ry = c * px - s * py, s * px + c * py
            u = (rx + pose[0] - ox) * scale - 0.5
            v = (ry + pose[1] - oy) * scale - 0.5
            i, j = math.floor(u), math.floor(v)
            if i < 0 or j < 0 or i >= cols - 1 or j >= rows - 1:
                continue
            fu, fv = u - i, v - j
            m00, m10 = table[cells[j, i] + half], table[cells[j, i + 1] + half]
            m01, m11 = table[cells[j + 1, i] + half], table[cells[j + 1, i + 1] + half]
            low, high = m00 + fu * (m10 - m00), m01 + fu * (m11 - m01)
            m = low + fv * (high - low)
            gx = ((1.0 - fv) * (m10 - m00) + fv * (m11 - m01)) * scale
            gy = (high - low) * scale
            gt = -gx * ry + gy * rx
            e = 1.0 - m
            mean += m
            b0 += gx * e
            b1 += gy * e
            b2 += gt * e
            h00 += gx * gx
            h01 += gx * gy
            h02 += gx * gt
            h11 += gy * gy
            h12 += gy * gt
            h22 += gt * gt
        mean /= max(len(points), 1)
        H[0, 0], H[0, 1], H[0, 2] = h00, h01, h02
        H[1, 0], H[1, 1], H[1, 2] = h01, h11, h12
        H[2, 0], H[2, 1], H[2, 2] = h02, h12, h22
        turn = (pose[2] - guess[2] + math.pi) % (2.0 * math.pi) - math.pi
        h00 += prior[0]
        h11 += prior[1]
        h22 += prior[2]
        b0 -= prior[0] * (pose[0] - guess[0])
        b1 -= prior[1] * (pose[1] - guess[1])
        b2 -= prior[2] * turn
        k00, k01, k02 = h11 * h22 - h12 * h12, h02 * h12 - h01 * h22, h01 * h12 - h02 * h11
        det = h00 * k00 + h01 * k01 + h02 * k02
        if not det > 1e-9:
            break
        k11, k12, k22 = h00 * h22 - h02 * h02, h01 * h02 - h00 * h12, h00 * h11 - h01 * h01
        dx = (k00 * b0 + k01 * b1 + k02 * b2) / det
        dy = (k01 * b0 + k11 * b1 + k12 * b2) / det
        dt = (k02 * b0 + k12 * b1 + k22 * b2) / det
        dt = max(-0.2, min(0.2, dt))
        step = math.hypot(dx, dy)
        if step > 4.0 * resolution:
            dx, dy = dx * 4.0 * resolution / step, dy * 4.0 * resolution / step
        pose[0] += dx
        pose[1] += dy
        pose[2] += dt
    return mean
