"""Drawings in space: what is drawn stands where the robot says."""

import io

import matplotlib.pyplot
import numpy as np
import pytest

import andante as an
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3, so3
from andante.kinematics import DHRow, dh_chain
from andante.viz.preview import (
    chain_points,
    draw_chain,
    draw_frame,
    draw_path,
    draw_robot,
    draw_target,
    frame_all,
    preview_chain,
    preview_robot,
    space,
)


@pytest.fixture(scope="module")
def shell():
    return an.robot("shell")


@pytest.fixture(scope="module")
def leg(shell):
    return shell.chain("base_link", "lower_foot_2")


def line(drawn):
    """Points (m, 3) of a drawn line."""
    return np.stack(drawn.get_data_3d(), axis=-1)


def png(figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def test_chain_points_follow_the_links(shell, leg):
    q = leg.vector(shell.pose("stand"))
    corners, joints = chain_points(leg, q)
    poses = shell.link_poses(shell.complete(dict(zip(leg.joint_names, q, strict=True))))
    np.testing.assert_allclose(corners[0], 0.0)
    np.testing.assert_allclose(corners[-1], poses["lower_foot_2"].translation, atol=1e-12)
    for link in ("lower_hip_2", "lower_femur_2", "lower_tibia_2"):
        assert np.linalg.norm(joints - poses[link].translation, axis=1).min() < 1e-9


def test_held_joints_bend_the_drawn_chain(shell):
    leg = shell.chain("base_link", "lower_foot_1")
    q = leg.vector(shell.pose("stand"))
    q[0] = 0.7
    held = leg.hold({"q111": 0.7})
    np.testing.assert_allclose(chain_points(held, q[1:])[0], chain_points(leg, q)[0], atol=1e-12)
    assert np.linalg.norm(chain_points(leg.hold({"q111": 0.0}), q[1:])[0][-1] - chain_points(leg, q)[0][-1]) > 0.01


def test_chain_of_dh_rows_is_drawn_in_the_world():
    arm = dh_chain([DHRow(r=0.3), DHRow(r=0.2)])
    _, (axes,) = space()
    base = SE3.from_xyz_rpy((1.0, 0.0, 0.0), (0.0, 0.0, np.pi / 2))
    draw_chain(axes, arm, [0.0, 0.0], base)
    np.testing.assert_allclose(line(axes.lines[0])[[0, -1]], [[1, 0, 0], [1, 0.5, 0]], atol=1e-12)


def test_robot_fills_its_box_at_equal_scale(shell):
    _, (axes,) = space()
    draw_robot(axes, shell, shell.pose("stand"), SE3.from_xyz_rpy((2.0, 0.0, 0.0)), frames=("base_link",))
    frame_all(axes)
    limits = np.array([axes.get_xlim3d(), axes.get_ylim3d(), axes.get_zlim3d()])
    assert 1.5 < limits[0, 0] < 2.0 < limits[0, 1] < 2.5
    scale = np.diff(limits, axis=1)[:, 0] / axes._box_aspect
    np.testing.assert_allclose(scale, scale[0], rtol=1e-9)


def test_outlines_and_sticks_can_be_left_out(shell):
    count = {}
    for outlines in (True, False):
        for sticks in (True, False):
            _, (axes,) = space()
            draw_robot(axes, shell, outlines=outlines, sticks=sticks)
            count[outlines, sticks] = len(axes.collections)
    assert count[False, False] == 0
    assert count[True, True] == count[True, False] + count[False, True] > count[True, False] > 0


def test_sensor_frames_get_no_stick():
    nao = an.robot("nao")
    _, (axes,) = space()
    draw_robot(axes, nao, outlines=False)
    sticks = axes.collections[0]
    assert len(nao.movable) <= len(sticks._segments3d) < len(nao.joints)


def test_frame_axes_point_along_the_rotation():
    _, (axes,) = space()
    R = so3.from_rpy([0.3, -0.2, 1.0])
    draw_frame(axes, SE3.from_parts(R, [1.0, 2.0, 3.0]), 0.1)
    segments = np.array(axes.collections[0]._segments3d)
    np.testing.assert_allclose(segments[:, 0], [[1, 2, 3]] * 3)
    np.testing.assert_allclose((segments[:, 1] - segments[:, 0]) / 0.1, R.T, atol=1e-12)


def test_target_shows_which_coordinates_count():
    _, (axes,) = space()
    draw_target(axes, [0.1, np.nan, 0.3, np.nan, 0.2, np.nan], near=[9.0, 0.5, 9.0], size=0.05)
    bars, arcs = [d for d in axes.lines if len(line(d)) == 2], [d for d in axes.lines if len(line(d)) > 2]
    assert [bar.get_linestyle() for bar in bars] == ["-", ":", "-"]
    for bar in bars:
        np.testing.assert_allclose(line(bar).mean(axis=0), [0.1, 0.5, 0.3])
    assert len(arcs) == 1  # pitch alone, a circle about y
    np.testing.assert_allclose(line(arcs[0])[:, 1], 0.5)
    np.testing.assert_allclose(np.linalg.norm(line(arcs[0]) - [0.1, 0.5, 0.3], axis=1), 0.04)


def test_path_is_colored_by_speed():
    figure, (axes,) = space()
    points = np.linspace([0, 0, 0], [1, 1, 1], 5)
    draw_path(axes, points, [0.0, 1.0, 2.0, 1.0, 0.0])
    np.testing.assert_allclose(axes.collections[0].get_array(), [0.5, 1.5, 1.5, 0.5])
    assert figure.axes[-1].get_xlabel() == "speed [m/s]"
    draw_path(axes, points)
    np.testing.assert_allclose(line(axes.lines[-1]), points)


def test_figures_are_returned_and_not_shown(shell, leg, monkeypatch):
    def shown(*_, **__):
        raise AssertionError("a figure was shown")

    monkeypatch.setattr(matplotlib.pyplot, "show", shown)
    before = matplotlib.pyplot.get_fignums()
    q = leg.vector(shell.pose("stand"))
    for figure in (
        preview_robot(shell, shell.pose("stand"), frames=("base_link",)),
        preview_chain(leg, [q, q + 0.1], [*leg.fk(q)[:3, 3], *[np.nan] * 3], ["one", "two"]),
    ):
        assert png(figure).startswith(b"\x89PNG")
    assert matplotlib.pyplot.get_fignums() == before


@pytest.mark.parametrize(
    ("act", "error", "part"),
    [
        (lambda axes, leg: space(0), BadInput, "at least one column"),
        (lambda axes, leg: draw_target(axes, [1.0, 2.0], [0, 0, 0]), BadInput, "x y z yaw pitch roll"),
        (lambda axes, leg: draw_path(axes, [[0, 0, 0]]), BadInput, r"\(m, 3\)"),
        (lambda axes, leg: draw_path(axes, np.zeros((3, 3)), [1.0]), BadInput, "as many speeds"),
        (lambda axes, leg: preview_chain(leg, []), BadInput, "at least one q"),
        (lambda axes, leg: chain_points(leg, [0.0]), BadInput, "joint positions"),
        (lambda axes, leg: preview_robot(an.robot("shell"), frames=("tail",)), UnknownName, "tail"),
    ],
)
def test_bad_input_is_told(leg, act, error, part):
    _, (axes,) = space()
    with pytest.raises(error, match=part):
        act(axes, leg)
