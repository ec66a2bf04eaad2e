"""Loop closure: places seen before are found again by correlative search, and checked against one another.

Pose graphs: poses tied by relative poses, brought into the most likely arrangement (Grisetti et al., 2010).
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from andante.errors import BadInput
from andante.geometry import Array

from .align import Alignment, PointScan, Target, align, fewest_partners
from .grid import LogOddsGrid
from .mapper import KeyScan
from .matcher import MOST_POINTS, Pyramid, SearchWindow
from .parameters import MappingParameters
from .planar import between, compose, place


@dataclass(frozen=True)
class Edge:
    """Pose of node `second` seen from node `first` and its information matrix.

    robust: Φ of dynamic covariance scaling, about the χ² from which the edge is mistrusted; infinite: never.
    """

    first: int
    second: int
    pose: Array  # (3,) [m, m, rad]
    information: Array  # (3, 3)
    robust: float = math.inf


@dataclass(frozen=True)
class GraphSolution:
    """Poses (n, 3) and how the solver came by them."""

    poses: Array
    converged: bool
    iterations: int
    cost: float  # robust sum of χ²
    chi2: Array  # (edges,) of each edge before robust scaling
    scale: Array  # (edges,) 1: inlier, toward 0: outlier


def optimize(
    poses: ArrayLike, edges: Sequence[Edge], *, iterations: int = 30, tolerance: float = 1e-6, fixed: int = 0
) -> GraphSolution:
    """Minimize sum eᵀ Ω e over all edges by Levenberg-Marquardt on the sparse normal equations; node `fixed` stays.

    Nodes without any edge stay where they are.
    """
    x = np.array(poses, dtype=float)
    if not edges:
        return GraphSolution(x, True, 0, 0.0, np.zeros(0), np.zeros(0))
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    first = np.array([edge.first for edge in edges])
    second = np.array([edge.second for edge in edges])
    relative = np.array([edge.pose for edge in edges], dtype=float)
    information = np.array([edge.information for edge in edges], dtype=float)
    robust = np.array([edge.robust for edge in edges], dtype=float)
    _check(x, first, second, relative, information, fixed)
    size = 3 * len(x)
    ends = np.stack([np.stack([first, first, second, second], 1), np.stack([first, second, first, second], 1)])
    axes = np.arange(3)
    rows = np.broadcast_to((3 * ends[0])[..., None, None] + axes[:, None], (len(first), 4, 3, 3)).ravel()
    cols = np.broadcast_to((3 * ends[1])[..., None, None] + axes[None, :], (len(first), 4, 3, 3)).ravel()
    values, gradient = np.empty((len(first), 4, 3, 3)), np.empty(size)
    chi2, scale = np.empty(len(first)), np.empty(len(first))

    def tied(at: Array) -> float:
        return float(linearize(at, first, second, relative, information, robust, values, gradient, chi2, scale))

    cost, damping, converged, count = tied(x), 1e-6, False, 0
    while count < iterations and not converged and damping < 1e8:
        count += 1
        H = csc_matrix((values.ravel(), (rows, cols)), shape=(size, size))
        diagonal = H.diagonal()
        loose = np.where(diagonal > 0, damping * diagonal, 1.0)
        loose[3 * fixed : 3 * fixed + 3] = 1e12 + diagonal.max()
        H.setdiag(diagonal + loose)
        step = -splu(H, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(gradient).reshape(-1, 3)
        step[fixed] = 0.0
        tried = x + step
        new = tied(tried)
        if new <= cost * (1 + 1e-12):
            x = tried
            small = np.abs(step).max() < tolerance or cost - new < 1e-6 * cost
            cost, damping = new, max(damping / 5, 1e-9)
            converged = bool(small)
        else:
            damping *= 10
            tied(x)
    cost = tied(x)
    x[:, 2] = (x[:, 2] + np.pi) % (2 * np.pi) - np.pi
    return GraphSolution(x, converged, count, cost, chi2, scale)


def _check(
    poses: Array, first: np.ndarray, second: np.ndarray, relative: Array, information: Array, fixed: int
) -> None:
    if poses.ndim != 2 or poses.shape[1] != 3 or not np.isfinite(poses).all():
        raise BadInput(f"a pose graph needs finite poses (n, 3), got shape {poses.shape}")
    if not 0 <= fixed < len(poses):
        raise BadInput(f"fixed node {fixed} is not one of {len(poses)} poses")
    if relative.shape != (len(first), 3) or information.shape != (len(first), 3, 3):
        raise BadInput(f"edges need poses (3,) and information (3, 3), got {relative.shape} and {information.shape}")
    ends = np.stack([first, second])
    wrong = (ends < 0).any(axis=0) | (ends >= len(poses)).any(axis=0) | (first == second)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise BadInput(f"an edge ties nodes {first[k]} and {second[k]} of a graph of {len(poses)} poses")
    bad = ~(np.isfinite(relative).all(axis=1) & np.isfinite(information).all(axis=(1, 2)))
    if bad.any():
        k = int(np.argmax(bad))
        raise BadInput(f"the edge between nodes {first[k]} and {second[k]} is not finite")


@njit(cache=True)
def linearize(
    poses: Array, first: np.ndarray, second: np.ndarray, relative: Array, information: Array, robust: Array,
    values: Array, gradient: Array, chi2: Array, scale: Array,
) -> float:  # fmt: skip
    """Fill the blocks of H = sum Jᵀ Ω J and the gradient of all edges; return the robust cost.

    Edge k ties poses i and j: e = (R(i)ᵀ (t_j - t_i) - t_k turned by -yaw_k, wrapped yaw difference). `values`
    (edges, 4, 3, 3) become the blocks ii, ij, ji, jj; `gradient` (3 n,) is J ᵀ Ω e. `robust` (edges,) is Φ of dynamic
    covariance scaling (Agarwal et al., 2013), s = min(1, 2 Φ / (Φ + χ²)), infinite where an edge is trusted; χ² and s
    go to `chi2` and `scale` (edges,). The gradient weighs an edge by s², so its cost is χ² up to Φ and
    3 Φ - 4 Φ² / (Φ + χ²) beyond.
    """
    gradient[:] = 0.0
    cost = 0.0
    A, B, WA, WB = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    e, we = np.zeros(3), np.zeros(3)
    for k in range(len(first)):
        i, j = first[k], second[k]
        ci, si = math.cos(poses[i, 2]), math.sin(poses[i, 2])
        cz, sz = math.cos(relative[k, 2]), math.sin(relative[k, 2])
        dx, dy = poses[j, 0] - poses[i, 0], poses[j, 1] - poses[i, 1]
        lx, ly = ci * dx + si * dy - relative[k, 0], ci * dy - si * dx - relative[k, 1]
        e[0], e[1] = cz * lx + sz * ly, cz * ly - sz * lx
        e[2] = (poses[j, 2] - poses[i, 2] - relative[k, 2] + math.pi) % (2.0 * math.pi) - math.pi
        c, s = math.cos(poses[i, 2] + relative[k, 2]), math.sin(poses[i, 2] + relative[k, 2])
        B[0, 0], B[0, 1], B[1, 0], B[1, 1], B[2, 2] = c, s, -s, c, 1.0
        A[0, 0], A[0, 1], A[1, 0], A[1, 1], A[2, 2] = -c, -s, s, -c, -1.0
        tx, ty = -si * dx + ci * dy, -ci * dx - si * dy
        A[0, 2], A[1, 2] = cz * tx + sz * ty, cz * ty - sz * tx
        x2 = 0.0
        for a in range(3):
            we[a] = information[k, a, 0] * e[0] + information[k, a, 1] * e[1] + information[k, a, 2] * e[2]
            x2 += e[a] * we[a]
        f = 1.0 if robust[k] == math.inf else min(1.0, 2.0 * robust[k] / (robust[k] + x2))
        chi2[k], scale[k] = x2, f
        if f == 1.0:
            cost += x2
        else:  # what has s² for its slope over χ²
            cost += 3.0 * robust[k] - 4.0 * robust[k] * robust[k] / (robust[k] + x2)
        f *= f
        for a in range(3):
            for b in range(3):
                WA[a, b] = WB[a, b] = 0.0
                for m in range(3):
                    WA[a, b] += f * information[k, a, m] * A[m, b]
                    WB[a, b] += f * information[k, a, m] * B[m, b]
        for a in range(3):
            for m in range(3):
                gradient[3 * i + a] += f * A[m, a] * we[m]
                gradient[3 * j + a] += f * B[m, a] * we[m]
            for b in range(3):
                aa = ab = ba = bb = 0.0
                for m in range(3):
                    aa += A[m, a] * WA[m, b]
                    ab += A[m, a] * WB[m, b]
                    ba += B[m, a] * WA[m, b]
                    bb += B[m, a] * WB[m, b]
                values[k, 0, a, b], values[k, 1, a, b] = aa, ab
                values[k, 2, a, b], values[k, 3, a, b] = ba, bb
    return cost


AHEAD = 2.0  # distance ahead of the robot that scans are compared at [m]
FEWEST_PAIRED = 40  # partners of a pair, of scans with many points
LEAST_OVERLAP = 0.5
AROUND = 4  # key scans on each side of an old one that make up its local map
COARSE = 2.0  # cells of that map against the final one
DEPTH = 4
FEWEST = 60  # partners of a loop, of a scan with many points
AGREE = (0.3, 0.08)  # two loops that differ by less agree [m, rad]
MEMORY = 12  # key scans that a loop waits for another that agrees
SURE = 0.1  # information of a match relative to that of independent points
PHI = 9.0  # of dynamic covariance scaling
LESS = 10.0  # by which it falls from one solution of the graph to the next
OFF = 0.15  # a new loop that is further off than this triggers a solution of the graph [m]
EVERY = 50  # key scans between two solutions of the graph otherwise
FIRM = 0.05  # least ratio of a loop's information across and along the walls that it saw
MOST_TARGETS = 2000  # key scans that are kept ready to align others with
MOST_BOARD_CELLS = 60_000_000  # of all local maps that are kept
TURN_STEP = 0.02  # of the search for loops [rad]


@dataclass(frozen=True)
class Loop:
    """Key `new` found at a pose in the frame of key `old`."""

    old: int
    new: int
    pose: Array
    information: Array
    score: float
    firm: bool  # held in all directions

    @staticmethod
    def of(old: int, new: int, found: Alignment, score: float) -> Loop:
        """A loop by an alignment; along walls that it may slide along it says nothing."""
        information, firm = held(found)
        return Loop(old, new, found.pose, information, score, firm)


def held(found: Alignment) -> tuple[Array, bool]:
    """Information (3, 3) of an alignment in the axes of the aligned scan, as `Edge` has it; whether it is firm.

    Noise of the normals holds a scan along two parallel walls: where the smaller eigenvalue of the part of x and y is
    below `FIRM` times the greater one, its direction v is projected out, (I - v vᵀ) Ω (I - v vᵀ), and the tie slides.
    """
    c, s = math.cos(found.pose[2]), math.sin(found.pose[2])
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    information = SURE * turn.T @ found.information @ turn
    values, vectors = np.linalg.eigh(information[:2, :2])
    if values[0] > FIRM * values[1]:
        return information, True
    v = np.array([vectors[0, 0], vectors[1, 0], 0.0])
    kept = np.eye(3) - np.outer(v, v)
    return kept @ information @ kept, False


class LoopFinder:
    """Connects each key scan, in order, to older visits of its place, and keeps the pose graph solved."""

    def __init__(self, keys: Sequence[KeyScan], poses: Array, parameters: MappingParameters) -> None:
        self.keys, self.parameters = keys, parameters
        self.poses = np.array(poses)
        self.chain = chain_edges(self.poses)
        steps = np.linalg.norm(np.diff(self.poses[:, :2], axis=0), axis=1)
        self.traveled = np.concatenate([[0.0], np.cumsum(steps)])
        self.loops: list[Loop] = []
        self._pending: list[Loop] = []
        self._boards: OrderedDict[int, tuple[int, Pyramid, Target]] = OrderedDict()  # cells, scores, lines; latest last
        self._open = np.zeros(len(self.poses))  # way from each key to the newest one, along the drive and loops [m]

    def run(self, tick: Callable[[], None] = lambda: None) -> list[Edge]:
        """Edges of all loops that were confirmed; `poses` are those of the solved graph afterwards."""
        solved = 0
        for new in range(len(self.keys)):
            self._open[:new] += self.traveled[new] - self.traveled[max(new - 1, 0)]
            before = len(self.loops)
            for old in self._candidates(new):
                loop = self._check(old, new)
                if loop is not None:
                    self._confirm(loop)
            off = max((_distance(self._error(loop)) for loop in self.loops[before:]), default=0.0)
            if off > OFF or (new % EVERY == 0 and len(self.loops) > solved):
                self._solve()
                solved = len(self.loops)
            tick()
        if len(self.loops) > solved:
            self._solve()
        return self.edges()

    def edges(self, phi: float = PHI) -> list[Edge]:
        """The confirmed loops as edges of a graph; phi: see `Edge.robust`."""
        return [Edge(loop.old, loop.new, loop.pose, loop.information, phi) for loop in self.loops]

    def _solve(self) -> None:
        """Accept all loops first and down-weight outliers step by step (graduated non-convexity, Yang et al., 2020).

        Down-weighted at once, loops that correct much drift would be switched off: at first they look like outliers.
        """
        start = optimize(self.poses, [*self.chain, *self.edges()], iterations=0)
        phi = max(PHI, float(start.chi2[len(self.chain) :].max()))
        while True:
            self.poses = optimize(self.poses, [*self.chain, *self.edges(phi)], iterations=8, tolerance=1e-3).poses
            if phi <= PHI:
                break
            phi = max(PHI, phi / LESS)

    def _candidates(self, new: int) -> list[int]:
        """Older key scans to try: the nearest of each earlier visit within the drift to be expected, at most three."""
        p = self.parameters
        way = self.traveled[new] - self.traveled[:new]
        far = way > p.loop_travel
        if not far.any():
            return []
        ahead = 1.5  # compare what is seen, which lies ahead of the robot [m]
        seen = self.poses[: new + 1, :2] + ahead * np.stack(
            [np.cos(self.poses[: new + 1, 2]), np.sin(self.poses[: new + 1, 2])], axis=1
        )
        away = np.linalg.norm(seen[:new] - seen[new], axis=1)
        near = np.flatnonzero(far & (away < 1.0 + self._reach(self._open[:new])))
        visits = np.split(near, np.flatnonzero(np.diff(near) > 2 * AROUND) + 1)
        best = [int(visit[np.argmin(away[visit])]) for visit in visits if len(visit)]
        return sorted(best, key=lambda old: away[old])[:3]

    def _reach(self, way: Array) -> Array:
        """How far off a place may be after an open way (n,) [m]."""
        p = self.parameters
        return np.minimum(p.loop_reach, 0.5 + p.loop_drift * way)

    def _check(self, old: int, new: int) -> Loop | None:
        """Whether the new key scan fits the local map of an old one; the pose, refined, if it does."""
        p = self.parameters
        old = min(round(old / AROUND) * AROUND, new - 1)
        _, board, target = self._board(old)
        guess = between(self.poses[old], self.poses[new])
        cloud = self.keys[new].cloud
        direct = align(cloud, target, guess)
        if self._good(cloud, direct, 0.15) and _distance(between(guess, direct.pose)) < 0.3:
            return Loop.of(old, new, direct, direct.overlap)
        reach = float(self._reach(self._open[old]))
        window = SearchWindow(reach, min(0.7, 0.15 + 0.15 * reach), TURN_STEP, min(0.02, 0.32 / reach**2), 0.05)
        points = cloud.points[:: 1 + len(cloud.points) // MOST_POINTS]
        found = board.search(points, guess, window, least=p.loop_score)
        if found.score < p.loop_score:
            return None
        refined = align(cloud, target, found.pose)
        if not self._good(cloud, refined) or _distance(between(found.pose, refined.pose)) > 0.3:
            return None
        return Loop.of(old, new, refined, found.score)

    def _good(self, cloud: PointScan, alignment: Alignment, more: float = 0.0) -> bool:
        enough = alignment.partners >= fewest_partners(cloud, FEWEST)
        return enough and alignment.overlap >= self.parameters.loop_overlap + more

    def _board(self, old: int) -> tuple[int, Pyramid, Target]:
        """Local map around an old key scan, in its frame; of many the latest are kept."""
        if old in self._boards:
            self._boards.move_to_end(old)
            return self._boards[old]
        span = range(max(0, old - AROUND), min(len(self.keys), old + AROUND + 1))
        grid = LogOddsGrid(COARSE * self.parameters.resolution, hit=self.parameters.hit, miss=self.parameters.miss)
        clouds: list[PointScan] = []
        poses = [between(self.poses[old], self.poses[k]) for k in span]
        for k, pose in zip(span, poses, strict=True):
            key = self.keys[k]
            grid.add(place(pose, key.sensor[None])[0], place(pose, key.ends), key.is_hit)
            clouds.append(key.cloud)
        pyramid = Pyramid(grid, DEPTH)
        pyramid.update(np.zeros(2), np.zeros(2))
        grid.finish()
        self._boards[old] = grid.cells.size, pyramid, Target(clouds, poses)
        while len(self._boards) > 1 and sum(cells for cells, _, _ in self._boards.values()) > MOST_BOARD_CELLS:
            self._boards.popitem(last=False)
        return self._boards[old]

    def _confirm(self, loop: Loop) -> None:
        """Take a loop when another of the last key scans agrees with it, or when it changes nothing."""
        if _distance(self._error(loop)) < AGREE[0] and abs(self._error(loop)[2]) < AGREE[1]:
            self._accept(loop)
            return
        self._pending = [other for other in self._pending if loop.new - other.new <= MEMORY]
        agreeing = [other for other in self._pending if other.new != loop.new and self._agree(loop, other)]
        self._pending.append(loop)
        if not agreeing:
            return
        for other in [*agreeing, loop]:
            self._pending.remove(other)
            self._accept(other)

    def _accept(self, loop: Loop) -> None:
        """Tie two visits, and shorten the open ways that lead over the old one, unless the match slides along walls."""
        self.loops.append(loop)
        if loop.firm:
            np.minimum(self._open, np.abs(self.traveled - self.traveled[loop.old]), out=self._open)

    def _agree(self, a: Loop, b: Loop) -> bool:
        """Whether both ways round the cycle old a, new a, new b, old b end at the same pose."""
        one = compose(a.pose, between(self.poses[a.new], self.poses[b.new]))
        two = compose(between(self.poses[a.old], self.poses[b.old]), b.pose)
        error = between(one, two)
        return _distance(error) < AGREE[0] and abs(float(error[2])) < AGREE[1]

    def _error(self, loop: Loop) -> Array:
        return between(loop.pose, between(self.poses[loop.old], self.poses[loop.new]))


def chain_edges(poses: Array) -> list[Edge]:
    """Edges between neighbors of a tracked trajectory (n, 3), with less information the longer the step."""
    edges = []
    for k in range(len(poses) - 1):
        step = between(poses[k], poses[k + 1])
        sigma, turn = 0.03 + 0.05 * math.hypot(step[0], step[1]), 0.01 + 0.03 * abs(step[2])
        edges.append(Edge(k, k + 1, step, np.diag([1 / sigma**2, 1 / sigma**2, 1 / turn**2])))
    return edges


def _distance(pose: Array) -> float:
    return math.hypot(pose[0], pose[1])


def pair_edges(
    keys: Sequence[KeyScan], poses: Array, parameters: MappingParameters, *, reach: float = 0.45
) -> list[Edge]:
    """Edges between each key scan and its nearest ones, neighbors in the chain left out.

    reach: furthest partner of a point at the start of the alignment [m]; larger corrections are rejected.
    """
    from scipy.spatial import cKDTree

    seen = poses[:, :2] + AHEAD * np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
    tree = cKDTree(seen)
    targets: OrderedDict[int, Target] = OrderedDict()  # of the latest key scans that were aligned with
    edges = []
    for new, neighbors in enumerate(tree.query_ball_point(seen, parameters.pair_radius)):
        older = np.array([old for old in neighbors if old < new - 1], dtype=int)
        order = np.argsort(np.linalg.norm(seen[older] - seen[new], axis=1), kind="stable")
        for old in older[order][: parameters.pair_count].tolist():
            if old not in targets:
                targets[old] = Target([keys[old].cloud], [np.zeros(3)])
                if len(targets) > MOST_TARGETS:
                    targets.popitem(last=False)
            targets.move_to_end(old)
            guess = between(poses[old], poses[new])
            found = align(keys[new].cloud, targets[old], guess, reach=reach)
            off = between(guess, found.pose)
            if found.partners < fewest_partners(keys[new].cloud, FEWEST_PAIRED) or found.overlap < LEAST_OVERLAP:
                continue
            if math.hypot(off[0], off[1]) < 1.3 * reach and abs(off[2]) < 0.4 * reach:
                edges.append(Edge(old, new, found.pose, held(found)[0], PHI))
    return edges
