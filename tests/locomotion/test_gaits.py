"""Timing of gaits for any number of legs, and the paths of feet."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import andante as an
from andante.errors import BadInput, UnknownName
from andante.geometry import se2
from andante.locomotion import Walker
from andante.locomotion.gaits import Gait, Request, gait_names, pose_motion, prepare, prepare_driver, register
from andante.locomotion.legged.patterns import (
    PATTERNS,
    GaitPattern,
    forward_fraction,
    lift,
    moved,
    pattern,
    sides,
    smooth,
    swing,
)  # fmt: skip
from andante.motion import vector_of


def on_ground(gait, phase):
    """Which legs stand at a phase of the cycle."""
    return (phase - np.array(gait.offsets)) % 1.0 >= 1.0 - gait.duty


@pytest.mark.parametrize("legs", [4, 5, 6, 7, 8, 12])
@pytest.mark.parametrize("name", PATTERNS)
def test_every_leg_swings_once_and_enough_legs_stand(name, legs):
    gait = pattern(name, legs)
    assert len(gait.offsets) == legs
    phases = np.linspace(0, 1, 1000, endpoint=False)
    standing = np.array([on_ground(gait, phase) for phase in phases])
    assert np.allclose(standing.mean(axis=0), gait.duty, atol=2e-3)
    least = standing.sum(axis=1).min()
    assert least >= (3 if gait.static else 2)
    if name in ("wave", "crawl"):
        assert least == legs - 1  # one at a time


def test_tables_of_six_and_four():
    assert pattern("tripod", 6).offsets == (0.0, 0.5, 0.0, 0.5, 0.0, 0.5)
    left, right = sides(6)
    assert (left, right) == ([2, 1, 0], [3, 4, 5])  # from the back to the front
    assert np.allclose(np.array(pattern("wave", 6).offsets)[[2, 1, 0, 3, 4, 5]], np.arange(6) / 6)
    ripple = np.array(pattern("ripple", 6).offsets)
    assert np.allclose(ripple[[2, 1, 0]], [0, 1 / 3, 2 / 3])
    assert np.allclose(ripple[[3, 4, 5]], [1 / 2, 5 / 6, 1 / 6])
    assert pattern("trot", 4).offsets == (0.0, 0.5, 0.0, 0.5)  # left fore with right hind
    assert pattern("crawl", 4).sway
    assert not pattern("trot", 4).static


def test_bad_patterns():
    with pytest.raises(UnknownName, match="tripod, ripple"):
        pattern("gallop", 6)
    with pytest.raises(BadInput, match="4 or more"):
        pattern("trot", 2)
    for bad in ({"duty": 1.0}, {"offsets": (0.0, 1.0)}, {"period": 0.0}):
        with pytest.raises(BadInput, match="gait 'mine'"):
            GaitPattern(**{"name": "mine", "offsets": (0.0, 0.5), "duty": 0.6, **bad})


@settings(deadline=None)  # the first call compiles
@given(
    st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    st.floats(0, 3),
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=6),
)
def test_standing_feet_follow_the_exact_arc(twist, seconds, points):
    twist, points = np.array(twist, dtype=float), np.array(points, dtype=float)
    pose = se2.exp(twist * seconds)
    expected = se2.transform(se2.inverse(pose), points)
    for point, there in zip(points, expected, strict=True):
        now = moved(*point, twist, seconds)
        assert np.allclose(now, there, atol=1e-6)
        assert np.allclose(moved(*now, twist, -seconds), point, atol=1e-6)


def test_swing_starts_and_ends_at_rest():
    start, end = np.array([0.0, 0.0, -0.1]), (0.1, 0.05, -0.08)

    def at(fraction):
        return np.array(swing(start, end, float(fraction), 0.03))

    assert np.allclose(at(0.0), start)
    assert np.allclose(at(1.0), end)
    h = 1e-4
    for s in (h, 1 - h):
        assert np.linalg.norm(at(s + h) - at(s - h)) / (2 * h) < 1e-3
    assert max(at(s)[2] for s in np.linspace(0, 1, 101)) == pytest.approx(-0.09 + 0.03, abs=2e-3)
    for curve in (smooth, forward_fraction):
        values = [curve(s) for s in np.linspace(0, 1, 200)]
        assert np.all(np.diff(values) >= -1e-12)
    assert [lift(s) for s in (0.0, 0.5, 1.0)] == pytest.approx([0.0, 1.0, 0.0])


def test_gaits_by_name_and_by_users(tmp_path):
    shell, rover = an.robot("shell"), an.robot("rover")
    assert set(PATTERNS) <= set(gait_names(shell))
    assert not set(PATTERNS) & set(gait_names(rover))
    with pytest.raises(UnknownName, match="tripod"):
        prepare(shell, Request("gallop"))
    with pytest.raises(BadInput, match="cannot walk"):
        prepare(rover, Request("tripod"))
    with pytest.raises(UnknownName, match="step_height"):
        prepare(shell, Request("tripod", parameters={"step_hight": 1.0}))
    with pytest.raises(BadInput, match="ramp"):
        prepare(shell, Request("tripod", parameters={"ramp": 0.0}))
    file = tmp_path / "mine.py"
    file.write_text(
        "import numpy as np\n"
        "from andante.locomotion import Walker\n"
        "class Mine(Walker):\n"
        "    def __init__(self, robot): self.q = np.zeros(len(robot.movable))\n"
        "    def update(self, readings, command, dt): return self.q\n"
        "class Still:\n"
        "    max_speed = max_turn = stopping_time = 1.0\n"
        "    standing = True\n"
        "    position = np.zeros(3)\n"
        "    def __init__(self, robot): self.q = np.zeros(len(robot.movable))\n"
        "    def update(self, readings, command, dt): return self.q\n"
        "class Bare:\n"
        "    def __init__(self, robot): pass\n"
    )
    assert prepare(rover, Request(f"{file}:Mine")).walker.standing
    with pytest.warns(FutureWarning, match="a gait subclasses andante.locomotion.Walker"):
        still = prepare(rover, Request(f"{file}:Still")).walker  # as 0.1.0 took them
    assert isinstance(still, Walker)
    assert still.max_speed == 1.0
    assert not still.tumbles
    assert (still.modes, still.stiffness, still.approach) == (None, None, None)
    with pytest.raises(BadInput, match="needs 'max_speed'"):
        prepare(rover, Request(f"{file}:Bare"))


def test_a_robot_of_another_name_has_the_gaits_of_its_kind():
    shell = replace(an.robot("shell"), name="my_variant")
    assert gait_names(shell) == (*PATTERNS, "roll")
    assert isinstance(prepare_driver(shell, Request("tripod")).walker.buttons, dict)
    fold = pose_motion(shell, vector_of(shell, shell.pose("stand")), "ball", 0.5)
    np.testing.assert_allclose(fold.evaluate(1e3), [shell.pose("ball")[name] for name in fold.names])
    assert gait_names(replace(an.robot("nao"), name="my_nao")) == ("walk", "wave")
    assert pose_motion(an.robot("nao"), np.zeros(26), "Crouch", 0.5) is None


def test_what_is_registered_comes_first_and_wins_by_its_name(monkeypatch):
    monkeypatch.setattr("andante.locomotion.gaits._REGISTERED", [])
    nao = an.robot("nao")
    mine = Gait("walk", lambda robot: robot.name == "nao", lambda robot, request: (robot.name, request.gait))
    register(mine)
    register(replace(mine, name="hop"))
    assert gait_names(nao) == ("hop", "walk", "wave")
    assert prepare(nao, Request("walk")) == ("nao", "walk")
    assert prepare(nao, Request("")) == ("nao", "")
