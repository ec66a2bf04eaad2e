"""A robot whose collision meshes are all lost stands on boxes that have the inertia of its links."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.description import Box, Collision, Cylinder, Inertia, Joint, JointType, Link, Mesh, Robot, Sphere, Visual
from andante.description.solids import inertia_of
from andante.description.stand_ins import made_solid, without_lost_meshes
from andante.errors import BadInput
from andante.geometry import SE3

LOST = Collision(Mesh("package://nowhere/body.stl", None))
PLACE = SE3.from_xyz_rpy((0.1, 0.2, 0.3), (0.3, -0.2, 0.5))


def test_a_box_of_the_same_inertia_stands_in() -> None:
    inertia = inertia_of(Box((0.1, 0.2, 0.4)), mass=3.0).inertia.transformed(PLACE)
    made = without_lost_meshes(Robot("r", (Link("a", inertia, collisions=(LOST,)),), ()))
    (shape,) = made.link("a").collisions
    assert isinstance(shape.geometry, Box)
    assert sorted(shape.geometry.size) == pytest.approx([0.1, 0.2, 0.4])
    again = inertia_of(shape.geometry, mass=3.0).inertia.transformed(shape.pose)
    np.testing.assert_allclose(again.matrix, inertia.matrix, atol=1e-12)
    assert again.com == pytest.approx(inertia.com)
    assert "stand in" in made.problems[-1].message


def test_a_placeholder_tensor_makes_no_box_that_its_joints_do_not_let_believe() -> None:
    heavy = Inertia(0.01, (0.0, 0.0, 0.0), (0.05, 0.0, 0.0, 0.06, 0.0, 0.03))  # of a box of 7 m
    real = inertia_of(Box((0.1, 0.1, 0.3)), mass=3.0).inertia
    joint = Joint("j", JointType.REVOLUTE, "a", "b", SE3.from_xyz_rpy((0.0, 0.0, 0.15)))
    links = (Link("a", heavy, collisions=(LOST,)), Link("b", real, collisions=(LOST,)))
    made = without_lost_meshes(Robot("r", links, (joint,)))
    base, arm = (made.link(name).collisions[0].geometry for name in "ab")
    assert isinstance(base, Box)
    assert max(base.size) == pytest.approx(4 * 0.15)
    assert isinstance(arm, Box)
    assert max(arm.size) == pytest.approx(0.3)


def test_what_is_solid_elsewhere_only_loses_the_mesh() -> None:
    solid = Collision(Box((0.1, 0.1, 0.1)))
    made = without_lost_meshes(Robot("r", (Link("a", Inertia(1.0), collisions=(LOST, solid)),), ()))
    assert made.link("a").collisions == (solid,)


def test_a_robot_with_looks_only_touches_with_them() -> None:
    shown = Visual(Box((0.1, 0.2, 0.4)), PLACE)
    hinge = Joint("hinge", JointType.CONTINUOUS, "a", "b")
    robot = Robot("r", (Link("a", Inertia(1.0), visuals=(shown,)), Link("b", Inertia(1.0))), (hinge,))
    made = made_solid(robot)
    assert made.link("a").collisions == (Collision(shown.geometry, PLACE),)
    assert "no <collision> at all" in made.problems[-1].message
    half = replace(robot, links=(robot.links[0], Link("b", Inertia(1.0), collisions=(Collision(Box((1, 1, 1))),))))
    for same in (half, replace(robot, fixed_base=True), replace(robot, links=(Link("a"), Link("b")))):
        assert made_solid(same) is same


def test_feet_that_are_only_seen_touch_where_nothing_else_reaches_the_ground() -> None:
    shin = Link("shin", Inertia(0.5), visuals=(Visual(Box((0.05, 0.05, 0.4)), SE3.from_xyz_rpy((0, 0, -0.2))),))
    body = Link("body", Inertia(5.0), collisions=(Collision(Box((0.4, 0.3, 0.1))),))
    knee = Joint("knee", JointType.REVOLUTE, "body", "shin")
    made = made_solid(Robot("r", (body, shin), (knee,)))
    assert made.link("shin").collisions == (Collision(shin.visuals[0].geometry, shin.visuals[0].pose),)
    assert made.link("body").collisions == body.collisions
    assert "link 'shin' of 'r' has no <collision>, and nothing else reaches the ground" in made.problems[-1].message
    above = replace(knee, pose=SE3.from_xyz_rpy((0, 0, 0.5)))  # an arm, seen over the body
    for same in (Robot("r", (body, shin), (above,)), Robot("r", (body, shin), (replace(knee, type=JointType.FIXED),))):
        assert made_solid(same) is same


def test_without_mass_there_is_nothing_to_go_by() -> None:
    with pytest.raises(BadInput, match="nothing solid is left of it"):
        without_lost_meshes(Robot("r", (Link("a", None, collisions=(LOST,)),), ()))


@pytest.mark.parametrize("solid", [Sphere(0.07), Cylinder(0.1, 0.04)], ids=["ball", "cylinder"])
def test_links_that_go_round_are_round(solid: Sphere | Cylinder) -> None:
    """About an axis of their joints, which is that of the cylinder."""
    turned = SE3.from_xyz_rpy((0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0))  # about y
    inertia = inertia_of(solid, mass=1.5).inertia.transformed(turned)
    wheel = Link("wheel", inertia, collisions=(LOST,))
    axle = Joint("axle", JointType.CONTINUOUS, "body", "wheel", axis=(0.0, 1.0, 0.0))
    (shape,) = without_lost_meshes(Robot("r", (Link("body"), wheel), (axle,))).link("wheel").collisions
    assert type(shape.geometry) is type(solid)
    assert shape.geometry.radius == pytest.approx(solid.radius)
    again = inertia_of(shape.geometry, mass=1.5).inertia.transformed(shape.pose)
    np.testing.assert_allclose(again.matrix, inertia.matrix, atol=1e-12)
