"""A robot on two wheels and nothing else is told to be one, in the same words everywhere."""

from dataclasses import replace

import pytest
from tests.kinematics.wheels.samples import body, robot, wheel

from andante.description import Collision, JointType, Limits, Sphere
from andante.description.check import check_robot
from andante.description.check.balance import balance_told
from andante.description.robot import Robot
from andante.errors import BadInput
from andante.geometry import SE3
from andante.kinematics import find_drive
from andante.locomotion.gaits import Request, prepare

HIGH = body(size=(0.1, 0.2, 0.3), height=0.4)


def two_wheeler(base=HIGH, turns: bool = True) -> Robot:
    made = robot("segway", [wheel("left", 0.0, 0.2), wheel("right", 0.0, -0.2)], base=base)
    if turns:
        return made
    once = Limits(-3.14159265, 3.14159265)  # a revolute joint whose file states no bounds
    return replace(made, joints=tuple(replace(j, type=JointType.REVOLUTE, limits=once) for j in made.joints))


@pytest.mark.parametrize("turns", [True, False])
def test_check_walk_and_drive_say_the_same(turns: bool) -> None:
    made = two_wheeler(turns=turns)
    told = balance_told(made)
    assert "robot 'segway' stands on two wheels only (left, right) and would have to balance" in told
    assert "caster" in told
    assert told in check_robot(made).recognised
    with pytest.raises(BadInput, match="would have to balance"):
        find_drive(made)
    with pytest.raises(BadInput, match="would have to balance"):
        prepare(made, Request(""))


def test_what_something_else_holds_does_not_balance() -> None:
    ball = Collision(Sphere(0.02), SE3.from_xyz_rpy((-0.15, 0, 0.02)))
    assert balance_told(two_wheeler(replace(HIGH, collisions=(*HIGH.collisions, ball)))) == ""
    assert balance_told(two_wheeler(body())) == ""  # a low box leans on its edge
    assert balance_told(robot("four", [wheel(n, x, y) for n, x, y in (("a", 0.1, 0.1), ("b", 0.1, -0.1))])) == ""
