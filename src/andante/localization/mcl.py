"""Monte Carlo localization: a robot on a known map by odometry and scans (Thrun, Burgard and Fox, 2005, chapter 8)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from andante._moved import renamed_attributes
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.mapping import OccupancyGrid, Scan
from andante.mapping.mapper import sane_twist
from andante.mapping.planar import between, compose, three_numbers
from andante.mapping.records import tilted

from . import particles as kernels
from .likelihood_field import LikelihoodField
from .parameters import MclParameters
from .scan_search import Places, ScanSearch

HAND_DEVIATION = (0.5, 0.5, 0.26)  # of a pose given by hand [m, m, rad]
PLACE_DEVIATION = (0.1, 0.1, 0.05)  # of particles about a place that the scan search found [m, m, rad]
CLUSTER_RADIUS, CLUSTER_TURN = 1.0, 0.7  # particles about the estimate that it is the mean of [m, rad]
FEWEST_BEAMS = 5  # a scan with fewer ends weighs nothing
SEARCH_EVERY = 3  # updates between two searches of the whole map while it recovers
LEAST_ADDED = 0.1  # smaller fractions of new particles are skipped
STILL = np.zeros(3)
LONGEST_GAP = 10.0  # of time between scans that spreads particles without odometry [s]


@renamed_attributes(share="weight")
@dataclass(frozen=True)
class Estimate:
    """Estimated pose of the robot, with covariance, fit and filter state."""

    time: float  # [s]
    pose: Array  # (3,) x, y, yaw on the map [m, m, rad]
    covariance: Array  # (3, 3)
    weight: float  # of the cluster about the pose, 0 to 1
    fit: float  # mean fit of the scan's ends to the walls at the pose, 0 to 1
    particles: int
    effective: float  # n_eff before resampling
    added: float  # fraction of particles that were put elsewhere to recover
    updated: bool  # False: moved by odometry alone
    converged: bool

    @property
    def health(self) -> float:
        """0 (lost) to 1: fit times the cluster's fraction of the weight."""
        return self.fit * self.weight


class MonteCarloLocalizer:
    """Particle filter on a map (AMCL). Call `start_at` or `start_anywhere`, then `update` with each scan.

    Same map, parameters, seed and input: same result.

    Args:
        field: the map, or its likelihood field.
        parameters: settings of the filter; None: those of the field.
        seed: of the particles.
    """

    def __init__(
        self, field: LikelihoodField | OccupancyGrid, parameters: MclParameters | None = None, seed: int = 0
    ) -> None:
        if isinstance(field, OccupancyGrid):
            field = LikelihoodField(field, parameters)
        self.field = field
        self.parameters = parameters or field.parameters
        self.rng = np.random.default_rng(seed)
        self.particles = np.zeros((0, 3))
        self.weights = np.zeros(0)
        self.backward = 0  # scans with a stamp before the one in front
        self.blind = 0  # scans without enough ends to weigh
        self._search: ScanSearch | None = None
        self._odometry: Array | None = None
        self._time = math.nan
        self._slow = self._fast = 0.0
        self._since_search = SEARCH_EVERY
        self._agreed = 0  # updates in a row that looked converged
        self._force = True  # the next scan counts even where the robot stands
        self._last: Estimate | None = None
        self._alphas = np.array(self.parameters.alphas)

    # ---- beginning -----------------------------------------------------------------------------------
    def start_at(self, pose: ArrayLike, deviation: ArrayLike = HAND_DEVIATION) -> None:
        """Begin about a pose x, y, yaw, given by hand or by the tags, with deviations (3,) or a covariance (3, 3)."""
        at, spread = three_numbers("an initial pose", pose), np.asarray(deviation, dtype=float)
        if spread.shape not in ((3,), (3, 3)) or not np.isfinite(spread).all():
            raise BadInput(f"the spread of an initial pose is 3 deviations or a 3 x 3 covariance, got {deviation!r}")
        count = self.parameters.particles_max
        covariance = np.diag(spread**2) if spread.ndim == 1 else spread
        values, axes = np.linalg.eigh(0.5 * (covariance + covariance.T))
        root = axes * np.sqrt(np.maximum(values, 0.0))
        self._begin(at + self.rng.standard_normal((count, 3)) @ root.T)

    def start_anywhere(self, scan: Scan | None = None) -> None:
        """Begin without a pose: particles on all free cells and, with a scan, most of them where the scan could be."""
        particles = self.field.random_poses(self.parameters.particles_global, self.rng)
        if scan is not None:
            found = self.search(scan)
            self._put(particles[: int(self.parameters.search_fraction * len(particles))], found)
        self._begin(particles)

    def search(self, scan: Scan) -> Places:
        """The places of the whole map where one scan fits best."""
        if self._search is None:
            self._search = ScanSearch(self.field)
        points = self._points(scan, self.parameters.search_beams)[0]
        if len(points) < FEWEST_BEAMS:
            return Places(np.zeros((0, 3)), np.zeros(0))
        return self._search.places(points, self.parameters.search_candidates)

    # ---- one scan after another ----------------------------------------------------------------------
    def update(
        self, scan: Scan, odometry: ArrayLike | None = None, tilt: tuple[float, float] | None = None
    ) -> Estimate:
        """Estimate after the next scan.

        Where the robot has hardly moved since the last update, the estimate follows the odometry.

        Args:
            scan: the scan.
            odometry: x, y, yaw at the time of the scan [m, m, rad]; None: there is none.
            tilt: roll and pitch of the robot [rad]; None: level.
        """
        if len(self.particles) == 0:
            raise BadInput("the localizer has no pose to begin with; call start_at or start_anywhere first")
        now = None if odometry is None else three_numbers("odometry", odometry)
        step = np.zeros(3) if now is None or self._odometry is None else between(self._odometry, now)
        gap = min(max(scan.time - self._time, 0.0), LONGEST_GAP) if math.isfinite(self._time) else 0.0
        self.backward += scan.time < self._time
        p = self.parameters
        moved = math.hypot(step[0], step[1]) >= p.update_min_d or abs(step[2]) >= p.update_min_a
        fresh = self._force or now is None or self._odometry is None
        if not (moved or fresh) and self._last is not None:
            return self._ridden(scan.time, step)
        self._time = scan.time
        self._move(step, now, gap)
        scan = tilted(scan, *tilt) if tilt is not None else scan
        points, angles, ranges = self._points(scan, p.beams, _velocity(scan, step, gap))
        if len(points) < FEWEST_BEAMS:
            self.blind += 1
            self._last = self._estimate(scan.time, points, float(len(self.particles)), 0.0, weighed=False)
            return self._last
        self._force = False
        effective = kernels.add_log_weights(self.weights, self._log_likelihood(scan, points, angles, ranges))
        made = self._estimate(scan.time, points, effective, 0.0, weighed=True)
        added = self._added_fraction(made)
        self._since_search += 1
        if effective < p.resample_below * len(self.particles) or added > 0:
            self._resample(added, scan if added > 0 else None)
        self._last = replace(made, added=added)
        return self._last

    @property
    def estimate(self) -> Estimate:
        """The latest estimate."""
        if self._last is None:
            self._last = self._estimate(self._time, np.zeros((0, 2)), float(len(self.particles)), 0.0, weighed=False)
        return self._last

    @property
    def map_from_odom(self) -> Array:
        """Pose (3,) of the odometry's frame on the map at the latest update: what is published as map -> odom."""
        if self._odometry is None:
            raise BadInput("no odometry has come yet; map_from_odom is not known")
        return compose(self.estimate.pose, between(self._odometry, np.zeros(3)))

    # ---- the parts -----------------------------------------------------------------------------------
    def _begin(self, particles: Array) -> None:
        self.particles = np.ascontiguousarray(particles)
        self.weights = np.full(len(particles), 1.0 / len(particles))
        self._slow = self._fast = 0.0
        self._force, self._last, self._agreed = True, None, 0
        self._odometry = None

    def _ridden(self, time: float, step: Array) -> Estimate:
        assert self._last is not None
        return replace(self._last, time=time, pose=compose(self._last.pose, step), added=0.0, updated=False)

    def _move(self, step: Array, odometry: Array | None, gap: float) -> None:
        """Sample the motion since the last update."""
        p = self.parameters
        noise = self.rng.standard_normal(self.particles.shape)
        if odometry is None:
            root = math.sqrt(gap)
            kernels.diffuse(self.particles, p.blind_speed * root, p.blind_turn * root, noise)
        elif self._odometry is not None:
            model = kernels.move_omni if p.odometry_model.startswith("omni") else kernels.move_differential
            model(self.particles, step, self._alphas, p.odometry_model.endswith("corrected"), noise)
        self._odometry = odometry

    def _points(self, scan: Scan, beams: int, velocity: Array = STILL) -> tuple[Array, Array, Array]:
        """Ends (m, 2) of evenly chosen beams in the robot's frame, and directions and ranges of the chosen beams.

        velocity: the twist (3,) of the robot during the sweep, to undo the motion distortion.
        Beams without an echo have no end; for the beam model they keep a range of range_max.
        """
        p = self.parameters
        longest = min(p.range_max, scan.range_max)
        ends, numbers = scan.ends(velocity)
        ends = ends[scan.ranges[numbers] <= longest]
        if len(ends) > beams:
            ends = ends[np.linspace(0, len(ends) - 1, beams).round().astype(np.int64)]
        if p.sensor_model != "beam":
            return ends, ends[:0, 0], ends[:0, 0]
        good = np.flatnonzero(scan.ranges >= scan.range_min)  # NaN and too near are not used
        if len(good) > beams:
            good = good[np.linspace(0, len(good) - 1, beams).round().astype(np.int64)]
        return ends, scan.angles[good], np.minimum(scan.ranges[good], longest)

    def _log_likelihood(self, scan: Scan, points: Array, angles: Array, ranges: Array) -> Array:
        p = self.parameters
        if p.sensor_model == "beam":
            longest = min(p.range_max, scan.range_max)
            sensor = np.array(scan.sensor)
            return self.field.log_beams(self.particles, sensor, angles, ranges, longest, p.effective_beams)
        if p.sensor_model == "likelihood_field":
            return self.field.log_cubes(self.particles, points)
        return self.field.log_product(self.particles, points, p.effective_beams)

    def _added_fraction(self, made: Estimate) -> float:
        """Fraction of new particles, max(0, 1 - fast / slow) of two means of the fit; also keeps the means."""
        p = self.parameters
        if not self._slow:
            self._slow = self._fast = made.fit
        self._slow += p.recovery_slow * (made.fit - self._slow)
        self._fast += p.recovery_fast * (made.fit - self._fast)
        if not p.recovery or self._slow <= 0:
            return 0.0
        fraction = min(1.0 - self._fast / self._slow, p.recovery_most)
        return fraction if fraction >= LEAST_ADDED else 0.0

    def _resample(self, added: float, scan: Scan | None) -> None:
        """Draw as many particles as the posterior needs; `added` of them new, by the scan search and anywhere."""
        p = self.parameters
        table = _table(len(self.particles))
        start = self.rng.random()
        drawn = np.empty_like(self.particles)
        kernels.systematic(self.particles, self.weights, start, drawn)
        ones = np.full(len(drawn), 1.0)
        bins, _ = kernels.fill_bins(drawn, ones, p.bin_xy, p.bin_yaw, *table, 0.0)
        count = min(max(kernels.kld_particles(bins, p.kld_error, p.kld_z), p.particles_min), p.particles_max)
        fresh = round(added * count)
        if scan is not None and fresh:
            count = min(count + fresh, p.particles_max)
        out = np.empty((count, 3))
        kernels.systematic(self.particles, self.weights, self.rng.random(), out[: count - fresh])
        if fresh and scan is not None:
            new = out[count - fresh :]
            new[:] = self.field.random_poses(fresh, self.rng)
            if self._since_search >= SEARCH_EVERY:
                self._put(new[: int(p.search_fraction * fresh)], self.search(scan))
                self._since_search = 0
        self.particles = out
        self.weights = np.full(count, 1.0 / count)

    def _put(self, particles: Array, found: Places) -> None:
        """Move particles (n, 3) about the places that a search found, more of them where it fits better."""
        if len(found.poses) == 0 or len(particles) == 0:
            return
        weight = np.exp(10.0 * (found.scores - found.scores[0]))
        which = self.rng.choice(len(found.poses), len(particles), p=weight / weight.sum())
        particles[:] = found.poses[which] + self.rng.standard_normal((len(particles), 3)) * PLACE_DEVIATION

    def _estimate(self, time: float, points: Array, effective: float, added: float, *, weighed: bool) -> Estimate:
        """The heaviest cluster: mean, covariance, its fraction of the weight, and the fit of the scan there."""
        p = self.parameters
        keys, mass = _table(len(self.particles))
        _, slot = kernels.fill_bins(self.particles, self.weights, p.bin_xy, 2 * p.bin_yaw, keys, mass, 0.0)
        pose, covariance = np.zeros(3), np.zeros((3, 3))
        weight = kernels.cluster_mean(
            self.particles, self.weights, int(keys[slot]), p.bin_xy, 2 * p.bin_yaw, CLUSTER_RADIUS, CLUSTER_TURN, pose,
            covariance,
        )  # fmt: skip
        if len(points):
            fit = float(self.field.fits(pose[None], points)[0])
        else:
            fit = self._last.fit if self._last is not None else 0.0
        deviation = math.sqrt(max(covariance[0, 0] + covariance[1, 1], 0.0))
        agrees = (
            weight >= p.converged_fraction
            and deviation <= p.converged_xy
            and math.sqrt(max(covariance[2, 2], 0.0)) <= p.converged_yaw
            and fit * weight >= p.health_least
        )
        self._agreed = (self._agreed + weighed) if agrees else 0
        converged = self._agreed >= p.converged_updates
        return Estimate(time, pose, covariance, weight, fit, len(self.particles), effective, added, weighed, converged)


def _velocity(scan: Scan, step: Array, gap: float) -> Array:
    """Twist (3,) during a sweep, as over the step before it; none where beams share one time or stamps are at fault."""
    if not scan.time_increment or gap < 1e-4:
        return STILL
    return sane_twist(se2.log(step) / gap)


def _table(count: int) -> tuple[np.ndarray, Array]:
    """An empty hash table with at least twice as many slots as particles."""
    size = 1 << max(4, (2 * count - 1).bit_length())
    return np.empty(size, dtype=np.int64), np.empty(size)
