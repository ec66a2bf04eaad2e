"""A floating base on standing feet: forward and inverse, shared joints, feet that keep their directions."""

import numpy as np
import pytest
from scipy.optimize import least_squares

import andante as an
from andante.errors import AndanteError
from andante.geometry import SE3
from andante.kinematics import Parallel, parallel

from .robots import FEET, quadruped

SHELL_FEET = [f"lower_foot_{k}" for k in range(1, 7)]


def body_motion(count, seed, reach):
    """Base poses around the origin: up to `reach` [m] and 5 reach [rad] along each axis."""
    twists = np.random.default_rng(seed).uniform(-1, 1, (count, 6))
    return SE3.exp(twists * reach * [1, 1, 1, 5, 5, 5])


def shell_stand(held=None):
    shell = an.robot("shell")
    robot = parallel(shell, SHELL_FEET, held=held)
    q = robot.vector(shell.pose("stand"))
    return robot, q, robot.foot_poses(q)[:, :3, 3]


def test_shell_moves_its_body_over_standing_feet():
    robot, q, feet = shell_stand()
    assert robot.shared == ("q111",)
    assert len(robot.joint_names) == 19
    bases = body_motion(50, 0, 0.015)
    found = robot.inverse(bases, feet, q)
    assert found.converged.all()
    assert found.error.max() <= 1e-6
    shell = an.robot("shell")
    for positions, base in zip(found.q, bases, strict=True):
        # the description itself, with the five arms that mimic the first, says where the feet are
        poses = shell.link_poses(dict(zip(robot.joint_names, positions, strict=True)))
        reached = np.stack([(base @ poses[name]).translation for name in SHELL_FEET])
        np.testing.assert_allclose(reached, feet, atol=1e-6)
        back = robot.forward(positions, feet)
        assert back.converged
        np.testing.assert_allclose(back.pose, base.matrix, atol=1e-5)
    lower, upper = robot.limits
    assert np.all((found.q >= lower) & (found.q <= upper))


def test_the_folding_joint_moves_as_one_variable():
    """Turned far about z the feet are out of reach with straight arms; the one folding joint helps all six legs."""
    robot, q, feet = shell_stand()
    still, q_still, _ = shell_stand(held={"q111": 0.0})
    assert still.shared == ()
    assert len(still.joint_names) == 18
    turned = SE3.from_xyz_rpy((0, 0, 0), (0, 0, -0.7))
    assert not still.inverse(turned, feet, q_still).converged
    found = robot.inverse(turned, feet, q)
    assert found.converged
    assert found.q[0] > 0.01
    shell = an.robot("shell").complete(dict(zip(robot.joint_names, found.q, strict=True)))
    assert {shell[f"q1{k}1"] for k in range(1, 7)} == {found.q[0]}


def test_cold_start_finds_the_same_poses():
    robot, _, feet = shell_stand()
    found = robot.inverse(body_motion(20, 1, 0.015), feet)
    assert found.converged.all()


def test_batch_and_threads_give_the_bits_of_single_calls():
    for robot, q, feet in (shell_stand(), shell_stand(held={"q111": 0.0})):
        bases = body_motion(12, 2, 0.01)
        batch, threaded = robot.inverse(bases, feet, q), robot.inverse(bases, feet, q, threads=2)
        np.testing.assert_array_equal(batch.q, threaded.q)
        np.testing.assert_array_equal(batch.iterations, threaded.iterations)
        for i in range(12):
            one = robot.inverse(bases[i], feet, q)
            np.testing.assert_array_equal(one.q, batch.q[i])
            assert (one.converged, one.error, one.iterations) == (
                batch.converged[i],
                batch.error[i],
                batch.iterations[i],
            )


@pytest.mark.parametrize("knees", [1, 2])
def test_quadruped_of_our_own(knees):
    robot = parallel(quadruped(knees), FEET)
    q = np.tile([0.1, 0.6, *([-1.0] * knees)], 4)
    feet = robot.foot_poses(q)[:, :3, 3]
    bases = body_motion(40, 3, 0.02)
    found = robot.inverse(bases, feet, q)
    assert found.converged.all()
    for positions, base in zip(found.q, bases, strict=True):
        np.testing.assert_allclose(robot.foot_poses(positions, base)[:, :3, 3], feet, atol=1e-6)
        np.testing.assert_allclose(robot.forward(positions, feet).pose, base.matrix, atol=2e-5)


def test_out_of_reach_says_so():
    robot = parallel(quadruped(), FEET)
    q = np.tile([0.1, 0.6, -1.0], 4)
    feet = robot.foot_poses(q)[:, :3, 3]
    found = robot.inverse(SE3.from_xyz_rpy((0, 0, 0.5)), feet, q)
    assert not found.converged
    gaps = robot.foot_poses(found.q, SE3.from_xyz_rpy((0, 0, 0.5)))[:, :3, 3] - feet
    assert found.error == pytest.approx(np.linalg.norm(gaps), rel=1e-12)


def test_soles_keep_their_directions():
    """The NAO on both soles: twelve joints, of which the legs share one."""
    nao = an.robot("nao")
    robot = parallel(nao, ("l_sole", "r_sole"), base="torso")
    assert robot.shared == ("LHipYawPitch",)
    assert len(robot.joint_names) == 11
    q = robot.vector(nao.pose("StandInit"))
    feet = robot.foot_poses(q)
    base = SE3.from_xyz_rpy((0.01, 0.0, -0.015), (0.0, 0.1, 0.0))
    found = robot.inverse(base, feet, q)
    assert found.converged
    np.testing.assert_allclose(robot.foot_poses(found.q, base), feet, atol=2e-6)
    back = robot.forward(found.q, feet)
    assert back.converged
    np.testing.assert_allclose(back.pose, base.matrix, atol=2e-6)


def test_forward_with_joints_that_do_not_fit_is_the_least_squares_pose():
    robot, q, feet = shell_stand()
    noisy = q + np.random.default_rng(5).normal(0, 0.05, q.size)
    found = robot.forward(noisy, feet)
    assert not found.converged
    points = robot.foot_poses(noisy)[:, :3, 3]
    fit = least_squares(lambda x: (SE3.exp(x) @ points - feet).ravel(), np.zeros(6), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert found.error == pytest.approx(np.sqrt(2 * fit.cost), rel=1e-9)
    np.testing.assert_allclose(found.pose, SE3.exp(fit.x).matrix, atol=1e-6)


def test_forward_from_far_away_and_upside_down():
    robot, q, feet = shell_stand()
    world = SE3.from_xyz_rpy((5, -3, 2), (3.0, 1.2, -2.5))
    found = robot.forward(q, world @ feet)
    assert found.converged
    np.testing.assert_allclose(found.pose, world.matrix, atol=1e-6)


def test_forward_with_soles_that_do_not_fit_balances_them():
    nao = an.robot("nao")
    robot = parallel(nao, ("l_sole", "r_sole"), base="torso")
    q = robot.vector(nao.pose("StandInit"))
    feet = robot.foot_poses(q)
    feet[0, 2, 3] += 0.01
    found = robot.forward(q, feet)
    assert not found.converged
    assert 0.0 < found.error < 0.01  # shared between both soles
    assert 0.0 < found.pose[2, 3] < 0.01


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: parallel(quadruped(), []), "at least one foot"),
        (lambda: Parallel(()), "at least one leg"),
        (lambda: parallel(quadruped(), ["paw"]), "no link 'paw'"),
        (lambda: parallel(quadruped(), FEET, held={"tail": 0.0}), "no joint 'tail'"),
        (lambda: parallel(quadruped(), ["body"]), "no movable joint"),
        (lambda: parallel(quadruped(), FEET).inverse(np.eye(3), np.zeros((4, 3))), "base pose is a .4, 4. matrix"),
        (lambda: parallel(quadruped(), FEET).inverse(np.eye(4), np.zeros((3, 3))), r"\(4, 3\) points or \(4, 4, 4\)"),
        (lambda: parallel(quadruped(), FEET).inverse(np.eye(4), np.full((4, 3), np.nan)), "finite numbers"),
        (lambda: parallel(quadruped(), FEET).inverse(np.eye(4), np.zeros((4, 3)), np.zeros(3)), "12 joint positions"),
        (lambda: parallel(quadruped(), FEET).forward(np.zeros(3), np.zeros((4, 3))), "12 joint positions"),
        (
            lambda: Parallel((quadruped().chain("body", "fl_foot"), quadruped().chain("fr_hip", "rr_foot"))),
            "start at one base, got body, fr_hip",
        ),
    ],
)
def test_bad_input_is_named(make, words):
    with pytest.raises(AndanteError, match=words):
        make()
