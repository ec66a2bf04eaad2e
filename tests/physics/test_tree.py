"""A robot reduced to its bodies: frames, sums of inertia, masks, least mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.description import Box, Collision, Inertia, Joint, JointType, Link, Robot, Visual
from andante.description.inertia import LEAST_MASS_FRACTION
from andante.description.robot import joint_motion
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.physics import body_tree
from andante.physics.checks import specimens
from andante.physics.tree import BodyTree

angles = st.floats(-3, 3)


def _body_poses(tree: BodyTree, q: dict[str, float]) -> list[SE3]:
    poses = [SE3.identity()]
    for body in tree.bodies[1:]:
        assert body.joint is not None
        poses.append(poses[body.parent] @ body.pose @ joint_motion(body.joint, q[body.joint.name]))
    return poses


@settings(max_examples=50, deadline=None)
@given(st.tuples(angles, angles, angles))
def test_link_poses_come_back_from_body_poses(values: tuple[float, float, float]) -> None:
    robot = specimens.tangle()
    tree = body_tree(robot)
    q = dict(zip(robot.joint_names, values, strict=True))
    bodies = _body_poses(tree, q)
    for i, link in enumerate(robot.links):
        found = bodies[tree.link_body[i]] @ SE3(tree.link_pose[i])
        assert found.close_to(robot.link_poses(q)[link.name], 1e-12)


def test_fixed_links_are_fused_and_mass_is_kept() -> None:
    robot = specimens.tangle()
    tree = body_tree(robot)
    assert [body.name for body in tree.bodies] == ["trunk", "upper", "lower", "piston"]
    assert sum(body.inertia.mass for body in tree.bodies) == pytest.approx(robot.mass)
    assert [tree.bodies[i].joint.name for i in tree.joint_bodies] == list(robot.joint_names)  # type: ignore[union-attr]


def test_inertia_of_the_whole_is_kept() -> None:
    """Mass times centre, and the tensor about the origin, are sums over links and over bodies alike."""
    robot = specimens.tangle()
    tree = body_tree(robot)
    zero = dict.fromkeys(robot.joint_names, 0.0)
    poses = robot.link_poses()
    by_link = [link.inertia.transformed(poses[link.name]) for link in robot.links if link.inertia is not None]
    by_body = [b.inertia.transformed(p) for b, p in zip(tree.bodies, _body_poses(tree, zero), strict=True)]
    for parts in (by_link, by_body):
        assert len(parts) > 3
    moments = [sum(part.about_origin() for part in parts) for parts in (by_link, by_body)]
    centers = [sum(part.mass * np.asarray(part.com) for part in parts) for parts in (by_link, by_body)]
    np.testing.assert_allclose(moments[0], moments[1], atol=1e-12)
    np.testing.assert_allclose(centers[0], centers[1], atol=1e-12)


def test_shapes_are_carried_to_their_body() -> None:
    mount = Joint("m", JointType.FIXED, "a", "b", SE3.from_xyz_rpy((1, 0, 0), (0, 0, 0.5)))
    shape = Collision(Box((1, 1, 1)), SE3.from_xyz_rpy((0, 2, 0)), name="crate")
    robot = Robot("r", (Link("a", Inertia(1.0)), Link("b", Inertia(1.0), collisions=(shape,))), (mount,))
    (body,) = body_tree(robot).bodies
    (carried,) = body.shapes
    assert carried.link == 1
    assert carried.name == "crate"
    assert carried.pose.close_to(mount.pose @ shape.pose)


def test_masked_pairs() -> None:
    assert body_tree(specimens.clapper(False)).masked_pairs == {(0, 1), (0, 2), (1, 2)}
    assert body_tree(specimens.clapper(True)).masked_pairs == {(0, 1), (0, 2)}
    assert body_tree(specimens.clapper(True, masked=True)).masked_pairs == {(0, 1), (0, 2), (1, 2)}
    linkage = replace(specimens.four_bar(), self_collide=True)
    tree = body_tree(linkage)
    names = [body.name for body in tree.bodies]
    joined = tuple(sorted((names.index("coupler"), names.index("rocker"))))
    assert joined in tree.masked_pairs  # joined by the loop
    assert tuple(sorted((names.index("crank"), names.index("rocker")))) not in tree.masked_pairs


def test_a_link_may_differ_from_its_robot() -> None:
    robot = specimens.clapper(False)
    links = tuple(replace(link, self_collide=True) if link.name != "base" else link for link in robot.links)
    assert (1, 2) not in body_tree(replace(robot, links=links)).masked_pairs


def test_two_links_meet_when_one_of_them_wishes_it() -> None:
    robot = specimens.clapper(False)
    one = tuple(replace(link, self_collide=True) if link is robot.links[1] else link for link in robot.links)
    assert (1, 2) not in body_tree(replace(robot, links=one)).masked_pairs
    none = tuple(replace(link, self_collide=False) for link in robot.links)
    assert (1, 2) in body_tree(replace(robot, links=none, self_collide=True)).masked_pairs


def test_more_joints_than_can_be_simulated_are_refused() -> None:
    with pytest.raises(BadInput, match="1001 joints that move; up to 1000"):
        body_tree(specimens.chain(1001))


def test_loop_frames_meet_at_zero() -> None:
    robot = specimens.four_bar()
    tree = body_tree(robot)
    (loop,) = tree.loops
    poses = _body_poses(tree, dict.fromkeys(robot.joint_names, 0.0))
    assert (poses[loop.parent] @ loop.parent_from_joint).close_to(poses[loop.child] @ loop.child_from_joint, 1e-12)


def test_a_moving_link_without_mass_gets_the_least_and_it_is_told() -> None:
    robot = specimens.massless()
    tree = body_tree(robot)
    ghost = next(body for body in tree.bodies if body.name == "ghost")
    assert ghost.inertia.mass == pytest.approx(robot.mass * LEAST_MASS_FRACTION)
    (problem,) = tree.problems
    assert "'ghost'" in problem.message
    assert problem.severity == "warning"


GOOD = Inertia(1.0, (0, 0, 0), (0.01, 0, 0, 0.01, 0, 0.01))


def _on_a_hinge(link: Link, base: Inertia | None = GOOD, fixed: bool = False) -> BodyTree:
    robot = Robot("r", (Link("a", base), link), (Joint("j", JointType.CONTINUOUS, "a", "b"),))
    return body_tree(robot, fixed)


def test_a_tensor_that_is_not_positive_is_lifted_and_it_is_told() -> None:
    tree = _on_a_hinge(Link("b", Inertia(1.0, (0, 0, 0), (0.01, 0, 0, 0.0, 0, 0.01))))
    assert np.linalg.eigvalsh(tree.bodies[1].inertia.matrix)[0] > 0
    (problem,) = tree.problems
    assert "not positive definite" in problem.message


def test_a_tensor_that_is_next_to_nothing_beside_the_body_is_that_of_a_box() -> None:
    shape = Collision(Box((0.1, 0.2, 0.3)))
    slight = Inertia(4.0, (0, 0, 0), (-2e-22, 0.0, 0.0, 3e-23, 0.0, 3e-6))  # what exporters write into empty links
    tree = _on_a_hinge(Link("b", slight, collisions=(shape,)))
    expected = 4.0 / 12 * np.array([0.2**2 + 0.3**2, 0.1**2 + 0.3**2, 0.1**2 + 0.2**2])
    assert np.diag(tree.bodies[1].inertia.matrix) == pytest.approx(expected)


@pytest.mark.parametrize("shown", [False, True])
def test_bodies_of_a_robot_without_any_mass_are_as_large_as_their_shapes(shown: bool) -> None:
    box, place = Box((0.1, 0.2, 1.0)), SE3.from_xyz_rpy((0, 0, 0.5))
    shapes = {"visuals": (Visual(box, place),)} if shown else {"collisions": (Collision(box, place),)}
    body = _on_a_hinge(Link("b", **shapes), base=None).bodies[1]
    assert body.inertia.com == pytest.approx((0, 0, 0.5))
    assert body.inertia.moments[0] == pytest.approx(body.inertia.mass / 12 * (0.2**2 + 1.0**2))


def test_a_tensor_without_a_triangle_is_widened_and_keeps_its_axes() -> None:
    turn = so3.exp([0.3, -0.5, 0.2])
    told = turn @ np.diag([0.01, 0.01, 0.05]) @ turn.T
    tree = _on_a_hinge(Link("b", Inertia.from_matrix(1.0, (0, 0, 0), told)))
    repaired = turn.T @ tree.bodies[1].inertia.matrix @ turn
    assert np.diag(repaired) == pytest.approx([0.025, 0.025, 0.05])
    assert "triangle" in tree.problems[0].message


@pytest.mark.parametrize("size", [0.0, 2e-20, -2e-20])  # what exporters leave of a tensor that they lost
def test_a_missing_tensor_is_that_of_the_box_around_the_shapes(size: float) -> None:
    shape = Collision(Box((0.1, 0.2, 0.3)))
    lost = Inertia(2.0, (0, 0, 0), (size, 0.0, size / 2, 2 * size, 0.0, size))
    tree = _on_a_hinge(Link("b", lost, collisions=(shape,)))
    expected = 2.0 / 12 * np.array([0.2**2 + 0.3**2, 0.1**2 + 0.3**2, 0.1**2 + 0.2**2])
    assert np.diag(tree.bodies[1].inertia.matrix) == pytest.approx(expected)
    assert "0.1 x 0.2 x 0.3 m" in tree.problems[0].message


@pytest.mark.parametrize(("moment", "told"), [(1.0, True), (0.02, False)])
def test_a_placeholder_tensor_is_that_of_the_box_around_the_shapes(moment: float, told: bool) -> None:
    """1 kg m² of a shin of 50 g and 0.2 m is nobody's: a radius of gyration of 4.5 m."""
    given = Inertia(0.05, (0, 0, 0.1), (moment, 0.0, 0.0, moment, 0.0, moment))
    shape = Collision(Box((0.01, 0.01, 0.2)), SE3.from_xyz_rpy((0, 0, 0.1)))
    tree = _on_a_hinge(Link("b", given, collisions=(shape,)))
    made = tree.bodies[1].inertia
    assert (made.mass, made.com) == (0.05, (0, 0, 0.1))
    assert bool(tree.problems) is told
    if told:
        assert made.matrix[0, 0] == pytest.approx(0.05 / 12 * (0.01**2 + 0.2**2))
        assert "radius of gyration of 4.47 m beside shapes of 0.01 x 0.01 x 0.2 m" in tree.problems[0].message
    else:
        assert made.matrix[0, 0] == moment
    bare = _on_a_hinge(Link("b", given))  # nothing to compare it with
    assert not bare.problems


def test_wheels_without_mass_turn_as_heavily_as_a_part_of_the_robot() -> None:
    """A tensor of next to nothing beside a servo leaves a wheel no grip."""
    tree = _on_a_hinge(Link("b", None, collisions=(Collision(Box((0.1, 0.04, 0.1))),)))
    total = tree.bodies[0].inertia.mass
    made = tree.bodies[1].inertia
    assert made.mass < 1e-3 * total
    assert made.matrix[1, 1] == pytest.approx(0.01 * total / 12 * (0.1**2 + 0.1**2))


def test_only_a_floating_root_needs_a_mass() -> None:
    assert "bolt it down" in _on_a_hinge(Link("b", GOOD), base=None).problems[0].message
    assert _on_a_hinge(Link("b", GOOD), base=None, fixed=True).problems == ()


@pytest.mark.parametrize(("sensor", "falls"), [(1.0, True), (30.0, False)])
def test_a_base_does_not_float_because_its_lidar_has_no_weight(sensor, falls):
    base = specimens.box_link("base", 16.0, (0.4, 0.3, 0.2))
    lidar = replace(specimens.box_link("lidar", sensor, (0.1, 0.1, 0.1)), gravity=False)
    joint = Joint("mount", JointType.FIXED, "base", "lidar", pose=SE3.from_xyz_rpy([0.0, 0.0, 0.2], [0.0, 0.0, 0.0]))
    (body,) = body_tree(Robot("base", (base, lidar), (joint,))).bodies
    assert body.gravity is falls
