"""Rotation splines: exact at the waypoints, smooth between, derivatives as differences show; poses with free parts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from scipy.spatial.transform import RotationSpline as ScipySpline

from andante.errors import BadInput, UnknownName
from andante.geometry import so3
from andante.motion import PoseSpline, RotationSpline

NAN = np.nan


def random_spline(seed: int, count: int = 6, size: float = 1.0, ends="rest") -> RotationSpline:
    rng = np.random.default_rng(seed)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.4, 1.5, count - 1))])
    return RotationSpline(times, so3.exp(size * rng.normal(size=(count, 3))), ends)


@given(st.integers(0, 10_000), st.sampled_from(["rest", "natural"]), st.floats(0.01, 3.0))
@settings(max_examples=40, deadline=None)
def test_meets_waypoints_with_continuous_velocity_and_acceleration(seed, ends, size):
    spline = random_spline(seed, size=size, ends=ends)
    assert spline.rotation(spline.times) == pytest.approx(spline.rotations, abs=1e-12)
    inner, h = spline.times[1:-1], 1e-9
    for quantity in (spline.angular_velocity, spline.angular_acceleration):
        before, after = quantity(inner - h), quantity(inner + h)
        scale = max(1.0, np.abs(spline.rates).max() ** 3)
        assert np.abs(before - after).max() < 1e-6 * scale


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [0.05, 0.5, 1.5])
def test_velocity_and_acceleration_against_differences(seed, size):
    spline, h = random_spline(seed, size=size), 1e-5
    t = np.linspace(spline.domain[0] + 0.01, spline.domain[1] - 0.01, 50)
    t = t[np.abs(t[:, None] - spline.times).min(axis=1) > 1e-3]
    turn = so3.log(np.swapaxes(spline.rotation(t - h), -1, -2) @ spline.rotation(t + h)) / (2 * h)
    velocity = spline.angular_velocity(t)
    scale = max(1.0, np.abs(velocity).max())
    assert velocity == pytest.approx(turn, abs=1e-6 * scale**3)
    change = (spline.angular_velocity(t + h) - spline.angular_velocity(t - h)) / (2 * h)
    assert spline.angular_acceleration(t) == pytest.approx(change, abs=1e-6 * scale**4)
    world = (spline.rotation(t) @ velocity[..., None])[..., 0]
    assert spline.angular_velocity(t, "world") == pytest.approx(world)


def test_agrees_with_scipy_under_its_end_conditions():
    spline = random_spline(4, size=0.2)  # small turns: scipy stops after ten sweeps, which is not enough for large ones
    reference = ScipySpline(spline.times, Rotation.from_matrix(spline.rotations))
    ends = tuple(reference(spline.times[[0, -1]], 1))
    ours = RotationSpline(spline.times, spline.rotations, ends)
    t = np.linspace(*spline.domain, 80)
    assert ours.rotation(t) == pytest.approx(reference(t).as_matrix(), abs=1e-7)
    assert ours.angular_velocity(t) == pytest.approx(reference(t, 1), abs=1e-6)


def test_end_conditions():
    rest, natural = random_spline(1), random_spline(1, ends="natural")
    for t in rest.domain:
        assert rest.angular_velocity(t) == pytest.approx(np.zeros(3), abs=1e-12)
        assert natural.angular_acceleration(t) == pytest.approx(np.zeros(3), abs=1e-8)
    start, end = np.array([1, 0, -1.0]), np.array([0, 2, 0.5])
    given_ends = RotationSpline(rest.times, rest.rotations, (start, end))
    assert given_ends.angular_velocity(given_ends.domain[0]) == pytest.approx(start)
    assert given_ends.angular_velocity(given_ends.domain[1]) == pytest.approx(end)


def test_about_one_axis_it_is_the_cubic_spline_of_the_angle():
    from scipy.interpolate import CubicSpline

    times, angles = np.array([0, 1, 2.5, 3]), np.array([0, 1.2, 0.3, -0.5])
    spline = RotationSpline(times, so3.exp(np.outer(angles, [0, 0, 1])))
    reference, t = CubicSpline(times, angles, bc_type="clamped"), np.linspace(0, 3, 60)
    assert spline.angular_velocity(t)[:, 2] == pytest.approx(reference(t, 1), abs=1e-10)
    assert spline.angular_acceleration(t)[:, 2] == pytest.approx(reference(t, 2), abs=1e-9)


def test_still_orientations_stay_still():
    spline = RotationSpline([0, 1, 2], np.broadcast_to(so3.exp([0.3, 0, 1]), (3, 3, 3)))
    assert spline.angular_velocity(np.linspace(0, 2, 9)) == pytest.approx(np.zeros((9, 3)), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: RotationSpline([0.0], np.eye(3)[None]), BadInput, "two or more times"),
        (lambda: RotationSpline([0, 0], np.stack([np.eye(3)] * 2)), BadInput, "grow"),
        (lambda: RotationSpline([0, 1], np.eye(3)), BadInput, "shape"),
        (lambda: random_spline(0, ends="odd"), UnknownName, "rest, natural"),
        (lambda: random_spline(0).angular_velocity(0, "sea"), UnknownName, "body, world"),
        (lambda: random_spline(0).rotation(-1), BadInput, "between"),
        (lambda: PoseSpline([[0, 0, 0, 0, 0, 0]]), BadInput, "two or more waypoints"),
        (lambda: PoseSpline(np.full((2, 6), NAN)), BadInput, "free"),
        (lambda: PoseSpline([[0, 0, 0, NAN, NAN, NAN], [1, 0, 0, 1, NAN, NAN]]), BadInput, "yaw is given at one"),
        (lambda: PoseSpline([[0, 0, 0, 0, 0, 0], [np.inf, 0, 0, 0, 0, 0]]), BadInput, "finite"),
    ],
)
def test_bad_splines(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_pose_path_meets_waypoints_in_position_and_orientation():
    rng = np.random.default_rng(3)
    waypoints = np.hstack([rng.normal(size=(5, 3)), rng.uniform(-1.4, 1.4, size=(5, 3))])
    path = PoseSpline(waypoints)
    poses = path.pose(path.parameters)
    assert poses[:, :3] == pytest.approx(waypoints[:, :3], abs=1e-9)
    expected = so3.from_rpy(waypoints[:, [5, 4, 3]])
    assert so3.from_rpy(poses[:, [5, 4, 3]]) == pytest.approx(expected, abs=1e-9)
    assert path.rotation(path.parameters) == pytest.approx(expected, abs=1e-9)
    assert path.angular_velocity([0.2, 0.7]).shape == (2, 3)


def test_free_coordinates_stay_free_and_partly_given_ones_are_held_where_given():
    waypoints = [
        [0, 0, 0.0, 0, NAN, NAN],
        [1, 0, NAN, 3.0, NAN, NAN],
        [2, 0, 0.4, -3.0, NAN, NAN],  # the short way over pi
        [3, 0, NAN, -2.5, NAN, NAN],
    ]
    path = PoseSpline(waypoints, [0, 0.3, 0.6, 1.0])
    poses = path.pose(np.linspace(0, 1, 101))
    assert np.isnan(poses[:, 4:]).all()
    assert not np.isnan(poses[:, [0, 1, 3]]).any()
    assert np.isnan(poses[61:, 2]).all()
    assert not np.isnan(poses[:61, 2]).any()
    assert poses[30, 2] == pytest.approx(0.2)  # z runs straight between the two that give it
    assert np.abs(np.diff(poses[:, 3])).max() < 0.5
    assert path.rotation(0.5) is None


def test_a_dwelling_waypoint_is_no_obstacle():
    path = PoseSpline([[0, 0, 0, NAN, NAN, NAN], [0, 0, 0, NAN, NAN, NAN], [1, 0, 0, NAN, NAN, NAN]])
    assert path.pose(1.0)[0] == pytest.approx(1.0)
    assert np.isfinite(path.pose(np.linspace(0, 1, 50))[:, :3]).all()
