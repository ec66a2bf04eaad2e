"""Kernels of the particle filter against plain sums."""

import math

import numpy as np
import pytest

from andante.bench.localization import moved
from andante.localization import particles as kernels
from andante.localization.particles import kld_particles


def cloud(count, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-5, 5, (count, 2)), rng.uniform(-np.pi, np.pi, count)]), rng


@pytest.mark.parametrize("step", [(0.5, 0.1, 0.3), (-0.4, 0.0, 0.0), (0.0, 0.0, 1.2), (1e-5, 0.0, 0.0), (0.1, 0.3, -2)])
def test_differential_motion_is_that_of_the_reference(step):
    particles, rng = cloud(200)
    noise, alphas = rng.standard_normal((200, 3)), (0.05, 0.03, 0.04, 0.01, 0.0)
    want = moved(particles, np.array(step), alphas, noise)
    kernels.move_differential(particles, np.array(step), np.array(alphas), True, noise)
    np.testing.assert_allclose(particles, want, atol=1e-12)


@pytest.mark.parametrize("move", [kernels.move_differential, kernels.move_omni])
def test_without_noise_particles_move_as_the_odometry(move):
    from andante.geometry import se2

    particles, rng = cloud(50)
    before, step = particles.copy(), np.array([0.3, -0.2, 0.4])
    move(particles, step, np.zeros(5), True, rng.standard_normal((50, 3)))
    np.testing.assert_allclose(particles, se2.compose(before, step), atol=1e-12)


def test_deviations_of_the_models():
    n, step = 200_000, np.array([2.0, 0.0, 0.0])
    noise = np.random.default_rng(1).standard_normal((n, 3))
    alphas = np.array([0.0, 0.01, 0.04, 0.0, 0.09])
    for corrected, along, turn in ((True, 0.2 * 2, 0.1 * 2), (False, 0.04 * 4, 0.01 * 4)):
        particles = np.zeros((n, 3))
        kernels.move_differential(particles, step, alphas, corrected, noise)
        assert np.hypot(particles[:, 0], particles[:, 1]).std() == pytest.approx(along, rel=0.01)
        assert particles[:, 2].std() == pytest.approx(turn * math.sqrt(2), rel=0.01)
    particles = np.zeros((n, 3))
    kernels.move_omni(particles, step, alphas, True, noise)
    assert particles.std(axis=0) == pytest.approx([0.4, 0.6, 0.2], rel=0.01)  # 5: across the way


def test_weights_become_a_distribution_whatever_comes():
    weights = np.full(4, 0.25)
    effective = kernels.add_log_weights(weights, np.array([-1000.0, -1001.0, -5000.0, -1000.0]))
    want = np.array([1, math.exp(-1), 0, 1])
    np.testing.assert_allclose(weights, want / want.sum(), atol=1e-15)
    assert effective == pytest.approx(1 / np.sum((want / want.sum()) ** 2))
    weights = np.array([0.0, 0.0, 1.0])
    assert kernels.add_log_weights(weights, np.array([0.0, 0.0, -np.inf])) == 3
    np.testing.assert_allclose(weights, 1 / 3)


def test_systematic_resampling_draws_by_weight():
    particles, rng = cloud(300)
    weights = rng.random(300)
    weights /= weights.sum()
    out = np.empty((1000, 3))
    kernels.systematic(particles, weights, 0.37, out)
    counts = np.array([(out == particle).all(axis=1).sum() for particle in particles])
    assert counts.sum() == 1000
    assert np.abs(counts - 1000 * weights).max() < 1.0 + 1e-9  # systematic: never off by one or more


def test_bins_are_counted_as_a_set_would():
    particles, rng = cloud(4000)
    weights = rng.random(4000)
    keys, mass = np.empty(8192, dtype=np.int64), np.empty(8192)
    count, best = kernels.fill_bins(particles, weights, 0.5, 0.3, keys, mass, 0.2)
    used = weights > 0.2
    bins = np.floor(np.column_stack([particles[:, :2] / 0.5, (particles[:, 2] + np.pi) / 0.3])).astype(int)
    sums = {}
    for key, weight in zip(map(tuple, bins[used]), weights[used], strict=True):
        sums[key] = sums.get(key, 0.0) + weight
    assert count == len(sums)
    assert mass[best] == pytest.approx(max(sums.values()))


def test_cluster_is_the_heavy_one_with_its_covariance():
    rng = np.random.default_rng(2)
    heavy = np.array([3.0, -2.0, math.pi]) + rng.standard_normal((3000, 3)) * [0.1, 0.2, 0.05]
    light = np.array([-4.0, 1.0, 0.5]) + rng.standard_normal((1000, 3)) * 0.2
    particles = np.concatenate([heavy, light])
    particles[:, 2] = (particles[:, 2] + np.pi) % (2 * np.pi) - np.pi  # half of the heavy ones on either side of pi
    weights = np.full(4000, 1 / 4000)
    keys, mass = np.empty(8192, dtype=np.int64), np.empty(8192)
    _, best = kernels.fill_bins(particles, weights, 1.0, 0.7, keys, mass, 0.0)
    mean, covariance = np.zeros(3), np.zeros((3, 3))
    fraction = kernels.cluster_mean(particles, weights, keys[best], 1.0, 0.7, 1.0, 0.7, mean, covariance)
    assert fraction == pytest.approx(0.75, abs=0.002)
    assert abs(abs(mean[2]) - math.pi) < 0.01
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), [0.1, 0.2, 0.05], rtol=0.05)


def test_kld_numbers():
    # Fox (2003): grows with the bins; by hand for k = 10, e = 0.05, z = 2.33
    part = 2 / (9 * 9)
    assert kld_particles(10, 0.05, 2.33) == math.ceil(90 * (1 - part + math.sqrt(part) * 2.33) ** 3)
    assert kld_particles(1, 0.05, 2.33) == 1
    grown = [kld_particles(k, 0.05, 2.33) for k in (2, 20, 200)]
    assert grown == sorted(grown)
