"""Chains out of robots: any two links, mimics, held joints; and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import andante as an
from andante.description import Frame, Joint, JointType, Link, Mimic, Robot
from andante.errors import AndanteError, BadInput, Unsupported
from andante.geometry import SE3, so3
from andante.kinematics import Chain, chain
from andante.kinematics.chain import Fixed, Moving

from . import reference
from .reference import random_positions
from .robots import R, joint, mixed, planar


def poses_by_description(robot, base, tip, positions):
    """Pose of the tip in the base frame by `Robot.link_poses`, which knows nothing of chains."""
    poses = robot.link_poses(positions)
    return (poses[base].inverse() @ poses[tip]).matrix


@pytest.mark.parametrize("name", ["nao", "shell", "rover"])
def test_fk_between_any_two_links_agrees_with_the_description(name):
    robot = an.robot(name)
    rng = np.random.default_rng(3)
    names = [link.name for link in robot.links]
    for base, tip in zip(rng.permutation(names), rng.permutation(names), strict=True):
        positions = robot.complete({j.name: rng.uniform(-1, 1) for j in robot.independent})
        made = chain(robot, base, tip)
        made = made.hold({held: positions[held] for held in made.held})
        q = made.vector(positions)
        expected = poses_by_description(robot, base, tip, positions)
        np.testing.assert_allclose(made.fk(q), expected, atol=1e-12, err_msg=f"{base} to {tip}")


def test_mimic_with_its_source_on_the_way_moves_with_it():
    robot = mixed()
    made = robot.chain("root", "tip")
    assert made.joint_names == ("turn", "slide", "spin")
    expected = poses_by_description(robot, "root", "tip", {"turn": 0.7, "slide": 0.1, "spin": -2.0})
    np.testing.assert_allclose(made.fk([0.7, 0.1, -2.0]), expected, atol=1e-12)
    # echo = 0.1 - turn / 2 stays within ±2, which leaves turn between -3.8 and 4.2: its own limits are narrower
    assert (made.limits[0][0], made.limits[1][0]) == (-2.0, 2.0)


def test_mimic_with_its_source_elsewhere_follows_a_held_value():
    robot = mixed()
    made = robot.chain("root", "side")
    assert made.joint_names == ("other", "last")
    assert dict(made.held) == {"slide": 0.0}
    held = made.hold({"slide": 0.2})
    expected = poses_by_description(robot, "root", "side", {"slide": 0.2, "other": 0.3, "last": -0.4})
    np.testing.assert_allclose(held.fk([0.3, -0.4]), expected, atol=1e-12)
    assert chain(robot, "root", "side", {"slide": 0.2}).held == held.held
    free = made.release("slide")
    assert free.joint_names == ("other", "slide", "last")
    np.testing.assert_allclose(free.fk([0.3, 0.2, -0.4]), expected, atol=1e-12)
    # follow = 2 slide + 0.05 within ±1 would allow -0.525 to 0.475; slide's own limits are narrower
    assert (free.limits[0][1], free.limits[1][1]) == (-0.2, 0.3)


def test_limits_of_a_mimic_narrow_its_source():
    links = (Link("a"), Link("b"), Link("c"))
    lead = joint("lead", R, "a", "b", lower=-1, upper=1)
    follow = joint("follow", R, "b", "c", lower=-0.5, upper=3.0, mimic=Mimic("lead", -2.0, 1.0))
    made = Robot("r", links, (lead, follow)).chain("a", "c")
    assert (made.limits[0][0], made.limits[1][0]) == (-1.0, 0.75)
    none = joint("follow", R, "b", "c", lower=5.0, upper=6.0, mimic=Mimic("lead"))
    with pytest.raises(BadInput, match="leave no position for 'lead'"):
        Robot("r", links, (lead, none)).chain("a", "c")


def test_shell_legs_share_one_folding_joint():
    shell = an.robot("shell")
    assert shell.chain("base_link", "lower_foot_1").joint_names == ("q111", "q112", "q113", "q114")
    second = shell.chain("base_link", "lower_foot_2")
    assert second.joint_names == ("q122", "q123", "q124")
    assert second.release("q111").joint_names == ("q111", "q122", "q123", "q124")


def test_a_chain_backwards_is_the_inverse():
    nao = an.robot("nao")
    there, back = nao.chain("l_sole", "r_gripper"), nao.chain("r_gripper", "l_sole")
    assert there.joint_names == back.joint_names[::-1]
    for q in random_positions(there, 5, np.random.default_rng(0)):
        np.testing.assert_allclose(there.fk(q) @ back.fk(q[::-1]), np.eye(4), atol=1e-12)


def test_frames_serve_as_ends():
    base = planar()
    robot = Robot(
        base.name, base.links, base.joints, frames=(Frame("grip", "tip", SE3.from_xyz_rpy((0.1, 0, 0), (0, 0, 1))),)
    )
    made = robot.chain("l0", "grip")
    np.testing.assert_allclose(made.fk([0, 0])[:3, 3], [0.65, 0, 0], atol=1e-15)
    np.testing.assert_allclose(robot.chain("grip", "grip").fk([]), np.eye(4), atol=1e-15)


def test_coordinates_are_targets():
    made = mixed().chain("root", "tip")
    q = random_positions(made, 10, np.random.default_rng(2))
    coordinates = made.coordinates(q)
    np.testing.assert_allclose(
        SE3.from_xyz_rpy(coordinates[:, :3], coordinates[:, :2:-1]).matrix, made.fk(q), atol=1e-12
    )


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=2), st.floats(0.05, 1), st.floats(0.05, 1))
@settings(max_examples=50, deadline=None)
def test_planar_arm_by_hand(q, a, b):
    tip = planar((a, b)).chain("l0", "tip").fk(q)
    x = a * np.cos(q[0]) + b * np.cos(q[0] + q[1])
    y = a * np.sin(q[0]) + b * np.sin(q[0] + q[1])
    np.testing.assert_allclose(tip[:3, 3], [x, y, 0], atol=1e-12)


def floating():
    return Robot("boat", (Link("sea"), Link("hull")), (Joint("waves", JointType.FLOATING, "sea", "hull"),))


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: planar().chain("l0", "hand"), AndanteError, "no link 'hand'.*l0, l1, l2, tip"),
        (lambda: planar().chain("floor", "tip"), AndanteError, "no link 'floor'.*l0, l1, l2, tip"),
        (lambda: floating().chain("sea", "hull"), Unsupported, "not connected.*'waves' between them is floating"),
        (lambda: planar().chain("l2", "tip").ik([1, 2, 3, 0, 0, 0]), BadInput, "no movable joint"),
        (lambda: planar().chain("l0", "tip").fk([1, 2, 3]), BadInput, "takes 2 joint positions .j0, j1."),
        (lambda: planar().chain("l0", "tip").hold({"j7": 0.0}), AndanteError, "no joint 'j7'.*j0, j1"),
        (lambda: planar().chain("l0", "tip").hold({"j0": np.nan}), BadInput, "held at nan"),
        (lambda: planar().chain("l0", "tip").release("j0"), AndanteError, "no held joint 'j0'"),
    ],
)
def test_bad_input_is_named(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


TILTS = [0.0, 1e-16, 1e-12, 1e-7, 1e-3, 0.7, np.pi / 2, np.pi - 1e-9, np.pi]


@given(st.lists(st.sampled_from(TILTS), min_size=9, max_size=9))
@settings(max_examples=60, deadline=None)
def test_axes_that_are_parallel_or_nearly_so(angles):
    """Rows are split into turns about z and x; the split must hold where its angles are badly determined."""
    steps = []
    for i in range(3):
        pose = np.eye(4)
        pose[:3, :3] = so3.from_rpy(angles[3 * i : 3 * i + 3])
        pose[:3, 3] = [0.3, -0.2 * i, 0.1]
        steps += [Fixed(pose), Moving(np.array([[0.0, 0, 1], [1, 0, 0], [0, 0.6, 0.8]][i]), i == 1, f"q{i}")]
    made = Chain("base", "tip", (*steps, Fixed(pose)), {f"q{i}": (-3.0, 3.0) for i in range(3)})
    for q in np.random.default_rng(4).uniform(-3, 3, (3, 3)):
        np.testing.assert_allclose(made.fk(q), reference.fk(made, q), atol=1e-14)
