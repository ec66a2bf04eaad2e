"""`MoverTracker`: moving things in scans, followed and predicted at constant velocity; from the sensor alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import distance_transform_edt

from andante.compiling import njit
from andante.geometry import Array, se2
from andante.mapping import OccupancyGrid, Scan

_JUMP = 0.25  # echoes further apart belong to two things [m]
_LARGEST = 0.8  # wider things are walls or furniture [m]
_BEHIND = 0.64  # the middle of a round thing lies this fraction of its radius behind the mean of its echoes (2 / π)
_AROUND = 0.2  # echoes this near to a moving thing are its own [m]
_LATELY = 1.0  # what moves has been elsewhere within this time; who walks back where he came from moves too [s]
_COAST = 0.5  # a moving thing is thought to go on for so long without being seen where it should be [s]
_HIDDEN = 3.0  # ... behind another, or where the sensor does not look [s]
_GATE = 0.6  # a thing is looked for within this distance of where it should be [m]
_BESIDE = 0.06  # echoes within this angle are beside each other [rad]
_DOUBT = 0.25  # a thing that surprised is taken to be larger by up to this [m]
_ROUGH, _COUNT = 0.05, 4.0  # echoes lie off a round outline by so much [m]; all of a thing tell as much as so many
_WANDER = 0.03  # how quickly velocities change: white acceleration [m²/s³]
_STRIDE = 1.0  # speed of somebody who is seen for the first time, either way [m/s]
_SURPRISE = 16.0  # squared deviations from where it should be beyond which a thing has turned or stopped
_SHARE = 0.12  # echoes this near to the outline of a thing that was just seen are its own too [m]


@dataclass
class _Track:
    state: Array  # (4,) x, y, vx, vy [m, m/s]
    spread: Array  # (4, 4) its covariance
    radius: float
    time: float
    past: list[tuple[float, Array]]  # times and places of the last moments, oldest first
    hits: int = 1
    doubt: float = 0.0  # how far it was from where it should be, lately [m]
    hidden: bool = False  # something stands before the place where it should be, or nobody looks there

    @property
    def place(self) -> Array:
        return self.state[:2]

    @property
    def velocity(self) -> Array:
        return self.state[2:]

    def moves(self, least: float) -> bool:
        """Whether it is faster than this [m/s], now and by how far it has been from here lately."""
        gaps = [float(np.hypot(*(self.place - place))) for _, place in self.past]
        drift = max(gaps) / max(self.time - self.past[0][0], 1e-6)
        return min(drift, float(np.hypot(*self.velocity))) >= least

    def ahead(self, time: float) -> float:
        """Seconds by which its way is thought on until a time [s]."""
        return min(max(time - self.time, 0.0), _HIDDEN if self.hidden else _COAST)


@dataclass(frozen=True)
class _Seen:
    """A small cluster of echoes."""

    points: Array  # (n, 2) its echoes
    time: float  # when its middle was looked at [s]
    center: Array
    radius: float
    whole: bool  # nothing stands before its edges


class MoverTracker:
    """Small clusters of echoes that the map does not explain, followed from scan to scan by a Kalman filter.

    A thing is a disc that goes on at constant velocity. Its echoes lie on its outline, |p - c| = r, so a part of it,
    seen beside somebody else or at the edge of the view, tells of its center only what it can tell; the radius is
    learned while it is seen whole. Counted as moving: seen `hits` times, faster than `least_speed` by the filter and
    by the places of the last second. Who was not where he should be has turned: his velocity is learned anew, and he
    is taken to be larger for a while. Hidden things go on.
    """

    def __init__(self, grid: OccupancyGrid | None = None, hits: int = 5, least_speed: float = 0.2) -> None:
        self._hits, self._least = hits, least_speed
        self._tracks: list[_Track] = []
        self._grid = grid
        self._walls: Array | None = None
        if grid is not None and grid.occupied().any():
            self._walls = distance_transform_edt(~grid.occupied()) * grid.resolution

    @property
    def movers(self) -> Array:
        """Moving things (m, 5): x, y, vx, vy, radius in the world when they were last seen [m, m/s]."""
        return self.movers_at(None)

    def movers_at(self, time: float | None, careful: bool = True) -> Array:
        """The same where they are at a time [s], going on as they went; `careful`: larger where they surprised."""
        rows = []
        for track in self._tracks:
            if track.hits >= self._hits and track.moves(self._least):
                place = track.place if time is None else track.place + track.ahead(time) * track.velocity
                radius = track.radius + (min(track.doubt, _DOUBT) if careful else 0.0)
                rows.append([*place, *track.velocity, radius])
        return np.array(rows, dtype=float).reshape(-1, 5)

    def update(self, pose: ArrayLike, scan: Scan, time: float, velocity: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Take in a scan at a pose of the robot; `time` is that of its middle, velocity undoes its distortion."""
        ends, beams = scan.ends(velocity)
        points = se2.transform(np.asarray(pose, dtype=float), ends)
        eye = se2.transform(np.asarray(pose, dtype=float), np.asarray(scan.sensor[:2], dtype=float))
        taken = time + scan.time_increment * (beams - 0.5 * len(scan.ranges))
        beside = math.ceil(_BESIDE / max(abs(scan.angle_increment), 1e-6))
        inner = (beams >= beside) & (beams < len(scan.ranges) - beside)
        found = self._clusters(points, taken, eye, inner)
        self._tracks = [t for t in self._tracks if -0.1 <= time - t.time < (_HIDDEN if t.hidden else 0.8)]
        ahead = [(t, t.place + (time - t.time) * t.velocity) for t in self._tracks]
        pairs = sorted(
            (float(np.hypot(*(found[i].center - expected))), k, i)
            for k, (_, expected) in enumerate(ahead)
            for i in range(len(found))
        )
        known, free = set(range(len(ahead))), set(range(len(found)))
        for gap, k, i in pairs:  # the nearest pair first: nobody takes the cluster of somebody nearer
            if gap > _GATE:
                break
            if k in known and i in free and found[i].time > ahead[k][0].time:
                known.discard(k)
                free.discard(i)
                self._follow(ahead[k][0], found[i])
        for k in known:
            track, expected = ahead[k]
            track.hidden = not _looked_at(expected, pose, scan, velocity) or _covered(expected, points, eye)
        followed = [track for k, (track, _) in enumerate(ahead) if k not in known]
        for i in sorted(free):
            seen = found[i]
            if any(float(off.mean()) < _SHARE for off in (_off(seen.points, t) for t in followed)):
                continue  # another part of somebody
            spread = np.diag([seen.radius**2, seen.radius**2, _STRIDE**2, _STRIDE**2])
            state = np.array([*seen.center, 0.0, 0.0])
            self._tracks.append(_Track(state, spread, seen.radius, seen.time, [(seen.time, seen.center)]))

    def _follow(self, track: _Track, seen: _Seen) -> None:
        """Take in where a thing was seen."""
        dt = seen.time - track.time
        expected, spread = thought_on(track.state, track.spread, dt, _WANDER)
        if seen.whole or seen.radius > track.radius:
            track.radius += 0.3 * (seen.radius - track.radius)
        state, after, surprise = on_outline(expected, spread, seen.points, seen.center, track.radius, _ROUGH, _COUNT)
        if seen.whole and surprise > _SURPRISE:
            expected[2:] = 0.0
            spread = np.diag([seen.radius**2, seen.radius**2, _STRIDE**2, _STRIDE**2])
            state, after, _ = on_outline(expected, spread, seen.points, seen.center, track.radius, _ROUGH, _COUNT)
        track.doubt += 0.25 * (float(np.hypot(*(state - expected)[:2])) - track.doubt)
        track.state, track.spread = state, after
        track.time, track.hits, track.hidden = seen.time, track.hits + 1, False
        track.past = [*(mark for mark in track.past if seen.time - mark[0] <= _LATELY), (seen.time, track.place)]

    def _clusters(self, points: Array, taken: Array, eye: Array, inner: np.ndarray) -> list[_Seen]:
        """Small clusters of echoes (n, 2), in their order, that are not part of the map, as seen from a place.

        Those are whole that lie within the view (`inner` (n,), by their beams) and behind nothing.
        """
        kept = np.arange(len(points))
        if self._grid is not None and self._walls is not None and len(points):
            cells = self._grid.cell_of(points)
            on_map = np.clip(cells, 0, np.array(self._grid.shape) - 1)
            beside = np.abs(cells - on_map).max(axis=1) <= 3
            near = self._walls[on_map[:, 0], on_map[:, 1]] < 3 * self._grid.resolution
            kept = np.flatnonzero(~(near & beside))
        if len(kept) < 3:
            return []
        cuts = np.flatnonzero(np.linalg.norm(np.diff(points[kept], axis=0), axis=1) > _JUMP) + 1
        far = np.linalg.norm(points - eye, axis=1)
        out = []
        for rows in np.split(kept, cuts):
            group = points[rows]
            wide = float(np.linalg.norm(group.max(axis=0) - group.min(axis=0)))
            if len(group) >= 3 and wide <= _LARGEST and math.isfinite(wide):
                radius, seen = max(0.1, wide / 2), group.mean(axis=0)
                away = seen - eye
                center = seen + _BEHIND * radius * away / max(float(np.linalg.norm(away)), 1e-6)
                sides = ((int(rows[0]), int(rows[0]) - 1), (int(rows[-1]), int(rows[-1]) + 1))
                whole = not any(_before(points, far, eye, *side) or not inner[side[0]] for side in sides)
                out.append(_Seen(group, float(taken[rows].mean()), center, radius, whole))
        return out

    def without_movers(self, pose: ArrayLike, scan: Scan, velocity: ArrayLike, time: float) -> Scan:
        """The scan without the echoes of moving things: they stay nowhere, so they are no obstacles of the map."""
        movers = self.movers_at(time, careful=False)
        if not len(movers):
            return scan
        ends, beams = scan.ends(velocity)
        points = se2.transform(np.asarray(pose, dtype=float), ends)
        gaps = np.linalg.norm(points[:, None] - movers[None, :, :2], axis=2)
        theirs = beams[(gaps < movers[None, :, 4] + _AROUND).any(axis=1)]
        if not len(theirs):
            return scan
        ranges = np.array(scan.ranges, dtype=float)
        ranges[theirs] = np.nan
        return replace(scan, ranges=ranges)


def _off(points: Array, track: _Track) -> Array:
    """How far points (n, 2) lie off the outline of a thing [m]."""
    off: Array = np.abs(np.linalg.norm(points - track.place, axis=1) - track.radius)
    return off


@njit()
def thought_on(state: Array, spread: Array, dt: float, wander: float) -> tuple[Array, Array]:
    """State (4,) x, y, vx, vy and covariance after dt [s] at constant velocity under white acceleration [m²/s³]."""
    F, Q = np.eye(4), np.zeros((4, 4))
    for i in range(2):
        F[i, i + 2] = dt
        Q[i, i], Q[i, i + 2], Q[i + 2, i], Q[i + 2, i + 2] = dt**3 / 3, dt**2 / 2, dt**2 / 2, dt
    return F @ state, F @ spread @ F.T + wander * Q


@njit()
def on_outline(
    state: Array, spread: Array, points: Array, guess: Array, radius: float, rough: float, count: float
) -> tuple[Array, Array, float]:
    """State and covariance of a disc after echoes (n, 2) on its outline, |p - c| = radius give or take `rough` [m].

    Least squares by Gauss and Newton from a guess of the center, with the state before as one more measurement; all
    echoes together count as `count`. Also told: the squared deviations by which the echoes alone lie elsewhere.
    """
    n = len(points)
    before = np.linalg.inv(spread[:2, :2])
    c = guess.copy()
    A = np.zeros((2, 2))
    surprise = 0.0
    for turn in range(4):
        A[:] = 0.0
        b = np.zeros(2)
        for i in range(n):
            dx, dy = c[0] - points[i, 0], c[1] - points[i, 1]
            d = max(math.sqrt(dx * dx + dy * dy), 1e-6)
            off = d - radius
            w = count / (n * rough * rough) * min(1.0, 2.0 * rough / max(abs(off), 1e-9))
            jx, jy = dx / d, dy / d
            A[0, 0] += w * jx * jx
            A[0, 1] += w * jx * jy
            A[1, 1] += w * jy * jy
            b[0] -= w * jx * off
            b[1] -= w * jy * off
        A[1, 0] = A[0, 1]
        if turn == 0:  # by the echoes alone
            R = np.linalg.inv(A + 1e-3 * np.trace(A) * np.eye(2))
            off_by = guess + R @ b - state[:2]
            surprise = off_by @ np.linalg.solve(spread[:2, :2] + R, off_by)
        c += np.linalg.solve(before + A, b + before @ (state[:2] - c))
    gap = c - state[:2]
    inverse = np.linalg.inv(before + A)
    left = np.ascontiguousarray(spread[:, :2]) @ before
    after = state + left @ gap
    return after, spread - left @ (spread[:2, :2] - inverse) @ left.T, float(surprise)


def _before(points: Array, far: Array, eye: Array, edge: int, beside: int) -> bool:
    """Whether the echo beside the edge of a cluster belongs to something nearer, behind which the cluster goes on."""
    if not 0 <= beside < len(points) or far[beside] > far[edge] - _JUMP:
        return False
    (ax, ay), (bx, by) = points[edge] - eye, points[beside] - eye
    return abs(math.atan2(ax * by - ay * bx, ax * bx + ay * by)) < _BESIDE


def _looked_at(place: Array, pose: ArrayLike, scan: Scan, velocity: ArrayLike) -> bool:
    """Whether a place lies within the angles of a scan: the robot moves on while its beams are taken."""
    span = scan.angle_increment * (len(scan.ranges) - 1)
    low = min(scan.angle_min, scan.angle_min + span)
    at, twist = np.asarray(pose, dtype=float), np.asarray(velocity, dtype=float)
    along = 0.0
    for _ in range(2):  # by the pose at the first beam, then by that at the beam which looks there
        x, y = se2.transform(se2.inverse(se2.compose(at, scan.sensor)), place)
        along = (math.atan2(float(y), float(x)) - low) % (2 * math.pi)
        if along > math.pi + 0.5 * abs(span):
            along -= 2 * math.pi  # before the first beam rather than far behind the last
        part = min(max(along / max(abs(span), 1e-9), 0.0), 1.0)
        beam = part if span >= 0 else 1.0 - part
        at = se2.compose(pose, se2.exp(twist * (beam * scan.time_increment * (len(scan.ranges) - 1))))
    return 0.0 <= along <= abs(span)


def _covered(place: Array, points: Array, eye: Array) -> bool:
    """Whether an echo of something nearer lies in the direction of a place."""
    x, y = place - eye
    gaps = points - eye
    turn = np.arctan2(x * gaps[:, 1] - y * gaps[:, 0], x * gaps[:, 0] + y * gaps[:, 1])
    nearer = np.hypot(gaps[:, 0], gaps[:, 1]) < math.hypot(x, y) - _JUMP
    return bool((nearer & (np.abs(turn) < _BESIDE)).any())
