"""How a robot starts: joint positions of a pose, the side that it lies on, and what holds its joints."""

import numpy as np
import pytest

from andante.control.start import first_positions, holds_still, lying_side
from andante.description import load_robot
from andante.errors import UnknownName


def test_without_a_pose_a_robot_starts_in_its_standing_one(nao) -> None:
    assert first_positions(nao, None) == first_positions(nao, nao.standing)
    assert set(first_positions(nao, None)) == set(nao.joint_names)


def test_a_named_pose_and_its_positions_give_the_same_start(nao) -> None:
    assert first_positions(nao, "StandInit") == first_positions(nao, nao.pose("StandInit"))


def test_positions_are_brought_inside_the_limits_and_the_others_start_at_their_initial_value(nao) -> None:
    joint = nao.joint("HeadPitch")
    start = first_positions(nao, {"HeadPitch": 99.0})
    assert start["HeadPitch"] == joint.limits.upper
    assert start["HeadYaw"] == nao.joint("HeadYaw").initial


def test_joints_that_mimic_follow(nao) -> None:
    start = first_positions(nao, {"LHipYawPitch": -0.3})
    assert start["RHipYawPitch"] == pytest.approx(start["LHipYawPitch"])


def test_an_unknown_pose_or_joint_is_refused(nao) -> None:
    with pytest.raises(UnknownName, match="Stnad"):
        first_positions(nao, "Stnad")
    with pytest.raises(UnknownName, match="Nose"):
        first_positions(nao, {"Nose": 0.1})


@pytest.mark.parametrize(
    ("pose", "side"),
    [("LyingBelly", "belly"), ("lying_back", "back"), ("LyingLeft", "left"), ("StandInit", None), ("Back", None)],
)
def test_the_side_is_read_from_the_name(pose: str, side: str | None) -> None:
    assert lying_side(pose) == side


@pytest.mark.parametrize("pose", [None, {"HeadPitch": 0.1}])
def test_what_has_no_name_lies_on_no_side(pose: object) -> None:
    assert lying_side(pose) is None


def test_wheels_are_held_by_speed_and_other_joints_by_position(nao) -> None:
    assert holds_still(nao).all()
    waffle = load_robot("waffle")
    held = dict(zip(waffle.joint_names, holds_still(waffle), strict=True))
    assert not held["wheel_left_joint"]
    assert not held["wheel_right_joint"]
    assert holds_still(waffle).dtype == np.bool_
