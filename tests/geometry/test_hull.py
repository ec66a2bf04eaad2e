import numpy as np
import pytest

from andante.geometry.hull import convex_hull


def test_corners_of_a_square_are_its_hull() -> None:
    points = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]], dtype=float)
    hull = convex_hull(points)
    assert hull is not None
    assert sorted(hull.vertices) == [0, 1, 2, 3]
    assert hull.volume == pytest.approx(1.0)


@pytest.mark.parametrize(
    "points",
    [np.zeros((0, 2)), [[0, 0], [1, 1]], [[0, 0], [1, 1], [2, 2]], [[0, 0], [1, np.nan], [0, 1]]],
    ids=["none", "two", "on a line", "not a number"],
)
def test_points_without_a_hull(points: object) -> None:
    assert convex_hull(np.asarray(points, dtype=float)) is None
