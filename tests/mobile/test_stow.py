"""Bases that carry arms drive with them folded; wheels in boxes roll."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from andante.description import Robot
from andante.description.io.open import read_robot
from andante.mobile.stow import ready_to_drive, stowed
from andante.navigation.vehicle import robot_outline, vehicle_of

INERTIA = '<inertial><mass value="{m}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'


def solid(shape: str, place: str = "0 0 0", turn: str = "0 0 0") -> str:
    return f'<collision><origin xyz="{place}" rpy="{turn}"/><geometry>{shape}</geometry></collision>'


def wheel(name: str, y: float, shape: str = '<cylinder radius="0.1" length="0.05"/>', seen: str = "") -> str:
    body = INERTIA.format(m=1) + solid(shape, turn="1.5708 0 0") + seen
    return (
        f'<link name="{name}">{body}</link><joint name="{name}_joint" type="continuous"><origin xyz="0 {y} 0.1"/>'
        f'<parent link="base"/><child link="{name}"/><axis xyz="0 1 0"/></joint>'
    )


def limb(name: str, parent: str, place: str, axis: str) -> str:
    shape = solid('<box size="0.4 0.05 0.05"/>', "0.2 0 0")
    return (
        f'<link name="{name}">{INERTIA.format(m=2)}{shape}</link><joint name="{name}_joint" type="revolute">'
        f'<origin xyz="{place}"/><parent link="{parent}"/><child link="{name}"/><axis xyz="{axis}"/>'
        '<limit lower="-2.6" upper="2.6" effort="100" velocity="2"/></joint>'
    )


def base(more: str = "", wheels: str = "") -> str:
    body = INERTIA.format(m=20) + solid('<box size="0.5 0.4 0.2"/>', "0 0 0.2") + solid(BALL, "-0.2 0 0.05")
    return (
        f'<robot name="r"><link name="base">{body}</link>{wheels or wheel("l", 0.25) + wheel("r", -0.25)}{more}</robot>'
    )


BALL = '<sphere radius="0.05"/>'
ARM = limb("upper", "base", "0.1 0 0.4", "0 1 0") + limb("fore", "upper", "0.4 0 0", "0 1 0")


def read(folder: Path, text: str) -> Robot:
    (folder / "r.urdf").write_text(text)
    return read_robot(folder / "r.urdf")


def test_an_arm_that_stands_out_is_folded(tmp_path: Path) -> None:
    robot = read(tmp_path, base(ARM))
    ready = ready_to_drive(robot)
    assert ready.standing == "Stand"
    before, after = (float(robot_outline(robot, positions=pose)[:, 0].max()) for pose in ({}, ready.pose("Stand")))
    assert before == pytest.approx(0.9)
    assert after < 0.45
    assert float(vehicle_of(ready).footprint[:, 0].max()) == pytest.approx(after, abs=0.01)
    lowest = min(
        float(pose.translation[2]) for name, pose in ready.link_poses(ready.pose("Stand")).items() if name != "base"
    )
    assert lowest >= 0.1  # only the wheels
    assert any("it drives with them folded" in problem.message for problem in ready.problems)
    assert stowed(robot).poses == stowed(robot).poses  # no chance in it


def test_what_stays_over_the_base_and_poses_of_its_own_are_kept(tmp_path: Path) -> None:
    robot = read(tmp_path, base())
    assert stowed(robot) is robot
    armed = read(tmp_path, base(ARM))
    (tmp_path / "r.toml").write_text("[poses.Stand]\nupper_joint = 0.5\n")
    own = read_robot(tmp_path / "r.urdf")
    assert stowed(own) is own
    assert armed.standing is None


def test_wheels_in_boxes_are_round(tmp_path: Path) -> None:
    seen = '<visual><origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.1" length="0.05"/></geometry></visual>'
    box = '<box size="0.2 0.2 0.05"/>'
    robot = read(tmp_path, base(wheels=wheel("l", 0.25, box, seen) + wheel("r", -0.25, box, seen)))
    ready = ready_to_drive(robot)
    assert np.allclose([part.geometry.radius for name in "lr" for part in ready.link(name).collisions], 0.1)
    assert any("does not roll" in problem.message for problem in ready.problems)
    bare = read(tmp_path, base(wheels=wheel("l", 0.25, box) + wheel("r", -0.25, box)))
    assert bare.link("l") == ready_to_drive(bare).link("l")  # nothing is seen that is round


def test_an_arm_that_lies_on_the_ground_is_lifted(tmp_path: Path) -> None:
    gripper = solid('<box size="0.1 0.1 0.1"/>', "0.05 0 0.05")
    lift = (
        f'<link name="lift">{INERTIA.format(m=1)}{gripper}</link><joint name="lift_joint" type="prismatic">'
        '<origin xyz="0.25 0 0"/><parent link="base"/><child link="lift"/><axis xyz="0 0 1"/>'
        '<limit lower="0" upper="0.8" effort="100" velocity="1"/></joint>'
    )
    ready = ready_to_drive(read(tmp_path, base(lift)))
    assert ready.standing == "Stand"
    assert ready.pose("Stand")["lift_joint"] > 0.04
    assert any("its arms lie on the ground" in problem.message for problem in ready.problems)
