import numpy as np
import pytest

from andante.control.joints.trajectory import trajectory
from andante.description import Robot
from andante.errors import BadInput, UnknownName


def test_goes_through_its_points_and_starts_where_it_is(nao: Robot) -> None:
    start = np.zeros(len(nao.joint_names))
    start[nao.joint_names.index("HeadYaw")] = 0.1
    made = trajectory(nao, start, ["HeadYaw", "HeadPitch"], [1.0, 2.0], [[0.5, 0.1], [-0.5, 0.0]])
    np.testing.assert_allclose(made.evaluate(0.0), [0.1, 0.0])
    np.testing.assert_allclose(made.evaluate([1.0, 2.0, 9.0]), [[0.5, 0.1], [-0.5, 0.0], [-0.5, 0.0]], atol=1e-12)
    np.testing.assert_allclose(made.evaluate([0.0, 2.0], 1), 0.0, atol=1e-9)
    assert made.duration == 2.0


def test_velocities_are_kept(nao: Robot) -> None:
    start = np.zeros(len(nao.joint_names))
    made = trajectory(nao, start, ["HeadYaw"], [1.0, 2.0], [[0.3], [0.6]], [[0.25], [0.0]])
    assert made.evaluate(1.0, 1)[0] == pytest.approx(0.25)


def test_positions_are_brought_inside_the_limits(nao: Robot) -> None:
    made = trajectory(nao, np.zeros(len(nao.joint_names)), ["HeadYaw"], [10.0], [[99.0]])
    assert made.evaluate(10.0)[0] == pytest.approx(nao.joint("HeadYaw").limits.upper)


@pytest.mark.parametrize(
    ("names", "times", "points", "fragment"),
    [
        (["HeadYaw"], [0.05], [[2.0]], "joint 'HeadYaw' would move at"),
        (["HeadYaw"], [2.0, 1.0], [[0.1], [0.2]], "times of a trajectory must increase"),
        (["HeadYaw"], [1.0], [[0.1, 0.2]], "1 to 10000 points"),
        (["HeadYaw", "HeadYaw"], [1.0], [[0.1, 0.2]], "names each of its joints once"),
        (["Tail"], [1.0], [[0.1]], "no joint 'Tail'"),
        (["HeadYaw"], [1.0], [[float("nan")]], "its numbers must be finite"),
    ],
)
def test_refuses(nao: Robot, names, times, points, fragment) -> None:
    with pytest.raises((BadInput, UnknownName), match=fragment):
        trajectory(nao, np.zeros(len(nao.joint_names)), names, times, points)
