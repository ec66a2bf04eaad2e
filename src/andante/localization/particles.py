"""Compiled kernels of the particle filter: motion samples, resampling, histogram bins and the heaviest cluster."""

from __future__ import annotations

import math

import numpy as np

from andante.compiling import njit
from andante.geometry import Array


@njit()
def _wrap(angle: float) -> float:
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@njit()
def move_differential(particles: Array, step: Array, alphas: Array, corrected: bool, noise: Array) -> None:
    """Move particles (n, 3) in place by a planar step (3,) seen from the old pose: turn, drive, turn.

    noise (n, 3) are standard normal numbers. The deviations of the three parts are, with the squared sums of
    Thrun, Burgard and Fox (2005), table 5.6, as variances (`corrected`) or, as the older form has it, as deviations:
    a1 turn1² + a2 drive², a3 drive² + a4 (turn1² + turn2²), a1 turn2² + a2 drive². Turns near a half circle count as
    driving backwards.
    """
    drive = math.hypot(step[0], step[1])
    turn1 = math.atan2(step[1], step[0]) if drive > 1e-3 else 0.0
    turn2 = _wrap(step[2] - turn1)
    size1 = min(abs(turn1), abs(math.pi - abs(turn1)))
    size2 = min(abs(turn2), abs(math.pi - abs(turn2)))
    a1, a2, a3, a4 = alphas[0], alphas[1], alphas[2], alphas[3]
    dev1 = a1 * size1 * size1 + a2 * drive * drive
    dev_drive = a3 * drive * drive + a4 * (size1 * size1 + size2 * size2)
    dev2 = a1 * size2 * size2 + a2 * drive * drive
    if corrected:
        dev1, dev_drive, dev2 = math.sqrt(dev1), math.sqrt(dev_drive), math.sqrt(dev2)
    for i in range(len(particles)):
        heading = particles[i, 2] + turn1 + dev1 * noise[i, 0]
        way = drive + dev_drive * noise[i, 1]
        particles[i, 0] += way * math.cos(heading)
        particles[i, 1] += way * math.sin(heading)
        particles[i, 2] = _wrap(heading + turn2 + dev2 * noise[i, 2])


@njit()
def move_omni(particles: Array, step: Array, alphas: Array, corrected: bool, noise: Array) -> None:
    """Move particles (n, 3) in place by a step (3,) of a robot that drives in every direction.

    Deviations (or variances, `corrected`): along the way a3 drive² + a1 turn², turn a4 turn² + a2 drive²,
    across the way a1 turn² + a5 drive².
    """
    drive, turn = math.hypot(step[0], step[1]), step[2]
    bearing = math.atan2(step[1], step[0]) if drive > 1e-9 else 0.0
    along = alphas[2] * drive * drive + alphas[0] * turn * turn
    spin = alphas[3] * turn * turn + alphas[1] * drive * drive
    across = alphas[0] * turn * turn + alphas[4] * drive * drive
    if corrected:
        along, spin, across = math.sqrt(along), math.sqrt(spin), math.sqrt(across)
    for i in range(len(particles)):
        heading = particles[i, 2] + bearing
        c, s = math.cos(heading), math.sin(heading)
        way, aside = drive + along * noise[i, 0], across * noise[i, 1]
        particles[i, 0] += way * c - aside * s
        particles[i, 1] += way * s + aside * c
        particles[i, 2] = _wrap(particles[i, 2] + turn + spin * noise[i, 2])


@njit()
def diffuse(particles: Array, spread_xy: float, spread_yaw: float, noise: Array) -> None:
    """Spread particles (n, 3) in place by noise (n, 3) times the deviations [m, rad]."""
    for i in range(len(particles)):
        particles[i, 0] += spread_xy * noise[i, 0]
        particles[i, 1] += spread_xy * noise[i, 1]
        particles[i, 2] = _wrap(particles[i, 2] + spread_yaw * noise[i, 2])


@njit()
def add_log_weights(weights: Array, log_likelihood: Array) -> float:
    """Multiply weights (n,) in place by exp(log_likelihood) and make their sum 1; return the effective number.

    n_eff = 1 / sum w². Weights that vanish altogether, or are no numbers, become equal again.
    """
    n = len(weights)
    top = -math.inf
    for i in range(n):
        if weights[i] > 0.0 and log_likelihood[i] > top:
            top = log_likelihood[i]
    total = 0.0
    if top > -math.inf:
        for i in range(n):
            weights[i] *= math.exp(log_likelihood[i] - top)
            total += weights[i]
    if not (total > 0.0 and math.isfinite(total)):
        for i in range(n):
            weights[i] = 1.0 / n
        return float(n)
    squares = 0.0
    for i in range(n):
        weights[i] /= total
        squares += weights[i] * weights[i]
    return 1.0 / squares


@njit()
def systematic(particles: Array, weights: Array, start: float, out: Array) -> None:
    """Fill `out` (m, 3) with particles drawn by weight at start/m, (start + 1)/m, ...; 0 <= start < 1 (one number)."""
    n, m = len(particles), len(out)
    reached, source = weights[0], 0
    for j in range(m):
        at = (start + j) / m
        while reached < at and source < n - 1:
            source += 1
            reached += weights[source]
        out[j, 0], out[j, 1], out[j, 2] = particles[source, 0], particles[source, 1], particles[source, 2]


@njit()
def _bin_key(x: float, y: float, yaw: float, bin_xy: float, bin_yaw: float) -> np.int64:
    kx = np.int64(math.floor(x / bin_xy)) & 0x1FFFFF
    ky = np.int64(math.floor(y / bin_xy)) & 0x1FFFFF
    kt = np.int64(math.floor((yaw + math.pi) / bin_yaw)) & 0x1FFFFF
    return (kx << 42) | (ky << 21) | kt


@njit()
def fill_bins(
    particles: Array, weights: Array, bin_xy: float, bin_yaw: float, keys: np.ndarray, mass: Array, floor: float
) -> tuple[int, np.int64]:
    """Put weights into a hash table of bins; return how many bins hold particles, and the slot of the heaviest.

    keys (2^k,) int64 and mass (2^k,) are the table, cleared here, with more slots than particles. Particles whose
    weight is at most `floor` are left out.
    """
    keys[:] = -1
    mass[:] = 0.0
    cover = np.int64(len(keys) - 1)
    count, best = 0, np.int64(0)
    for i in range(len(particles)):
        if weights[i] <= floor:
            continue
        key = _bin_key(particles[i, 0], particles[i, 1], particles[i, 2], bin_xy, bin_yaw)
        slot = ((key ^ (key >> 19) ^ (key >> 40)) * np.int64(0x9E3779B1)) & cover
        while keys[slot] != key and keys[slot] != -1:
            slot = (slot + 1) & cover
        if keys[slot] == -1:
            keys[slot] = key
            count += 1
        mass[slot] += weights[i]
        if mass[slot] > mass[best]:
            best = slot
    return count, best


@njit()
def cluster_mean(
    particles: Array, weights: Array, key: int, bin_xy: float, bin_yaw: float, radius: float, turn: float, mean: Array,
    covariance: Array,
) -> float:  # fmt: skip
    """Mean (3,) and covariance (3, 3) of the cluster around a bin, and the fraction of all weight that it holds.

    Starts at the weighted mean of the bin and moves a window of `radius` [m] and `turn` [rad] to the mean inside it
    (mean shift) until it rests.
    """
    x = y = c = s = total = 0.0
    for i in range(len(particles)):
        if _bin_key(particles[i, 0], particles[i, 1], particles[i, 2], bin_xy, bin_yaw) == key:
            w = weights[i]
            total += w
            x += w * particles[i, 0]
            y += w * particles[i, 1]
            c += w * math.cos(particles[i, 2])
            s += w * math.sin(particles[i, 2])
    if total <= 0.0:
        return 0.0
    mx, my, mt = x / total, y / total, math.atan2(s, c)
    for _ in range(5):
        x = y = d = total = 0.0
        for i in range(len(particles)):
            ex, ey, et = particles[i, 0] - mx, particles[i, 1] - my, _wrap(particles[i, 2] - mt)
            if ex * ex + ey * ey <= radius * radius and abs(et) <= turn:
                w = weights[i]
                total += w
                x += w * ex
                y += w * ey
                d += w * et
        if total <= 0.0:
            break
        mx, my, mt = mx + x / total, my + y / total, _wrap(mt + d / total)
        if abs(x) + abs(y) + abs(d) < 1e-3 * total:
            break
    mean[0], mean[1], mean[2] = mx, my, mt
    covariance[:] = 0.0
    fraction = 0.0
    for i in range(len(particles)):
        ex, ey, et = particles[i, 0] - mx, particles[i, 1] - my, _wrap(particles[i, 2] - mt)
        if ex * ex + ey * ey <= radius * radius and abs(et) <= turn:
            w = weights[i]
            fraction += w
            covariance[0, 0] += w * ex * ex
            covariance[0, 1] += w * ex * ey
            covariance[0, 2] += w * ex * et
            covariance[1, 1] += w * ey * ey
            covariance[1, 2] += w * ey * et
            covariance[2, 2] += w * et * et
    if fraction > 0.0:
        covariance /= fraction
    covariance[1, 0], covariance[2, 0], covariance[2, 1] = covariance[0, 1], covariance[0, 2], covariance[1, 2]
    return fraction


def kld_particles(bins: int, error: float, z: float) -> int:
    """Particles with which the Kullback-Leibler distance to the true posterior stays below `error`.

    n = (k - 1) / (2 e) (1 - 2 / (9 (k - 1)) + sqrt(2 / (9 (k - 1))) z)³ for k bins with support; z: normal quantile.
    """
    if bins <= 1:
        return 1
    part = 2.0 / (9.0 * (bins - 1))
    return math.ceil((bins - 1) / (2.0 * error) * (1.0 - part + math.sqrt(part) * z) ** 3)
