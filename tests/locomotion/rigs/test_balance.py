"""Center of mass and soles by the compiled tree against plain forward kinematics."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import andante as an
from andante.description import JointType
from andante.errors import BadInput
from andante.locomotion.rigs.balance import Balance

NAO = an.robot("nao")
MODEL = Balance(NAO)


def vector(positions):
    whole = NAO.complete(positions)
    return np.array([whole[name] for name in NAO.joint_names])


def plain_center(positions):
    poses = NAO.link_poses(NAO.complete(positions))
    parts = [(link.inertia.mass, poses[link.name] @ np.asarray(link.inertia.com)) for link in NAO.links if link.inertia]
    return sum(m * c for m, c in parts) / sum(m for m, _ in parts)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_equals_plain_forward_kinematics(seed):
    draw = np.random.default_rng(seed)
    positions = {j.name: draw.uniform(j.limits.lower, j.limits.upper) for j in NAO.independent}
    center, soles = MODEL.at(vector(positions))
    np.testing.assert_allclose(center, plain_center(positions), atol=1e-12)
    poses = NAO.link_poses(NAO.complete(positions))
    for name, points, pose in zip(MODEL.feet, soles, MODEL.foot_poses(vector(positions)), strict=True):
        np.testing.assert_allclose(pose.matrix, poses[name].matrix, atol=1e-12)
        np.testing.assert_allclose((poses[name].inverse() @ points)[:, 2], points.shape[0] * [-0.04511], atol=2e-4)


def test_joints_that_slide_carry_what_hangs_on_them():
    sliding = {"HeadYaw", "RHipPitch", "LKneePitch"}
    joints = tuple(replace(j, type=JointType.PRISMATIC) if j.name in sliding else j for j in NAO.joints)
    robot = replace(NAO, joints=joints)
    draw = np.random.default_rng(5)
    positions = {j.name: draw.uniform(-0.3, 0.3) for j in robot.independent}
    whole = robot.complete(positions)
    q = np.array([whole[name] for name in robot.joint_names])
    poses = robot.link_poses(whole)
    parts = [
        (link.inertia.mass, poses[link.name] @ np.asarray(link.inertia.com)) for link in robot.links if link.inertia
    ]
    model = Balance(robot)
    np.testing.assert_allclose(model.at(q)[0], sum(m * c for m, c in parts) / sum(m for m, _ in parts), atol=1e-12)
    for name, pose in zip(model.feet, model.foot_poses(q), strict=True):
        np.testing.assert_allclose(pose.matrix, poses[name].matrix, atol=1e-12)


def test_feet_and_mass_come_from_the_robot():
    assert MODEL.feet == ("l_ankle", "r_ankle")
    assert MODEL.mass == pytest.approx(sum(link.inertia.mass for link in NAO.links if link.inertia))
    _, soles = MODEL.at(vector(NAO.pose("StandZero")))
    assert np.ptp(soles[0][:, 0]) == pytest.approx(0.150, abs=2e-3)  # the published length of the sole


@pytest.mark.parametrize("pose", ["Stand", "StandInit", "Crouch"])
def test_over_feet_when_it_stands(pose):
    q = vector(NAO.pose(pose))
    up = MODEL.foot_poses(q)[0].rotation[:, 2]
    assert MODEL.over_feet(q, up)
    assert not MODEL.over_feet(q, np.array([np.sin(0.9), 0.0, np.cos(0.9)]))  # leans far: soles on their edges


def test_sitting_is_not_over_the_feet():
    assert not MODEL.over_feet(vector(NAO.pose("Sit")), np.array([0.0, 0.0, 1.0]))


@pytest.mark.parametrize(("robot", "feet", "said"), [("rover", (), "no force sensors"), ("nao", ("l_sole",), "l_sole")])
def test_robots_without_feet_are_told(robot, feet, said):
    with pytest.raises(BadInput, match=said):
        Balance(an.robot(robot), feet)
