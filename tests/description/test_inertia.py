"""Inertia tools: parallel axes against the NAO's two tables, change of frame, sums, and impossible values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.description.inertia import Inertia, combine, from_origin_tensor, steiner
from andante.description.shapes import Box
from andante.description.solids import inertia_of
from andante.errors import BadInput
from andante.geometry import SE3

# mass, centre of mass, tensor about it (ixx ixy ixz iyy iyz izz), tensor about the link origin: NAO H25 V4
NAO = {
    "torso": (
        1.04956,
        (-0.00413, 0, 0.04342),
        (0.00308361, 1.43116e-05, -3.30211e-05, 0.0028835, -2.70793e-05, 0.0015924),
        (0.0050623417, 1.43116e-05, 0.00015519083, 0.0048801339, -2.70793e-05, 0.0016103022),
    ),
    "Head": (
        0.60533,
        (-0.00112, 0, 0.05258),
        (0.000957766, 8.78814e-06, 5.33702e-06, 0.000816836, -2.99579e-05, 0.000984976),
        (0.0026312955, 8.78814e-06, 4.0984662e-05, 0.0024911248, -2.99579e-05, 0.00098573533),
    ),
    "LShoulder": (
        0.07504,
        (-0.00165, -0.02663, 0.00014),
        (3.10677e-05, 1.2692e-06, 6.04576e-09, 1.39498e-05, -2.99484e-07, 3.30001e-05),
        (8.4284305e-05, -2.0280201e-06, 2.338e-08, 1.4155567e-05, -1.9719872e-08, 8.641953e-05),
    ),
    "LBicep": (
        0.15777,
        (0.02455, 0.00563, 0.0033),
        (8.7181e-05, -2.53381e-05, -1.4213e-05, 0.000274712, 4.71439e-07, 0.000241812),
        (9.3899935e-05, -4.7144517e-05, -2.6994737e-05, 0.00037151849, -2.4597698e-06, 0.00034190119),
    ),
}


def square(moments: tuple[float, ...]) -> np.ndarray:
    ixx, ixy, ixz, iyy, iyz, izz = moments
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


@pytest.mark.parametrize("link", NAO)
def test_nao_tables_agree(link: str) -> None:
    mass, com, about_com, about_origin = NAO[link]
    tolerance = 1e-5 * max(about_origin)  # the tables print six digits
    np.testing.assert_allclose(Inertia(mass, com, about_com).about_origin(), square(about_origin), atol=tolerance)
    back = from_origin_tensor(mass, com, square(about_origin))
    np.testing.assert_allclose(back.matrix, square(about_com), atol=tolerance)
    assert (back.mass, back.com) == (mass, com)


small = st.floats(-2, 2)
vectors = st.tuples(small, small, small)


@given(vectors, vectors, vectors)
def test_origin_round_trip_and_frames(com: tuple, xyz: tuple, rpy: tuple) -> None:  # type: ignore[type-arg]
    body = Inertia(1.7, com, (0.3, 0.01, -0.02, 0.4, 0.03, 0.5))
    again = from_origin_tensor(body.mass, body.com, body.about_origin())
    np.testing.assert_allclose(again.moments, body.moments, atol=1e-12)
    pose = SE3.from_xyz_rpy(xyz, rpy)
    moved = body.transformed(pose)
    np.testing.assert_allclose(np.linalg.eigvalsh(moved.matrix), np.linalg.eigvalsh(body.matrix), atol=1e-12)
    np.testing.assert_allclose(moved.com, pose @ np.asarray(com), atol=1e-12)
    back = moved.transformed(pose.inverse())
    np.testing.assert_allclose(back.moments, body.moments, atol=1e-12)
    np.testing.assert_allclose(back.com, body.com, atol=1e-12)


def test_steiner_of_a_point_mass() -> None:
    np.testing.assert_allclose(steiner(2.0, (0, 0, 3.0)), np.diag([18.0, 18.0, 0.0]))


def test_two_halves_make_the_whole_box() -> None:
    half = inertia_of(Box((0.5, 0.2, 0.3)), mass=1.0).inertia
    left = half.transformed(SE3.from_xyz_rpy((-0.25, 0, 0)))
    right = half.transformed(SE3.from_xyz_rpy((0.25, 0, 0), (math.pi, 0, 0)))
    whole = combine([left, right])
    assert whole is not None
    expected = inertia_of(Box((1.0, 0.2, 0.3)), mass=2.0).inertia
    assert whole.mass == 2.0
    np.testing.assert_allclose(whole.com, 0, atol=1e-15)
    np.testing.assert_allclose(whole.matrix, expected.matrix, atol=1e-15)


def test_combine_of_none_one_and_massless() -> None:
    assert combine([]) is None
    body = Inertia(1.0, (1, 2, 3), (1, 0, 0, 1, 0, 1))
    assert combine([body]) is body
    together = combine([Inertia(0.0, (1, 0, 0)), Inertia(0.0, (2, 0, 0), (1, 0, 0, 1, 0, 1))])
    assert together is not None
    assert (together.mass, together.moments[0]) == (0.0, 1.0)


def test_from_matrix_takes_the_symmetric_part() -> None:
    body = Inertia.from_matrix(1.0, (0, 0, 0), [[1, 0.2, 0], [0.0, 1, 0], [0, 0, 1]])
    assert body.moments == pytest.approx((1, 0.1, 0, 1, 0, 1))


@pytest.mark.parametrize(
    "values",
    [(math.nan,), (1.0, (math.inf, 0, 0)), (1.0, (0, 0, 0), (1, 0, 0, math.nan, 0, 1))],
)
def test_numbers_must_be_finite(values: tuple) -> None:  # type: ignore[type-arg]
    with pytest.raises(BadInput, match="finite"):
        Inertia(*values)
