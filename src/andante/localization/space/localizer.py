"""`SpaceLocalizer`: Monte Carlo localization in x, y, z, roll, pitch and yaw by points, odometry and IMU.

The odometry tells the pose of the root link in a frame of its own: way and turn by steps (or wheels), height by
kinematics, roll and pitch by the IMU, which knows down. Particles keep to the IMU's tilt within its error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from andante.errors import BadInput
from andante.geometry import Array
from andante.localization.particles import add_log_weights, cluster_mean, fill_bins
from andante.mapping.octree.octree import OcTree

from .field import SpaceField
from .kernels import draw, move_particles
from .settings import SpaceSettings

START_DEVIATION = (0.05, 0.05, 0.01, 0.01, 0.01, 0.08)  # of a pose that is told [m, m, m, rad, rad, rad]
BIN, BIN_TURN = 0.25, 0.25  # of the search for the heaviest cluster [m, rad]
RADIUS, TURN = 0.3, 0.4  # of a cluster [m, rad]
FEWEST = 10  # points that weigh anything
HIGHEST = 0.15  # off the ground's height: then it is another ground [m]
LEVEL = 0.06  # points within this height of the ground count as ground [m]
ROUNDS = ((0.12, 0.12), (0.06, 0.06), (0.03, 0.03))  # deviations of a global start's rounds [m, rad]
SURVIVORS = 4000  # particles between the rounds


@dataclass(frozen=True)
class SpaceEstimate:
    """Estimated pose of the root link on the map, and how far it can be trusted."""

    pose: Array  # (6,) x, y, z [m], roll, pitch, yaw [rad]
    covariance: Array  # (3, 3) of x, y, yaw
    weight: float  # of the cluster about the pose, 0 to 1
    fit: float  # mean fit of the points at the pose, 0 to 1
    effective: float  # n_eff before resampling
    added: float  # fraction of particles that were put elsewhere to recover
    updated: bool  # False: moved by odometry alone

    @property
    def health(self) -> float:
        """0 (lost) to 1: fit times the cluster's fraction of the weight."""
        return self.fit * self.weight


class SpaceLocalizer:
    """Particle filter in an octree. Call `start_at` or `start_anywhere`, then `update` with each cloud.

    Args:
        field: the map, or its field.
        settings: of the filter; None: those of the field.
        seed: of the particles.
    """

    def __init__(self, field: SpaceField | OcTree, settings: SpaceSettings | None = None, seed: int = 0) -> None:
        self.field = SpaceField(field, settings) if isinstance(field, OcTree) else field
        self.settings = settings or self.field.settings
        self.rng = np.random.default_rng(seed)
        self.particles = np.zeros((0, 6))
        self.weights = np.zeros(0)
        self._odometry: Array | None = None
        self._slow = self._fast = 0.0
        self._poor = 0  # updates in a row in which clouds fitted badly
        self._last: SpaceEstimate | None = None

    # ---- beginning -------------------------------------------------------------------------------
    def start_at(self, pose: ArrayLike, deviation: ArrayLike = START_DEVIATION) -> None:
        """Begin about a pose (6,) with deviations (6,)."""
        at, spread = np.asarray(pose, dtype=float), np.asarray(deviation, dtype=float)
        if at.shape != (6,) or spread.shape != (6,) or not (np.isfinite(at).all() and np.isfinite(spread).all()):
            raise BadInput("a start needs six finite numbers x, y, z, roll, pitch, yaw, and six deviations")
        self._begin(at + self.rng.standard_normal((self.settings.particles, 6)) * spread)

    def start_anywhere(self, cloud: ArrayLike, odometry: ArrayLike) -> None:
        """Begin without a pose: particles everywhere on the ground, drawn by one cloud in rounds that get finer.

        Args:
            cloud: points (n, 3) in the root link's axes [m].
            odometry: of the root link (6,), of which height above the ground, roll and pitch are used.
        """
        own = six("odometry", odometry)
        self._begin(self._searched(self._chosen(cloud, own), own, self.settings.particles_global))

    def _searched(self, points: NDArray[np.float32], own: Array, count: int) -> Array:
        """Poses (n, 6) where points (m, 3) fit, from `count` anywhere on the ground, in rounds that get finer."""
        s = self.settings
        found = self.field.random_poses(count, float(own[2]), own[3:5], self.rng)
        if len(points) < FEWEST:
            return found
        for place, turn in ROUNDS:
            weights = np.full(len(found), 1.0 / len(found))
            add_log_weights(weights, self.field.log_likelihood(found, points))
            drawn = np.empty((min(SURVIVORS, count), 6))
            draw(found, weights, self.rng.random(), drawn)
            deviation = np.array([place, place, 0.005, s.tilt_deviation, s.tilt_deviation, turn])
            drawn += self.rng.standard_normal(drawn.shape) * deviation
            drawn[:, 3:5] = own[3:5] + np.clip(drawn[:, 3:5] - own[3:5], -2 * deviation[3], 2 * deviation[3])
            found = drawn
        return found

    def _begin(self, particles: Array) -> None:
        self.particles = np.ascontiguousarray(particles)
        self.weights = np.full(len(particles), 1.0 / len(particles))
        self._odometry, self._last = None, None
        self._slow = self._fast = 0.0

    # ---- one cloud after another -----------------------------------------------------------------
    def update(self, cloud: ArrayLike, odometry: ArrayLike) -> SpaceEstimate:
        """Estimate after the next cloud; where the robot has hardly moved, it follows the odometry.

        Args:
            cloud: points (n, 3) in the root link's axes at the time of `odometry` [m]; those not finite are left out.
            odometry: pose (6,) of the root link in the odometry's frame.
        """
        if len(self.particles) == 0:
            raise BadInput("the localizer has no pose to begin with; call start_at or start_anywhere first")
        s, now = self.settings, six("odometry", odometry)
        before = now if self._odometry is None else self._odometry
        step = _seen(before, now)
        way, turned = math.hypot(step[0], step[1]), abs(step[3])
        first = self._odometry is None or self._last is None
        if not first and way < s.update_min_d and turned < s.update_min_a:
            return self.moved(now)
        rest = 1.0 if not first else 0.0
        spread = np.array([
            s.drive_noise * way + rest * s.rest_noise, s.drive_noise * way + rest * s.rest_noise,
            0.0, s.tilt_deviation, s.tilt_deviation,
            s.turn_noise * turned + s.turn_from_drive * way + rest * s.rest_turn,
        ])  # fmt: skip
        noise = self.rng.standard_normal(self.particles.shape)
        move_particles(self.particles, step, now[3:5], before[3:5], spread, s.tilt_memory, noise)
        self._keep_height(float(now[2]), noise[:, 2])
        self._odometry = now
        points = self._chosen(cloud, now)
        if len(points) < FEWEST:
            self._last = self._estimate(points, float(len(self.particles)), 0.0, updated=False)
            return self._last
        effective = add_log_weights(self.weights, self.field.log_likelihood(self.particles, points))
        made = self._estimate(points, effective, 0.0, updated=True)
        added = self._added(made.fit)
        if effective < s.resample_below * len(self.particles) or added > 0 or len(self.particles) > s.particles:
            self._resample(added, now, made, points)
        self._last = SpaceEstimate(**{**vars(made), "added": added})
        return self._last

    def _keep_height(self, height: float, noise: Array) -> None:
        """Keep particles near a height [m] above the ground that the map has under them, as their tilt near the IMU's.

        Where the map has no ground they only follow the odometry.
        """
        s, p = self.settings, self.particles
        level = self.field.ground_at(p[:, :2]) + height
        known = np.isfinite(level) & (np.abs(p[:, 2] - level) < HIGHEST)
        fresh = math.sqrt(max(0.0, 1.0 - s.tilt_memory**2)) * s.height_deviation
        error = s.tilt_memory * (p[known, 2] - level[known]) + fresh * noise[known]
        p[known, 2] = level[known] + error

    def moved(self, odometry: ArrayLike) -> SpaceEstimate:
        """The latest estimate, carried on by the odometry (6,) since."""
        now = six("odometry", odometry)
        if self._last is None or self._odometry is None:
            raise BadInput("no cloud has come yet; there is no estimate to carry on")
        step, pose = _seen(self._odometry, now), self._last.pose.copy()
        c, s = math.cos(pose[5]), math.sin(pose[5])
        pose[0] += c * step[0] - s * step[1]
        pose[1] += s * step[0] + c * step[1]
        pose[2] += step[2]
        pose[3:5] += now[3:5] - self._odometry[3:5]
        pose[5] += step[3]
        return SpaceEstimate(**{**vars(self._last), "pose": pose, "updated": False, "added": 0.0})

    @property
    def trusted(self) -> bool:
        """Whether the particles agree and clouds fit."""
        return self._last is not None and self._last.health >= self.settings.health_least

    # ---- the parts -------------------------------------------------------------------------------
    def _chosen(self, cloud: ArrayLike, odometry: Array) -> NDArray[np.float32]:
        """Some points (m, 3) of a cloud, few of those that lie on the ground where that can be told."""
        points = np.asarray(cloud, dtype=float).reshape(-1, 3)
        points = points[np.isfinite(points).all(axis=1)]
        count = self.settings.beams
        if len(points) <= count:
            return np.ascontiguousarray(points, dtype=np.float32)
        roll, pitch = odometry[3:5]
        cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
        height = odometry[2] - sp * points[:, 0] + cp * sr * points[:, 1] + cp * cr * points[:, 2]
        level = np.abs(height) < LEVEL
        low, rest = np.flatnonzero(level), np.flatnonzero(~level)
        most = min(len(low), max(int(self.settings.level_part * count), count - len(rest)))
        chosen = np.concatenate([
            low[self.rng.integers(0, len(low), most)] if most else low[:0],
            rest[self.rng.integers(0, len(rest), count - most)] if len(rest) else rest,
        ])  # fmt: skip
        return np.ascontiguousarray(points[chosen], dtype=np.float32)

    def _added(self, fit: float) -> float:
        """Fraction of new particles, 1 - fast / slow of two means of the fit; also keeps the means."""
        s = self.settings
        if not self._slow:
            self._slow = self._fast = fit
        poor = self._fast < s.recovery_below * self._slow
        self._slow += (0.1 if poor else 1.0) * s.recovery_slow * (fit - self._slow)  # what was usual is not forgotten
        self._fast += s.recovery_fast * (fit - self._fast)
        self._poor = self._poor + 1 if self._fast < s.recovery_below * self._slow else 0
        if self._poor <= s.recovery_after:
            return 0.0
        return min(1.0 - self._fast / self._slow, s.recovery_most)

    def _resample(self, added: float, odometry: Array, made: SpaceEstimate, points: NDArray[np.float32]) -> None:
        """Draw the particles anew; of those added half are around the estimate and half where the points fit too."""
        s = self.settings
        shrinks = len(self.particles) > s.particles and made.weight > 0.9  # after a global start
        count = s.particles if shrinks or len(self.particles) <= s.particles else len(self.particles)
        out = np.empty((count, 6))
        draw(self.particles, self.weights, self.rng.random(), out)
        fresh = round(added * count)
        if fresh:
            near = fresh // 2
            out[:near, :2] += self.rng.normal(0.0, RADIUS, (near, 2))
            out[:near, 5] += self.rng.normal(0.0, TURN, near)
            found = self._searched(points, odometry, s.particles_global // 4)
            out[near:fresh] = found[self.rng.integers(0, len(found), fresh - near)]
        self.particles, self.weights = out, np.full(count, 1.0 / count)

    def _estimate(self, points: NDArray[np.float32], effective: float, added: float, *, updated: bool) -> SpaceEstimate:
        """The heaviest cluster: mean, covariance of x, y and yaw, its fraction of the weight, and the fit there."""
        flat = np.ascontiguousarray(self.particles[:, [0, 1, 5]])
        size = 1 << max(4, math.ceil(math.log2(2 * len(flat))))
        keys, mass = np.empty(size, dtype=np.int64), np.empty(size)
        _, slot = fill_bins(flat, self.weights, BIN, BIN_TURN, keys, mass, 0.0)
        at, covariance = np.zeros(3), np.zeros((3, 3))
        weight = cluster_mean(flat, self.weights, int(keys[slot]), BIN, BIN_TURN, RADIUS, TURN, at, covariance)
        near = np.hypot(flat[:, 0] - at[0], flat[:, 1] - at[1]) < RADIUS
        near &= np.abs((flat[:, 2] - at[2] + math.pi) % (2.0 * math.pi) - math.pi) < TURN
        share = self.weights * near
        total = float(share.sum())
        rest = share @ self.particles[:, 2:5] / total if total > 0.0 else self.particles[:, 2:5].mean(axis=0)
        pose = np.array([at[0], at[1], *rest, at[2]])
        fit = float(self.field.fits(pose[None], points)[0]) if len(points) else (self._last.fit if self._last else 0.0)
        return SpaceEstimate(pose, covariance, float(weight), fit, effective, added, updated)


def six(what: str, values: ArrayLike) -> Array:
    """A pose of six finite numbers."""
    found = np.array(values, dtype=float)  # a copy: it is kept
    if found.shape != (6,) or not np.isfinite(found).all():
        raise BadInput(f"{what} is six finite numbers x, y, z, roll, pitch, yaw, got {values!r}")
    return found


def _seen(before: Array, now: Array) -> Array:
    """x, y, z [m] and yaw [rad] (4,) of a pose (6,) seen from the one before; z is the difference of heights."""
    c, s = math.cos(before[5]), math.sin(before[5])
    dx, dy = now[0] - before[0], now[1] - before[1]
    turn = (now[5] - before[5] + math.pi) % (2.0 * math.pi) - math.pi
    return np.array([c * dx + s * dy, c * dy - s * dx, now[2] - before[2], turn])
