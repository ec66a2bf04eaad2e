"""Bézier and NURBS curves against scipy and closed forms."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.interpolate import BPoly, BSpline

from andante.errors import BadInput, UnknownName
from andante.motion import ArcLength, Bezier, Nurbs
from andante.motion.curves.nurbs import waypoint_parameters

HALF = np.sqrt(0.5)


def circle(radius: float = 1.0) -> Nurbs:
    corners = [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]]
    weights = [1, HALF, 1, HALF, 1, HALF, 1, HALF, 1]
    return Nurbs(
        2, np.array([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4.0]), radius * np.array(corners, float), np.array(weights)
    )


def random_nurbs(seed: int, degree: int = 3, count: int = 9, weighted: bool = True) -> Nurbs:
    rng = np.random.default_rng(seed)
    inner = np.sort(rng.uniform(0.1, 0.9, count - degree - 1))
    knots = np.concatenate([np.zeros(degree + 1), inner, np.ones(degree + 1)])
    weights = rng.uniform(0.3, 3.0, count) if weighted else np.ones(count)
    return Nurbs(degree, knots, rng.normal(size=(count, 3)), weights)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_agrees_with_scipy_bspline_in_every_derivative(degree):
    curve = random_nurbs(degree, degree, 10, weighted=False)
    reference = BSpline(curve.knots, curve.control, degree)
    u = np.linspace(0, 1, 203)
    for order in range(degree + 1):
        expected = reference(u, nu=order)
        assert curve.evaluate(u, order) == pytest.approx(expected, abs=1e-10 * max(1, np.abs(expected).max()))
    assert np.all(curve.evaluate(u, degree + 1) == 0)


def test_quadratic_circle_is_exact():
    u = np.linspace(0, 4, 997)
    for radius in (1.0, 0.05, 40.0):
        points = circle(radius).evaluate(u)
        assert np.abs(np.linalg.norm(points, axis=1) / radius - 1).max() < 1e-12
    first, second = circle().evaluate(u, 1), circle().evaluate(u, 2)
    cross = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    assert cross / np.linalg.norm(first, axis=1) ** 3 == pytest.approx(1.0, abs=1e-10)  # curvature


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_rational_derivatives_against_differences_of_the_order_below(order):
    curve, h = random_nurbs(3, degree=5), 1e-6
    u = np.linspace(0.02, 0.98, 60)
    u = u[np.abs(u[:, None] - curve.breaks).min(axis=1) > 1e-4]
    difference = (curve.evaluate(u + h, order - 1) - curve.evaluate(u - h, order - 1)) / (2 * h)
    exact = curve.evaluate(u, order)
    assert np.abs(exact - difference).max() < 1e-6 * np.abs(exact).max()


@given(
    st.integers(0, 10_000), st.integers(1, 5), st.integers(0, 8), st.sampled_from(["chord", "centripetal", "uniform"])
)
@settings(max_examples=60, deadline=None)
def test_passes_through_waypoints(seed, degree, more, spacing):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(degree + 1 + more, 3))
    curve = Nurbs.through(points, degree, weights=rng.uniform(0.5, 2.0, len(points)), spacing=spacing)
    assert curve.evaluate(waypoint_parameters(points, spacing)) == pytest.approx(points, abs=1e-7)
    plain = Nurbs.through(points, degree, np.arange(len(points)))
    assert plain.evaluate(np.arange(len(points))) == pytest.approx(points, abs=1e-8)


def test_a_polynomial_is_reproduced():
    u = np.linspace(0, 2, 12)
    cubic = np.stack([u**3 - u, 2 * u**2, 1 - u], axis=-1)
    curve = Nurbs.through(cubic, 3, u)
    at = np.linspace(0, 2, 77)
    assert curve.evaluate(at) == pytest.approx(np.stack([at**3 - at, 2 * at**2, 1 - at], axis=-1), abs=1e-12)
    assert curve.evaluate(at, 2)[:, 0] == pytest.approx(6 * at, abs=1e-9)


def test_knot_insertion_changes_nothing_of_the_curve():
    curve = random_nurbs(7)
    u = np.linspace(0, 1, 101)
    finer = curve.with_knot(0.37).with_knot(0.81, 3).with_knot(float(curve.breaks[2]))
    assert len(finer.control) == len(curve.control) + 5
    assert finer.evaluate(u) == pytest.approx(curve.evaluate(u), abs=1e-13)
    assert finer.evaluate(u, 1) == pytest.approx(curve.evaluate(u, 1), abs=1e-10)


def test_pieces_are_the_curve():
    for curve in (random_nurbs(11), circle()):
        for piece in curve.pieces():
            u = np.linspace(*piece.domain, 21)
            assert piece.evaluate(u) == pytest.approx(curve.evaluate(u), abs=1e-12)
            inside = u[1:-1]
            assert piece.evaluate(inside, 2) == pytest.approx(curve.evaluate(inside, 2), abs=1e-8)


def test_bezier_against_scipy_and_through_points():
    rng = np.random.default_rng(1)
    control = rng.normal(size=(6, 2))
    reference = BPoly(control[:, None, :], [0, 1])
    curve, u = Bezier(control), np.linspace(0, 1, 51)
    for order in range(4):
        assert curve.evaluate(u, order) == pytest.approx(reference(u, order), abs=1e-10)
    assert np.all(curve.evaluate(u, 6) == 0)
    points = rng.normal(size=(5, 3))
    assert Bezier.through(points).evaluate(np.linspace(0, 1, 5)) == pytest.approx(points, abs=1e-12)


def test_bezier_split_and_elevation():
    rng = np.random.default_rng(2)
    curve = Bezier(rng.normal(size=(5, 3)), rng.uniform(0.5, 2, 5))
    u = np.linspace(0, 1, 41)
    first, second = curve.split(0.3)
    assert first.domain == (0.0, 0.3)
    assert first.evaluate(u * 0.3) == pytest.approx(curve.evaluate(u * 0.3), abs=1e-13)
    assert second.evaluate(0.3 + 0.7 * u) == pytest.approx(curve.evaluate(0.3 + 0.7 * u), abs=1e-13)


def test_arc_length_of_circle_line_and_parabola():
    ring = ArcLength(circle(2.0))
    assert ring.length == pytest.approx(4 * np.pi, rel=1e-13)
    s = np.linspace(0, ring.length, 301)
    expected = 2 * np.stack([np.cos(s / 2), np.sin(s / 2)], axis=-1)
    assert ring.point(s) == pytest.approx(expected, abs=1e-11)
    assert ArcLength(Bezier(np.array([[0, 0, 0], [3, 4, 0.0]]))).length == pytest.approx(5)
    parabola = ArcLength(Bezier(np.array([[0, 0], [0.5, 0], [1, 1.0]])))  # y = x²
    assert parabola.length == pytest.approx(np.sqrt(5) / 2 + np.arcsinh(2) / 4, rel=1e-13)


@given(st.integers(0, 10_000))
@example(1733)
@settings(max_examples=25, deadline=None)
def test_arc_length_and_its_inverse(seed):
    lengths = ArcLength(random_nurbs(seed))
    s = np.linspace(0, lengths.length, 23)
    u = lengths.parameter(s)
    assert np.all(np.diff(u) > 0)
    assert lengths.at(u) == pytest.approx(s, abs=1e-10 * lengths.length)


def test_batches_of_any_shape():
    curve = random_nurbs(5)
    u = np.linspace(0, 1, 24).reshape(2, 3, 4)
    assert curve.evaluate(u).shape == (2, 3, 4, 3)
    assert curve.evaluate(0.25).shape == (3,)
    assert curve.evaluate(u)[1, 2, 3] == pytest.approx(curve.evaluate(u[1, 2, 3]))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Nurbs.through([[0, 0], [1, 1]], 3), BadInput, "at least 4 points"),
        (lambda: Nurbs.through([[0, 0], [0, 0], [1, 1]], 2), BadInput, "points 1 and 2 are the same"),
        (lambda: Nurbs.through(np.eye(4), 3, spacing="odd"), UnknownName, "chord, centripetal, uniform"),
        (lambda: Nurbs.through(np.eye(4), 3, [0, 2, 1, 3]), BadInput, "grow"),
        (lambda: Nurbs.through(np.full((4, 2), np.nan), 3), BadInput, "finite"),
        (lambda: Nurbs(2, np.arange(5.0), np.eye(3)), BadInput, "need 6 knots"),
        (lambda: Nurbs(2, np.array([0, 0, 0, 1, 1, 0.5]), np.eye(3)), BadInput, "not fall"),
        (lambda: circle().evaluate(4.5), BadInput, "between 0 and 4"),
        (lambda: circle().evaluate(1, -1), BadInput, "0 or more"),
        (lambda: circle().with_knot(1.0), BadInput, "2 knots lie at 1"),
        (lambda: circle().with_knot(9.0), BadInput, "between 0 and 4"),
        (lambda: Bezier(np.eye(3), np.array([1, -1, 1.0])), BadInput, "positive"),
        (lambda: Bezier(np.zeros(3)), BadInput, "table"),
        (lambda: ArcLength(circle()).parameter(7.0), BadInput, "arc length"),
    ],
)
def test_bad_curves(make, error, words):
    with pytest.raises(error, match=words):
        make()
