"""Sensor models against plain sums and known geometry."""

import math

import numpy as np
import pytest

from andante.bench.slam import field_log, log_product
from andante.errors import AndanteError, BadInput
from andante.localization import LikelihoodField, MclParameters
from andante.localization.likelihood_field import cast_ray
from andante.mapping import OccupancyGrid


def box(yaw=0.0, origin=(0.0, 0.0)):
    """A room of 6 x 4 m with walls one cell thick."""
    cells = np.zeros((80, 120), dtype=np.int8)
    cells[[0, -1], :], cells[:, [0, -1]] = 100, 100
    return OccupancyGrid(0.05, (*origin, yaw), cells)


@pytest.mark.parametrize("grid", [box(), box(0.7, (-3.0, 5.0))])
def test_log_product_is_that_of_the_reference(grid):
    p = MclParameters(effective_beams=7)
    rng = np.random.default_rng(0)
    poses = np.column_stack([rng.uniform(-8, 8, (500, 2)), rng.uniform(-np.pi, np.pi, 500)])
    points = rng.normal(0, 2, (60, 2))
    want = log_product(field_log(grid, p), grid, p, poses, points)
    got = LikelihoodField(grid, p).log_product(poses, points, 7)
    near = np.isclose(got, want, atol=1e-4)
    assert near.mean() > 0.97  # single precision puts a few ends into the cell beside
    np.testing.assert_allclose(got, want, atol=1.0)
    assert np.median(np.abs(got - want)) < 1e-5


def test_fit_and_cubes_know_the_right_pose():
    field = LikelihoodField(box())
    angles = np.linspace(-np.pi, np.pi, 100, endpoint=False)
    true = np.array([2.0, 1.5, 0.3])
    turned = angles + true[2]
    far = np.minimum(
        np.where(np.cos(turned) > 0, 5.975 - true[0], 0.025 - true[0]) / np.cos(turned),
        np.where(np.sin(turned) > 0, 3.975 - true[1], 0.025 - true[1]) / np.sin(turned),
    )
    points = far[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    poses = true + np.array([[0, 0, 0], [0.2, 0, 0], [0, 0, 0.2], [1, 0, 0]])
    fits = field.fits(poses, points)
    assert fits[0] > 0.97
    assert (np.diff(fits[[0, 1, 3]]) < 0).all()
    assert fits[2] < fits[0]
    for values in (field.log_cubes(poses, points), field.log_product(poses, points, 15)):
        assert values.argmax() == 0
    assert field.fits(poses, points[:0]).tolist() == [0, 0, 0, 0]
    sensor, longest = np.zeros(3), 25.0
    assert field.log_beams(poses, sensor, angles, far, longest, 15).argmax() == 0


@pytest.mark.parametrize("angle", np.linspace(-3, 3, 12))
def test_rays_end_at_the_walls(angle):
    field = LikelihoodField(box())
    x, y = 2.0, 1.5
    c, s = math.cos(angle), math.sin(angle)
    want = min((5.95 - x if c > 0 else 0.05 - x) / c, (3.95 - y if s > 0 else 0.05 - y) / s)
    got = cast_ray(field.distance, 0.05, x, y, c, s, 20.0)
    assert got == pytest.approx(want, abs=0.06)
    assert cast_ray(field.distance, 0.05, x, y, c, s, 0.5) == 0.5


def test_beam_model_knows_people_and_missing_echoes():
    p = MclParameters(z_short=0.1, z_max=0.05)
    field = LikelihoodField(box(), p)
    pose, sensor, ahead = np.array([[2.0, 2.0, 0.0]]), np.zeros(3), np.zeros(1)

    def log_of(seen):
        return field.log_beams(pose, sensor, ahead, np.array([seen]), 20.0, 15)[0]

    assert log_of(3.95) > log_of(1.0) > log_of(5.5)  # the wall; somebody in front of it; through the wall
    assert log_of(20.0) == pytest.approx(math.log(0.05), abs=1e-3)


def test_random_poses_stand_on_free_cells():
    cells = np.full((40, 40), -1, dtype=np.int8)
    cells[10:20, 5:30], cells[9, :] = 0, 100
    grid = OccupancyGrid(0.1, (1.0, 2.0, 0.5), cells)
    poses = LikelihoodField(grid).random_poses(2000, np.random.default_rng(0))
    assert (grid.at(poses[:, :2]) == 0).all()
    assert len(np.unique(poses[:, 0])) == 2000


def test_maps_that_tell_nothing_are_refused():
    with pytest.raises(BadInput, match="no occupied cell"):
        LikelihoodField(OccupancyGrid(0.1, (0, 0, 0), np.zeros((5, 5))))
    with pytest.raises(BadInput, match="no free cell"):
        LikelihoodField(OccupancyGrid(0.1, (0, 0, 0), np.full((5, 5), 100)))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"odometry_model": "tracked"}, "diff-corrected"),
        ({"sensor_model": "sonar"}, "likelihood_field_prob"),
        ({"sigma_hit": 0.0}, "sigma_hit must be above 0"),
        ({"particles_min": 6000}, "must not exceed"),
        ({"z_hit": 1.5}, "z_hit is a fraction"),
        ({"kld_error": math.nan}, "kld_error must be a finite number"),
        ({"beams": 20_000}, "10000 beams"),
    ],
)
def test_bad_parameters_are_named(values, said):
    with pytest.raises(AndanteError, match=said):
        MclParameters(**values)
