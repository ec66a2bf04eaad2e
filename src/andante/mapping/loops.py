"""Loop closure: places seen before are found again by correlative search, and checked against one another."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from andante.geometry import Array, se2

from .align import Alignment, PointScan, Target, align, fewest_partners
from .grid import LogOddsGrid
from .mapper import KeyScan
from .matcher import MOST_POINTS, Pyramid, SearchWindow
from .parameters import MappingParameters
from .planar import between, compose, place
from .pose_graph import Edge, optimize

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
WHOLE = 2000  # key scans up to which the whole graph is solved each time
GROWTH = 1.33  # by which a larger one grows until it is again
SETTLED = 200  # key scans before the last solution that are moved once more
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
    firm: bool = True  # held in all directions

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
    information: Array = SURE * turn.T @ found.information @ turn
    (a, b), (_, d) = information[:2, :2].tolist()
    spread = math.hypot(a - d, 2.0 * b)
    if a + d - spread > FIRM * (a + d + spread):
        return information, True
    _, vectors = np.linalg.eigh(information[:2, :2])
    v = np.array([vectors[0, 0], vectors[1, 0], 0.0])
    kept = np.eye(3) - np.outer(v, v)
    return kept @ information @ kept, False


@dataclass(frozen=True)
class LoopState:
    """How far the search for loops came."""

    next: int  # key scan
    poses: Array  # (keys, 3)
    open: Array  # (keys,) [m]
    loops: tuple[Loop, ...]


class LoopFinder:
    """Connects each key scan, in order, to older visits of its place, and keeps the pose graph solved."""

    def __init__(
        self, keys: Sequence[KeyScan], poses: Array, parameters: MappingParameters, resume: LoopState | None = None
    ) -> None:
        self.keys, self.parameters = keys, parameters
        self.poses = np.array(poses)
        self.chain = chain_edges(self.poses)
        steps = np.linalg.norm(np.diff(self.poses[:, :2], axis=0), axis=1)
        self.traveled = np.concatenate([[0.0], np.cumsum(steps)])
        self.loops: list[Loop] = []
        self._pending: list[Loop] = []
        self._boards: OrderedDict[int, tuple[int, Pyramid, Target]] = OrderedDict()  # cells, scores, lines; latest last
        self._open = np.zeros(len(self.poses))  # way from each key to the newest one, along the drive and loops [m]

        self.next = 0  # key scan that is looked at next
        self._solved, self._whole = 0, 0  # loops in the last solution, and key scans in the last one of the whole graph
        self._tied = 0  # key scan of the last solution
        if resume is not None:
            self.next, self.poses, self.loops = resume.next, resume.poses.copy(), list(resume.loops)
            self._open, self._tied = resume.open.copy(), resume.next

    def state(self) -> LoopState:
        """How far it is; loops that wait for another to agree are looked for again."""
        return LoopState(max(0, self.next - MEMORY), self.poses, self._open, tuple(self.loops))

    def run(self, tick: Callable[[], None] = lambda: None) -> list[Edge]:
        """Edges of all loops that were confirmed; `poses` are those of the solved graph afterwards."""
        while self.next < len(self.keys):
            new = self.next
            self._open[:new] += self.traveled[new] - self.traveled[max(new - 1, 0)]
            before = len(self.loops)
            for old in self._candidates(new):
                loop = self._check(old, new)
                if loop is not None:
                    self._confirm(loop)
            off = max((_distance(self._error(loop)) for loop in self.loops[before:]), default=0.0)
            if off > OFF or (new % EVERY == 0 and len(self.loops) > self._solved):
                self._solve(new)
            self.next += 1
            tick()
        if len(self.loops) > self._solved or self._whole < len(self.keys):
            self._solve(len(self.keys))
        return self.edges()

    def edges(self, phi: float = PHI) -> list[Edge]:
        """The confirmed loops as edges of a graph; phi: see `Edge.robust`."""
        return [Edge(loop.old, loop.new, loop.pose, loop.information, phi) for loop in self.loops]

    def _solve(self, new: int) -> None:
        """Solve the graph; a large one only since its last solution, and as a whole when it has grown by a third."""
        if not self.loops:
            return
        n = len(self.keys)
        if n <= WHOLE or new >= n or new > GROWTH * self._whole:
            chain, loops, moved = self.chain, self.loops, np.arange(n)
            self._whole = new if n > WHOLE else n
            fixed = np.zeros(1, dtype=int)
        else:
            start = max(1, self._tied - SETTLED)
            chain = self.chain[start - 1 : new]
            loops = [loop for loop in self.loops if loop.new >= start or loop.old >= start]
            ends = np.array([(loop.old, loop.new) for loop in loops]).reshape(-1, 2)
            moved = np.unique(np.concatenate([np.arange(start - 1, new + 1), ends.ravel()]))
            fixed = np.flatnonzero(moved < start)
        self._solved, self._tied = len(self.loops), new
        before = self.poses[new] if new < n else None
        self.poses[moved] = _graduated(self.poses[moved], chain, loops, moved, fixed)
        if before is not None and len(moved) < n:  # what comes later moves along
            carried = se2.between(before, self.poses[new + 1 :])
            self.poses[new + 1 :] = se2.compose(self.poses[new], carried)

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


def _graduated(
    poses: Array, chain: Sequence[Edge], loops: Sequence[Loop], nodes: np.ndarray, fixed: np.ndarray
) -> Array:
    """Poses (n, 3) of nodes (n,), rising, after all loops were accepted first and outliers weighed down step by step.

    Graduated non-convexity (Yang et al., 2020). Down-weighted at once, loops that correct much drift would be switched
    off: at first they look like outliers.
    """
    at = {int(node): k for k, node in enumerate(nodes)}
    firm = list(chain)
    if nodes[-1] >= len(nodes):  # some are left out
        firm = [replace(edge, first=at[edge.first], second=at[edge.second]) for edge in chain]

    def ties(phi: float) -> list[Edge]:
        return [Edge(at[loop.old], at[loop.new], loop.pose, loop.information, phi) for loop in loops]

    start = optimize(poses, [*firm, *ties(PHI)], iterations=0, fixed=fixed)
    phi = max(PHI, float(start.chi2[len(firm) :].max(initial=0.0)))
    while True:
        poses = optimize(poses, [*firm, *ties(phi)], iterations=8, tolerance=1e-3, fixed=fixed).poses
        if phi <= PHI:
            return poses
        phi = max(PHI, phi / LESS)


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
    keys: Sequence[KeyScan],
    poses: Array,
    parameters: MappingParameters,
    *,
    reach: float = 0.45,
    tick: Callable[[int], None] = lambda done: None,
) -> list[Edge]:
    """Edges between each key scan and its nearest ones, neighbors in the chain left out.

    reach: furthest partner of a point at the start of the alignment [m]; larger corrections are rejected.
    """
    seen = poses[:, :2] + AHEAD * np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
    beside = _within(seen, parameters.pair_radius)
    targets: OrderedDict[int, Target] = OrderedDict()  # of the latest key scans that were aligned with
    edges = []
    for new, neighbors in enumerate(beside):
        if new % 64 == 0:
            tick(new)
        older = neighbors[neighbors < new - 1]
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


def _within(points: Array, reach: float) -> Iterator[np.ndarray]:
    """Of each of the points (n, 2) in turn the numbers of those within a distance, itself among them.

    Only points that are as near along x are looked at; to import a tree of scipy costs more than thousands of these.
    """
    order = np.argsort(points[:, 0], kind="stable")
    x = points[order, 0]
    wide = reach * (1.0 + 1e-9)  # rounding leaves none out
    first, last = np.searchsorted(x, points[:, 0] - wide, "left"), np.searchsorted(x, points[:, 0] + wide, "right")
    for point, begin, end in zip(points, first.tolist(), last.tolist(), strict=True):
        near = order[begin:end]
        away = points[near] - point
        yield near[away[:, 0] ** 2 + away[:, 1] ** 2 <= reach * reach]
