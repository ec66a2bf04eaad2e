"""Parts that make no sense are told with what to do; parts that do are left alone."""

import math
from itertools import pairwise

import numpy as np
import pytest

from andante.description import (
    Box,
    Collision,
    Dynamics,
    Inertia,
    Joint,
    JointType,
    Limits,
    Link,
    Mimic,
    Robot,
    Severity,
    Transmission,
    Visual,
)  # fmt: skip
from andante.description.check.parts import ABSURD_RATIO, joint_problems, mass_problems
from andante.description.stand_ins import made_solid
from andante.geometry import SE3

CUBE = Box((0.1, 0.1, 0.1))
EVEN = np.diag([1.0, 1.0, 1.0]) / 600  # of 1 kg in that cube


def link(name, mass=1.0, tensor=EVEN, com=(0.0, 0.0, 0.0), solid=True):
    return Link(name, Inertia.from_matrix(mass, com, tensor), collisions=(Collision(CUBE),) if solid else ())


def joint(name="hinge", kind=JointType.REVOLUTE, parent="a", child="b", limits=None, **more):
    return Joint(name, kind, parent, child, limits=limits or Limits(-1.0, 1.0, 5.0, 3.0), **more)


def robot(*links, joints=None, **more):
    parts = links or (link("a"), link("b"))
    hinges = joints if joints is not None else [joint(parent=a.name, child=b.name) for a, b in pairwise(parts)]
    return Robot("thing", tuple(parts), tuple(hinges), **more)


def told(problems):
    return [(problem.severity, problem.message) for problem in problems]


def test_a_sound_robot_has_no_problems():
    assert told(joint_problems(robot())) == []
    assert told(mass_problems(robot())) == []


@pytest.mark.parametrize(
    ("changed", "severity", "words"),
    [
        ({"limits": Limits(0.0, 0.0, 5.0, 3.0)}, "warning", "both 0, it cannot move"),
        ({"limits": Limits(-90.0, 90.0, 5.0, 3.0)}, "warning", "were degrees meant? those are -1.571 to 1.571 rad"),
        ({"limits": Limits(-1.0, 1.0, 0.0, 3.0)}, "warning", "effort limit 0"),
        ({"limits": Limits(-1.0, 1.0, 5.0, 0.0)}, "warning", "velocity limit 0"),
        ({"kind": JointType.PRISMATIC, "limits": Limits(0.0, 300.0, 5.0, 3.0)}, "warning", "millimeters"),
        ({"dynamics": Dynamics(damping=-0.1)}, "error", "damping -0.1 is negative"),
        ({"mimic": Mimic("nobody")}, "error", "mimics 'nobody', which does not exist"),
        ({"mimic": Mimic("hinge")}, "error", "circle of mimic joints"),
    ],
)
def test_a_joint_that_makes_no_sense(changed, severity, words):
    found = told(joint_problems(robot(joints=[joint(**changed)])))
    assert any(s == severity and words in message for s, message in found), found


def test_limits_of_a_whole_turn_and_endless_ones_are_fine():
    for limits in (Limits(-math.pi, math.pi, 5.0, 3.0), Limits(-math.inf, math.inf, 5.0, 3.0)):
        assert told(joint_problems(robot(joints=[joint(limits=limits)]))) == []


def test_a_mimic_joint_that_is_led_beyond_its_limits():
    three = [link(name) for name in "abc"]
    led = joint("led", parent="b", child="c", mimic=Mimic("hinge", -2.0, 0.5), limits=Limits(-1.0, 1.0, 5.0, 3.0))
    found = told(joint_problems(robot(*three, joints=[joint(), led])))
    assert [message for _, message in found] == [
        "joint 'led' follows 'hinge' to -1.5 .. 2.5, beyond its own limits -1 .. 1"
    ]


def test_poses_beyond_limits_and_transmissions_of_no_joint():
    made = robot(poses={"reach": {"hinge": 1.5}}, transmissions=(Transmission("t", "simple", ("nobody",)),))
    messages = [message for _, message in told(joint_problems(made))]
    assert messages == [
        "pose 'reach' asks hinge = 1.5, 0.5 beyond its limits; it will be clipped",
        "transmission 't' drives joint 'nobody', which does not exist",
    ]


@pytest.mark.parametrize(
    ("changed", "severity", "words"),
    [
        ({"mass": 0.0, "tensor": np.zeros((3, 3))}, "warning", "moves but has no mass"),
        ({"mass": -1.0}, "warning", "mass -1 kg is negative"),
        ({"mass": 2500.0, "tensor": 2500 * EVEN}, "warning", "should that be grams?"),
        ({"tensor": -EVEN}, "warning", "not positive definite"),
        ({"tensor": np.diag([1.0, 1.0, 2.1]) / 600}, "warning", "break the triangle inequality"),
        ({"com": (0.5, 0.0, 0.0)}, "warning", "center of mass lies 0.45 m outside its shapes"),
        ({"tensor": 100 * EVEN}, "warning", "is larger than the link"),
        ({"tensor": 1e-6 * EVEN}, "warning", "is tiny beside the link"),
    ],
)
def test_a_link_that_makes_no_sense(changed, severity, words):
    found = told(mass_problems(robot(link("a"), link("b", **changed))))
    assert any(s == severity and words in message for s, message in found), found


def test_a_zero_tensor_is_answered_with_the_one_to_write():
    (_, message), *_ = told(mass_problems(robot(link("a"), link("b", mass=3.0, tensor=np.zeros((3, 3))))))
    assert "has mass but a zero inertia tensor" in message
    assert 'ixx="0.005"' in message  # 3 kg, m (s² + s²) / 12


def test_masses_of_neighbors_count_with_what_is_welded_to_them():
    light = 0.5 / ABSURD_RATIO
    apart = [link("a"), link("b", light, light * EVEN)]
    assert "times as heavy as 'b'" in told(mass_problems(robot(*apart)))[0][1]
    weld = joint("weld", JointType.FIXED, "b", "c")
    assert told(mass_problems(robot(*apart, link("c"), joints=[joint(), weld]))) == []


def test_shapes_that_are_only_seen_fall_through_the_ground():
    seen = [
        Link(name, Inertia.from_matrix(1.0, (0, 0, 0), EVEN), visuals=(Visual(CUBE, SE3.identity()),)) for name in "ab"
    ]
    found = told(mass_problems(robot(*seen)))
    assert [(s, "falls through the ground" in message) for s, message in found] == [(Severity.WARNING, True)]
    ((_, message),) = told(mass_problems(robot(*seen), made_solid(robot(*seen))))
    assert "what is seen of it touches instead" in message
