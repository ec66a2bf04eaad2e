"""DH rows: both conventions, the Shell's legs, files; equal to the same chain as a robot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import andante as an
from andante.description import Joint, JointType, Link, Robot
from andante.errors import AndanteError
from andante.geometry import SE3
from andante.kinematics import DHRow, dh_chain, dh_matrix, load_dh

from .reference import random_positions

H = np.pi / 2


def shell_upper(k):
    """DH rows of an upper leg, from the source's tables."""
    return [
        DHRow(0, 0, k * np.pi / 3, 0, "fixed"),
        DHRow(H, 0.045, 0, 0.018, "fixed"),
        DHRow(0, 0, 0, 0.085),
        DHRow(0, 0, H, 0.124),
    ]


def shell_lower(k):
    """DH rows of a lower leg, from the source's tables."""
    return [
        DHRow(0, -0.03825, k * np.pi / 3, 0, "fixed"),
        DHRow(0, 0, 0, 0.066, "fixed"),
        DHRow(0, 0, 0, 0.120),
        DHRow(H, -0.025, 0, 0.038),
        DHRow(0, 0.02375, 0, 0, "fixed"),
        DHRow(0, 0, 0, 0.07),
        DHRow(0, 0, -H, 0.12475),
    ]


@pytest.mark.parametrize("k", range(1, 7))
def test_shell_legs_by_dh_and_by_description(k):
    shell = an.robot("shell")
    rng = np.random.default_rng(k)
    for rows, tip in ((shell_upper(k), f"upper_tip_{k}"), (shell_lower(k), f"lower_foot_{k}")):
        by_rows, by_robot = dh_chain(rows), shell.chain("base_link", tip)
        if "q111" in by_robot.held:
            by_robot = by_robot.release("q111")
        q = random_positions(by_robot, 20, rng)
        np.testing.assert_allclose(by_rows.fk(q), by_robot.fk(q), atol=1e-12)


def test_matrix_is_the_product_it_stands_for():
    def screw(axis, angle, length):
        pose = np.eye(4)
        i, j = (1, 2) if axis == 0 else (0, 1)
        pose[i, i] = pose[j, j] = np.cos(angle)
        pose[j, i], pose[i, j] = np.sin(angle), -np.sin(angle)
        pose[axis, 3] = length
        return pose

    alpha, d, theta, r = 0.3, 0.2, -1.1, 0.4
    about_z, about_x = screw(2, theta, d), screw(0, alpha, r)
    np.testing.assert_allclose(dh_matrix(alpha, d, theta, r), about_z @ about_x, atol=1e-15)
    np.testing.assert_allclose(dh_matrix(alpha, d, theta, r, "modified"), about_x @ about_z, atol=1e-15)


number = st.floats(-3, 3)
row = st.builds(DHRow, number, number, number, number, st.sampled_from(["revolute", "prismatic", "fixed"]))


@given(st.lists(row, min_size=1, max_size=6), st.sampled_from(["standard", "modified"]), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_dh_rows_and_a_robot_of_the_same_rows_agree(rows, convention, seed):
    moving = [r for r in rows if r.type != "fixed"]
    if not moving:
        with pytest.raises(AndanteError, match="at least one"):
            dh_chain(rows, convention)
        return
    q = np.random.default_rng(seed).uniform(-2, 2, len(moving))
    by_rows = dh_chain(rows, convention)
    # the definition: q adds to theta or d
    expected, values = np.eye(4), iter(q)
    for r in rows:
        value = 0.0 if r.type == "fixed" else next(values)
        theta, d = (r.theta + value, r.d) if r.type == "revolute" else (r.theta, r.d + value)
        expected = expected @ dh_matrix(r.alpha, d, theta, r.r, convention)
    np.testing.assert_allclose(by_rows.fk(q), expected, atol=1e-9)
    # the same as joints of a robot: the motion stands at the place of z in the row
    links, joints = [Link("l0")], []
    for r in rows:
        whole = SE3(dh_matrix(r.alpha, r.d, r.theta, r.r, convention))
        before, after = (SE3.identity(), whole) if convention == "standard" else (whole, SE3.identity())
        name = f"l{len(links)}"
        kind = JointType.CONTINUOUS if r.type == "revolute" else JointType(r.type)
        joints.append(Joint(f"j{name}", kind, links[-1].name, name, before, (0, 0, 1), joint_from_child=after))
        links.append(Link(name))
    by_robot = Robot("rows", tuple(links), tuple(joints)).chain("l0", links[-1].name)
    np.testing.assert_allclose(by_robot.fk(q), expected, atol=1e-9)


def test_base_and_tool_stand_before_and_after():
    base, tool = SE3.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3)), SE3.from_xyz_rpy((0, 0, 0.2))
    bare, full = dh_chain(shell_upper(1)), dh_chain(shell_upper(1), base=base.matrix, tool=tool.matrix)
    q = [0.3, -0.4]
    np.testing.assert_allclose(full.fk(q), base.matrix @ bare.fk(q) @ tool.matrix, atol=1e-14)


def test_files(tmp_path):
    assert len(load_dh("panda_like").joint_names) == 7
    file = tmp_path / "arm.toml"
    file.write_text("[[rows]]\nr = 0.5\nname = 'swing'\nlower = -1\nupper = 1\n[[rows]]\ntype = 'prismatic'\nd = 0.1\n")
    made = load_dh(file)
    assert made.joint_names == ("swing", "q2")
    assert made.limits[1].tolist() == [1.0, np.inf]
    np.testing.assert_allclose(made.fk([0, 0.2])[:3, 3], [0.5, 0, 0.3])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rows = 3", "not a DH file"),
        ("[[rows]]\nlength = 1", "no DH row key 'length'; choices: alpha, d, theta, r"),
        ("[[rows]]\ntype = 'ball'", "no DH row type 'ball'"),
        ("[[rows]]\nd = inf", "must be finite"),
        ("[[rows]]\nlower = 1\nupper = 0", "lower <= upper"),
        ("convention = 'new'\n[[rows]]\nd = 1", "no DH convention 'new'; choices: standard, modified"),
        ("[[rows]]\nname = 'a'\n[[rows]]\nname = 'a'", "two DH rows are named 'a'"),
        ("tool = [1, 2]\n[[rows]]\nd = 1", "tool must be a"),
        ("= 3", "not a DH file"),
        ("", "at least one"),
    ],
)
def test_bad_files_are_named(tmp_path, text, words):
    file = tmp_path / "arm.toml"
    file.write_text(text)
    with pytest.raises(AndanteError, match=words) as caught:
        load_dh(file)
    assert str(file) in str(caught.value)


def test_unknown_arm_lists_the_choices():
    with pytest.raises(AndanteError, match="panda_like, ur5_like"):
        load_dh("puma")
