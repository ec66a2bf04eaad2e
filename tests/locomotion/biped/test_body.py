"""Robots that cannot walk on two flat feet are refused, each with its reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from andante.description import Box, Collision, JointType, Robot, load_robot
from andante.errors import BadInput
from andante.geometry import SE3
from andante.locomotion.biped.body import BipedBody
from andante.locomotion.rigs.infer import infer_rig
from andante.locomotion.rigs.rig import Rig


@pytest.fixture(scope="module")
def nao() -> Robot:
    return load_robot("nao")


@pytest.fixture(scope="module")
def rig(nao: Robot) -> Rig:
    return infer_rig(nao)


def shod(nao: Robot, rig: Rig, *shapes: Collision) -> Robot:
    """The robot with other shapes on its left foot."""
    foot = rig.legs[0].foot
    group = nao.welded(foot)
    return replace(
        nao,
        links=tuple(
            replace(link, collisions=shapes if link.name == foot else ()) if link.name in group else link
            for link in nao.links
        ),
    )


def test_a_plain_box_is_a_foot(nao: Robot, rig: Rig) -> None:
    body = BipedBody(shod(nao, rig, Collision(Box((0.16, 0.08, 0.02)), SE3.from_xyz_rpy((0.02, 0, -0.04)))), rig)
    heel, toe, right, left = body.soles[0].box
    assert (toe - heel, left - right) == pytest.approx((0.16, 0.08), abs=1e-6)
    assert body.legs.sole_at[0][2] == pytest.approx(-0.05, abs=1e-6)


def test_a_foot_without_shapes_is_refused(nao: Robot, rig: Rig) -> None:
    with pytest.raises(BadInput, match="foot 'l_ankle' has no collision shape to stand on"):
        BipedBody(shod(nao, rig), rig)


def test_a_stiff_leg_is_refused(nao: Robot, rig: Rig) -> None:
    stiff = {"LKneePitch", "LAnkleRoll"}
    joints = tuple(replace(j, type=JointType.FIXED) if j.name in stiff else j for j in nao.joints)
    with pytest.raises(BadInput, match=r"has \d joints; a walk with flat feet needs 5 or more"):
        BipedBody(replace(nao, joints=joints), rig)


def test_a_body_that_joints_move_is_refused(nao: Robot, rig: Rig) -> None:
    with pytest.raises(BadInput, match="joints outside the legs move its body 'Head'; name a link"):
        BipedBody(nao, replace(rig, body="Head"))
