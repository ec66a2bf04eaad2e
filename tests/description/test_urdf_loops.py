"""Closed loops in the dialects of URDF, and written and read back in every format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from andante.description import JointType, Robot, load_robot
from andante.description.check.report import check_file
from andante.description.closure import close_loops
from andante.description.io.convert import write_description
from andante.physics.checks import specimens

TREE = """<link name="base"/><link name="crank"/><link name="coupler"/><link name="rocker"/>
<joint name="drive" type="continuous"><parent link="base"/><child link="crank"/><axis xyz="0 1 0"/></joint>
<joint name="wrist" type="continuous"><origin xyz="0 0 0.2"/><parent link="crank"/><child link="coupler"/>
<axis xyz="0 1 0"/></joint>
<joint name="pivot" type="continuous"><origin xyz="0.4 0 0"/><parent link="base"/><child link="rocker"/>
<axis xyz="0 1 0"/></joint>"""
LOOP_JOINT = """<loop_joint name="closure" type="{kind}"><link1 link="coupler" xyz="0.4 0 0" rpy="0 0 0"/>
<link2 link="rocker" xyz="0 0 0.2"/><axis xyz="0 1 0"/></loop_joint>"""
GAZEBO = """<gazebo><joint name="closure" type="{kind}"><pose>0 0 0.2 0 0 0</pose><parent>coupler</parent>
<child>rocker</child><axis><xyz>0 1 0</xyz></axis></joint></gazebo>"""
BALL = """<drake:ball_constraint><drake:ball_constraint_body_A name="coupler"/>
<drake:ball_constraint_p_AP value="0.4 0 0"/><drake:ball_constraint_body_B name="rocker"/>
<drake:ball_constraint_p_BQ value="0 0 0.2"/></drake:ball_constraint>"""
BUSHING = """<frame name="a" link="coupler" xyz="0.4 0 0"/><frame name="c" link="rocker" xyz="0 0 0.2"/>
<drake:linear_bushing_rpy><drake:bushing_frameA name="a"/><drake:bushing_frameC name="c"/>
<drake:bushing_torque_stiffness value="{torque}"/><drake:bushing_torque_damping value="1 1 1"/>
<drake:bushing_force_stiffness value="9 9 9"/><drake:bushing_force_damping value="1 1 1"/></drake:linear_bushing_rpy>"""


def read(tmp_path: Path, *parts: str) -> Robot:
    file = tmp_path / "linkage.urdf"
    file.write_text(f'<robot name="linkage" xmlns:drake="http://drake.mit.edu">{"".join(parts)}</robot>')
    return load_robot(file)


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        (LOOP_JOINT.format(kind="spherical"), JointType.BALL),
        (LOOP_JOINT.format(kind="revolute"), JointType.CONTINUOUS),
        (LOOP_JOINT.format(kind="fixed"), JointType.FIXED),
        (LOOP_JOINT.replace("loop_joint", "drake:loop_joint").format(kind="continuous"), JointType.CONTINUOUS),
        (GAZEBO.format(kind="revolute"), JointType.CONTINUOUS),
        (GAZEBO.format(kind="ball"), JointType.BALL),
        (BALL, JointType.BALL),
        (BUSHING.format(torque="0 0 0"), JointType.BALL),
        (BUSHING.format(torque="5 0 5"), JointType.CONTINUOUS),
        (BUSHING.format(torque="5 5 5"), JointType.FIXED),
    ],
)
def test_every_dialect_closes_the_loop(tmp_path: Path, element: str, kind: JointType) -> None:
    robot = read(tmp_path, TREE, element)
    (loop,) = robot.loops
    assert (loop.type, loop.parent, loop.child) == (kind, "coupler", "rocker")
    assert len(robot.joints) == 3
    assert close_loops(robot, {}).error < 1e-12  # as drawn
    if kind is JointType.CONTINUOUS:
        assert loop.axis == (0.0, 1.0, 0.0)
    if kind is not JointType.FIXED:
        found = close_loops(robot, {"drive": 0.5}, ["drive"])
        assert found.closed
        assert found.positions["pivot"] == pytest.approx(0.5, abs=1e-4)  # a parallelogram


@pytest.mark.parametrize(
    ("element", "words"),
    [
        (LOOP_JOINT.format(kind="floating"), "type should be one of"),
        (LOOP_JOINT.format(kind="ball").replace('"rocker"', '"ghost"'), "link 'ghost' does not exist"),
        (GAZEBO.format(kind="ball").replace("rocker", "ghost"), "link 'ghost' does not exist"),
        (BALL.replace('"rocker"', '"coupler"'), "to itself"),
        (BALL.replace("0.4 0 0", "0.4 0"), "needs 3 numbers"),
        (BUSHING.format(torque="0 0 0").replace('frameC name="c"', 'frameC name="d"'), "a frame that does not exist"),
        (BUSHING.format(torque="0 0 0").replace("9 9 9", "9 0 9"), "lets its frames slide"),
    ],
)
def test_a_loop_that_cannot_be_read_is_told_and_left_open(tmp_path: Path, element: str, words: str) -> None:
    robot = read(tmp_path, TREE, element)
    assert robot.loops == ()
    (told,) = [problem for problem in robot.problems if words in problem.message]
    assert told.severity == "warning"
    assert told.source.line > 1
    assert "stays open" in told.message


def test_a_universal_joint_is_held_as_a_ball(tmp_path: Path) -> None:
    robot = read(tmp_path, TREE, GAZEBO.format(kind="universal"))
    assert robot.loops[0].type is JointType.BALL
    assert any("held as a ball" in problem.message for problem in robot.problems)


def test_a_joint_of_gazebo_to_the_world_bolts_the_root_down(tmp_path: Path) -> None:
    weld = '<gazebo><joint name="w" type="fixed"><parent>world</parent><child>{}</child></joint></gazebo>'
    assert read(tmp_path, TREE, weld.format("base")).fixed_base
    loose = read(tmp_path, TREE, weld.format("rocker"))
    assert not loose.fixed_base
    assert any("joins link 'rocker' to the world" in problem.message for problem in loose.problems)


WELD = '<link name="floor"/><joint name="w" type="fixed"><parent link="world"/><child link="{}"/></joint>'


def test_the_world_of_drake_is_taken_as_given(tmp_path: Path) -> None:
    bolted = WELD.replace('<link name="floor"/>', "").format("base")
    assert read(tmp_path, TREE, bolted, BALL).fixed_base
    said = check_file(str(tmp_path / "linkage.urdf"))  # read, but an error as for check_urdf
    assert not said.ok
    assert any('write <link name="world"/>' in problem.message for problem in said.problems)
    robot = read(tmp_path, TREE, WELD.format("floor"), BALL)
    assert "floor" not in [link.name for link in robot.links]
    assert not robot.fixed_base
    assert any("floor is bolted to the world" in problem.message for problem in robot.problems)
    file = tmp_path / "plain.urdf"
    file.write_text(f'<robot name="r">{TREE}{bolted}</robot>')  # in plain URDF the link is missing
    assert not check_file(str(file)).ok


@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml"])
@pytest.mark.parametrize("kind", [JointType.CONTINUOUS, JointType.BALL, JointType.FIXED])
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "drawn open"])
def test_loops_survive_a_file(tmp_path: Path, suffix: str, kind: JointType, closed: bool) -> None:
    robot = specimens.four_bar() if closed else specimens.crank_rocker(kind, 1.0, 2.0)
    robot = replace(robot, loops=(replace(robot.loops[0], type=kind),))
    file = tmp_path / f"again.{suffix}"
    write_description(robot, file)
    again = load_robot(file)
    (was,), (now,) = robot.loops, again.loops
    assert (now.type, now.name) == (kind, was.name)
    for q in ({}, {"drive": 0.3, "pivot": -0.2}):
        before, after = robot.link_poses(q), again.link_poses(q)
        for one, two in (
            (before[was.parent] @ was.pose, after[now.parent] @ now.pose),
            (before[was.child] @ was.joint_from_child.inverse(), after[now.child] @ now.joint_from_child.inverse()),
        ):
            relative = before["crank"].inverse() @ one, after["crank"].inverse() @ two
            np.testing.assert_allclose(relative[0].translation, relative[1].translation, atol=1e-12)
            if kind is JointType.CONTINUOUS:
                axes = [each.rotation @ np.asarray(j.axis) for each, j in zip(relative, (was, now), strict=True)]
                np.testing.assert_allclose(*axes, atol=1e-9)
    if suffix == "urdf":
        told = file.read_text()
        assert ("<gazebo>" in told) == closed  # Gazebo takes its frames from the zero pose
