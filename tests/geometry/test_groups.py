"""Group axioms, round trips and the places where formulas lose digits (0 and a half turn)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.geometry import SE3, se2, so3

rng = np.random.default_rng(7)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
@pytest.mark.parametrize("scale", [0.0, 1e-9, 1e-5, 1e-3, 1.0, np.pi - 1e-7])
def test_rotation_vector_round_trip(shape, scale):
    w = rng.normal(size=(*shape, 3))
    w = w / np.linalg.norm(w, axis=-1, keepdims=True) * scale
    assert np.allclose(so3.log(so3.exp(w)), w, atol=1e-9, rtol=0)


def test_exp_is_orthonormal_and_matches_quaternion():
    w = rng.normal(size=(200, 3)) * 2
    R = so3.exp(w)
    assert np.allclose(R @ np.swapaxes(R, -1, -2), np.eye(3), atol=1e-12)
    assert np.allclose(so3.from_quaternion(so3.to_quaternion(R)), R, atol=1e-12)


def test_half_turns_about_each_axis():
    for axis in np.eye(3):
        R = so3.from_axis_angle(axis, np.pi)
        assert np.allclose(np.abs(so3.log(R)), axis * np.pi, atol=1e-7)
        assert np.allclose(so3.from_quaternion(so3.to_quaternion(R)), R, atol=1e-12)


@given(st.tuples(*[st.floats(-3.2, 3.2)] * 3))
@settings(max_examples=200, deadline=None)
def test_rpy_round_trip_everywhere(rpy):
    R = so3.from_rpy(rpy)
    assert np.allclose(so3.from_rpy(so3.to_rpy(R)), R, atol=1e-7)


def test_rpy_is_yaw_pitch_roll_about_fixed_axes():
    rx, ry, rz = so3.exp([0.3, 0, 0]), so3.exp([0, -0.4, 0]), so3.exp([0, 0, 1.1])
    assert np.allclose(so3.from_rpy([0.3, -0.4, 1.1]), rz @ ry @ rx, atol=1e-15)


def test_between_turns_a_into_b_also_when_opposite():
    a = np.array([[1.0, 0, 0], [0, 2, 0], [0, 0, 1], [1, 2, 3]])
    b = np.array([[-1.0, 0, 0], [0, -1, 0], [0, 0, 1], [3, -1, 2]])
    turned = (so3.between(a, b) @ (a / np.linalg.norm(a, axis=-1, keepdims=True))[..., None])[..., 0]
    assert np.allclose(turned, b / np.linalg.norm(b, axis=-1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_se3_axioms(shape):
    a, b = SE3.exp(rng.normal(size=(*shape, 6))), SE3.exp(rng.normal(size=(*shape, 6)))
    points = rng.normal(size=(*shape, 3))
    assert (a @ a.inverse()).is_identity(1e-12)
    assert np.allclose((a @ b) @ points, a @ (b @ points))
    assert (a @ b).inverse().close_to(b.inverse() @ a.inverse(), 1e-12)
    assert SE3.exp(a.log()).close_to(a, 1e-9)
    assert SE3.from_vector(a.vector).close_to(a, 1e-12)


def test_se3_is_immutable_hashable_and_pickles():
    import pickle

    pose = SE3.from_xyz_rpy([1, 2, 3], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="read-only"):
        pose.matrix[0, 0] = 5
    with pytest.raises(AttributeError):
        pose.matrix = np.eye(4)
    assert pickle.loads(pickle.dumps(pose)) == pose
    assert len({pose, SE3(pose.matrix)}) == 1
    with pytest.raises(ValueError, match=r"\(3, 3\)"):
        SE3(np.eye(3))


def test_se2_axioms():
    a, b = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    assert np.allclose(se2.compose(a, se2.inverse(a)), 0, atol=1e-12)
    assert np.allclose(se2.between(a, se2.compose(a, b))[:, :2], b[:, :2])
    p = rng.normal(size=(50, 2))
    assert np.allclose(se2.transform(se2.compose(a, b), p), se2.transform(a, se2.transform(b, p)))
    assert np.allclose(se2.wrap([np.pi, -np.pi, 3 * np.pi, 0.5]), [-np.pi, -np.pi, -np.pi, 0.5])


def test_se2_exp_is_the_arc_of_a_constant_twist():
    v, w = 0.7, 1.3
    assert np.allclose(se2.exp([v, 0.0, w]), [v / w * np.sin(w), v / w * (1 - np.cos(w)), w])
    assert np.allclose(se2.exp([1.0, -2.0, 0.0]), [1.0, -2.0, 0.0])
    small = np.array([0.3, 0.1, 0.2]) / 4096  # many small straight steps make the same way
    here = np.zeros(3)
    for _ in range(4096):
        here = se2.compose(here, small)
    assert np.allclose(here, se2.exp([0.3, 0.1, 0.2]), atol=1e-4)


def test_se2_log_undoes_exp():
    draw = np.random.default_rng(3)
    poses = np.concatenate([draw.uniform(-3, 3, (50, 3)), [[1.0, 2.0, 0.0], [1.0, 2.0, 1e-12], [0.0, 0.0, 3.14159]]])
    assert np.allclose(se2.exp(se2.log(poses)), poses)
    twists = draw.uniform(-3, 3, (4, 5, 3))
    assert np.allclose(se2.log(se2.exp(twists)), twists)


def test_vee_undoes_hat():
    w = np.random.default_rng(4).normal(size=(2, 3))
    assert np.array_equal(so3.vee(so3.hat(w)), w)


def test_a_batch_is_indexed_and_a_single_pose_is_not():
    batch = SE3.from_xyz_rpy(np.arange(6.0).reshape(2, 3))
    assert len(batch) == 2
    assert batch[1].translation.tolist() == [3, 4, 5]
    assert batch.vector.shape == (2, 7)
    assert np.allclose(batch.rpy, 0)
    assert repr(batch) == "SE3(batch (2,))"
    single = batch[0]
    assert repr(single).startswith("SE3(xyz=[0.0, 1.0, 2.0], rpy=")
    with pytest.raises(IndexError, match="cannot be indexed"):
        single[0]
    with pytest.raises(TypeError, match="has no length"):
        len(single)
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(single)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.7, np.pi, -np.pi, 5.0, np.nan])
def test_one_planar_pose_is_as_a_row_of_many(angle):
    a, b = np.array([0.3, -1.2, angle]), np.array([2.0, 0.4, -2.5])
    for one, many in (
        (se2.compose(a, b), se2.compose(a[None], b[None])[0]),
        (se2.inverse(a), se2.inverse(a[None])[0]),
        (se2.between(a, b), se2.between(a[None], b[None])[0]),
        (se2.exp(a), se2.exp(a[None])[0]),
        (se2.log(a), se2.log(a[None])[0]),
    ):
        np.testing.assert_allclose(one, many, atol=1e-14)
