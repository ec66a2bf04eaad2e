"""Wheels found in robots, and the sentences about drives."""

import math

import numpy as np
import pytest

import andante as an
from andante.description import Box, Collision, Cylinder, Inertia, Joint, JointType, Limits, Link, Robot
from andante.description.check.recognize import drive_plugin, recognize
from andante.description.check.wheels import find_wheels
from andante.description.robot import Plugin
from andante.geometry import SE3

BASE = Link("base", Inertia(1.0), collisions=(Collision(Box((0.3, 0.2, 0.1)), SE3.from_xyz_rpy((0, 0, 0.1))),))


def wheel(name, xyz, parent="base", shift=0.0, radius=0.05):
    pose = SE3.from_xyz_rpy((0, shift, 0), (math.pi / 2, 0, 0))
    link = Link(f"{name}_link", Inertia(0.1), collisions=(Collision(Cylinder(radius, 0.02), pose),))
    return link, Joint(name, JointType.CONTINUOUS, parent, link.name, SE3.from_xyz_rpy(xyz), (0, 1, 0))


def upright(name, xyz, limits=None, parent="base"):
    kind = JointType.REVOLUTE if limits else JointType.CONTINUOUS
    link = Link(f"{name}_link", Inertia(0.1))
    return link, Joint(name, kind, parent, link.name, SE3.from_xyz_rpy(xyz), (0, 0, 1), limits or Limits())


def robot(*pieces, plugins=()):
    return Robot("bot", (BASE, *(link for link, _ in pieces)), tuple(joint for _, joint in pieces), plugins=plugins)


PAIR = (wheel("l", (0, 0.1, 0.05)), wheel("r", (0, -0.1, 0.05)))


def test_the_center_is_that_of_the_tyre():
    found = find_wheels(robot(wheel("l", (0, 0.1, 0.05), shift=0.02), wheel("r", (0, -0.1, 0.05), shift=-0.02)))
    assert [w.center[1] for w in found] == pytest.approx([0.12, -0.12])


def test_steering_castors_and_suspension_are_told_apart():
    steer, castor = upright("steer", (0.2, 0, 0.05), Limits(-0.5, 0.5)), upright("fork", (-0.2, 0, 0.05))
    spring_link = Link("spring_link", Inertia(0.1))
    spring = spring_link, Joint("spring", JointType.PRISMATIC, "steer_link", "spring_link", axis=(0, 0, 1))
    found = {
        w.joint: w
        for w in find_wheels(
            robot(
                *PAIR,
                steer,
                spring,
                wheel("front", (0, 0, 0), "spring_link"),
                castor,
                wheel("rear", (-0.03, 0, -0.02), "fork_link", radius=0.03),
            )
        )
    }
    assert (found["front"].steering, found["front"].castor) == ("steer", False)  # through the spring
    assert (found["rear"].steering, found["rear"].castor) == ("fork", True)
    assert np.allclose(found["rear"].pivot, [-0.2, 0, 0.05])
    assert found["l"].steering == ""


def test_round_things_higher_up_or_inside_arms_are_no_wheels():
    drum = wheel("drum", (0, 0, 0.4))
    arm = upright("yaw", (0, 0, 0.1)), wheel("lift", (0, 0, -0.05), "yaw_link"), wheel("elbow", (0, 0, 0), "lift_link")
    assert [w.joint for w in find_wheels(robot(*PAIR, drum))] == ["l", "r"]
    assert "lift" not in [w.joint for w in find_wheels(robot(*PAIR, *arm))]


def test_a_leg_welded_to_its_motor_is_no_wheel():
    shin = Link("shin", Inertia(0.1), collisions=(Collision(Box((0.02, 0.02, 0.2)), SE3.from_xyz_rpy((0, 0, -0.1))),))
    weld = Joint("weld", JointType.FIXED, "l_link", "shin")
    assert [w.joint for w in find_wheels(robot(*PAIR, (shin, weld)))] == ["r"]
    hub = Link("hub", Inertia(0.1), collisions=(Collision(Box((0.04, 0.04, 0.04))),))
    assert len(find_wheels(robot(*PAIR, (hub, Joint("weld", JointType.FIXED, "l_link", "hub"))))) == 2


@pytest.mark.parametrize(
    ("filename", "name", "key"),
    [
        ("libgazebo_ros_diff_drive.so", "", "diff_drive"),
        ("gz-sim-diff-drive-system", "", "diff_drive"),
        ("x", "gz::sim::systems::DiffDrive", "diff_drive"),
        ("gz-sim-mecanum-drive-system", "", "mecanum"),
        ("ignition-gazebo-ackermann-steering-system", "", "ackermann"),
        ("libgazebo_ros_planar_move.so", "", "planar_move"),
        ("libgazebo_ros_camera.so", "camera", ""),
    ],
)
def test_drive_plugins_by_any_spelling(filename, name, key):
    assert drive_plugin(Plugin(name, filename)) == key


def test_sentences():
    fork = upright("fork", (-0.2, 0, 0.05))
    castor = wheel("rear", (-0.03, 0, -0.02), "fork_link", radius=0.03)
    assert any(line.startswith("differential drive: 3 wheels") for line in recognize(robot(*PAIR, fork, castor)))
    assert any(line.startswith("Ackermann steering: 4 wheels") for line in recognize(an.robot("rover")))
    trike = robot(*PAIR, upright("steer", (0.2, 0, 0.05), Limits(-1, 1)), wheel("front", (0, 0, 0), "steer_link"))
    assert any(line.startswith("tricycle steering: 3 wheels") for line in recognize(trike))
