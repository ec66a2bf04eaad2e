"""Lists of names, angles and times as programs give them."""

from itertools import pairwise

import pytest

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.services.motion.walk import gait_of, speeds_of
from andante.errors import BadInput
from andante.motion.joint_lists import bezier_points, points_of

AB = ["A", "B"]


@pytest.mark.parametrize(
    ("names", "angles", "times", "wanted"),
    [
        (["A"], 0.5, 1.0, {"A": ([1.0], [0.5])}),
        (["A"], [0.5, 0.1], [1.0, 2.0], {"A": ([1.0, 2.0], [0.5, 0.1])}),
        (["A"], [[0.5, 0.1]], [[1.0, 2.0]], {"A": ([1.0, 2.0], [0.5, 0.1])}),
        (AB, [0.5, 0.1], 1.0, {"A": ([1.0], [0.5]), "B": ([1.0], [0.1])}),
        (AB, [0.5, 0.1], [1.0, 2.0], {"A": ([1.0], [0.5]), "B": ([2.0], [0.1])}),
        (AB, [[0.5, 1], [0.1, 2]], [1.0, 2.0], {"A": ([1.0, 2.0], [0.5, 1]), "B": ([1.0, 2.0], [0.1, 2])}),
        (AB, [[0.5, 1], [0.1]], [[1.0, 2.0], [1.5]], {"A": ([1.0, 2.0], [0.5, 1]), "B": ([1.5], [0.1])}),
        (AB, [[0.5, 1], 0.1], [[1.0, 2.0], 1.5], {"A": ([1.0, 2.0], [0.5, 1]), "B": ([1.5], [0.1])}),
    ],
)
def test_forms_of_interpolation(names, angles, times, wanted):
    assert points_of(names, angles, times) == wanted


@pytest.mark.parametrize(
    ("names", "angles", "times", "words"),
    [
        (AB, 0.5, 1.0, "2 joints need a list of 2, got one number"),
        (AB, [0.5], 1.0, "need a list of 2, got 1"),
        (AB, [[0.5, 1], [0.1]], [[1.0], [1.0]], "A has 2 angles and 1 times"),
        (["A"], [0.5, 0.1], [2.0, 1.0], "increase"),
        (["A"], 0.5, 0.0, "above 0"),
        (["A", "A"], [0.5, 0.1], 1.0, "twice"),
    ],
)
def test_lists_that_do_not_fit(names, angles, times, words):
    with pytest.raises(BadInput, match=words):
        points_of(names, angles, times)


def test_bezier_curves_pass_their_keys_and_follow_their_handles():
    keys = [[[0.6, [3, -0.3, 0.0], [3, 0.3, 0.0]], [0.0, [3, -0.3, 0.0], [3, 0.0, 0.0]]]]
    times, places = bezier_points(["A"], [[1.0, 2.0]], keys, {"A": 0.0})["A"]
    assert times[-1] == 2.0
    assert places[-1] == 0.0
    assert max(places) == pytest.approx(0.6, abs=1e-3)
    assert all(b > a for a, b in pairwise(times))
    near = min(range(len(times)), key=lambda k: abs(times[k] - 1.0))
    assert abs(places[near - 1] - places[near]) < 0.01  # flat at the key


@pytest.mark.parametrize("keys", [[[[0.6, [3, 0.1]]]], [[[[1], 2, 3]]]])
def test_bad_keys(keys):
    with pytest.raises(BadInput, match="a key is"):
        bezier_points(["A"], [[1.0]], keys, {"A": 0.0})


def test_speeds_of_the_published_gait():
    vx, vy, wz = speeds_of(gait_of([]))
    assert vx == pytest.approx(0.095, abs=1e-3)
    assert vy == pytest.approx(0.062, abs=1e-3)
    assert wz == pytest.approx(0.415, abs=1e-3)
    assert speeds_of(gait_of([["MaxStepX", 0.08]]))[0] == pytest.approx(0.19, abs=1e-2)
    assert speeds_of(gait_of([["Frequency", 0.0]]))[0] == pytest.approx(0.04 / 0.6)
    assert gait_of([["MaxStepX", 9.0]])["MaxStepX"] == 0.08


@pytest.mark.parametrize("config", [[["Nose", 1.0]], [["MaxStepX"]], [["MaxStepX", "far"]], [5]])
def test_bad_gaits(config):
    with pytest.raises(CallError):
        gait_of(config)
