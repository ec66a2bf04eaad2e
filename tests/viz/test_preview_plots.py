"""Flat drawings: curves, bars and wheels stand where the motion says."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import andante as an
from andante.errors import BadInput, UnknownName
from andante.kinematics import ackermann, differential, mecanum
from andante.motion import Key, Keyframes, MotionLimits, parse_actions
from andante.viz.preview_plots import (
    draw_wheel_base,
    film_strip,
    picture_strip,
    planned_steps,
    preview_action,
    preview_bases,
    preview_motion,
)

ACTIONS = """
robot shell
group leg = lower_coxa_1 -> lower_foot_1
action lift
  parameter height = 0.02
  step up
    leg in 0.5 by 0 0 height
    joint q211 in 0.3 by -0.1
  step rest
    wait 0.25
"""


@pytest.fixture(scope="module")
def shell():
    return an.robot("shell")


@pytest.fixture(scope="module")
def motion():
    return Keyframes("m", (Key(0.0, {"a": 0.0, "b": 1.0}), Key(2.0, {"a": 1.0, "b": 0.0})))


def test_motion_curves_are_the_motion(motion):
    figure = preview_motion(motion, ["b"], orders=(0, 1, 2))
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "position [rad]",
        "velocity [rad/s]",
        "acceleration [rad/s²]",
    ]
    for order, axes in enumerate(figure.axes):
        (curve,) = axes.lines
        t, y = curve.get_data()
        np.testing.assert_allclose(y, motion.evaluate(t, order)[:, 1])
    assert t[0] == 0.0
    assert t[-1] == 2.0


def test_limits_are_dashed_lines_of_the_tightest_joint(motion):
    wide = np.full(2, np.inf)
    limits = MotionLimits(("a", "b"), -wide, wide, np.array([3.0, 2.0]), wide, wide)
    position, velocity, acceleration = preview_motion(motion, orders=(0, 1, 2), limits=limits).axes
    dashed = [curve.get_ydata()[0] for curve in velocity.lines if curve.get_linestyle() == "--"]
    assert dashed == [-2.0, 2.0]
    assert len(position.lines) == len(acceleration.lines) == 2


def test_motion_without_end_needs_a_time():
    endless = Keyframes("m", (Key(0.0, {"a": 0.0}), Key(1.0, {"a": 1.0})), loop=np.inf)
    with pytest.raises(BadInput, match="how many seconds"):
        preview_motion(endless)
    assert preview_motion(endless, seconds=3.0).axes[0].lines[0].get_xdata()[-1] == 3.0


def test_unknown_joint_is_told(motion):
    with pytest.raises(UnknownName, match=r"'c'.*a, b"):
        preview_motion(motion, ["c"])


def test_timeline_bars_follow_the_plan(shell):
    actions = parse_actions(ACTIONS, "lift.action")
    figure = preview_action(shell, actions, "lift", shell.pose("stand"))
    top, bottom = figure.axes
    assert [label.get_text() for label in top.get_yticklabels()] == ["leg", "q211", "wait"]
    bars = [(bar.get_x(), bar.get_width()) for bar in top.patches]
    np.testing.assert_allclose(bars, [(0.0, 0.5), (0.0, 0.3), (0.5, 0.25)])
    assert [text.get_text() for text in top.texts] == ["up", "rest"]
    curves = {curve.get_label(): curve.get_ydata() for curve in bottom.lines}
    stand = shell.pose("stand")["q211"]
    np.testing.assert_allclose(curves["q211"][[0, -1]], [stand, stand - 0.1], atol=1e-6)


def test_steps_begin_where_the_one_before_ends(shell):
    actions = parse_actions(ACTIONS.replace("wait 0.25", "leg in 0.5 by 0 0 -height"), "lift.action")
    (_, up), (_, down) = planned_steps(shell, actions, "lift", shell.pose("stand"), {"height": 0.01})
    assert up.end["q114"] != pytest.approx(shell.pose("stand")["q114"])
    assert down.end["q114"] == pytest.approx(shell.pose("stand")["q114"], abs=1e-5)


@pytest.mark.parametrize("drive", [differential(0.4, 0.1), ackermann(0.5, 0.4, 0.1)], ids=lambda drive: drive.kind)
def test_axles_meet_in_the_center(drive):
    axes = Figure().subplots()
    draw_wheel_base(axes, drive, (0.5, 0.0, 0.5))
    axles = [curve for curve in axes.lines if curve.get_linestyle() == "--"]
    assert len(axles) == len(drive.wheels)
    for patch, axle in zip(axes.patches, axles, strict=False):
        points = np.stack(axle.get_data(), axis=-1)
        np.testing.assert_allclose(points[1], [0.0, 1.0], atol=1e-9)
        corners = patch.get_xy()
        rolling = corners[0] - corners[3]  # along the drawn wheel
        assert abs(rolling @ (points[1] - points[0])) < 1e-9


def test_rollers_of_mecanum_wheels_form_an_x_from_above():
    axes = Figure().subplots()
    drive = mecanum(0.4, 0.4, 0.1)
    draw_wheel_base(axes, drive, (0.5, 0.0, 0.0))
    rollers = [np.stack(curve.get_data(), axis=-1) for curve in axes.lines if curve.get_color() == "white"]
    assert len(rollers) == 16
    for index, wheel in enumerate(drive.base.wheels):
        for roller in rollers[4 * index : 4 * index + 4]:
            way = roller[1] - roller[0]
            assert way[0] * way[1] * wheel.position[0] * wheel.position[1] > 0  # along the diagonal through the wheel
    assert not [text for text in axes.texts if text.get_text() == "ICR"]  # straight on: at infinity


def test_bases_need_a_twist_each():
    assert len(preview_bases([differential(0.4, 0.1)] * 2, [(1, 0, 0), (0, 0, 0)]).axes) == 2
    with pytest.raises(BadInput, match="as many twists"):
        preview_bases([differential(0.4, 0.1)], [(1, 0, 0), (0, 0, 1)])


def test_strip_shows_the_pictures_in_order():
    pictures = [np.full((20, 30, 3), value, dtype=np.uint8) for value in (10, 20, 30)]
    figure = picture_strip(pictures, ["a", "b", "c"], columns=2)
    drawn = [axes for axes in figure.axes if axes.images]
    assert [int(axes.images[0].get_array()[0, 0, 0]) for axes in drawn] == [10, 20, 30]
    assert [axes.get_title() for axes in drawn] == ["a", "b", "c"]
    with pytest.raises(BadInput, match="at least one picture"):
        picture_strip([])


def test_film_strip_runs_the_simulation():
    sim = an.simulate("nao", pose="StandInit")
    try:
        sim.target({"RShoulderPitch": -0.9})
        figure = film_strip(sim, [0.0, 0.6], width=80, height=96)
        assert sim.time == pytest.approx(0.6)
        first, last = (np.asarray(axes.images[0].get_array(), dtype=float) for axes in figure.axes)
        assert first.shape == (96, 80, 3)
        assert np.abs(first - last).max() > 50  # the arm has moved
        with pytest.raises(BadInput, match="instants grow"):
            film_strip(sim, [0.1])
        film_strip(sim, [0.8], run=lambda seconds: sim.run(0.5 * seconds), width=80, height=96)
        assert sim.time == pytest.approx(0.7)  # time passed as told
    finally:
        sim.close()
