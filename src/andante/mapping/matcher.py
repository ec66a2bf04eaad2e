"""`MapMatcher`: one map at several resolutions that scans are matched to and drawn into (Kohlbrecher et al., 2011)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.compiling import njit
from andante.geometry import Array
from andante.mapping.grid import LogOddsGrid, OccupancyGrid
from andante.mapping.parameters import MappingParameters
from andante.mapping.planar import place, solve3


@dataclass(frozen=True)
class SearchWindow:
    """Where to look for a pose around a guess, and what it costs to be far from it."""

    reach: float = 0.6  # along x and y [m]
    turn: float = 0.5  # [rad]
    turn_step: float = 0.01  # [rad]
    travel_penalty: float = 0.0  # score lost per squared meter [1/m^2]
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

    @property
    def _outdated(self) -> bool:
        """Whether the grid has grown or moved since."""
        grid = self._grid
        return not self._levels or self._levels[0].shape != grid.cells.shape or self._corner != grid.corner

    def update(self, low: Array, high: Array) -> None:
        """Take over what changed in the box from low (2,) to high (2,) [m]; everything when the grid has grown."""
        cells = self._grid.cells
        rows, cols = cells.shape
        if self._outdated:
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
        if self._outdated:
            self.update(np.zeros(2), np.zeros(2))
        ox, oy = self._grid.origin
        score = branch_and_bound(
            self._levels, ox, oy, self._grid.resolution, points, start, window.reach, window.turn, window.turn_step,
            window.travel_penalty, window.turn_penalty, least, pose,
        )  # fmt: skip
        return Found(pose if score > 0 else start, score)


@njit()
def score_cells(cells: np.ndarray, scores: np.ndarray, r0: int, r1: int, c0: int, c1: int) -> None:
    """Level 0 from log odds in thousandths: 255 (2 p - 1) for occupied cells, 0 for free and unknown ones."""
    for r in range(r0, r1):
        for c in range(c0, c1):
            v = cells[r, c]
            scores[r, c] = 0 if v <= 0 else int(255.0 * math.tanh(0.0005 * v))


@njit()
def _nearest(low: int, size: int) -> float:
    """Distance from 0 to the nearest number of low, low + 1, ..., low + size - 1."""
    if low > 0:
        return float(low)
    high = low + size - 1
    return float(-high) if high < 0 else 0.0


@njit()
def branch_and_bound(
    levels: tuple[np.ndarray, ...], ox: float, oy: float, resolution: float, points: Array, guess: Array, reach: float,
    turn: float, turn_step: float, travel_penalty: float, turn_penalty: float, least: float, found: Array,
) -> float:  # fmt: skip
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
    table, sums = bordered(levels[top], across, top > 0), np.empty((across, across), dtype=np.int32)
    for t in range(turns):
        off = (t - steps) * turn_step
        c, s = math.cos(guess[2] + off), math.sin(guess[2] + off)
        for p in range(n):
            x = c * points[p, 0] - s * points[p, 1] + guess[0] - ox
            y = s * points[p, 0] + c * points[p, 1] + guess[1] - oy
            at[t, p, 0], at[t, p, 1] = math.floor(x / resolution), math.floor(y / resolution)
        sum_of_blocks(table, at[t], span, top, sums)
        toll = turn_penalty * off * off
        for i in range(across):
            dx = -span + i * block
            ax = _nearest(dx, block)
            for j in range(across):
                dy = -span + j * block
                ay = _nearest(dy, block)
                bound = -toll - wt * (ax * ax + ay * ay)
                bound += weight * sums[j, i]
                if bound > least:
                    bounds[count] = bound
                    ids[count, 0], ids[count, 1], ids[count, 2] = t, dx, dy
                    count += 1
    order = np.argsort(-bounds[:count])
    best = least
    stack = np.empty((4 * top + 8, 3), dtype=np.int32)
    stack_bound = np.empty(4 * top + 8)
    child, child_bound = np.empty((4, 2), dtype=np.int32), np.empty(4)
    hit = False
    for index in order:
        if bounds[index] <= best:
            break
        t = ids[index, 0]
        off = (t - steps) * turn_step
        toll = turn_penalty * off * off
        stack[0, 0], stack[0, 1], stack[0, 2] = top, ids[index, 1], ids[index, 2]
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
                        many = insert_child(child, child_bound, many, bound, x, y)
            depth = push_children(stack, stack_bound, depth, child, child_bound, many, k - 1)
    return best if hit else -1.0


@njit()
def pool(fine: np.ndarray, coarse: np.ndarray, first: bool, r0: int, r1: int, c0: int, c1: int) -> None:
    """Rows r0 to r1 and columns c0 to c1 of the next level; `first`: `fine` is level 0."""
    rows, cols = fine.shape
    for r in range(r0, r1):
        for c in range(c0, c1):
            best = 0
            for i in range(2 * r, min(2 * r + 4, rows), 1 if first else 2):
                for j in range(2 * c, min(2 * c + 4, cols), 1 if first else 2):
                    best = max(best, fine[i, j])
            coarse[r, c] = best


@njit()
def score_under(level: np.ndarray, k: int, at: np.ndarray, dx: int, dy: int) -> int:
    """Sum of level k under cells (m, 2), column and row, shifted by dx, dy; cells outside of the table score 0.

    A block that begins less than its width below the table (column or row -1 of its level) still reaches into it:
    the first column or row, which holds all that it can reach, bounds it.
    """
    rows, cols = level.shape
    low = -1 if k > 0 else 0
    total = 0
    for p in range(len(at)):
        c, r = (at[p, 0] + dx) >> k, (at[p, 1] + dy) >> k
        if low <= c < cols and low <= r < rows:
            total += level[max(r, 0), max(c, 0)]
    return total


@njit()
def bordered(level: np.ndarray, width: int, before: bool) -> np.ndarray:
    """A level with `width` cells of zeros on all sides; `before`: column and row -1 are those of the first ones.

    So sums over blocks need no look at the bounds; see `score_under` for what lies at -1.
    """
    rows, cols = level.shape
    out = np.zeros((rows + 2 * width, cols + 2 * width), dtype=np.uint8)
    for r in range(-1 if before else 0, rows):
        for c in range(-1 if before else 0, cols):
            out[r + width, c + width] = level[max(r, 0), max(c, 0)]
    return out


@njit()
def sum_of_blocks(table: np.ndarray, at: np.ndarray, span: int, k: int, sums: np.ndarray) -> None:
    """`score_under` of all blocks (across, across) of level k whose first shift is -span, row by row of the table.

    table: the level with a border as wide as there are blocks; cells (m, 2) as there. Neighboring blocks look up
    neighboring cells, so a point adds whole rows at once.
    """
    across = len(sums)
    rows, cols = table.shape
    sums[:] = 0
    for p in range(len(at)):
        c, r = ((at[p, 0] - span) >> k) + across, ((at[p, 1] - span) >> k) + across
        if c < 0 or r < 0 or c + across > cols or r + across > rows:
            continue  # all of its blocks lie in the border or beyond it
        for j in range(across):
            row = table[r + j]
            for i in range(across):
                sums[j, i] += row[c + i]


@njit()
def insert_child(child: np.ndarray, bounds: Array, count: int, bound: float, x: int, y: int) -> int:
    """Put a block at x, y into the children (4, 2) of a block, sorted by bound, the best last; return their number."""
    place = count
    while place > 0 and bounds[place - 1] > bound:
        bounds[place] = bounds[place - 1]
        child[place] = child[place - 1]
        place -= 1
    bounds[place] = bound
    child[place, 0], child[place, 1] = x, y
    return count + 1


@njit()
def push_children(
    stack: np.ndarray, stack_bound: Array, depth: int, child: np.ndarray, bounds: Array, count: int, level: int
) -> int:
    """Push children on the stack (n, 3) of level, x, y, so that the best comes off first; return its new depth."""
    for m in range(count):
        stack[depth, 0], stack[depth, 1], stack[depth, 2] = level, child[m, 0], child[m, 1]
        stack_bound[depth] = bounds[m]
        depth += 1
    return depth


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
        self._bring(points, guess, 0.0)
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
        window = window or SearchWindow(
            p.search_reach, p.search_turn, p.search_step, p.travel_penalty, p.turn_penalty
        )  # fmt: skip
        self._bring(points, guess, window.reach)
        if self._stale is not None:
            self._search.update(*self._stale)
            self._stale = None
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

    def _bring(self, points: Array, guess: Array, margin: float) -> None:
        """Have at hand what lies under points (n, 2) around a guess, where the maps are larger than their windows."""
        if not len(points) or not len(self.maps[0].left):
            return
        to = place(guess, points)
        low, high = to.min(axis=0) - margin, to.max(axis=0) + margin
        for grid in self.maps:
            grid.bring(low, high)

    def occupancy(self) -> OccupancyGrid:
        """The finest map."""
        return self.maps[0].occupancy()


@njit()
def gauss_newton(
    cells: np.ndarray, table: np.ndarray, ox: float, oy: float, resolution: float, points: Array, pose: Array,
    guess: Array, prior: Array, iterations: int, H: Array,
) -> float:  # fmt: skip
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
        good, dx, dy, dt = solve3(h00, h01, h02, h11, h12, h22, b0, b1, b2, 1e-9)
        if not good:
            break
        dt = max(-0.2, min(0.2, dt))
        step = math.hypot(dx, dy)
        if step > 4.0 * resolution:
            dx, dy = dx * 4.0 * resolution / step, dy * 4.0 * resolution / step
        pose[0] += dx
        pose[1] += dy
        pose[2] += dt
    return mean
