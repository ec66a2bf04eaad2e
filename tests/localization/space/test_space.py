"""Localization in six dimensions: a room with a block, points on its walls, particles that find their pose."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.description import Box, Collision, Link, Placement, Plane, Robot, World
from andante.errors import BadInput
from andante.geometry import SE3
from andante.localization.space import SpaceField, SpaceLocalizer, SpaceSettings
from andante.localization.space.kernels import sum_over_points
from andante.mapping.octree import octree_of_world

WALLS = {
    "west": ((0.1, 4.0, 1.0), (-2.0, 0.0, 0.5)), "east": ((0.1, 4.0, 1.0), (2.5, 0.0, 0.5)),
    "south": ((4.6, 0.1, 1.0), (0.25, -2.0, 0.5)), "north": ((4.6, 0.1, 1.0), (0.25, 2.0, 0.5)),
    "block": ((0.5, 0.8, 0.6), (1.2, -1.0, 0.3)),
}  # fmt: skip


def room() -> World:
    models = [Placement("floor", Robot("floor", (Link("floor", collisions=(Collision(Plane()),)),)), fixed=True)]
    for name, (size, at) in WALLS.items():
        robot = Robot(name, (Link(name, collisions=(Collision(Box(size)),)),))
        models.append(Placement(name, robot, SE3.from_xyz_rpy(at), fixed=True))
    return World("room", tuple(models))


def cloud(pose, count=1500, seed=0, noise=0.005):
    """Points of the walls, the block and the floor within 4 m, as seen from a pose; nothing hides anything here."""
    rng = np.random.default_rng(seed)
    parts = []
    for size, at in WALLS.values():
        half = np.array(size) / 2
        on = rng.uniform(-half, half, (count // 6, 3))
        face = rng.integers(0, 2, len(on))  # the faces toward the middle of the room and one other
        axis = int(np.argmin(half))
        on[:, axis] = np.where(face == 0, half[axis], half[axis]) * -np.sign(at[axis] or 1.0)
        parts.append(on + at)
    floor = np.column_stack(
        [rng.uniform(-1.9, 2.4, count // 6), rng.uniform(-1.9, 1.9, count // 6), np.zeros(count // 6)]
    )
    points = np.concatenate([*parts, floor])
    return np.asarray(SE3.from_xyz_rpy(pose[:3], pose[3:]).inverse() @ points) + rng.normal(0, noise, points.shape)


@pytest.fixture(scope="module")
def field() -> SpaceField:
    return SpaceField(octree_of_world(room(), 0.05, top=1.2), SpaceSettings(particles_global=20_000))


def errors(estimate, pose):
    turn = abs(math.remainder(float(estimate.pose[5] - pose[5]), 2 * math.pi))
    return math.dist(estimate.pose[:3], pose[:3]), turn


def test_sums_are_those_of_a_plain_look_up(field):
    rng = np.random.default_rng(1)
    poses = np.column_stack([rng.uniform(-3, 3, (20, 3)), rng.uniform(-0.5, 0.5, (20, 2)), rng.uniform(-3, 3, 20)])
    points = rng.uniform(-2, 2, (30, 3)).astype(np.float32)
    found = np.zeros(20)
    sum_over_points(field.fit, field.origin, field.resolution, poses, points, found)
    for pose, total in zip(poses, found, strict=True):
        there = np.asarray(SE3.from_xyz_rpy(pose[:3], pose[3:]) @ points.astype(float))
        assert total == pytest.approx(float(field.fits_at(there).sum()), abs=0.3)


def test_it_follows_a_walk_with_poor_odometry(field):
    filter_ = SpaceLocalizer(field, seed=1)
    pose = np.array([-0.5, 0.3, 0.33, 0.02, -0.01, 0.4])
    filter_.start_at(pose + np.array([0.05, -0.04, 0.0, 0.0, 0.0, 0.06]))
    odometry, rng = pose.copy(), np.random.default_rng(2)
    far = []
    for n in range(40):
        c, s = math.cos(pose[5]), math.sin(pose[5])
        pose[:2] += 0.04 * np.array([c, s])
        pose[5] += 0.05
        pose[3:5] = [0.03 * math.sin(n), 0.02 * math.cos(n)]
        c, s = math.cos(odometry[5]), math.sin(odometry[5])
        odometry[:2] += 1.1 * 0.04 * np.array([c, s])  # 10 % too long, and it turns too little
        odometry[5] += 0.04
        odometry[3:5] = pose[3:5] + rng.normal(0, 0.005, 2)
        far.append(errors(filter_.update(cloud(pose, seed=n), odometry), pose))
    far = np.array(far[5:])
    assert np.quantile(far[:, 0], 0.9) < 0.05
    assert np.quantile(far[:, 1], 0.9) < math.radians(5.0)
    assert filter_.trusted
    assert len(filter_.particles) == 500


@pytest.mark.parametrize("seed", range(3))
def test_a_start_without_a_pose(field, seed):
    rng = np.random.default_rng(seed)
    pose = np.array([*rng.uniform(-1.2, 0.6, 2), 0.33, 0.0, 0.0, rng.uniform(-3, 3)])
    own = np.array([7.0, 3.0, 0.33, 0.0, 0.0, 1.0])  # of an odometry that began elsewhere
    filter_ = SpaceLocalizer(field, seed=seed)
    filter_.start_anywhere(cloud(pose, seed=seed), own)
    for n in range(4):
        made = filter_.update(cloud(pose, seed=10 + n), own + np.array([0, 0, 0, 0, 0, 0.001 * n]))
    way, turn = errors(made, pose)
    assert way < 0.1
    assert turn < 0.1


def test_it_notices_that_it_was_carried_away_and_recovers(field):
    filter_ = SpaceLocalizer(field, seed=3)
    pose = np.array([-0.5, 0.3, 0.33, 0.0, 0.0, 0.4])
    filter_.start_at(pose)
    own = pose.copy()
    for n in range(6):
        own[5] = 0.4 + 0.04 * (n % 2)
        filter_.update(cloud([*pose[:5], own[5]], seed=n), own)
    good = filter_.update(cloud([*pose[:5], own[5]], seed=9), own).health
    away = np.array([0.2, 1.0, 0.33, 0.0, 0.0, 2.0])
    healths, made = [], None
    for n in range(60):
        own[5] += 0.04 if n % 2 else -0.04
        away[5] += 0.04 if n % 2 else -0.04
        made = filter_.update(cloud(away, seed=20 + n), own)
        healths.append(made.health)
    assert min(healths[:8]) < 0.6 * good
    assert errors(made, away)[0] < 0.1


def test_the_map_of_another_place_has_poor_health(field):
    filter_ = SpaceLocalizer(field, SpaceSettings(recovery_most=0.0), seed=4)
    pose = np.array([0.0, 0.0, 0.33, 0.0, 0.0, 0.0])
    filter_.start_at(pose)
    rng = np.random.default_rng(5)
    for n in range(5):
        points = rng.uniform(-1.0, 1.0, (500, 3)) * [2.0, 2.0, 0.3]
        made = filter_.update(points, pose + np.array([0.05 * n, 0, 0, 0, 0, 0]))
    assert made.health < 0.3
    assert not filter_.trusted


def test_clouds_of_nan_move_nothing(field):
    filter_ = SpaceLocalizer(field, seed=6)
    pose = np.array([0.0, 0.0, 0.33, 0.0, 0.0, 0.0])
    filter_.start_at(pose)
    made = filter_.update(np.full((1000, 3), np.nan), pose)
    assert not made.updated
    assert errors(made, pose)[0] < 0.05


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: SpaceLocalizer(f).update(np.zeros((3, 3)), np.zeros(6)), "start_at or start_anywhere"),
        (lambda f: SpaceLocalizer(f).start_at([0, 0, math.nan, 0, 0, 0]), "six finite numbers"),
        (lambda f: SpaceLocalizer(f).start_anywhere(np.zeros((3, 3)), np.zeros(3)), "six finite numbers"),
        (lambda f: SpaceSettings(particles=0), "particles"),
        (lambda f: SpaceSettings(sigma_hit=math.nan), "sigma_hit"),
    ],
)
def test_bad_input(field, call, words):
    with pytest.raises(BadInput, match=words):
        call(field)
